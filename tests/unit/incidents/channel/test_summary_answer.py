"""What a summary says to questions about its incident, and what it says where nobody said anything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from workers.grounding.value_format import Voice
from workers.incidents.channel.summary_answer import ANSWERS, Standing, SummaryAnswer, answer_from
from workers.incidents.summary.summary_types import ActionItem, Entry, IncidentStatus, Lead, Line, Summary
from workers.store.incidents import Incident

NOW = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)
BEGAN = NOW - timedelta(minutes=48)
VOICE = Voice(now=NOW, zone="UTC")


def line(text: str, ts: str) -> Line:
    return Line(text=text, ts=(ts,))


def standing(incident: Incident | None = None, **parts: Any) -> Standing:
    status = IncidentStatus(text="we look at the pool", ts=("1.1",), state="investigating")
    return Standing(Summary(**{"title": "Checkout errors", "status": status, **parts}), incident, VOICE)


FULL = standing(
    severity="SEV2",
    since=BEGAN,
    lead=Lead(text="I'm IC for this", ts=("1.2",), name="Tomas"),
    impact=(line("2 % of checkouts fail", "1.3"), line("5 % of checkouts fail with 502", "1.4")),
    hypotheses=(line("maybe the pool is exhausted", "1.5"),),
    ruled_out=(line("not the database", "1.6"),),
    decisions=(line("freeze deploys", "1.7"), line("roll back payments", "1.8")),
    action_items=(
        ActionItem(text="tell support", ts=("1.9",), done=True, owner="ana"),
        ActionItem(text="roll back payments", ts=("2.0",), owner="tomas"),
        ActionItem(text="write the status page", ts=("2.1",)),
    ),
    timeline=(
        Entry(id="a", text="checkout fails", ts=("1.0",), at=BEGAN, kind="detected"),
        Entry(id="b", text="SEV2 it is", ts=("1.1",), at=BEGAN + timedelta(minutes=4), kind="declared"),
    ),
)


def texts(answer: SummaryAnswer) -> list[str]:
    return [answer.headline.text, *(line.text for line in answer.lines)]


def test_how_it_stands() -> None:
    answer = answer_from("status", FULL)
    assert texts(answer) == [
        "Checkout errors: investigating, SEV2, since 14:12 UTC today (48 min).",
        "we look at the pool",
        "Impact: 5 % of checkouts fail with 502",
        "Decided: roll back payments",
    ]
    assert [rests.ts for rests in answer.lines] == [("1.1",), ("1.4",), ("1.8",)]


def test_who_leads_since_when_and_what_is_decided() -> None:
    assert texts(answer_from("lead", FULL)) == ["@Tomas leads.", "I'm IC for this"]
    assert texts(answer_from("since", FULL))[:2] == [
        "Since 14:12 UTC today (48 min).",
        "14:12 UTC today detected: checkout fails",
    ]
    assert texts(answer_from("decisions", FULL)) == ["Decided: roll back payments", "freeze deploys"]
    assert texts(answer_from("impact", FULL)) == ["Impact: 5 % of checkouts fail with 502", "2 % of checkouts fail"]


def test_what_is_to_do_stands_before_what_is_done() -> None:
    assert texts(answer_from("actions", FULL)) == [
        "2 open actions, 1 done.",
        "☐ @tomas: roll back payments",
        "☐ write the status page (nobody named)",
        "☑ @ana: tell support",
    ]


def test_what_is_suspected_is_no_cause() -> None:
    answer = answer_from("cause", FULL)
    assert texts(answer) == [
        "No cause is confirmed in this channel so far; 1 thing is suspected.",
        "Suspected: maybe the pool is exhausted",
        "Ruled out: not the database",
    ]
    assert answer.headline.ts == ()


def test_what_people_ended_is_over() -> None:
    ended = Incident(1, "T1", "C1", "Checkout errors", "resolved", "1.0", "U1", BEGAN, "U1", NOW - timedelta(minutes=8))
    over = standing(ended, since=BEGAN)
    assert answer_from("status", over).headline.text == (
        "Checkout errors: resolved, from 14:12 UTC today to 14:52 UTC today (40 min)."
    )


@pytest.mark.parametrize("kind", [kind for kind in ANSWERS if kind != "status"])
def test_silence_is_said_and_rests_on_nothing(kind: Any) -> None:
    answer = answer_from(kind, standing())
    assert "in this channel so far" in answer.headline.text
    assert (answer.headline.ts, answer.lines) == ((), ())
