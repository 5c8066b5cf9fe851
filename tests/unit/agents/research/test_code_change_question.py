"""Which questions ask how a part of the code changed, what part that is, and how it is looked up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.unit.agents.research.test_plan import plan_for
from workers.agents.research.code_change_question import CodeChange, asked_change, asks_all_changes
from workers.agents.research.intent import read_intent
from workers.contracts import Landscape, Question
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
KNOWN = Landscape(
    labels={"service": ("shop", "checkout"), "endpoint": ("/api/search",)},
    repositories=("shop",),
    alerts=("SearchLatencyHigh",),
)


@pytest.mark.parametrize(
    ("text", "subject", "path"),
    [
        ("what changed in the payment client since Tuesday?", "payment client", ""),
        ("what changed in the payment client in the last two weeks?", "payment client", ""),
        ("what changed in payments/client.py this month?", "payments/client.py", "payments/client.py"),
        ("what changed in the timeout middleware since 2023?", "timeout middleware", ""),
        ("which commits touched the payment client since March?", "payment client", ""),
        ("did anyone touch the throttle middleware this year?", "throttle middleware", ""),
        ("has the search cache changed since yesterday?", "search cache", ""),
        ("who worked on the connection pool this month?", "connection pool", ""),
        ("show me the changes to resilience/retry.py in 2025", "resilience/retry.py", "resilience/retry.py"),
        ("how has the circuit breaker changed since January?", "circuit breaker", ""),
        ("any recent changes in the payment client?", "payment client", ""),
        ("list commits to payments/ since Nov 1", "payments/", "payments/"),
        ("who changed the retry policy last week?", "retry policy", ""),
        ("when did somebody last touch search_service.py?", "search_service.py", "search_service.py"),
        ("what happened to payments/client.py this month?", "payments/client.py", "payments/client.py"),
        ("did the retry policy change this month?", "retry policy", ""),
    ],
)
def test_commits_of_a_part(text: str, subject: str, path: str) -> None:
    assert asked_change(text, KNOWN) == CodeChange(subject, path, lines=False)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (
            "when was the retry limit of the payment client changed, from what to what?",
            "retry limit of the payment client",
        ),
        ("who changed the retry limit last?", "retry limit"),
        ("when did the timeout change to 30 s?", "timeout"),
        ("when did we change the recommender timeout?", "recommender timeout"),
        ("what was the recommender timeout before?", "recommender timeout"),
        ("who last touched RETRY_POLICY?", "RETRY_POLICY"),
        ("when was max_attempts raised from 3 to 5?", "max_attempts"),
        ("what did the lease time of the pool used to be?", "lease time of the pool"),
        ("since when is max_attempts 5?", "max_attempts"),
        ("what is the previous value of breaker.open_seconds?", "breaker.open_seconds"),
        ("who set timeout_seconds to 0.25?", "timeout_seconds"),
        ("was the recommender timeout ever changed?", "recommender timeout"),
        ("which commit changed the timeout of the recommender?", "timeout of the recommender"),
    ],
)
def test_lines_and_values(text: str, subject: str) -> None:
    assert asked_change(text, KNOWN) == CodeChange(subject, "", lines=True)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("when was ProxyFix added?", "ProxyFix"),
        ("when was `max_size` first introduced?", "max_size"),
        ("who wrote the retry policy?", "retry policy"),
        ("which commit introduced charge_card?", "charge_card"),
        ("when did we add BankClient to the shop?", "BankClient"),
        ("since when do we have the circuit breaker?", "circuit breaker"),
        ("when was payments/client.py created?", "payments/client.py"),
        ("who removed OldGauge?", "OldGauge"),
    ],
)
def test_when_something_came_or_went(text: str, subject: str) -> None:
    assert asked_change(text, KNOWN) == CodeChange(subject, origin=True)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what changed yesterday?", True),
        ("what's new in shop this week?", True),
        ("show me the latest commits", True),
        ("what changed in the cache yesterday?", False),
        ("what broke yesterday?", False),
        ("when was the cache changed?", False),
    ],
)
def test_all_that_changed(text: str, asked: bool) -> None:
    assert asks_all_changes(text, KNOWN) is asked
    intent = read_intent(Question(request_id="r", text=text, received_at=NOW), Landscape(repositories=("shop",)), NOW)
    assert intent.ambiguity is None or not asked
    assert (intent.question_type, intent.subjects) == ("locate_code", ()) or not asked


@pytest.mark.parametrize(
    "text",
    [
        "what changed since yesterday?",
        "what changed in production since Tuesday?",
        "what changed in shop since Tuesday?",
        "what changed in the checkout service since Tuesday?",
        "what changed in /api/search yesterday?",
        "what changed in v1.42.0?",
        "what changed between v1.41.0 and v1.42.0?",
        "when did latency change?",
        "when was shop last deployed?",
        "when did p95 go up?",
        "when did the errors drop?",
        "why did the payment client change?",
        "who changed it last?",
        "who is on call for the payment client?",
        "when does the retry policy give up?",
        "show me the commits of Priya",
        "who do I talk to about changes in the tax engine",
        "tokens per request jumped 3x on the summarizer, did somebody change the prompt",
        "who set up the silence on CacheEvictionsHigh",
        "Something changed in how search ranks promoted items, they are all on page 2 now",
        "what commit is on prod for web-frontend",
    ],
)
def test_other_questions(text: str) -> None:
    assert asked_change(text, KNOWN) is None


def test_the_intent_names_the_part_and_a_span_of_any_length() -> None:
    text = "what changed in the timeout middleware in the last six months?"
    intent = read_intent(Question(request_id="r", text=text, received_at=NOW), KNOWN, NOW)
    assert (intent.question_type, intent.subjects) == ("locate_code", ("timeout middleware",))
    assert intent.window is not None
    assert intent.window.start < NOW - timedelta(days=170)


def test_commits_are_looked_up_by_the_file_that_was_found(home: Path) -> None:
    plan = plan_for(load_settings(home=home), "what changed in the payment client since Tuesday?")
    steps = {s.id: s for s in plan.steps}
    assert {s.tool for s in plan.steps} == {"repo_search"}
    assert steps["place"].args["query"] == "payment client"
    own, last, every = (steps[name].args for name in ("own", "last", "all"))
    span = {"since": "2026-11-17T00:00:00Z", "until": "2026-11-21T11:00:00Z"}
    assert own == {"path": "{place.folder|place.path}", **span, "k": 10}
    assert (last["path"], last["until"]) == ("{place.folder|place.path}", own["since"])
    assert (every["query"], every["since"]) == ("payment client", own["since"])
    assert steps["own"].after == steps["last"].after == ("place",)


def test_a_folder_is_taken_as_it_is_written(home: Path) -> None:
    plan = plan_for(load_settings(home=home), "what changed in payments/ this month?")
    assert next(s for s in plan.steps if s.id == "own").args["path"] == "payments/"


def test_since_a_deploy_the_metrics_are_asked_too(home: Path) -> None:
    plan = plan_for(load_settings(home=home), "what changed in the payment client since the last deploy?")
    assert any(s.tool == "metrics_query" for s in plan.steps)


def test_the_history_of_lines_is_looked_up(home: Path) -> None:
    plan = plan_for(load_settings(home=home), "when was the recommender timeout changed, from what to what?")
    step = next(s for s in plan.steps if s.id == "lines")
    assert (step.tool, step.args["history"], step.args["query"]) == ("repo_search", True, "recommender timeout")
