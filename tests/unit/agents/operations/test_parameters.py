"""What a question names: ids, slips, tiers, states, groups and times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.operations_agent import LANDSCAPE, intend
from workers.agents.operations.parameters import LOOKS_NAMED, read_parameters, with_span
from workers.agents.operations.question_words import typed_sql


def values(text: str) -> dict[str, str]:
    return dict(read_parameters(text, LANDSCAPE).values)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("heron-mini is slow", {"model_id": "heron-mini", "of_model": "heron-mini"}),
        (
            "heron-mini/north-gpu is slow",
            {"deployment_id": "heron-mini/north-gpu", "of_model": "heron-mini", "of_backend": "north-gpu"},
        ),
        ("heron-mini on north-gpu", {"deployment_id": "heron-mini/north-gpu"}),
        ("kestrel-8b on north-gpu", {"model_id": "kestrel-8b", "backend_id": "north-gpu"}),  # not deployed there
        ("HERON-LARGE please", {"model_id": "heron-large"}),
        ("request req_00ab12cd34", {"request_id": "req_00ab12cd34"}),
        ("request id 4f2c1ab9", {"request_id": "4f2c1ab9"}),
        ("550e8400-e29b-41d4-a716-446655440000", {"request_id": "550e8400-e29b-41d4-a716-446655440000"}),
        ("user support-desk", {"user_id": "support-desk"}),
        ("user bob", {"user_id": "bob"}),
        ("what did user bob spend?", {"user_id": "bob"}),
        ("which user u-17 is", {"user_id": "u-17"}),
        ('the tier of user "made"', {"user_id": "made"}),
        ("model gpt-9", {"model_id": "gpt-9"}),
        ("premium customers", {"user_tier": "premium"}),
        ("tier standard", {"user_tier": "standard"}),
        ("budget users", {"user_tier": "budget"}),
        ("requests that timed out", {"status": "timeout", "failing": "timeout"}),
        ("failed requests", {"status": "error", "failing": "error"}),
        ("traffic by backend", {"group_by": "backend"}),
        ("traffic per tier hourly", {"group_by": "tier", "granularity": "hour"}),
        ("latency by day", {"granularity": "day"}),
    ],
)
def test_what_is_named_fills_its_slots(text: str, slots: dict[str, str]) -> None:
    found = values(text)
    assert {slot: found.get(slot) for slot in slots} == slots


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("how much budget is left", "user_tier"),
        ("users see errors", "user_id"),
        ("which user made the most errors?", "user_id"),
        ("which user generated most tokens?", "user_id"),
        ("what customer pays most?", "user_id"),
        ("the heaviest user caused which errors?", "user_id"),
        ("errors by user this week", "user_id"),
        ("user facing errors", "user_id"),
        ("the last request 5 min ago", "request_id"),
        ("heron", "model_id"),
        ("heron-mini and heron-large", "model_id"),
        ("premium and standard users", "user_tier"),
    ],
)
def test_what_is_not_named_stays_empty(text: str, slot: str) -> None:
    assert slot not in values(text)


def test_several_tiers_are_all_read() -> None:
    assert read_parameters("compare premium and standard users", LANDSCAPE).names["tier"] == ("premium", "standard")


def test_a_slip_is_read_as_the_name_it_is_close_to_and_said() -> None:
    found = read_parameters("how is heron-mni doing?", LANDSCAPE)
    assert found.values["model_id"] == "heron-mini"
    assert found.notes == ("No model heron-mni is known; read as heron-mini.",)


def test_a_name_that_is_nothing_is_said() -> None:
    assert read_parameters("how is nebula-9 doing?", LANDSCAPE).unknown == (("model", "nebula-9"),)


def test_a_name_cut_short_stands_for_all_that_begin_so() -> None:
    found = read_parameters("how is kestrel doing?", LANDSCAPE)
    assert found.unclear
    assert found.names["model"] == ("kestrel-70b", "kestrel-8b")
    assert "model_id" not in found.values


def test_time_is_given_only_when_it_is_named() -> None:
    assert "since" not in with_span({}, intend("why is heron-mini slow?"))
    spanned = with_span({}, intend("why is heron-mini slow since yesterday?"))
    assert spanned == {"granularity": "hour", "since": "2026-11-20T00:00:00Z", "until": "2026-11-21T11:00:00Z"}
    assert with_span({}, intend("latency in the last 7 days"))["granularity"] == "day"
    assert with_span({"granularity": "hour"}, intend("latency in the last 7 days"))["granularity"] == "hour"


@pytest.mark.parametrize(
    "text", ["is latency worse than yesterday?", "latency compared to yesterday", "p95 vs yesterday"]
)
def test_what_is_compared_with_the_past_lasts_until_now(text: str) -> None:
    asked = with_span({}, intend(text))
    assert (asked["since"], asked["until"]) == ("2026-11-20T00:00:00Z", "2026-11-21T11:00:00Z")
    assert with_span({}, intend("was north-gpu slower than east-cloud yesterday?"))["until"] == "2026-11-21T00:00:00Z"


def test_right_now_still_compares_with_the_day_before() -> None:
    window = intend("what errors are happening right now?").window
    assert window is not None
    assert (window.end - window.start).total_seconds() == 86_400


@pytest.mark.parametrize("part", ["a", "a.", "\n", "\nselect (", "select from "])
def test_the_reading_of_a_long_text_ends(part: str) -> None:
    assert LOOKS_NAMED.search(part * 100_000) is None
    assert typed_sql(part * 100_000) == ""


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    found = read_parameters(text, LANDSCAPE)
    assert all(found.values.values())
    assert all(name in text or name.lower() in text.lower() or found.notes for name in found.subjects)
