"""What a few words do: a choice, a task that is taken, a figure set right, a suspicion, a share of errors."""

# ruff: noqa: E501 - a talk is easier read on one line
from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.contracts import ChannelMessage
from workers.incidents.summary.conversation import read_conversation
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary

START = """
09:00 Pager*: [FIRING] checkout error rate 12 %
09:01 ana: sev2, mine
09:02 bo: looking, customers get 502 at the last step
"""


def told(text: str) -> Summary:
    return summarize(channel(START + text))


def texts(summary: Summary, section: str) -> list[str]:
    return [line.text for line in getattr(summary, section)]


@pytest.mark.parametrize(
    ("talk", "decision"),
    [
        ("09:10 ana: revert or exempt the path?\n09:11 bo: I'd exempt\n09:12 ana: exempt then", "Exempt then"),
        ("09:10 bo: rollback or a reserve for the kubelet?\n09:12 ana: ok do that. reserve 1Gi, no rollback", "reserve 1Gi"),
        ("09:10 ana: we do the file drop, bo builds", "We do the file drop, bo builds"),
        ("09:10 ana: please stop restarting anything in checkout until we know why", "stop restarting anything"),
    ],
)  # fmt: skip
def test_what_whoever_leads_chooses_in_a_few_words_is_a_decision(talk: str, decision: str) -> None:
    assert any(decision.lower() in text.lower() for text in texts(told(talk), "decisions"))


def test_when_the_next_word_comes_is_no_decision() -> None:
    found = told("09:10 ana: Decision: we restart one by one. Next update at 09:40")
    assert texts(found, "decisions") == ["We restart one by one."]
    assert found.next_update is not None


def test_a_task_that_is_asked_of_someone_at_the_end_is_theirs_when_they_take_it() -> None:
    found = told("09:10 ana: and an alert on webhook rates, bo?\n09:11 bo: yep mine")
    assert [(t.text, t.owner) for t in found.action_items] == [("An alert on webhook rates", "bo")]
    unanswered = told("09:10 ana: and an alert on webhook rates, bo?\n09:11 bo: what rates?")
    assert unanswered.action_items == ()


@pytest.mark.parametrize(
    "text",
    [
        "after this i'll put the rules in count mode for a day",
        "I'm adding a check of the address to the template, tomorrow",
        "I take an alert on litres per vehicle, by friday",
        "Follow-up for me, this week: a test that compares both feeds",
    ],
)
def test_what_someone_takes_on_is_their_task(text: str) -> None:
    assert [task.owner for task in told(f"09:10 bo: {text}").action_items] == ["bo"]


def test_a_figure_that_is_set_right_stands_with_what_it_was_of() -> None:
    impact = texts(told("09:10 bo: 212 customers were charged twice\n09:20 bo: 187, not 212"), "impact")
    assert any("187" in text for text in impact)
    assert not any(text.startswith("212") and "187" not in text for text in impact)


def test_a_share_of_errors_in_a_few_words_is_impact_and_a_newer_one_replaces_it() -> None:
    impact = texts(told("09:10 bo: 503s 14% now\n09:20 bo: 503s 21%"), "impact")
    assert any("21%" in text for text in impact)
    assert not any("14%" in text for text in impact)


@pytest.mark.parametrize(
    "text",
    [
        "My first suspicion is the unit release of thursday, because it touched gallons",
        "my first thought is the MTU, because the new node image has another default",
        "maybe the timezone again?",
        "prime suspect: build 5208, full at 08:31",
    ],
)
def test_a_suspicion_is_none_of_what_is_known(text: str) -> None:
    found = told(f"09:10 bo: {text}")
    words = text.partition(": ")[2] or text
    assert any(words[-20:] in line for line in texts(found, "hypotheses"))
    assert not any(words[-20:] in line for line in texts(found, "known"))
    assert found.status.state == "investigating"


def test_what_it_is_not_takes_what_merely_told_of_it_along() -> None:
    talk = "09:08 ana: what about orders and the etl\n09:10 bo: etl has a select from 07:40 still open on it"
    assert any("select" in text for text in texts(told(talk), "known"))
    assert not any("select" in text for text in texts(told(f"{talk}\n09:13 bo: so not the etl"), "known"))


