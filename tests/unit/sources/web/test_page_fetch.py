"""Pages fetched from a real server on loopback: redirects, sizes, times, robots.txt, politeness."""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.support.web_site import WebSite, run_web_site
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.sources.web.address_rules import make_rules
from workers.sources.web.host_pacing import HostPacing
from workers.sources.web.page_fetch import FetchLimits, PageFetcher

PAGE = b"<html><body><h1>Page</h1></body></html>"


@pytest.fixture
def site() -> Iterator[WebSite]:
    with run_web_site() as running:
        yield running


def fetcher(site: WebSite, **limits: Any) -> PageFetcher:
    return PageFetcher(make_rules([], [site.host], []), FetchLimits(**{"pause_s": 0, "total_s": 20} | limits))


def test_a_page_comes_with_its_type_and_address(site: WebSite) -> None:
    site.pages["/page"] = (200, {"content-type": "text/html; charset=utf-8"}, PAGE)
    found = fetcher(site).fetch(f"{site.url}/page#part")
    assert (found.url, found.content_type, found.body) == (f"{site.url}/page", "text/html; charset=utf-8", PAGE)
    assert site.asked == ["/robots.txt", "/page"]
    assert site.headers["user-agent"].startswith("OracleOnCall/")
    assert "cookie" not in site.headers


def test_redirects_are_followed_so_far(site: WebSite) -> None:
    site.pages |= {f"/{n}": (302, {"location": f"/{n + 1}"}, b"") for n in range(9)}
    site.pages["/9"] = PAGE
    assert fetcher(site).fetch(f"{site.url}/4").url == f"{site.url}/9"
    with pytest.raises(ToolUnavailable, match="more than 5 times"):
        fetcher(site).fetch(f"{site.url}/3")
    site.pages["/round"] = (301, {"location": "/round"}, b"")
    with pytest.raises(ToolUnavailable, match="more than 2 times"):
        fetcher(site, redirects=2).fetch(f"{site.url}/round")


def test_no_cookie_is_kept(site: WebSite) -> None:
    site.pages |= {"/a": (302, {"location": "/b", "set-cookie": "secret=1"}, b""), "/b": PAGE}
    fetcher(site).fetch(f"{site.url}/a")
    assert "cookie" not in site.headers


@pytest.mark.parametrize("packing", ["gzip", "deflate", "raw deflate"])
def test_a_packed_page_is_unpacked(site: WebSite, packing: str) -> None:
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(PAGE),
        "deflate": zlib.compress(PAGE),
        "raw deflate": raw.compress(PAGE) + raw.flush(),
    }
    site.pages["/page"] = (200, {"content-encoding": packing.removeprefix("raw ")}, packed[packing])
    assert fetcher(site).fetch(f"{site.url}/page").body == PAGE


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_bomb_is_not_unpacked(site: WebSite, packing: str) -> None:
    zeros = b"\0" * 200_000_000
    bomb = gzip.compress(zeros, 1) if packing == "gzip" else zlib.compress(zeros, 1)
    site.pages["/bomb"] = (200, {"content-encoding": packing}, bomb)
    with pytest.raises(ToolUnavailable, match="larger than 5 MB"):
        fetcher(site).fetch(f"{site.url}/bomb")


def test_a_body_that_cannot_be_unpacked_is_said(site: WebSite) -> None:
    site.pages["/br"] = (200, {"content-encoding": "br"}, b"\x8b\x01")
    site.pages["/torn"] = (200, {"content-encoding": "gzip"}, b"no gzip at all")
    with pytest.raises(ToolUnavailable, match="which is not read"):
        fetcher(site).fetch(f"{site.url}/br")
    with pytest.raises(ToolUnavailable, match="cannot be unpacked"):
        fetcher(site).fetch(f"{site.url}/torn")


def test_a_huge_page_is_refused_before_it_is_whole(site: WebSite) -> None:
    sent: list[int] = []

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/html")
        handler.end_headers()
        for _ in range(1_000):
            handler.wfile.write(b"x" * 100_000)
            sent.append(100_000)

    site.pages["/endless"] = endless
    with pytest.raises(ToolUnavailable, match=r"larger than 0\.5 MB"):
        fetcher(site, most_bytes=500_000).fetch(f"{site.url}/endless")
    assert sum(sent) < 50_000_000


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_slow_drip_ends_with_the_time_of_the_fetch(site: WebSite, part: str) -> None:
    enough = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.0 200 OK\r\n" + (b"\r\n" if part == "body" else b"x-slow: "))
        while not enough.wait(0.02):
            handler.wfile.write(b"a")

    site.pages["/drip"] = drip
    with pytest.raises(ToolUnavailable, match="did not answer in time"):
        fetcher(site, total_s=0.4).fetch(f"{site.url}/drip")
    enough.set()


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [(404, ToolArgumentError, "no such page"), (410, ToolArgumentError, "410"), (500, ToolUnavailable, "answers 500"),
     (403, ToolUnavailable, "answers 403"), (204, ToolUnavailable, "answers 204")],
)  # fmt: skip
def test_what_is_no_page_is_said(site: WebSite, status: int, error: type[Exception], words: str) -> None:
    site.pages["/page"] = (status, {}, PAGE if status != 204 else b"")
    with pytest.raises(error, match=words):
        fetcher(site).fetch(f"{site.url}/page")


