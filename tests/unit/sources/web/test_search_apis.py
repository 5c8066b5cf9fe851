"""Search servers as they answer: real servers on loopback that speak Brave's and SearXNG's JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.web_site import WebSite, run_web_site
from workers.errors import ToolUnavailable
from workers.sources.web.search_apis import SearchServer, WebResult

JSON = {"content-type": "application/json"}
BRAVE = {
    "type": "search",
    "web": {
        "type": "search",
        "results": [
            {"title": "Retry &amp; backoff", "url": "https://a.example/retry", "page_age": "2025-03-04T10:00:00",
             "description": "How <strong>retries</strong> &lt;work&gt;,\nand when not."},
            {"title": "", "url": "https://b.example/", "description": None, "page_age": "some day"},
            {"title": "again", "url": "https://a.example/retry", "description": "twice"},
            {"title": "no address"}, {"title": "odd", "url": "javascript:1"}, "nonsense", {"url": 7},
        ],
    },
}  # fmt: skip
SEARXNG = {
    "query": "retry",
    "results": [
        {"title": "Retry", "url": "https://a.example/retry", "content": "How it works.", "engine": "x", "score": 2.0,
         "publishedDate": "2025-03-04T00:00:00+00:00"},
        *({"title": f"T{n}", "url": f"https://b.example/{n}", "content": ""} for n in range(20)),
    ],
    "unresponsive_engines": [],
}  # fmt: skip


@pytest.fixture
def site() -> Iterator[WebSite]:
    with run_web_site() as running:
        yield running


def answer(site: WebSite, path: str, status: int, body: Any) -> None:
    site.pages[path] = (status, JSON, body if isinstance(body, bytes) else json.dumps(body).encode())


def test_brave(site: WebSite) -> None:
    answer(site, "/res/v1/web/search?q=retry+policy&count=3&text_decorations=false", 200, BRAVE)
    found = SearchServer("brave", site.url, "key").search("retry policy", 3)
    assert found == [
        WebResult("Retry & backoff", "https://a.example/retry", "How retries <work>, and when not.", "2025-03-04"),
        WebResult("https://b.example/", "https://b.example/", ""),
    ]
    assert site.headers["x-subscription-token"] == "key"


def test_searxng(site: WebSite) -> None:
    answer(site, "/base/search?q=retry&format=json", 200, SEARXNG)
    found = SearchServer("searxng", f"{site.url}/base/").search("retry", 4)
    assert found[0] == WebResult("Retry", "https://a.example/retry", "How it works.", "2025-03-04T00:00:00Z")
    assert len(found) == 4


@pytest.mark.parametrize("kind", ["brave", "searxng"])
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, {}, "refuses"),
        (403, b"<html>", "refuses"),
        (429, {}, "asked too often"),
        (500, {}, "answers 500"),
        (200, b"<html>", "no JSON"),
        (200, [], "another shape"),
        (200, {"web": {"results": 1}, "results": {}}, "another shape"),
        (200, {"web": [], "results": None}, "another shape"),
        (200, b"[" * 100_000, "no JSON"),
        (200, b" " * 2_100_000, "more than 2 MB"),
    ],
)
def test_a_server_that_fails_says_so_in_one_sentence(
    site: WebSite, kind: str, status: int, body: Any, words: str
) -> None:
    answer(site, "/res/v1/web/search?q=x&count=5&text_decorations=false", status, body)
    answer(site, "/search?q=x&format=json", status, body)
    with pytest.raises(ToolUnavailable, match=words) as raised:
        SearchServer(kind, site.url, "key").search("x", 5)
    assert "\n" not in str(raised.value)
    assert "key" not in str(raised.value)


def test_what_is_not_configured_says_so() -> None:
    with pytest.raises(ToolUnavailable, match="BRAVE_API_KEY"):
        SearchServer("brave", "").search("x", 5)
    with pytest.raises(ToolUnavailable, match="option url"):
        SearchServer("searxng", "").search("x", 5)
    with pytest.raises(ToolUnavailable, match="does not answer"):
        SearchServer("searxng", "http://127.0.0.1:1").search("x", 5)
