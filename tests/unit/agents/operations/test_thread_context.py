"""Questions about operations that lean on their thread keep its subject, its filters and its time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.operations_agent import LANDSCAPE
from workers.agents.operations.thread_context import whole_of

WHY_SLOW = "why is heron-mini slow since yesterday?"
INCIDENT = "Incident INC-9 “Elevated latency and errors” on heron-mini/north-gpu is active since 12:00 UTC."
ALERT = "Alert SearchLatencyHigh has been firing since 14:12 UTC yesterday."


def whole(text: str, *context: str) -> str:
    return whole_of(text, context, LANDSCAPE).text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("and on north-gpu?", "why is heron-mini slow since yesterday on north-gpu?"),
        ("and for kestrel-70b?", "why is kestrel-70b slow since yesterday?"),
        ("and kestrel-8b", "why is kestrel-8b slow since yesterday?"),
        ("and last week?", "why is heron-mini slow last week?"),
        ("only premium", "why is heron-mini slow since yesterday for premium tier?"),
        ("just standard", "why is heron-mini slow since yesterday for standard tier?"),
        ("by hour", "why is heron-mini slow since yesterday by hour?"),
        ("why?", "why slow for heron-mini since yesterday?"),
        ("how come?", "why slow for heron-mini since yesterday?"),
        ("since when?", WHY_SLOW),
        ("show me the errors", "show me the errors for heron-mini since yesterday?"),
        ("errors?", "errors for heron-mini since yesterday?"),
        ("how many requests failed?", "how many requests failed for heron-mini since yesterday?"),
        ("which users are affected?", "which users are affected for heron-mini since yesterday?"),
        ("is it still slow?", "is it still slow for heron-mini since yesterday?"),
    ],
)
def test_a_follow_up_is_made_whole(text: str, meant: str) -> None:
    assert whole(text, WHY_SLOW, "p95 latency rose.") == meant
    assert whole_of(text, (WHY_SLOW, "p95 latency rose."), LANDSCAPE).leans


@pytest.mark.parametrize(
    "text",
    [
        "how much traffic did we get yesterday?",
        "which deployments are degraded?",
        "is there an outage?",
        "what is a circuit breaker?",
        "any errors on /api/search?",
        "show request req_00ab12cd34",
    ],
)
def test_a_question_of_its_own_stays_as_it_is(text: str) -> None:
    found = whole_of(text, (WHY_SLOW, "p95 latency rose."), LANDSCAPE)
    assert (found.text, found.leans) == (text, False)


def test_a_chain_of_follow_ups_adds_up() -> None:
    thread = (WHY_SLOW, "It is slow.", "and on east-cloud?", "It is not.", "only premium", "Neither.")
    assert whole("and today?", *thread) == "why is heron-mini slow on east-cloud for premium tier today?"


def test_a_backend_moves_a_deployment_to_it_where_there_is_one() -> None:
    assert whole("and on east-cloud?", "is heron-mini/north-gpu slow?") == "is heron-mini/east-cloud slow?"
    assert whole("and on north-gpu?", "is heron-large/east-cloud slow?") == "is north-gpu slow?"


def test_a_user_takes_the_place_of_a_tier() -> None:
    assert whole("and support-desk?", "errors of premium users today?") == "errors of support-desk users today?"
    assert whole("and docs-search?", "what did support-desk spend?") == "what did docs-search spend?"


def test_a_name_as_it_was_misspelt_or_cut_short_is_replaced() -> None:
    assert whole("and kestrel-8b?", "is heron-lage slow?") == "is kestrel-8b slow?"
    assert whole("and heron-mini?", "is kestrel slow?") == "is heron-mini slow?"


def test_why_after_a_state_asks_for_what_its_answer_told() -> None:
    asked = whole("why?", "how are the models doing?", INCIDENT)
    assert asked == "why latency and errors for heron-mini/north-gpu?"
    assert whole("and yesterday?", "how are the models doing?", INCIDENT, "why?", "x.") == (
        "why latency and errors for heron-mini/north-gpu yesterday?"
    )


def test_why_after_an_alert_is_not_about_deployments() -> None:
    known = LANDSCAPE.model_copy(update={"alerts": ("SearchLatencyHigh",)})
    told = f"{ALERT} {INCIDENT}"
    assert whole_of("why?", ("is everything ok?", told), known).text == "is everything ok?"


@given(st.lists(st.text(max_size=60), max_size=4), st.text(max_size=60))
def test_any_thread_is_read(context: list[str], text: str) -> None:
    found = whole_of(text, tuple(context), LANDSCAPE)
    assert found.leans or found.text == text.strip()
