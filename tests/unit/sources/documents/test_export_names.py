"""Names in exports and crawls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.documents.export_names import (
    is_contents,
    is_mirror,
    notion_crumbs,
    page_address,
    read_contents,
    without_ids,
)

ID = "0123456789abcdef0123456789abcdef"


def test_ids_of_notion() -> None:
    assert without_ids(f"Team {ID}/On call {ID}.md") == "Team/On call.md"
    assert without_ids(f"On call {ID}") == "On call"
    assert without_ids("release 2026.md") == "release 2026.md"
    assert notion_crumbs(f"export/Team {ID}/Alerts {ID}/On call {ID}.md") == ("Team", "Alerts")
    assert notion_crumbs("guide/On call.md") == ()


CONTENTS = b"""<html><body><div class="pageSection"><h2>Available Pages:</h2><ul>
<li><a href="Home_1.html">Home</a> <ul><li><a href="On%20call_2.html">On call</a>
<ul><li><a href="Bank_3.html">Bank</a></li></ul></li></ul></li></ul></div></body></html>"""


def test_the_contents_of_a_confluence_export() -> None:
    assert is_contents("SHOP/index.html", CONTENTS)
    assert not is_contents("SHOP/Home_1.html", CONTENTS)
    assert not is_contents("index.html", b"<html>Pages</html>")
    assert read_contents(CONTENTS) == {
        "Home_1.html": (),
        "On call_2.html": ("Home",),
        "Bank_3.html": ("Home", "On call"),
    }


@each_row(
    "paths, mirror",
    [
        (["docs.example.org/a/index.html", "docs.example.org/b.html"], True),
        (["localhost:8080/index.html", "10.1.2.3/index.html"], True),
        (["docs.example.org/a.html", "index.html"], False),
        (["v1.2/a.html"], False),
        (["node.js/a.html"], False),
        (["guide/a.html"], False),
        ([], False),
    ],
)
def test_what_is_a_mirror(paths: list[str], mirror: bool) -> None:
    assert is_mirror(paths) == mirror


@each_row(
    "path, canonical, address",
    [
        ("docs.example.org/guide/index.html", "", "https://docs.example.org/guide/"),
        ("docs.example.org/index.html", "", "https://docs.example.org/"),
        ("docs.example.org/a b/c.html", "", "https://docs.example.org/a%20b/c.html"),
        ("docs.example.org/a.html?x=1.html", "", "https://docs.example.org/a.html?x=1"),
        ("docs.example.org+8443/a.html", "", "https://docs.example.org:8443/a.html"),
        ("localhost:8080/a.html", "", "http://localhost:8080/a.html"),
        ("docs.example.org/a.html", "https://docs.example.org/a", "https://docs.example.org/a"),
        ("docs.example.org/a.html", "https://evil.example/a", "https://docs.example.org/a.html"),
        ("docs.example.org/a.html", "javascript:alert(1)", "https://docs.example.org/a.html"),
        ("docs.example.org/a.html", "https://[", "https://docs.example.org/a.html"),
    ],
)
def test_the_address_of_a_page(path: str, canonical: str, address: str) -> None:
    assert page_address(path, canonical) == address


@given(st.text(max_size=60), st.text(max_size=60))
def test_names_of_any_kind(path: str, canonical: str) -> None:
    assert len(without_ids(path)) <= len(path)
    assert page_address(f"docs.example.org/{path}", canonical).startswith(("https://docs.example.org/", "http"))
    is_mirror([path])
    notion_crumbs(path)
    read_contents(path.encode("utf-8", "replace"))
