"""How people say how an incident stands and how grave it is, in the words that they use."""

from __future__ import annotations

import pytest

from workers.contracts import ChannelMessage
from workers.incidents.summary.conversation import Talk, listen
from workers.incidents.summary.status import severity_of, standing_of, turns_of
from workers.incidents.summary.summarize import summarize

T0 = 1_763_632_330
BEFORE = (
    ("ana", "checkout is down, customers get 502. SEV2, I'm IC"),
    ("bo", "looking"),
    ("ana", "next update 15:00"),
    ("bo", "errors at 30% for all customers"),
)


def talk_of(*said: str) -> Talk:
    spoken = [*BEFORE, *(("ana", text) for text in said)]
    return listen(
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
        "everyone can stand down",
        "resolving",
        "let's call it resolved",
        "we consider the disruption ended",
        "nothing failed for an hour, we close it",
        "major incident stood down at 11:40",
        "bridge is closed, thanks all",
        "flat for an hour, so that's us done, night all",
        "no drops for 45 min, marking it done",
        "right, the bridge can drop",
        "case can be closed from our side",
        "we're through, notes follow",
    ),
    "mitigated": (
        "customers can order again",
        "payments are flowing again",
        "trains are running again",
        "workaround holds",
        "parking it till monday, workaround holds",
        "stable since 14:05",
        "green across the board",
        "site's back",
        "it's back up",
        "stopped the bleeding",
        "customers are no longer affected",
        "that did the trick, error rate 0.1%",
        "0 in queue",
        "orders going through now",
        "trading resumed 07:52",
        "212 of 212 sessions logged on",
        "all 320 delivered at 15:40",
        "crash-free back at 99.6%",
        "the rota opens everywhere",
    ),
    "monitoring": ("I'll keep it open for an hour to be sure", "hypercare until friday", "let it bake for an hour"),
    "identified": (
        "we know why: the token expired",
        "it was the deploy, bad index",
        "it's the new ingress rule",
        "crash is in the maps sdk 9.4",
    ),
    "again": (
        "it's back",
        "and down again",
        "not out of the woods",
        "we are back to square one",
        "same symptoms again",
    ),
    "false_alarm": (
        "this is not an incident, probe only",
        "it was a drill",
        "nothing is wrong, the dashboard was",
        "token expired, it's the probe",
        "closing as noise",
    ),
    "": (
        "resolved the merge conflict",
        "closing my laptop, back in 10",
        "I'm back at my desk",
        "partially recovered",
        "yesterday it recovered by itself",
        "half of the pods are green again",
        "if it holds for 30 min we call it",
        "can we close this?",
        "don't call it yet",
        "server conns 80/80, all taken",
        "complaints coming in",
        "19 of 19 pods failing",
        "22 of 22 firms asked",
        "the warehouse people confirm",
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
    assert standing_of(talk_of(*said)).state == state


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
    assert severity_of(listen([topic, *said]))[0] == "P1"


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
