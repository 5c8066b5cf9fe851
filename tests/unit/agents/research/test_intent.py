"""Questions -> intent records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.agents.research.follow_up import hear
from workers.agents.research.intent import read_intent
from workers.contracts import Intent, Landscape, Question

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
LANDSCAPE = Landscape(labels={"endpoint": ("/api/search", "/api/checkout"), "service": ("shop",)})


def intent(text: str, *context: str) -> Intent:
    question = Question(request_id="r", text=text, received_at=NOW, context=context)
    return read_intent(question, LANDSCAPE, NOW)


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        (
            "Latency on /api/search has been spiky since yesterday's deploy. What's going on?",
            "debug_incident",
            "/api/search",
        ),
        ("Why did latency spike on /api/search after the last deploy?", "debug_incident", "/api/search"),
        ("Where is the retry policy configured for our payment client?", "locate_code", "payment client"),
        ("Summarize how the alerts are wired for the checkout flow.", "alerting", "checkout flow"),
        ("how do the gateway, router and usage-meter fit together?", "design_overview", "usage-meter"),
        ("what happened with request req_8f3ac91e77?", "request_lookup", ""),
        ("thanks!", "other", ""),
    ],
)
def test_kind_and_subject(text: str, kind: str, subject: str) -> None:
    found = intent(text)
    assert found.question_type == kind
    assert subject in found.subjects or not subject
    assert found.ambiguity is None


def test_a_notion_is_conceptual() -> None:
    assert intent("What is a circuit breaker?").question_type == "conceptual"


@pytest.mark.parametrize("text", ["is it slow?", "it's broken again", "why that big jump?"])
def test_two_meanings_ask_back_with_names_that_exist(text: str) -> None:
    ambiguity = intent(text).ambiguity
    assert ambiguity is not None
    assert {o.value for o in ambiguity.options} <= {"/api/search", "/api/checkout", "shop"}
    assert len(ambiguity.options) >= 2


def test_a_symptom_without_a_subject_is_not_ambiguous() -> None:
    assert intent("Why did latency spike after the last deploy?").ambiguity is None


def test_a_follow_up_takes_kind_subject_and_window_from_what_was_said() -> None:
    found = intent(
        "and what changed in the code?", "Why is /api/checkout slow since this morning?", "p95 rose at 09:00."
    )
    assert "/api/checkout" in found.subjects
    assert found.window is not None
    assert found.ambiguity is None


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert intent(text or "?").question_type


@pytest.mark.parametrize(
    "text",
    [
        "is everything ok?",
        "anything on fire?",
        "status?",
        "how are things?",
        "is prod ok?",
        "is production healthy?",
        "any problems right now?",
        "what's going on?",
        "is there an outage?",
        "how is the platform doing today?",
    ],
)
def test_a_question_of_the_whole_asks_how_things_stand(text: str) -> None:
    found = intent(text)
    assert (found.question_type, found.subjects, found.ambiguity) == ("operations_status", (), None)


@pytest.mark.parametrize("text", ["is shop ok?", "prod is on fire!", "what is a status code?"])
def test_what_names_something_or_wants_a_cause_is_no_question_of_the_whole(text: str) -> None:
    found = intent(text)
    assert found.question_type != "operations_status" or found.subjects


def test_in_a_thread_only_the_whole_by_name_is_the_whole() -> None:
    thread = ("why is /api/search slow?", "p95 latency of /api/search rose.")
    assert intent("any problems?", *thread).subjects == ("/api/search",)
    assert intent("and is everything else ok?", *thread).subjects == ()
    assert intent("is everything ok?", *thread).subjects == ()


def test_why_after_a_state_looks_for_the_cause_where_the_alert_tells_of() -> None:
    thread = ("is everything ok?", "Alert SearchLatencyHigh has been firing. Incident INC-9 on lumen-flash is active.")
    known = LANDSCAPE.model_copy(update={"alerts": ("SearchLatencyHigh",)})
    found = read_intent(Question(request_id="r", text="why?", received_at=NOW, context=thread), known, NOW)
    assert (found.question_type, found.subjects) == ("debug_incident", ("/api/search", "SearchLatencyHigh"))


TRACE = "The file error.log says: “Traceback:\n  File \"shop/carts.py\", line 10, in add\nKeyError: 'sku'”"


def test_a_stack_trace_that_is_shown_is_what_is_asked_about() -> None:
    def heard(text: str, above: str) -> str:
        question = Question(request_id="r", text=text, received_at=NOW, context=("hello", above))
        return hear(question, LANDSCAPE).text

    assert heard("where does this come from?", TRACE) == f"where does this come from? {TRACE}"
    assert "KeyError" in intent("where does this come from?", TRACE).subjects
    assert heard("where does this come from?", "see carts.py") == "where does this come from?"
    assert heard("where is the retry code?", TRACE) == "where is the retry code?"
    assert heard("is this /api/search?", TRACE) == "is this /api/search?"


def test_small_words_alone_are_asked_back() -> None:
    found = intent("and the other one?")
    assert (found.question_type, found.ambiguity is not None) == ("other", True)
