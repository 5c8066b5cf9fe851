"""Web pages: which links are followed, and where a page is put."""

from __future__ import annotations

from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.settings.remote_addresses import read_site_address
from workers.sources.connections.web_pages import file_of, links_of, read_page, signed, within
from workers.sources.web.text_encoding import as_utf8

GUIDE = read_site_address("https://docs.example.org/guide/")


@each_row(
    "address, known",
    [
        ("https://docs.example.org/guide/", "https://docs.example.org/guide/"),
        ("https://docs.example.org/guide", "https://docs.example.org/guide"),
        ("HTTPS://DOCS.example.org:443/guide/a#part", "https://docs.example.org/guide/a"),
        ("https://docs.example.org/guide/%C3%A4 b", "https://docs.example.org/guide/%C3%A4%20b"),
        ("https://docs.example.org/guide/a?b=1", ""),
        ("https://docs.example.org/guides", ""),
        ("https://docs.example.org/guide/../admin", ""),
        ("https://docs.example.org/guide/%2e%2e/admin", ""),
        ("http://docs.example.org/guide/a", ""),
        ("https://docs.example.org:8443/guide/a", ""),
        ("https://u@docs.example.org/guide/a", ""),
        ("https://evil.example/guide/a", ""),
        ("https://docs.example.org/guide/a.pdf", ""),
        ("https://docs.example.org:x/guide/", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_what_belongs_to_a_site(address: str, known: str) -> None:
    assert within(address, GUIDE) == known


def test_a_page_as_start_stands_for_its_folder() -> None:
    start = read_site_address("https://docs.example.org/guide/index.html")
    assert within("https://docs.example.org/guide/other.html", start)
    assert not within("https://docs.example.org/", start)


@given(st.text(max_size=200), st.text(max_size=80))
def test_any_page_is_read_and_leads_nowhere_else(text: str, link: str) -> None:
    page = read_page(f'{text}<a href="{link}">x</a>')
    for found in links_of(page, "https://docs.example.org/guide/a/b", GUIDE):
        assert found.startswith("https://docs.example.org/guide")
        name = file_of(found)
        assert not name or (name.startswith("docs.example.org/guide") and ".." not in PurePosixPath(name).parts)


@given(st.text(max_size=60))
def test_no_address_is_put_outside_its_host(path: str) -> None:
    try:
        known = within(f"https://docs.example.org/guide/{path}", GUIDE)
    except ValueError:
        return
    name = file_of(known) if known else ""
    parts = PurePosixPath(name).parts
    assert not parts or (parts[0] == "docs.example.org" and not {"..", "."} & set(parts))
    assert all(len(part.encode()) <= 120 for part in parts)


def test_base_and_words_to_robots_count() -> None:
    page = read_page('<base href="/guide/x/"><a href="y">1</a><a rel="external NoFollow" href="z">2</a>')
    assert links_of(page, "https://docs.example.org/guide/", GUIDE) == ["https://docs.example.org/guide/x/y"]
    assert not read_page('<meta name="Robots" content="noindex, follow">').index


@given(
    st.binary(max_size=100), st.sampled_from(["", "text/html", "text/html; charset=latin-1", "text/html;charset=no"])
)
def test_a_page_is_in_utf8_and_begins_with_its_address(content: bytes, kind: str) -> None:
    page = signed(as_utf8(content, kind), "https://docs.example.org/a&b")
    assert page.removeprefix(b"\xef\xbb\xbf").startswith(
        b'<link rel="canonical" href="https://docs.example.org/a&amp;b">'
    )
    if "latin" in kind:
        assert page.decode("utf-8-sig").endswith(content.decode("latin-1"))
