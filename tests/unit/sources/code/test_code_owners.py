"""CODEOWNERS as code hosts read it: the last rule that matches a path names its owners."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.code.code_owners import OwnerRule, owning_rule, path_expression, read_rules

LINES = (
    "# everything",
    "*            @bakery/all",
    "",
    "[Ovens][2] @nobody",
    "*.sql        @bakery/data  # and the views",
    "/ovens/      @bakery/ovens @lena",
    "ovens/gas.py",
    "recipes/*    cook@example.org",
    "**/labels    @bakery/print",
    "docs/with\\ space.md @bakery/words",
)


@each_row(
    "path, owners",
    [
        ("README.md", ("@bakery/all",)),
        ("shop/orders.sql", ("@bakery/data",)),
        ("ovens/electric/heat.py", ("@bakery/ovens", "@lena")),
        ("ovens/stock.sql", ("@bakery/ovens", "@lena")),
        ("ovens/gas.py", ()),
        ("site/ovens/heat.py", ("@bakery/all",)),
        ("recipes/rye.md", ("cook@example.org",)),
        ("recipes/sweet/bun.md", ("@bakery/all",)),
        ("shop/labels/price.py", ("@bakery/print",)),
        ("docs/with space.md", ("@bakery/words",)),
    ],
)
def test_the_last_rule_that_matches_names_the_owners(path: str, owners: tuple[str, ...]) -> None:
    rule = owning_rule(read_rules(LINES), path)
    assert (rule.owners if rule else ()) == owners


def test_a_rule_tells_its_line() -> None:
    rule = owning_rule(read_rules(LINES), "shop/orders.sql")
    assert rule == OwnerRule("*.sql", ("@bakery/data",), 5)


PATHS = st.lists(st.from_regex(r"[a-z]{1,3}", fullmatch=True), min_size=1, max_size=4).map("/".join)


@given(st.lists(st.tuples(st.text(max_size=12), st.sampled_from(["@a", "@b", ""])), max_size=6), PATHS)
def test_any_lines_are_read_and_a_last_rule_for_everything_wins(lines: list[tuple[str, str]], path: str) -> None:
    written = [f"{pattern} {owner}" for pattern, owner in lines]
    owning_rule(read_rules(written), path)
    assert owning_rule(read_rules([*written, "* @last"]), path) == OwnerRule("*", ("@last",), len(written) + 1)


@given(PATHS, PATHS)
def test_a_folder_owns_what_lies_below_it_and_nothing_beside_it(folder: str, rest: str) -> None:
    assert re.fullmatch(path_expression(f"/{folder}/"), f"{folder}/{rest}")
    assert not re.fullmatch(path_expression(f"/{folder}/"), f"{folder}x/{rest}")
    assert not re.fullmatch(path_expression(f"/{folder}/"), f"x/{folder}/{rest}")
