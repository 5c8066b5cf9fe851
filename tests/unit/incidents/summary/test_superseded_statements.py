"""What an incident has left behind: early questions, suspicions, states and orders; figures that were set right."""

from __future__ import annotations

import pytest
from workers.incidents.summary.corrected_figures import withdrawn

from tests.support.channel_lines import channel
from workers.incidents.summary.conversation import read_conversation
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary

BEGAN = """
09:00 Maya: SEV2, checkout fails with 502 for customers in Lisbon, I'm IC
09:01 Tomas: maybe the disk of the ledger host is full
09:03 Maya: the ledger host runs kernel 6.1 since Monday
09:04 Maya: we hold all releases until checkout is back
09:06 Priya: who signed the invoices of April?
"""
CAUSE = "10:10 Tomas: found it: the pool of the gateway is exhausted since the deploy of 08:58"
OVER = "10:30 Maya: resolved, checkout is back to normal"


def talk(lines: int, start: int = 10) -> str:
    """So many messages of work on something else."""
    said = ("the gateway pods look fine", "pulled a trace of the gateway", "traffic of the gateway is as ever")
    return "\n".join(
        f"09:{start + n // 2:02d} {'Tomas' if n % 2 else 'Priya'}: {said[n % 3]} ({n})" for n in range(lines)
    )


def told(*parts: str) -> Summary:
    return summarize(channel("\n".join(parts)), why="declared")


def texts(summary: Summary, name: str) -> list[str]:
    return [line.text for line in getattr(summary, name)]


def test_a_suspicion_ends_with_the_cause_or_when_nobody_came_back_to_it() -> None:
    assert any("disk" in text for text in texts(told(BEGAN, talk(8)), "hypotheses"))
    assert texts(told(BEGAN, talk(8), CAUSE, talk(0)), "hypotheses") == []
    assert texts(told(BEGAN, talk(40)), "hypotheses") == []


def test_a_question_nobody_came_back_to_is_left_and_what_may_be_owed_stays() -> None:
    assert any("who signed" in text.lower() for text in texts(told(BEGAN, talk(8)), "open_questions"))
    assert texts(told(BEGAN, talk(60)), "open_questions") == []
    owed = "09:05 Maya: do we have to notify the customers in Lisbon?"
    assert any("notify" in text for text in texts(told(BEGAN, owed, talk(60)), "open_questions"))


def test_what_was_known_before_the_cause_gives_way_to_it_and_how_it_showed_stays() -> None:
    summary = told(BEGAN, talk(60), CAUSE)
    known = texts(summary, "known")
    assert any("pool of the gateway" in text for text in known)
    assert not any("kernel" in text for text in known)
    assert any("502" in text for text in texts(summary, "impact"))


def test_what_was_to_hold_until_it_is_over_holds_until_then() -> None:
    order = "09:20 Maya: Decision: no mails to customers until the pool is fixed"
    during = (BEGAN, talk(20), order, talk(16, 21), CAUSE)
    after = told(*during, OVER)
    assert any("no mails" in text.lower() for text in texts(told(*during), "decisions"))
    assert not any("no mails" in text.lower() for text in texts(after, "decisions"))


def test_among_a_few_messages_nothing_is_past() -> None:
    summary = told(BEGAN, CAUSE, OVER)
    assert any("hold all releases" in text for text in texts(summary, "decisions"))


@pytest.mark.parametrize(
    ("first", "later", "gone"),
    [
        ("212 bookings are lost", "187, not 212. the rest were probes", True),
        ("1 in 6 logins fails", "scrap 1 in 6, that was android alone", True),
        ("around 40% of subscribers can't play", "CORRECTION to my 40%: it counts sessions", True),
        ("1 in 6 quotes takes over 3 s", '"1 in 6" was averaged per pod', True),
        ("2 of 3 regions cannot pay", "ignore the 2 alerts from staging", False),
        ("2,120 bookings are lost", "187, not 212. the rest were probes", False),
        ("212 bookings are lost", "is it 187, not 212?", False),
        ("212 bookings are lost", "I'd rather have 2 releases, not 10", False),
    ],
)
def test_what_was_said_with_a_figure_that_its_writer_set_right_stands_no_more(
    first: str, later: str, gone: bool
) -> None:
    same = read_conversation(channel(f"09:00 Dima: {first}\n09:10 Dima: {later}"))
    other = read_conversation(channel(f"09:00 Dima: {first}\n09:10 Ruth: {later}"))
    assert bool(withdrawn(same)) is gone
    assert not withdrawn(other), "of others it is said beside, not in its place"


def test_a_figure_that_was_set_right_is_no_impact_any_more() -> None:
    summary = told(
        BEGAN,
        "09:05 Dima: 1 in 6 logins fails",
        talk(4),
        "09:20 Dima: scrap 1 in 6, that was android alone. 4% of all logins fail",
    )
    assert not any("1 in 6" in text for text in texts(summary, "impact"))
    assert any("4%" in text for text in texts(summary, "impact"))
