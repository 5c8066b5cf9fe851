"""What a message says in its thread: put right by later ones, pointing at the last, its paste no subject."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from workers.agents.research.follow_up import hear
from workers.agents.research.intent import read_intent
from workers.contracts import Intent, Landscape, Question
from workers.reasoning.metric_selection import roles_in

NOW = datetime(2026, 11, 21, 15, 0, tzinfo=UTC)
LANDSCAPE = Landscape(
    labels={"endpoint": ("/api/invoices", "/api/refunds", "/api/payouts"), "service": ("ledger",)},
    repositories=("ledger",),
)


def question(text: str, *said: str) -> Question:
    return Question(request_id="r", text=text, received_at=NOW, context=said)


def intent(text: str, *said: str) -> Intent:
    return read_intent(question(text, *said), LANDSCAPE, NOW)


@pytest.mark.parametrize(
    "text", ["could you have a look?", "can you check?", "<@U0APP1234> please check that once more"]
)
def test_what_a_thread_of_people_comes_to_is_asked(text: str) -> None:
    said = ("refunds p95 looks awful", "hm no, I was looking at /api/payouts", "since 13:00 it seems")
    found = intent(text, *said)
    assert found.subjects == ("/api/payouts",)
    assert found.window is not None
    assert found.window.start == datetime(2026, 11, 21, 13, tzinfo=UTC)
    assert "p95" in hear(question(text, *said), LANDSCAPE).text


@pytest.mark.parametrize(
    ("text", "subject"), [("and payouts?", "/api/payouts"), ("what about refunds?", "/api/refunds")]
)
def test_a_part_of_a_name_is_asked_what_was_asked_before(text: str, subject: str) -> None:
    said = ("is /api/invoices slow?", "p95 latency of /api/invoices is steady at 80 ms.")
    found = intent(text, *said)
    assert (found.question_type, found.subjects) == ("debug_incident", (subject,))
    assert hear(question(text, *said), LANDSCAPE).text == f"is {subject} slow?"


def test_the_thing_that_was_asked_about_last_stays() -> None:
    said = ("is /api/invoices slow?", "No.", "and refunds?", "Error ratio of /api/refunds is steady.")
    assert intent("any news?", *said).subjects == ("/api/refunds",)


def test_an_answer_puts_nothing_right() -> None:
    said = ("is /api/invoices slow?", "p95 of /api/invoices rose at 09:00, with /api/payouts.")
    found = intent("any news?", *said)
    assert (found.subjects, found.time_hints) == (("/api/invoices",), ())


def test_that_is_what_was_said_last() -> None:
    heard = hear(
        question("and how do I switch that on?", "can we see raw queries?", "Yes. `trace_sql` prints them."), LANDSCAPE
    )
    assert heard.whole == "and how do I switch that on? Yes. `trace_sql` prints them."
    assert heard.text == "and how do I switch that on?"


def test_a_paste_is_no_subject_of_a_question_that_names_one() -> None:
    heard = hear(
        question("is /api/refunds slow?\n\tat io.ledger.Pay.run(Pay.kt:7)\n\tat io.ledger.Main.go(Main.kt:3)"),
        LANDSCAPE,
    )
    assert (heard.text, heard.frames) == ("is /api/refunds slow?", ())
    pointing = hear(question("what broke here?\n\tat io.ledger.Pay.run(Pay.kt:7)"), LANDSCAPE)
    assert [frame.path for frame in pointing.frames] == ["Pay.kt"]
    assert "Pay.kt" in pointing.text


@pytest.mark.parametrize(
    ("text", "subject", "role"),
    [
        ("latncy of refuns", "/api/refunds", "latency"),
        ("Fehlerrate von /api/payouts?", "/api/payouts", "errors"),
    ],
)
def test_slips_and_other_languages_are_bound(text: str, subject: str, role: str) -> None:
    assert intent(text).subjects == (subject,)
    assert roles_in(hear(question(text), LANDSCAPE).text) == (role,)


def test_what_was_read_otherwise_is_said() -> None:
    heard = hear(question("wher is teh retry treshold"), LANDSCAPE)
    assert heard.text == "where is the retry threshold"
    assert heard.notes == ("Read “treshold” as “threshold”.",)


@pytest.mark.parametrize("text", ["how does colly follow links in axum?", "does `serch` use tokio?", "open refuns.py"])
def test_names_and_words_that_exist_elsewhere_stay(text: str) -> None:
    assert hear(question(text), LANDSCAPE).text == text


def test_german_days_are_times() -> None:
    found = intent("warum ist /api/refunds seit gestern so langsam?")
    assert (found.time_hints, found.question_type) == (("seit gestern",), "debug_incident")
    assert found.window is not None
    assert found.window.start == datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(("text", "of_latency"), [("it's slow again", True), ("it's broken again", False)])
def test_only_what_is_slow_may_be_told_without_asking_back(text: str, of_latency: bool) -> None:
    ambiguity = intent(text).ambiguity
    assert ambiguity is not None
    assert ambiguity.of_latency is of_latency
