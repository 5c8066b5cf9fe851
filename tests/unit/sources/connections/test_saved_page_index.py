"""The index of web pages on this machine: fetched ones, crawled sites, and a folder of saved pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.document_files import make_pdf
from workers.errors import ToolUnavailable
from workers.settings.load import load_settings
from workers.sources.connections.saved_page_index import SavedPageIndex
from workers.sources.web.saved_pages import SavedPage

AT = "2026-03-01T12:00:00Z"
BROWSER = "<!-- saved from url=(0030)https://b.example/a?x=1&amp;y=2 -->\n"
SINGLE_FILE = (
    "<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://c.example/post \n saved date: x\n-->"
)


def html(title: str, text: str) -> str:
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "own.html").write_text(
        '<link rel="canonical" href="https://a.example/own">' + html("Own", "marmalade toast")
    )
    (saved / "browser.html").write_text(BROWSER + html("Browser", "marmalade spoon"))
    (saved / "single.html").write_text(SINGLE_FILE + html("Single", "marmalade jar"))
    (saved / "notes.md").write_text("# Notes\n\nmarmalade recipe, and how long it boils\n")
    (saved / "book.pdf").write_bytes(make_pdf([["marmalade factory"]], title="Book"))
    return saved


def index_of(home: Path, folder: Path | None = None) -> SavedPageIndex:
    own = {"oracle.saved_pages.path": str(folder)} if folder else {}
    return SavedPageIndex(load_settings(own, home=home))


def test_a_saved_page_is_found_where_it_came_from(home: Path, folder: Path) -> None:
    found, _, problems = index_of(home, folder).search("marmalade", 10)
    assert {(r.title, r.url) for r in found} == {
        ("Own", "https://a.example/own"),
        ("Browser", "https://b.example/a?x=1&y=2"),
        ("Single", "https://c.example/post"),
        ("Notes", f"{(folder / 'notes.md').as_uri()}#notes"),
        ("Book", f"{(folder / 'book.pdf').as_uri()}#page=1"),
    }
    assert problems == ()
    assert all("marmalade" in result.snippet for result in found)


def test_a_fetched_page_is_found_once_by_the_address_it_has(home: Path) -> None:
    index = index_of(home)
    assert index.shelf.sources == ()
    assert index.search("marmalade", 5)[0] == []
    page = SavedPage("https://a.example/end", "End", "kept text", AT, "2025-01-02")
    body = html("Title of its own", "All about marmalade.").encode()
    for address in ("https://a.example/start", "https://a.example/other"):
        index.saved.save(address, page, body, ".html")
    (result,) = index.search("marmalade", 5)[0]
    assert (result.title, result.url, result.published) == ("End", "https://a.example/end", "2025-01-02")
    assert "All about marmalade." in result.snippet
    assert index.describe() == "fetched pages 2"


def test_no_more_pages_than_are_wanted(home: Path, folder: Path) -> None:
    assert len(index_of(home, folder).search("marmalade", 2)[0]) == 2


def test_a_saved_page_is_read_by_its_address(home: Path, folder: Path) -> None:
    index = index_of(home, folder)
    page = index.read("https://a.example/own#part")
    assert page
    assert (page.title, page.text) == ("Own", "# Own\n\nmarmalade toast")
    notes = index.read((folder / "notes.md").as_uri())
    assert notes
    assert notes.text.startswith("# Notes\n\nmarmalade recipe")
    assert index.read("https://a.example/missing") is None
    assert index.read("file:///etc/passwd") is None


def test_a_folder_that_is_missing_is_said(home: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable, match="does not exist"):
        index_of(home, tmp_path / "nowhere").search("x", 5)
