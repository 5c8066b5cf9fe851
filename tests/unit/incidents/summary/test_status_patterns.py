"""How people say how an incident stands and how grave it is, in the words that they use."""

from __future__ import annotations

import pytest

from workers.contracts import ChannelMessage
from workers.incidents.summary.conversation import Conversation, read_conversation
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.status import severity_of, status_of, turns_of

T0 = 1_763_632_330
BEFORE = (
    ("ana", "checkout is down, customers get 502. SEV2, I'm IC"),
    ("bo", "looking"),
    ("ana", "next update 15:00"),
    ("bo", "errors at 30% for all customers"),
)


def talk_of(*said: str) -> Conversation:
    spoken = [*BEFORE, *(("ana", text) for text in said)]
    return read_conversation(
        ChannelMessage(ts=f"{T0 + 60 * number}.000100", user=f"U1{who.upper()}", name=who, text=text)
        for number, (who, text) in enumerate(spoken)
    )


def state_after(text: str) -> str:
    """What the last message says of it; ``again``: that it is not over."""
    talk = talk_of(text)
    turns = [t for t in turns_of(talk) if t.remark.ts == talk.messages[-1].ts]
    if not turns:
        return ""
    return "again" if turns[-1].again else turns[-1].state


SAID = {
    "resolved": (
        "calling it, thanks all",
        "we consider the disruption ended",
        "flat for an hour, so that's us done, night all",
    ),
    "mitigated": ("customers can order again",),
    "monitoring": ("I'll keep it open for an hour to be sure", "let it bake for an hour"),
    "identified": ("we know why: the token expired", "it was the deploy, bad index", "it's the new ingress rule"),
    "again": ("it's back", "and down again", "not out of the woods"),
    "false_alarm": ("this is not an incident, probe only", "it was a drill", "nothing is wrong, the dashboard was"),
    "": (
        "resolved the merge conflict",
        "partially recovered",
        "if it holds for 30 min we call it",
        "server conns 80/80, all taken",
    ),
}


@pytest.mark.parametrize(("state", "text"), [(state, text) for state, texts in SAID.items() for text in texts])
def test_how_it_stands(state: str, text: str) -> None:
    assert state_after(text) == state


def test_mitigated_and_not_resolved_is_mitigated() -> None:
    turns = turns_of(talk_of("Mitigated at 17:36. It isn't resolved before the vendor reinstates us."))
    assert [t.state for t in turns if not t.again] == ["mitigated"]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (("mitigated", "this isn't over"), "mitigated"),
        (("mitigated", "it's back, this isn't over"), "investigating"),
        (("resolved", "this isn't over"), "investigating"),
    ],
)
def test_that_it_is_not_over_takes_back_an_end_alone(said: tuple[str, ...], state: str) -> None:
    assert status_of(talk_of(*said)).state == state


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ("bumping this to a 1", "SEV1"),
        ("downgrading to a 3", "SEV3"),
        ("moving it to 3 nodes", "SEV2"),
        ("taking this to 1 hour of waiting", "SEV2"),
    ],
)
def test_a_severity_by_its_number_alone(said: str, severity: str) -> None:
    assert severity_of(talk_of(said))[0] == severity


def test_a_severity_that_only_the_topic_gives() -> None:
    topic = ChannelMessage(
        ts=f"{T0}.000001", user="U1ANA", name="ana", text="set the channel topic: P1 · declines", said=False
    )
    said = [ChannelMessage(ts=f"{T0 + 60}.000100", user="U1BO", name="bo", text="checkout is down for all customers")]
    assert severity_of(read_conversation([topic, *said]))[0] == "P1"


@pytest.mark.parametrize(
    "text",
    [
        "errors began 99999999999 hours ago",
        "next update in 99999999999 hours",
        "errors started 0001-01-01 00:05 CET",
        "errors started 9999-12-31 23:59 PST",
    ],
)
def test_times_that_no_calendar_has_stop_no_summary(text: str) -> None:
    assert summarize(talk_of(text).messages).severity == "SEV2"
