"""Files that no index holds are said to be there, with the reason, rather than called absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.git_repositories import make_repository
from tests.unit.tools.test_repo import call, tool_for

BIG = "".join(f"row_{n} = {n}\n" for n in range(80_000)) + "checkout_deadline_ms = 900\n"
MINIFIED = "var a=1;" * 1_000
FILES = {
    "config/big.ini": BIG,
    "web/bundle.js": MINIFIED,
    "logo.png": b"\x89PNG\0\0",
    "data.bin.txt": b"text\0\0binary",
    "shop.py": "def charge_card(card):\n    return card\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("left") / "shop", FILES)


@each_row(
    "query, path, why",
    [
        ("where is config/big.ini", "config/big.ini", "1.4 MB, larger than 1.0 MB"),
        ("checkout_deadline_ms", "config/big.ini", "1.4 MB, larger than 1.0 MB"),
        ("what is in bundle.js", "web/bundle.js", "minified"),
        ("where is data.bin.txt", "data.bin.txt", "binary"),
    ],
)
def test_why_a_file_is_not_found(home: Path, shop: Path, query: str, path: str, why: str) -> None:
    output = call(tool_for(home, shop), query=query)
    assert output.status == "empty"
    (told,) = output.data["left_out"]
    assert told.startswith(f"{path} is in shop")
    assert why in told
    assert told in output.reason


def test_a_name_that_only_a_left_out_file_holds_is_told_beside_hits(home: Path, shop: Path) -> None:
    output = call(tool_for(home, shop), query="does charge_card read checkout_deadline_ms")
    assert output.status == "ok"
    assert any(told.startswith("config/big.ini is in shop and holds the name") for told in output.data["unnamed"])


def test_what_is_nowhere_is_still_nowhere(home: Path, shop: Path) -> None:
    output = call(tool_for(home, shop), query="where is refund_deadline_ms")
    assert output.data["left_out"] == []
