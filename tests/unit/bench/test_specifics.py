"""What the bench of a real model takes for a specific, and when it says that no tool returned it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.occurs import Known, known_of, ungrounded
from bench.specifics import find_specifics, texts_of
from workers.contracts import Answer, Claim, Evidence, Fact, Landscape, Question, RequestLog, ToolCall

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
METRIC = Evidence(
    id="E1",
    kind="metric",
    title="p95 latency of /api/search",
    locator='histogram_quantile(0.95, rate(http_request_duration_seconds_bucket{endpoint="/api/search"}[5m]))',
    facts={
        "baseline": Fact(value=0.2096, unit="s"),
        "current": Fact(value=1.8814, unit="s"),
        "share": Fact(value=0.0303, unit="ratio"),
        "rate": Fact(value=4.51, unit="/s"),
        "onset_at": Fact(value="2026-11-20T14:07:00Z", unit="time"),
    },
)
CODE = Evidence(
    id="E2",
    kind="code",
    title="cache_key",
    locator="search_service.py:50-53",
    url="https://git.example.com/shop/blob/abed52c/search_service.py#L50-L53",
    excerpt="def cache_key(request: SearchRequest) -> str:\n    fields = json.dumps(asdict(request))\n    return 300",
    facts={"commit": Fact(value="abed52c42044c751d6992c6751bba700fe812964", unit="commit")},
)
DEPLOY = Evidence(
    id="E3",
    kind="deploy",
    title="shop v1.42.0",
    locator="deploys",
    facts={"at": Fact(value="2026-11-20T14:04:00Z", unit="time")},
)


@pytest.fixture
def known() -> Known:
    change = Claim(template="{change(E1.baseline,E1.current)}, {lag(E1.onset_at,E3.at)} it.", evidence=("E1", "E3"))
    log = RequestLog(
        request_id="7f3a9c215b0d",
        question=Question(
            request_id="7f3a9c215b0d", text="why is /api/zeppelin slow?", received_at=NOW, timezone="Europe/Berlin"
        ),
        tool_calls=(
            ToolCall(name="repo_search", args={"query": "core/quantum.py"}, start_ms=0, end_ms=1, status="empty"),
        ),
        evidence=(METRIC, CODE, DEPLOY),
        answer=Answer(headline=change),
    )
    return known_of(log, Landscape(repositories=("shop",), documents=("docs/slo.md",)))


TRUE = (
    "p95 latency of `/api/search` rose from 210 ms to 1.9 s at 14:07 UTC (15:07 CET) yesterday, ×9, +798 %. [E1] [E12]",
    "search_service.py:50-53 and search_service.py:51 define cache_key(); abed52c, see docs/slo.md.",
    "It was 0.21 s before, 1,881 ms now; hit ratio 3 %, 4.5/s, at 4.5/s. 3 minutes after 14:04 on Nov 20, 2026-11-20.",
    "Nothing about /api/zeppelin in shop. 1. Read https://git.example.com/shop/blob/abed52c/search_service.py#L50-L53.",
    "TTL is 300 s; and/or p50/p95 are words. 22 hours ago. req 7f3a9c215b0d",
)
LIES = {
    "link": "see https://git.example.com/shop/blob/abed52c/cache.py",
    "link of another sort": "see evil.example.com/x",
    "mention": "ask <@U123>",
    "everybody": "tell @channel",
    "path": "look at search/service.py",
    "neighbouring lines": "look at search_service.py:54-60",
    "endpoint": "/api/searches is slow",
    "commit": "deployed as abed52d",
    "time": "at 14:17 UTC",
    "date": "on Nov 19",
    "number": "it takes 2.4 s",
    "unit": "it takes 210 s",
    "percentage": "up 812 %",
    "rate": "5.4/s",
    "factor": "×4 since then",
    "distance in time": "17 minutes after it",
    "name": "cache_store_key() is called",
    "class": "by SearchCache",
    "slot that nothing filled": "it peaked ({max-workers})",
}


@pytest.mark.parametrize("text", TRUE)
def test_what_tools_returned_is_known_in_any_form(known: Known, text: str) -> None:
    assert ungrounded(text, known) == []


@pytest.mark.parametrize("text", LIES.values(), ids=LIES.keys())
def test_what_no_tool_returned_is_found(known: Known, text: str) -> None:
    (found,) = ungrounded(text, known)
    assert found[1] == "ungrounded"


def test_what_was_only_searched_for_is_told_apart(known: Known) -> None:
    ((specific, verdict),) = ungrounded("I found nothing about core/quantum.py.", known)
    assert (specific.text, verdict) == ("core/quantum.py", "named")


def test_texts_of_a_message_are_those_a_reader_sees() -> None:
    section: dict[str, Any] = {
        "type": "rich_text_section",
        "elements": [
            {"type": "text", "text": "at "},
            {"type": "text", "text": "cache.py:12", "style": {"code": True}},
            {"type": "user", "user_id": "U1"},
        ],
    }
    code = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "12  TTL = 1\n13  x"}]}
    link = {
        "type": "button",
        "action_id": "a",
        "url": "https://example.com",
        "text": {"type": "plain_text", "text": "go"},
    }
    message = {"text": "plain", "blocks": [{"type": "rich_text", "elements": [section, code]}, link], "ts": "1.2"}
    assert sorted(texts_of(message)) == sorted(
        ["plain", "at cache.py:12<@U1>", "TTL = 1\nx", "https://example.com", "go"]
    )


@given(st.text(max_size=200))
def test_any_text_has_specifics_or_none(text: str) -> None:
    for specific in find_specifics(text):
        assert specific.text or specific.kind == "path"
