"""A listed web site, crawled for real on loopback: what is followed, what is kept, what is left alone."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from workers.errors import ToolUnavailable
from workers.settings.load import Settings, load_settings
from workers.sources.connections.local_copies import LocalCopy
from workers.sources.connections.multi_index_search import open_all
from workers.sources.connections.open_sources import local_copies, open_document_sources
from workers.sources.connections.refresh import refresh_copies
from workers.sources.connections.source_status import describe, source_statuses
from workers.sources.connections.web_crawl import probe

MODIFIED = "Wed, 04 Feb 2026 10:00:00 GMT"


def page(text: str, *links: str, head: str = "") -> bytes:
    anchors = "".join(f'<a href="{link}">go</a>' for link in links)
    return f"<html><head><title>{text}</title>{head}</head><body><h1>{text}</h1>{anchors}</body></html>".encode()


@dataclass
class Site:
    """``pages``: by path a body, or a status with headers. ``asked``: paths in order; ``conditional``: those with an
    If-None-Match.
    """

    pages: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    conditional: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    url: str = ""


@contextmanager
def run_site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            pass

        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.at.append(time.monotonic())
            site.hosts.add(self.headers["host"])
            found = site.pages.get(self.path, (404, {}))
            status, headers, body = (200, {}, found) if isinstance(found, bytes) else (*found, b"")[:3]
            etag = f'"{hash(body)}"'
            if given := self.headers.get("if-none-match"):
                site.conditional.append(self.path)
                status, body = (304, b"") if status == 200 and given == etag else (status, body)
            self.send_response(status)
            sent = {"content-type": "text/html; charset=utf-8", "etag": etag, "last-modified": MODIFIED} | headers
            for name, value in {**sent, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def site() -> Iterator[Site]:
    with run_site() as running:
        yield running


def configured(home: Path, site: Site, start: str = "/guide/", **more: Any) -> Settings:
    entry = {"site": site.url + start, "name": "guide", "pause_s": 0, "private": True, **more}
    return load_settings({"oracle.documents": [entry]}, home=home)


def only(settings: Settings) -> LocalCopy:
    (kept,) = local_copies(settings).values()
    return kept


def files(settings: Settings) -> list[str]:
    """Saved pages without the host."""
    folder = only(settings).folder / "pages"
    return sorted(p.relative_to(folder).as_posix().partition("/")[2] for p in folder.rglob("*") if p.is_file())


def problem(settings: Settings) -> str:
    return source_statuses(settings)[0].problem


def test_pages_of_one_folder_are_saved_as_they_are_linked(home: Path, site: Site) -> None:
    site.pages = {
        "/guide/": page("Start", "install", "sub/more.html#part", "/other/", "http://elsewhere.example/guide/", "?q=1"),
        "/guide/install": page("Install", "/guide/../guide/sub/", "mailto:x@y.z", "img.png", "../../guide/%41"),
        "/guide/sub/": page("Sub", "deep/er/page"),
        "/guide/sub/more.html": page("More"),
        "/guide/sub/deep/er/page": page("Deep"),
        "/guide/A": page("Letter"),
        "/other/": page("Other"),
        "/guides": page("No"),
    }
    settings = configured(home, site)
    refresh_copies(settings)
    assert files(settings) == [
        "guide/A/index.html",
        "guide/index.html",
        "guide/install/index.html",
        "guide/sub/deep/er/page/index.html",
        "guide/sub/index.html",
        "guide/sub/more.html",
    ]
    host = site.url.removeprefix("http://")
    saved = only(settings).folder / "pages" / host / "guide" / "install" / "index.html"
    own = f'<link rel="canonical" href="{site.url}/guide/install">\n'
    assert saved.read_bytes() == own.encode() + site.pages["/guide/install"]
    assert saved.stat().st_mtime == 1770199200
    assert site.asked[0] == "/robots.txt"
    known = json.loads((only(settings).folder / "pages.json").read_text())
    assert known[f"{site.url}/guide/install"]["file"] == f"{host}/guide/install/index.html"
    assert problem(settings) == ""


def test_what_robots_may_not_read_is_left_alone(home: Path, site: Site) -> None:
    site.pages = {
        "/robots.txt": b"User-agent: *\nDisallow: /guide/secret\n",
        "/guide/": page("Start", "secret", "open", "quiet"),
        "/guide/secret": page("Secret"),
        "/guide/open": page("Open", "after", head='<meta name="robots" content="noindex">'),
        "/guide/after": page("After"),
        "/guide/quiet": page("Quiet", "unseen", head='<META NAME="robots" CONTENT="NoFollow">'),
        "/guide/unseen": page("Unseen"),
    }
    settings = configured(home, site)
    refresh_copies(settings)
    assert files(settings) == ["guide/after/index.html", "guide/index.html", "guide/quiet/index.html"]
    assert "/guide/secret" not in site.asked
    site.pages["/robots.txt"] = b"User-agent: *\nDisallow: /\n"
    refresh_copies(settings)
    assert problem(settings) == "the last crawl failed: its robots.txt forbids it"
    assert len(files(settings)) == 3, "what was saved before still is"
    with pytest.raises(ToolUnavailable, match="forbids"):
        probe(only(settings))
    site.pages["/robots.txt"] = (503, {})
    refresh_copies(settings)
    assert problem(settings) == "the last crawl failed: its robots.txt answers 503"


def test_only_what_changed_is_read_again(home: Path, site: Site) -> None:
    site.pages = {"/guide/": page("Start", "a", "b"), "/guide/a": page("A"), "/guide/b": page("B")}
    settings = configured(home, site)
    refresh_copies(settings)
    assert site.conditional == []
    folder = only(settings).folder / "pages" / site.url.removeprefix("http://") / "guide"
    before = (folder / "a" / "index.html").stat().st_ino
    site.pages |= {"/guide/b": page("B two", "c"), "/guide/c": page("C")}
    refresh_copies(settings)
    assert sorted(site.conditional) == ["/guide/", "/guide/a", "/guide/b"]
    assert files(settings) == ["guide/a/index.html", "guide/b/index.html", "guide/c/index.html", "guide/index.html"]
    assert (folder / "a" / "index.html").stat().st_ino == before
    assert b"B two" in (folder / "b" / "index.html").read_bytes()


def test_pages_that_are_gone_go_and_those_that_fail_stay(home: Path, site: Site) -> None:
    site.pages = {"/guide/": page("Start", "a", "b"), "/guide/a": page("A", "c"), "/guide/b": page("B")}
    site.pages["/guide/c"] = page("C")
    settings = configured(home, site)
    refresh_copies(settings)
    site.pages["/guide/a"] = (500, {})
    del site.pages["/guide/b"]
    refresh_copies(settings)
    assert files(settings) == ["guide/a/index.html", "guide/c/index.html", "guide/index.html"]
    assert problem(settings) == ""
    site.pages["/guide/"] = (500, {})
    refresh_copies(settings)
    assert len(files(settings)) == 3
    assert problem(settings) == f"the last crawl failed: {site.url}/guide/ answers 500"


def test_redirects_stay_within_the_site(home: Path, site: Site) -> None:
    with run_site() as other:
        other.pages = {"/guide/x": page("Foreign")}
        site.pages = {
            "/guide": (301, {"location": "/guide/en/"}),
            "/guide/en/": page("English", "away", "round", "up"),
            "/guide/away": (302, {"location": f"{other.url}/guide/x"}),
            "/guide/en/away": (302, {"location": f"{other.url}/guide/x"}),
            "/guide/en/round": (302, {"location": "round"}),
            "/guide/en/up": (302, {"location": "/admin/"}),
            "/admin/": page("Admin"),
        }
        settings = configured(home, site, "/guide")
        refresh_copies(settings)
        assert files(settings) == ["guide/en/index.html"]
        assert other.asked == []
        assert "/admin/" not in site.asked
        site.pages["/guide"] = (301, {"location": f"{other.url}/guide/x"})
        refresh_copies(settings)
        assert files(settings) == ["guide/en/index.html"]
        assert problem(settings).startswith("the last crawl failed: no page of it can be read")


def test_no_more_pages_than_are_allowed(home: Path, site: Site) -> None:
    site.pages = {f"/guide/{n}": page(f"P{n}", *(f"/guide/{m}" for m in range(n, n + 3))) for n in range(50)}
    settings = configured(home, site, "/guide/0", pages=7)
    refresh_copies(settings)
    assert files(settings) == ["guide/0/index.html"], "a page has nothing below it"
    site.pages["/guide/"] = page("Start", "0")
    settings = configured(home, site, pages=7)
    refresh_copies(settings)
    assert len(files(settings)) == 7
    assert source_statuses(settings)[0].note == "more than 7 pages (pages): the rest is left out"


def test_a_site_at_a_private_address_is_read_only_when_said_so(home: Path, site: Site) -> None:
    site.pages = {"/guide/": page("Start")}
    settings = configured(home, site, private=False)
    refresh_copies(settings)
    assert site.asked == []
    assert problem(settings).endswith("127.0.0.1 lies at a private address; with private: true it is read")


def test_a_name_is_asked_for_at_one_of_its_addresses(home: Path, site: Site) -> None:
    site.pages = {"/guide/": page("Start", "a"), "/guide/a": page("A")}
    site.url = site.url.replace("127.0.0.1", "localhost")  # ::1 too, where nobody listens
    settings = configured(home, site)
    refresh_copies(settings)
    assert files(settings) == ["guide/a/index.html", "guide/index.html"]
    assert site.hosts == {site.url.removeprefix("http://")}
    refresh_copies(configured(home, site, private=False))
    assert problem(configured(home, site, private=False)).endswith("with private: true it is read")


def test_a_page_is_asked_for_every_so_often(home: Path, site: Site) -> None:
    site.pages = {"/guide/": page("Start", "a", "b"), "/guide/a": page("A"), "/guide/b": page("B")}
    site.pages["/robots.txt"] = b"User-agent: *\nCrawl-delay: 1\n"
    refresh_copies(configured(home, site, pause_s=0.1))
    first, second, third = site.at[1:]
    assert min(second - first, third - second) >= 0.99


def test_what_is_no_page_is_not_saved(home: Path, site: Site) -> None:
    site.pages = {
        "/guide/": page("Start", "data", "big", "latin", "twice/", "twice/index.html"),
        "/guide/data": (200, {"content-type": "application/json"}, b"{}"),
        "/guide/big": b"<html>" + b"x" * 3_100_000,
        "/guide/latin": (200, {"content-type": "text/html; charset=iso-8859-1"}, "<h1>Größe</h1>".encode("latin-1")),
        "/guide/twice/": page("Twice"),
        "/guide/twice/index.html": page("Twice"),
    }
    settings = configured(home, site)
    refresh_copies(settings)
    assert files(settings) == ["guide/index.html", "guide/latin/index.html", "guide/twice/index.html"]
    folder = only(settings).folder / "pages" / site.url.removeprefix("http://") / "guide"
    assert (folder / "latin" / "index.html").read_bytes().decode("utf-8-sig").endswith("\n<h1>Größe</h1>")


def test_crawled_pages_are_documents(home: Path, site: Site) -> None:
    site.pages = {"/guide/": page("Start", "cache"), "/guide/cache": page("How to restart the marmalade cache")}
    settings = configured(home, site)
    with pytest.raises(ToolUnavailable, match="guide is not crawled yet"):
        open_all(open_document_sources(settings))
    refresh_copies(settings)
    assert "2 documents" in describe(source_statuses(settings)[0])
    opened, problems = open_all(open_document_sources(settings))
    assert problems == ()
    (hit,) = opened[0][1].search("restart the marmalade cache")[:1]
    assert "marmalade" in hit.excerpt
    assert hit.url.partition("#")[0] == f"{site.url}/guide/cache"
