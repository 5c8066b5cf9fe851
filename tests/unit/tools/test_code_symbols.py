"""search_code, find_definition, find_references and get_repo_map on real repositories."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.each_row import each_row
from tests.support.git_repositories import lines_at, make_repository, run_git
from workers.contracts import Evidence, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.token_count import count_tokens
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.tools.code_symbols import (
    build_find_definition,
    build_find_references,
    build_get_repo_map,
    build_search_code,
)

CONTEXT = ToolContext("r1", "research", datetime(2026, 5, 4, 12, tzinfo=UTC))
SHOP = {
    "pay/client.py": """class Client:
    \"\"\"Charges cards.\"\"\"

    def charge(self, card):
        return self.post(card)

    def post(self, card):
        return card


def make_client():
    return Client()
""",
    "pay/jobs.py": """from pay.client import Client, make_client


def run_jobs(cards):
    client = make_client()
    for card in cards:
        client.charge(card)
    return Client().charge(None)
""",
    "long.py": "def many():\n" + "".join(f"    x{n} = {n}\n" for n in range(60)),
}
MAIL = {"mail/client.go": "package mail\n\ntype Client struct{}\n\nfunc (c *Client) Send() int {\n\treturn 1\n}\n"}


def build(make: Any, home: Path, *folders: Path) -> Tool:
    settings = load_settings({"oracle.repositories": [{"path": str(folder)} for folder in folders]}, home=home)
    tool: Tool = make({}, Resources(settings, lambda start, end: ()))
    return tool


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_repository(tmp_path_factory.mktemp("symbols") / "shop", SHOP)
    run_git(folder, "remote", "add", "origin", "git@github.com:acme/shop.git")
    return folder


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("symbols") / "mail", MAIL)


def assert_lines(folder: Path, item: Evidence) -> None:
    """The excerpt is exactly the lines that the facts and the address name."""
    path, start, end = str(item.facts["path"].value), item.facts["start_line"].value, item.facts["end_line"].value
    assert item.facts["lines"].value == item.locator == f"{path}:{start}-{end}"
    assert item.excerpt == lines_at(folder, "HEAD", path, int(start), int(end))
    head = run_git(folder, "rev-parse", "HEAD").strip()
    assert item.url == f"https://github.com/acme/shop/blob/{head}/{path}#L{start}-L{end}"


def test_search_has_the_shape_of_all_retrieval(shop: Path, home: Path) -> None:
    output = call(build(build_search_code, home, shop), query="where are cards charged", k=2)
    first = output.data["results"][0]
    assert set(first) == {
        "content",
        "source_type",
        "source_path",
        "retrieval_method",
        "score",
        "token_count",
        "metadata",
    }
    assert 0 <= first["score"] <= 1
    assert first["token_count"] == count_tokens(first["content"])
    assert len(output.data["results"]) == len(output.evidence) <= 2
    for item in output.evidence:
        assert_lines(shop, item)


def test_a_definition_with_its_lines_kind_and_class(shop: Path, home: Path) -> None:
    output = call(build(build_find_definition, home, shop), name="Client.charge")
    (item,) = output.evidence
    assert_lines(shop, item)
    facts = {name: fact.value for name, fact in item.facts.items()}
    assert (facts["symbol"], facts["definition_kind"], facts["container"]) == ("Client.charge", "method", "Client")
    assert facts["signature"] == "def charge(self, card)"
    (row,) = output.data["definitions"]
    assert (row["start_line"], row["end_line"], row["url"]) == (4, 5, item.url)


def test_a_long_definition_is_shown_by_its_beginning(shop: Path, home: Path) -> None:
    (item,) = call(build(build_find_definition, home, shop), name="many").evidence
    assert_lines(shop, item)
    assert item.facts["definition_lines"].value == "long.py:1-61"
    assert item.excerpt.count("\n") == 29


def test_uses_with_what_is_around_and_what_they_mean(shop: Path, home: Path) -> None:
    output = call(build(build_find_references, home, shop), name="Client.charge")
    assert [(r["path"], r["line"], r["inside"]) for r in output.data["references"]] == [
        ("pay/jobs.py", 8, "run_jobs"),
        ("pay/jobs.py", 7, "run_jobs"),
    ]
    assert {tuple(r["means"]) for r in output.data["references"]} == {("pay/client.py:4",)}
    (item,) = output.evidence
    assert item.facts["uses_in_file"].value == 2
    for n in (1, 2):
        place, text = item.facts[f"use_{n}"].value, item.facts[f"use_{n}_text"].value
        line = int(re.fullmatch(r"pay/jobs\.py:(\d+)-\1", str(place))[1])  # type: ignore[index]
        assert lines_at(shop, "HEAD", "pay/jobs.py", line, line).strip() == text
        assert "charge" in str(text)
    assert item.url
    assert item.url.endswith("#L7-L7")


def test_so_many_uses_as_are_asked_for_the_surest_first(shop: Path, home: Path) -> None:
    tool = build(build_find_references, home, shop)
    output = call(tool, name="charge", k=1)
    assert len(output.data["references"]) == 1
    assert output.data["references"][0]["certainty"] == "sure"
    assert output.data["total"] == 2
    assert "1 more use" in output.reason


def test_nothing_of_a_name_tells_the_nearest(shop: Path, home: Path) -> None:
    output = call(build(build_find_definition, home, shop), name="make_clent")
    assert output.status == "empty"
    assert "make_client" in output.nearest
    assert call(build(build_find_references, home, shop), name="make_clent").nearest == output.nearest
    unused = call(build(build_find_references, home, shop), name="many")
    assert unused.status == "empty"
    assert "long.py:1" in unused.reason


def test_several_repositories_or_one_of_them(shop: Path, mail: Path, home: Path) -> None:
    tool = build(build_find_definition, home, shop, mail)
    assert {row["repository"] for row in call(tool, name="Client").data["definitions"]} == {"shop", "mail"}
    assert {row["repository"] for row in call(tool, name="Client", repo="MAIL").data["definitions"]} == {"mail"}
    assert [row["path"] for row in call(tool, name="mail.Client.Send").data["definitions"]] == ["mail/client.go"]
    assert {row["path"] for row in call(tool, name="Client", language="py").data["definitions"]} == {"pay/client.py"}
    with pytest.raises(ToolArgumentError, match="male"):
        call(tool, name="Client", repo="male")


@pytest.mark.parametrize("tokens", [500, 2000])
def test_a_map_of_several_repositories_stays_within_its_tokens(shop: Path, mail: Path, home: Path, tokens: int) -> None:
    output = call(build(build_get_repo_map, home, shop, mail), tokens=tokens)
    text = output.data["map"]
    assert output.data["tokens"] == count_tokens(text) <= tokens
    assert "# shop\n" in text
    assert "# mail\n" in text
    assert "def make_client()" in text
    for item in output.evidence:
        assert len(item.excerpt) <= 2_200
        assert item.excerpt in text
        assert item.facts["symbol_1_lines"].value == item.locator


def test_a_map_of_one_folder_or_near_to_a_name(shop: Path, home: Path) -> None:
    tool = build(build_get_repo_map, home, shop)
    assert "long.py" not in call(tool, path="pay/").data["map"]
    assert call(tool, path="absent/").status == "empty"
    assert call(tool, focus="long.py, many").data["map"].startswith("long.py")


@each_row(
    "make, args",
    [
        (build_search_code, {"query": "x", "k": 21}),
        (build_search_code, {"query": "x", "k": 0}),
        (build_find_references, {"name": "x", "k": 51}),
        (build_find_references, {"name": "x", "k": 0}),
        (build_get_repo_map, {"tokens": 499}),
        (build_get_repo_map, {"tokens": 8_001}),
    ],
)
def test_ranges_are_kept(home: Path, make: Any, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        call(build(make, home), **args)


def test_defaults_are_as_documented(home: Path) -> None:
    fields = {make: build(make, home).args.model_fields for make in (build_search_code, build_find_references)}
    assert [found["k"].default for found in fields.values()] == [5, 20]
    assert build(build_get_repo_map, home).args.model_fields["tokens"].default == 2_000


@each_row("name", ["", "  ", "::", "\u2028", "()"])
def test_a_name_without_letters_is_refused(shop: Path, home: Path, name: str) -> None:
    for make in (build_find_definition, build_find_references):
        with pytest.raises(ToolArgumentError, match="name is empty"):
            call(build(make, home, shop), name=name)


def test_a_repository_that_cannot_be_read(home: Path, tmp_path: Path) -> None:
    for make, args in (
        (build_find_definition, {"name": "x"}),
        (build_find_references, {"name": "x"}),
        (build_search_code, {"query": "x"}),
        (build_get_repo_map, {}),
    ):
        with pytest.raises(ToolUnavailable):
            call(build(make, home, tmp_path / "nowhere"), **args)
