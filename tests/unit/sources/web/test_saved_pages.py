"""Fetched pages, kept on disk."""

from __future__ import annotations

import os
from pathlib import Path

from workers.sources.web.saved_pages import SavedPage, SavedPages

PAGE = SavedPage("https://a.example/end", "End", "text of it", "2026-03-01T12:00:00Z", "2025-01-02")


def test_a_page_is_kept_under_the_address_that_was_asked_for(tmp_path: Path) -> None:
    kept = SavedPages(tmp_path)
    kept.save("https://a.example/start", PAGE, b"<p>text of it</p>", ".html")
    assert SavedPages(tmp_path).load("https://a.example/start") == PAGE
    assert kept.load("https://a.example/end") is None
    (file,) = kept.pages.iterdir()
    assert file.read_bytes() == b"<p>text of it</p>"
    assert kept.of_file(file.name) == PAGE
    assert kept.of_file("other.html") is None


def test_a_later_one_takes_its_place(tmp_path: Path) -> None:
    kept = SavedPages(tmp_path)
    kept.save("a", PAGE, b"<p>", ".html")
    kept.save("a", SavedPage("u", "T", "two", "2026-03-02T12:00:00Z"), b"two", ".txt")
    assert [path.suffix for path in kept.pages.iterdir()] == [".txt"]
    assert kept.load("a") == SavedPage("u", "T", "two", "2026-03-02T12:00:00Z")


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path) -> None:
    kept = SavedPages(tmp_path, most_pages=3)
    for number in range(6):
        kept.save(str(number), PAGE, b"x", ".txt")
        for path in (tmp_path / "texts").iterdir():
            os.utime(path, (path.stat().st_mtime - 10,) * 2)
    assert [kept.load(str(n)) is not None for n in range(6)] == [False, False, False, True, True, True]
    assert len(list(kept.pages.iterdir())) == 3


def test_a_damaged_file_is_none(tmp_path: Path) -> None:
    kept = SavedPages(tmp_path)
    kept.save("a", PAGE, b"x", ".txt")
    for body in (b"", b"[]", b'{"url": 1}', b"\xff"):
        next((tmp_path / "texts").iterdir()).write_bytes(body)
        assert kept.load("a") is None
