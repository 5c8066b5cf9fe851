"""A key that a question names as it is written comes before what only resembles it, at the line where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from workers.language.written_names import keys_in
from workers.search import CodeIndex

PROPERTIES = "shop.name=shop\npayment.gateway.url=https://bank\npayment.gateway.timeout_ms=2500\npayment.retries=3\n"
GATEWAY = '''"""The payment gateway: a timeout, retries, and the payment gateway timeout in ms."""
TIMEOUT = 30
MAX_RETRIES = int(os.environ.get("MAX_RETRIES", "4"))
BACKOFF_S = 2


def payment_gateway_timeout():
    """The payment gateway timeout in ms: payment gateway timeout ms."""
    return settings["payment.gateway.timeout_ms"]
'''
RETRIES = '''"""Max retries: how often at most retries are made; the maximum of retries."""


class MaxRetriesPolicy:
    """Retries at most max retries times, max retries."""

    max_retries_default = 9
'''
CLI = """package main

var (
	listen = flag.String("listen-address", ":8080", "where to listen")
	drain  = flag.Duration("shutdown-drain-timeout", 0, "how long")
	count  = flag.Int("worker-count", 4, "how many")
)
"""
FILES = {
    "conf/application.properties": PROPERTIES,
    "conf/pools.yaml": "pools:\n  cart-pool-size: 10\n  checkout-pool-size: 25\n  search-pool-size: 40\n",
    "conf/jobs.yaml": "orders:\n  batch-limit: 500\nstock:\n  batch-limit: 7\n",
    "pay/gateway.py": GATEWAY,
    "pay/retries.py": RETRIES,
    "pool.ts": "// The checkout pool and its size.\nexport const checkoutPool = new Pool(checkoutSize);\n",
    "flags.ts": "export const flags = {\n  betaSearch: false,\n  newCheckoutFlow: true,\n  oldFlow: 1,\n};\n",
    "cli.go": CLI,
    "docs/pay.md": "# Pay\n\n`payment.gateway.timeout_ms` is how long we wait. MAX_RETRIES = 5 is common.\n",
    **{f"pay/mod_{i}.py": f"def timeout_{i}(ms):\n    return gateway(payment, ms)  # {i}\n" for i in range(12)},
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    folder = tmp_path_factory.mktemp("keys")
    return CodeIndex.build(make_repository(folder / "r", FILES), folder / "i")


@each_row("form", ["{}", "where is {} set?", "what is `{}`?", "Where is {} defined?", "who reads {}, and why"])
@each_row(
    "key, place",
    [
        ("payment.gateway.timeout_ms", "conf/application.properties:3"),
        ("checkout-pool-size", "conf/pools.yaml:3"),
        ("MAX_RETRIES", "pay/gateway.py:3"),
        ("max_retries_default", "pay/retries.py:7"),
        ("newCheckoutFlow", "flags.ts:3"),
        ("--shutdown-drain-timeout", "cli.go:5"),
        ("stock.batch-limit", "conf/jobs.yaml:4"),
    ],
)
@each_row("max_lines", [None, 15])
def test_the_line_of_the_key_comes_first(
    index: CodeIndex, form: str, key: str, place: str, max_lines: int | None
) -> None:
    best = index.search(form.format(key), 5, max_lines=max_lines)[0]
    assert f"{best.path}:{best.start_line}" == place
    assert best.key == key.lstrip("-")
    assert best.key.rpartition(".")[2] in best.excerpt.split("\n")[0]


def test_what_is_no_key_is_ranked_as_before(index: CodeIndex) -> None:
    for query in ("how is the payment gateway read-only", "which class is the MaxRetriesPolicy", "test of MAX_RETRIES"):
        assert not any(hit.key for hit in index.search(query, 5))


def test_a_key_that_stands_nowhere_finds_what_is_near(index: CodeIndex) -> None:
    assert not any(hit.key for hit in index.search("where is payment.gateway.limit set", 5))


def test_keys_are_told_from_words_and_files() -> None:
    text = "Is MAX_RETRIES, a.b_c or --dry-run read by Session.send() in conf/app.yaml, e.g. maxPool?"
    assert keys_in(text) == ("MAX_RETRIES", "a.b_c", "dry-run", "e.g", "maxPool")


def test_a_name_in_many_files_lifts_those_that_rank_first(tmp_path: Path) -> None:
    """By the alphabet the readers `a_…` would come first, and the builder last."""
    files = {f"a_{i}.py": f"def part_{i}():\n    return hash_code(part, {i})\n" for i in range(9)}
    files["z_builder.py"] = (
        '"""Builds a consistent hash_code, field by field."""\n\n\n'
        "class HashCodeBuilder:\n    def build(self):\n        return hash_code(self.fields)\n"
    )
    index = CodeIndex.build(make_repository(tmp_path / "r", files), tmp_path / "i")
    hits = index.search("the builder of a consistent hash_code")
    assert hits[0].path == "z_builder.py"


def test_only_places_under_the_path_count(index: CodeIndex) -> None:
    hits = index.search("MAX_RETRIES", path="docs/")
    assert {hit.path for hit in hits} <= {"docs/pay.md"}
    found = index.find("payment.gateway.timeout_ms", path="nowhere/")
    assert (found.hits, found.coverage.covered) == ((), False)
