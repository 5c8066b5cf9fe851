"""Which known pattern a question about operations is, with what a thread adds; and when it is none."""

from __future__ import annotations

import pytest

from tests.support.operations_agent import LANDSCAPE, inquire, intend, plan, question
from workers.agents.operations.inquiry import how_operational

CASES = {
    "SYSTEM_STATUS": ("how are the model deployments doing?", "which deployments are degraded?"),
    "ACTIVE_INCIDENTS": ("any active incidents?", "is there an outage?"),
    "LATENCY_INVESTIGATION": ("why is heron-large slow?", "are response times worse than usual?"),
    "QUALITY_INVESTIGATION": (
        "how good is the quality of heron-mini this week?",
        "is heron-large giving wrong answers?",
    ),
    "ERROR_INVESTIGATION": ("what errors are happening right now?", "errors for premium users today"),
    "TRAFFIC_ANALYSIS": ("how much traffic did we get yesterday?", "traffic by model for the last 3 days"),
    "REQUEST_LOOKUP": ("show request req_00ab12cd34", "what happened to req-9f31c?"),
    "USER_LOOKUP": ("how much budget does support-desk have left?", "tell me about support-desk"),
    "NOVEL": (
        "what tables are there?",
        "error rate by backend since yesterday",
        "how is kestrel?",
        "quality for premium users",
        "median latency",
        "was anything down on Nov 14?",
        "traffic by task type",
        "when did the last incident end?",
    ),
}


@pytest.mark.parametrize(("pattern", "text"), [(name, text) for name, texts in CASES.items() for text in texts])
def test_a_question_has_its_pattern(pattern: str, text: str) -> None:
    assert inquire(text).pattern == pattern


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("is anything down?", "operations_status"),
        ("why is heron-large slow?", "debug_incident"),
        ("traffic yesterday", "traffic"),
        ("req_00ab12cd34", "request_lookup"),
        ("user support-desk", "user_lookup"),
    ],
)
def test_the_pattern_tells_the_kind(text: str, kind: str) -> None:
    assert intend(text).question_type == kind


def test_a_follow_up_keeps_the_pattern_and_takes_its_own_names() -> None:
    asked = inquire("and for heron-large?", "why is heron-mini/north-gpu slow since yesterday?")
    assert asked.pattern == "LATENCY_INVESTIGATION"
    assert asked.parameters.values["model_id"] == "heron-large"
    assert "deployment_id" not in asked.parameters.values
    assert intend("and for heron-large?", "why is heron-mini slow since yesterday?").time_hints == ("since yesterday",)


def test_a_follow_up_is_merged_once() -> None:
    made = plan("and tokens by model?", "top 3 users by errors this week?", "support-desk: 3 errors.")
    sql = str(made.steps[-1].args["query"])
    assert "model_id" in sql
    assert "user_id" not in sql
    assert "limit 3" not in sql


def test_a_name_of_a_follow_up_that_stands_for_several_is_unclear() -> None:
    asked = inquire("and kestrel?", "how is heron-mini?", "It is healthy.")
    assert asked.parameters.names["model"] == ("kestrel-70b", "kestrel-8b")
    assert asked.parameters.unclear


def test_a_follow_up_of_another_pattern_keeps_the_names() -> None:
    asked = inquire("and what about its errors?", "why is heron-mini slow?")
    assert asked.pattern == "ERROR_INVESTIGATION"
    assert asked.parameters.values["model_id"] == "heron-mini"


def test_that_request_is_the_last_one_of_the_thread() -> None:
    asked = inquire(
        "show me that request", "what failed?", "Request req_0a1b2c3d to heron-mini/north-gpu has status error."
    )
    assert asked.pattern == "REQUEST_LOOKUP"
    assert asked.parameters.values["request_id"] == "req_0a1b2c3d"


def test_a_question_of_its_own_takes_nothing_from_its_thread() -> None:
    asked = inquire("how much traffic did we get yesterday?", "why is heron-mini slow?")
    assert asked.pattern == "TRAFFIC_ANALYSIS"
    assert "model_id" not in asked.parameters.values


# --- whose question it is -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "how are the model deployments doing?",
        "any active incidents?",
        "are any deployments degraded?",
        "why is heron-large slow?",
        "how much budget does user support-desk have left?",
        "ttft by backend",
        "errors for premium users",
        "what does is_stale mean?",
    ],
)
def test_operations_answers_what_its_data_hold(text: str) -> None:
    assert how_operational(question(text), LANDSCAPE) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "Why did latency spike on /api/search after the last deploy?",
        "Where is the retry policy configured for our payment client?",
        "Summarize how the alerts are wired for the checkout flow.",
        "what is a circuit breaker?",
        "is checkout slow right now?",
        "why is shop slow?",
        "where is heron-large's timeout configured?",
        "how does the docs-search service rank its results?",
        "what deploys went out yesterday?",
    ],
)
def test_research_keeps_its_own(text: str) -> None:
    assert how_operational(question(text), LANDSCAPE) < 0.5


def test_a_follow_up_stays_with_operations() -> None:
    assert how_operational(question("and yesterday?", "why is heron-large slow?"), LANDSCAPE) >= 0.5
    assert how_operational(question("and in the code?", "why is heron-large slow?"), LANDSCAPE) < 0.5
