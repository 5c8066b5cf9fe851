"""web_search and web_fetch through their own functions, against real servers on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.document_files import make_pdf
from tests.support.each_row import each_row
from tests.support.web_site import WebSite, run_web_site
from workers.contracts import ToolOutput
from workers.errors import ConfigError, ToolArgumentError, ToolDenied, ToolUnavailable
from workers.language.token_count import count_tokens
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.sources.connections.saved_page_index import SavedPageIndex
from workers.toolkit.registry import build_tools
from workers.toolkit.tool import Resources, Tool
from workers.tools.web import FetchArgs, FetchOptions, WebFetch, build_web_fetch, build_web_search

CONTEXT = ToolContext("r1", "research", datetime(2026, 5, 4, 12, tzinfo=UTC))
SECTIONS = "".join(f"<h2>Part {n}</h2><p>{f'Sentence {n} of many words that say little. ' * 20}</p>" for n in range(30))
RETRY = "<h2>Retry policy</h2><p>A failed call is repeated three times.</p><pre>retries: 3</pre>"
GUIDE = (
    f"<html><head><title>Guide</title></head><body><main><h1>Guide</h1>{SECTIONS}{RETRY}</main></body></html>".encode()
)


@pytest.fixture
def site() -> Iterator[WebSite]:
    with run_web_site() as running:
        running.pages["/guide"] = GUIDE
        yield running


def resources(home: Path, **overrides: Any) -> Resources:
    return Resources(load_settings(overrides, home=home), lambda start, end: ())


def fetch_tool(home: Path, site: WebSite, **options: Any) -> Tool:
    return build_web_fetch({"allow_hosts": [site.host], "pause_s": 0, **options}, resources(home))


def call(tool: Tool, **args: Any) -> ToolOutput:
    return tool.run(tool.args.model_validate(args), CONTEXT)


# --- web_fetch ------------------------------------------------------------------------------------------------------


def test_a_page_by_its_first_part_and_then_the_next(home: Path, site: WebSite) -> None:
    tool = fetch_tool(home, site)
    first = call(tool, url=f"{site.url}/guide")
    assert first.status == "ok"
    (evidence,) = first.evidence
    assert (evidence.kind, evidence.title, evidence.url) == ("web", "Guide", f"{site.url}/guide")
    assert evidence.excerpt.startswith("# Guide\n\n## Part 0")
    assert {"title", "url", "site", "fetched_at", "offset", "length"} <= set(evidence.facts)
    assert evidence.observed_at == evidence.facts["fetched_at"].at
    assert first.data["tokens"] == count_tokens(evidence.excerpt) <= 1_000
    assert f"from offset {first.data['next_offset']}" in first.reason
    parts, after = [evidence.excerpt], first.data["next_offset"]
    while after:
        more = call(tool, url=f"{site.url}/guide", offset=after, tokens=4_000)
        parts.append(more.evidence[0].excerpt)
        after = more.data["next_offset"]
    assert parts[-1].endswith("retries: 3")
    assert re.findall(r"## Part \d+", "\n".join(parts)) == [f"## Part {n}" for n in range(30)]
    assert site.asked == ["/robots.txt", "/guide"], "it is fetched once"


def test_a_question_brings_the_passage_that_answers(home: Path, site: WebSite) -> None:
    tool = fetch_tool(home, site)
    found = call(tool, url=f"{site.url}/guide", question="how often is a failed call repeated?", tokens=100)
    assert found.evidence[0].excerpt.startswith("## Retry policy")
    assert found.evidence[0].facts["offset"].value > 10_000
    nothing = call(tool, url=f"{site.url}/guide", question="kangaroo")
    assert "no passage" in nothing.reason
    assert nothing.evidence[0].excerpt.startswith("# Guide")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(100, 4_000), st.integers(0, 20_000), st.sampled_from(["", "part 7", "retry"]))
def test_what_is_returned_never_takes_more_tokens(
    home: Path, site: WebSite, tokens: int, offset: int, question: str
) -> None:
    tool = fetch_tool(home, site)
    found = call(tool, url=f"{site.url}/guide", tokens=tokens, offset=offset, question=question)
    assert count_tokens(found.evidence[0].excerpt) <= tokens


def test_other_formats(home: Path, site: WebSite) -> None:
    site.pages |= {
        "/book.pdf": (200, {"content-type": "application/pdf"}, make_pdf([["first"], ["Rollback"]], title="Book")),
        "/state": (200, {"content-type": "application/json"}, b'{"status": {"indicator": "minor"}}'),
        "/latin": (200, {"content-type": "text/html; charset=utf-8"}, "<h1>Größe</h1>".encode("latin-1")),
        "/image": (200, {"content-type": "image/png"}, b"\x89PNG"),
    }
    tool = fetch_tool(home, site)
    assert "## Page 2\n\nRollback" in call(tool, url=f"{site.url}/book.pdf").evidence[0].excerpt
    assert '"indicator": "minor"' in call(tool, url=f"{site.url}/state").evidence[0].excerpt
    assert call(tool, url=f"{site.url}/latin").evidence[0].excerpt == "# Größe"
    with pytest.raises(ToolUnavailable, match="image/png"):
        call(tool, url=f"{site.url}/image")


def test_a_kept_page_is_fetched_again_when_it_is_old(home: Path, site: WebSite) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    index = SavedPageIndex(load_settings({}, home=home))
    options = FetchOptions(allow_hosts=(site.host,), pause_s=0, fresh_s=600)
    fetch = WebFetch(options, index, lambda: now)
    args = FetchArgs(url=f"{site.url}/guide")
    assert fetch.run(args, CONTEXT).data["fetched_at"] == "2026-03-01T12:00:00Z"
    now += timedelta(seconds=599)
    assert fetch.run(args, CONTEXT).data["fetched_at"] == "2026-03-01T12:00:00Z"
    now += timedelta(seconds=1)
    assert fetch.run(args, CONTEXT).data["fetched_at"] == "2026-03-01T12:10:00Z"
    now += timedelta(days=1)
    site.pages["/guide"] = (503, {}, b"")
    late = fetch.run(args, CONTEXT)
    assert late.data["fetched_at"] == "2026-03-01T12:10:00Z"
    assert "as it was saved at 2026-03-01T12:10:00Z: 127.0.0.1 answers 503" in late.reason


def test_a_page_that_cannot_be_reached_is_read_as_somebody_saved_it(home: Path, tmp_path: Path) -> None:
    saved = '<link rel="canonical" href="{}"><h1>Wiki</h1><p>On call: ask in the channel.</p>'
    (tmp_path / "a.html").write_text(saved.format("http://127.0.0.1/wiki"))
    (tmp_path / "b.html").write_text(saved.format("http://no-such-name.invalid/wiki"))
    tool = build_web_fetch({}, resources(home, **{"oracle.saved_pages.path": str(tmp_path)}))
    for address in ("http://127.0.0.1/wiki", "http://no-such-name.invalid/wiki", (tmp_path / "a.html").as_uri()):
        found = call(tool, url=address)
        assert found.evidence[0].excerpt == "# Wiki\n\nOn call: ask in the channel."
        assert found.reason.startswith("as it was saved at ") == address.startswith("http")


def test_what_may_not_be_read(home: Path, site: WebSite) -> None:
    site.pages |= {"/robots.txt": b"User-agent: *\nDisallow: /x\n", "/to": (302, {"location": "http://10.0.0.1/"}, b"")}
    tool = fetch_tool(home, site)
    with pytest.raises(ToolDenied, match="robots"):
        call(tool, url=f"{site.url}/x")
    with pytest.raises(ToolDenied, match="private address"):
        call(tool, url=f"{site.url}/to")
    with pytest.raises(ToolDenied, match="private address"):
        call(build_web_fetch({}, resources(home)), url=f"http://127.0.0.1:8080/{site.port}")
    with pytest.raises(ToolArgumentError, match="no such page"):
        call(tool, url=f"{site.url}/missing")
    with pytest.raises(ToolArgumentError, match="behind the end"):
        call(tool, url=f"{site.url}/guide", offset=10_000_000)
    with pytest.raises(ToolArgumentError, match="must begin with"):
        call(tool, url="file:///etc/passwd")


@each_row("args", [{"tokens": 99}, {"tokens": 4_001}, {"offset": -1}, {"url": " "}, {"page": 2}])
def test_arguments_have_ranges(args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FetchArgs.model_validate({"url": "https://x.example/", **args})
    assert FetchArgs(url="https://x.example/").tokens == 1_000


@each_row("options", [{"ports": ["x"]}, {"allow_networks": ["wiki"]}, {"proxy": "socks"}, {"nothing": 1}])
def test_wrong_options_refuse_to_start(home: Path, options: dict[str, Any]) -> None:
    named = {f"tools.web_fetch.options.{key}": value for key, value in options.items()}
    with pytest.raises(ConfigError, match="web_fetch"):
        build_tools(resources(home, **named))


# --- web_search -----------------------------------------------------------------------------------------------------


def test_nothing_saved_is_said(home: Path) -> None:
    tool = build_web_search({}, resources(home))
    found = call(tool, query="retry")
    assert (found.status, found.evidence) == ("empty", ())
    assert "no web page is saved" in found.reason


def test_what_was_fetched_is_found(home: Path, site: WebSite) -> None:
    shared = resources(home)
    call(build_web_fetch({"allow_hosts": [site.host], "pause_s": 0}, shared), url=f"{site.url}/guide")
    tool = build_web_search({}, shared)
    found = call(tool, query="retry policy of a failed call")
    (evidence,) = found.evidence
    assert (evidence.kind, evidence.url, found.data["provider"]) == ("web", f"{site.url}/guide", "web.local-index")
    assert "repeated three times" in evidence.excerpt
    assert {"title", "url", "site", "provider", "rank"} <= set(evidence.facts)
    nothing = call(tool, query="kangaroo")
    assert nothing.status == "empty"
    assert "kangaroo" in nothing.reason
    assert tool.ping
    assert tool.ping() == "web.local-index: fetched pages 1"


def test_a_search_server(home: Path, site: WebSite) -> None:
    rows = [
        {"title": f"T{n}", "url": f"https://a.example/{n}", "description": "x", "page_age": "2025-01-02"}
        for n in range(9)
    ]
    path = "/res/v1/web/search?q=retry&count={}&text_decorations=false"
    for count in (5, 10):
        body = json.dumps({"web": {"results": rows}}).encode()
        site.pages[path.format(count)] = (200, {"content-type": "application/json"}, body)
    tool = build_web_search({"provider": "brave", "url": site.url, "token": "key"}, resources(home))
    found = call(tool, query="retry")
    assert [e.title for e in found.evidence] == ["T0", "T1", "T2", "T3", "T4"]
    assert found.evidence[0].facts["published"].value == "2025-01-02"
    assert len(call(tool, query="retry", limit=10).evidence) == 9


def test_a_search_server_that_is_not_configured(home: Path) -> None:
    tool = build_web_search({"provider": "brave"}, resources(home))
    with pytest.raises(ToolUnavailable, match="BRAVE_API_KEY"):
        call(tool, query="x")
    assert tool.ping
    with pytest.raises(ToolUnavailable):
        tool.ping()


@each_row("args", [{"limit": 0}, {"limit": 11}, {"query": "  "}, {"k": 3}])
def test_a_search_has_ranges(home: Path, args: dict[str, Any]) -> None:
    tool = build_web_search({}, resources(home))
    with pytest.raises(ValidationError):
        tool.args.model_validate({"query": "x", **args})