@pytest.mark.parametrize("kind", ["image/png", "application/zip", "video/mp4", "text/css", "application/octet-stream"])
def test_other_types_are_refused(site: WebSite, kind: str) -> None:
    site.pages["/page"] = (200, {"content-type": kind}, b"\x89PNG")
    with pytest.raises(ToolUnavailable, match=f"{kind}, which is not read"):
        fetcher(site).fetch(f"{site.url}/page")


def test_nobody_listening_is_said(site: WebSite) -> None:
    rules = make_rules([], ["127.0.0.1:1"], [])
    with pytest.raises(ToolUnavailable, match="is not known"):
        PageFetcher(rules, FetchLimits(pause_s=0)).fetch("http://127.0.0.1:1/")


# --- robots.txt -----------------------------------------------------------------------------------------------------


def test_what_robots_forbids_is_not_asked_for(site: WebSite) -> None:
    site.pages |= {"/robots.txt": b"User-agent: *\nDisallow: /private\nAllow: /private/open\n", "/private/open": PAGE}
    site.pages |= {"/to": (302, {"location": "/private/x"}, b"")}
    one = fetcher(site)
    for path in ("/private/x", "/to"):
        with pytest.raises(ToolDenied, match=r"robots\.txt forbids"):
            one.fetch(f"{site.url}{path}")
    assert one.fetch(f"{site.url}/private/open").body == PAGE
    assert "/private/x" not in site.asked
    assert site.asked.count("/robots.txt") == 1, "the rules are kept"


def test_rules_for_us_win_over_those_for_all(site: WebSite) -> None:
    site.pages |= {"/robots.txt": b"User-agent: *\nDisallow: /\n\nUser-agent: oracleoncall\nDisallow: /x\n", "/a": PAGE}
    assert fetcher(site).fetch(f"{site.url}/a").body == PAGE
    with pytest.raises(ToolDenied):
        fetcher(site).fetch(f"{site.url}/x")


@pytest.mark.parametrize(
    ("status", "read"), [(404, True), (403, True), (401, True), (500, False), (503, False), (429, False)]
)
def test_rules_that_cannot_be_read(site: WebSite, status: int, read: bool) -> None:
    """RFC 9309, 2.3.1.3 and 2.3.1.4: none there means that all is allowed, none to be had that nothing is."""
    site.pages |= {"/robots.txt": (status, {}, b"User-agent: *\nDisallow: /\n"), "/a": PAGE}
    if read:
        assert fetcher(site).fetch(f"{site.url}/a").body == PAGE
    else:
        with pytest.raises(ToolUnavailable, match="is not known"):
            fetcher(site).fetch(f"{site.url}/a")
        assert "/a" not in site.asked


def test_rules_may_lie_behind_redirects_and_be_long(site: WebSite) -> None:
    rules = b"User-agent: *\nDisallow: /x\n" + b"# much more\n" * 100_000
    site.pages |= {"/robots.txt": (301, {"location": "/rules"}, b""), "/rules": rules, "/a": PAGE}
    assert fetcher(site).fetch(f"{site.url}/a").body == PAGE
    with pytest.raises(ToolDenied):
        fetcher(site).fetch(f"{site.url}/x")


# --- politeness -----------------------------------------------------------------------------------------------------


def test_a_host_is_asked_every_so_often() -> None:
    slept: list[float] = []
    pacing = HostPacing(slept.append)
    for _ in range(3):
        pacing.wait("a.example", 5, 60)
    pacing.wait("b.example", 5, 60)
    assert [round(s) for s in slept] == [5, 10]
    with pytest.raises(ToolUnavailable, match="ask again in 15 s"):
        pacing.wait("a.example", 5, 12)


def test_a_site_that_asks_for_long_pauses_is_not_asked_again_soon(site: WebSite) -> None:
    site.pages |= {"/robots.txt": b"User-agent: *\nCrawl-delay: 25\n", "/a": PAGE, "/b": PAGE}
    one = fetcher(site)
    one.fetch(f"{site.url}/a")
    with pytest.raises(ToolUnavailable, match="ask again in"):
        one.fetch(f"{site.url}/b")
