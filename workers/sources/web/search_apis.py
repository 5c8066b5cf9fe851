"""Searching the web: servers that speak the API of Brave Search, and SearXNG."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from typing import Any

import httpx

from workers.contracts import rfc3339
from workers.errors import ToolUnavailable

BRAVE = "https://api.search.brave.com"
MOST_BYTES = 2_000_000
TIMEOUT_S = 10.0
TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
TITLE_CHARS, SNIPPET_CHARS = 300, 1_000
QUERY_CHARS = 400


@dataclass(frozen=True)
class WebResult:
    """One page that a search found. ``published``: RFC 3339 or an ISO date, empty when that is not known."""

    title: str
    url: str
    snippet: str
    published: str = ""


@dataclass(frozen=True)
class SearchServer:
    """A server that searches. ``kind``: whose API it speaks; ``token``: Brave's subscription token."""

    kind: str
    url: str
    token: str = ""

    @property
    def name(self) -> str:
        """As it is called in sentences."""
        return "Brave Search" if self.kind == "brave" else "SearXNG"

    def search(self, query: str, limit: int) -> list[WebResult]:
        """Pages for a query, best first.

        Raises:
            ToolUnavailable: it is not configured, does not answer, or refuses; one sentence says why.
        """
        if self.kind == "brave":
            if not self.token:
                raise ToolUnavailable("Brave Search has no token: set the option token of web_search (BRAVE_API_KEY)")
            sent = {"q": query[:QUERY_CHARS], "count": limit, "text_decorations": "false"}
            found = self.ask("res/v1/web/search", sent, {"X-Subscription-Token": self.token})
            rows = found.get("web", {}).get("results", []) if isinstance(found.get("web", {}), dict) else None
            return results_of(rows, "description", ("page_age",), self.name)[:limit]
        if not self.url:
            raise ToolUnavailable("SearXNG has no address: set the option url of web_search")
        found = self.ask("search", {"q": query[:QUERY_CHARS], "format": "json"}, {})
        return results_of(found.get("results"), "content", ("publishedDate", "pubdate"), self.name)[:limit]

    def ask(self, path: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
        """One call. Raises: ToolUnavailable."""
        address = f"{(self.url or BRAVE).rstrip('/')}/{path}"
        sent = {"accept": "application/json", **headers}
        try:
            with (
                httpx.Client(timeout=TIMEOUT_S, trust_env=False, headers=sent) as client,
                client.stream("GET", address, params=dict(params)) as answer,
            ):
                body = bytearray()
                for part in answer.iter_bytes():
                    body += part
                    if len(body) > MOST_BYTES:
                        raise ToolUnavailable(f"{self.name} answered more than {MOST_BYTES // 1_000_000} MB")
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            why = str(error)[:150] or type(error).__name__
            raise ToolUnavailable(f"{self.name} does not answer: {why}") from error
        return self.understand(answer.status_code, bytes(body))

    def understand(self, status: int, body: bytes) -> dict[str, Any]:
        """The JSON object of an answer. Raises: ToolUnavailable: it is an error, or none."""
        if status in {401, 403}:
            hint = "its token" if self.kind == "brave" else "JSON: its settings must list json under search.formats"
            raise ToolUnavailable(f"{self.name} refuses {hint} ({status})")
        if status == 429:
            raise ToolUnavailable(f"{self.name} was asked too often; ask again later")
        if status != 200:
            raise ToolUnavailable(f"{self.name} answers {status}")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ToolUnavailable(f"{self.name} answers something that is no JSON") from error
        if not isinstance(found, dict):
            raise ToolUnavailable(f"{self.name} answers JSON of another shape")
        return found


def results_of(rows: Any, snippet: str, dates: tuple[str, ...], name: str) -> list[WebResult]:
    """Results as both servers list them. Raises: ToolUnavailable: it is no list."""
    if not isinstance(rows, list):
        raise ToolUnavailable(f"{name} answers JSON of another shape")
    out: dict[str, WebResult] = {}
    for row in rows:
        url = row.get("url") if isinstance(row, dict) else None
        if not isinstance(url, str) or not url.startswith(("https://", "http://")) or len(url) > QUERY_CHARS * 5:
            continue
        title, text = plain(row.get("title"), TITLE_CHARS), plain(row.get(snippet), SNIPPET_CHARS)
        known = next((at for key in dates if (at := moment_of(row.get(key)))), "")
        out.setdefault(url, WebResult(title or url, url, text, known))
    return list(out.values())


def plain(value: Any, most: int) -> str:
    """A text without tags and entities, in one line."""
    text = unescape(TAG.sub("", value)) if isinstance(value, str) else ""
    return " ".join(text.split())[:most]


def moment_of(value: Any) -> str:
    """A moment as RFC 3339, one of an unknown zone as its day; empty when it is none."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return ""
    if found is None:
        return ""
    return rfc3339(found) if found.tzinfo else found.date().isoformat()