def test_a_question_that_was_shrugged_off_stays_open() -> None:
    talk = (
        "09:10 bo: does the replay skip the refunded orders?\n09:11 ana: good q. dunno\n09:12 ana: pending is 1,720 now"
    )
    assert any("refunded orders" in text for text in texts(told(talk), "open_questions"))


def test_a_question_is_answered_by_who_tells_its_asker() -> None:
    talk = (
        "09:10 bo: do units come across the import?\n09:16 ana: @bo checked with the lab on 50 of them, all are right"
    )
    assert not any("units" in text for text in texts(told(talk), "open_questions"))


def test_who_takes_it_with_its_severity_leads_and_hands_it_over() -> None:
    assert told("").lead is not None
    later = told("09:30 ana: I hand over to @cleo at ten\n09:31 cleo: ok").lead
    assert later is not None
    assert later.name == "cleo"


def test_one_laugh_makes_a_joke_of_a_few_words() -> None:
    assert not any("hero" in text.lower() for text in texts(told("09:10 bo: hero of the day {joy ana}"), "known"))


POSTS = {
    "HOP-88 opened by bertil: tickets grey in app\nSeverity SEV3 · Status: Triage · Lead: nobody": ("investigating", "SEV3"),
    "HOP-88 severity SEV3 → SEV1\nby ana": ("investigating", "SEV1"),
    "HOP-88 status Triage → Cause found\nby ana": ("identified", "SEV2"),
    "HOP-88 status Cause found → Mitigated\nby ana": ("mitigated", "SEV2"),
}  # fmt: skip


@pytest.mark.parametrize(("post", "stands"), POSTS.items())
def test_a_program_that_runs_incidents_is_known_by_what_it_posts(post: str, stands: tuple[str, str]) -> None:
    found = told(f"09:10 Lantern*: {post}".replace("\n", "\\n"))
    assert (found.status.state, found.severity) == stands


def test_a_channel_whose_purpose_says_so_holds_no_incident() -> None:
    purpose = ChannelMessage(ts="1763600000.000001", user="U9", text="party planning, NOT an incident", said=False)
    assert summarize([purpose, *channel(START)], why="name").status.state == "none"


def test_those_whom_programs_name_and_who_answer_with_a_mark_are_heard_in_a_crowd() -> None:
    crowd = "\n".join(f"09:{n:02} guest{n}: does anyone know the menu of {n}" for n in range(10, 40))
    core = (
        "09:03 Pager*: Page to dov: checkout error rate\n09:04 dov: ack\n"
        "09:41 dov: the pool of checkout-db is exhausted since 08:58, every session waits {eyes ana}\n"
    )
    assert any("pool of checkout-db" in text for text in texts(told(core + crowd), "known"))
    came = ChannelMessage(ts="1763600000.000001", user="U9", text="@x has joined the channel", said=False)
    assert read_conversation([came, *channel(START)]).topics == ()


def test_who_is_named_without_accents_has_the_task_all_the_same() -> None:
    found = told("09:03 tomas: looking\n09:10 ana: ok, Tomás please switch to the new cert bundle\n09:11 tomas: on it")
    assert [(t.text, t.owner) for t in found.action_items] == [("Switch to the new cert bundle", "tomas")]
    assert not any("cert bundle" in text for text in texts(found, "known"))


def test_a_cry_for_help_is_no_task() -> None:
    assert told("09:10 ana: @oracle can you help?").action_items == ()


def test_a_task_is_done_by_its_owner_even_when_it_did_not_help_and_by_no_other_act_of_another() -> None:
    asked = "09:10 ana: @cleo roll back payments-api please\n09:11 ana: @bo please tell the support team\n"
    done = told(
        f"{asked}09:20 cleo: rollback done at 09:20, no change, still 6%\n09:22 cleo: support posted on the status page"
    )
    assert {task.owner: task.done for task in done.action_items} == {"cleo": True, "bo": False}
