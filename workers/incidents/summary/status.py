"""How an incident stands, how grave it is, and whether there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from workers.contracts import Why
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.lead import in_charge, leaders_of
from workers.incidents.summary.program_posts import is_alarm
from workers.incidents.summary.summary_types import OVER, IncidentStatus, State
from workers.incidents.summary.utterances import Utterance

STATES: dict[str, State] = {
    "false_alarm": "false_alarm",
    "resolved": "resolved",
    "again": "investigating",
    "monitoring": "monitoring",
    "mitigated": "mitigated",
    "cause": "identified",
    "investigating": "investigating",
}
"""Acts that say how it stands -> the state they bring."""
BY_PROGRAM: dict[str, State] = {
    "investigating": "investigating",
    "triage": "investigating",
    "identified": "identified",
    "fixing": "identified",
    "mitigated": "mitigated",
    "monitoring": "monitoring",
    "resolved": "resolved",
    "closed": "resolved",
    "post-incident": "resolved",
    "cancelled": "false_alarm",
    "canceled": "false_alarm",
    "declined": "false_alarm",
    "false alarm": "false_alarm",
}
"""How programs call the states of the incidents that people run with them."""
CHANGED = re.compile(r"\b(?:status|state)\b(.*)", re.IGNORECASE | re.DOTALL)
STATED = re.compile(
    r"^\W*(investigating|identified|mitigated|monitoring|resolved|closed|false alarm)\W*(?:[:\])–—-]|$)"
)
"""How a line begins that says how it stands, as on a status page: ``[RESOLVED] …``, ``Monitoring - …``."""
WAY = re.compile(r"\b(?:from|to)\b|→|->")
"""What stands between the states that a change names: the last is the one it is in now."""
RANK: dict[State, int] = {"investigating": 0, "identified": 1, "mitigated": 2, "monitoring": 3}
AWAY = timedelta(hours=6)
"""So long without a word of who leads, and others may end it."""
SEVERITY = re.compile(
    r"\b(?:(sev)(?:erity)?(?: level)?[\s:-]{0,2}([0-5]|one|two|three|four)|(p)(?:rio(?:rity)?)?[\s:-]{0,2}([0-5]))\b"
    r"(?! ?(?:9|latency|ms))",
    re.IGNORECASE,
)
NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4"}
NO_INCIDENT = re.compile(
    r"\b(?:game ?day|tabletop|drill|exercise|rehears\w+|practice|simulat\w+|planning|retros?\w*|not an? incident)\b"
)
"""What a channel is for that plays or plans incidents, by its topic."""
ENOUGH = 1.5
"""Of the signs of an incident; below it a channel holds none."""


@dataclass(frozen=True)
class Turn:
    """A remark that says how it stands. ``again``: it is not over, or is back."""

    state: State
    remark: Utterance
    again: bool = False


def turns_of(talk: Conversation) -> tuple[Turn, ...]:
    """Every remark by which someone in charge says how it stands, in order."""
    chiefs, leaders = in_charge(talk), leaders_of(talk)
    found = ((remark, turn_of(remark, talk, leads=remark.user in leaders)) for remark in talk.remarks)
    return tuple(
        turn for remark, turn in found if turn and (remark.bot or may_say(remark, turn, chiefs, leaders, talk))
    )


def may_say(remark: Utterance, turn: Turn, chiefs: frozenset[str], leaders: frozenset[str], talk: Conversation) -> bool:
    """Whether it counts when they say so: only who leads ends it, anyone who belongs there may tell the rest."""
    if turn.state not in OVER or remark.user in chiefs:
        return remark.user in talk.settled or remark.user in chiefs
    said = [m.at for m in talk.messages if m.user in leaders and m.ts < remark.ts]
    return remark.user in talk.settled and bool(said) and remark.message.at - said[-1] >= AWAY


def turn_of(remark: Utterance, talk: Conversation, *, leads: bool = False) -> Turn | None:
    """What one remark says of how it stands; of who leads it takes less to be sure, as it is theirs to say."""
    if talk.is_entered(remark):
        told = CHANGED.search(remark.low)
        last = WAY.split(told[1])[-1] if told else ""
        named = [state for word, state in BY_PROGRAM.items() if word in last]
        return Turn(named[0], remark) if named else None
    if remark.bot or remark.quoted or remark.asks or remark.joked:
        return None
    if stated := STATED.match(remark.low):
        return Turn(BY_PROGRAM[stated[1]], remark)
    sure = [act for act in STATES if (remark.likely(act) if leads else remark.surely(act))]
    if not sure:
        return None
    act = max(sure, key=remark.chance)
    return Turn(STATES[act], remark, again=act == "again")


def status_of(talk: Conversation) -> IncidentStatus:
    """How an incident stands after everything that was said."""
    now: Turn | None = None
    for turn in turns_of(talk):
        over = now is not None and now.state in OVER
        if now is not None and now.state == "false_alarm" and turn.state == "resolved":
            continue  # closing it makes no incident of it
        if turn.again:
            if over or now is None or RANK[now.state] > 1:
                now = turn
        elif turn.state in OVER or now is None or (not over and RANK[turn.state] >= RANK[now.state]):
            now = turn
    if now is None:
        first = first_sign(talk)
        return IncidentStatus(text=first.text if first else "", ts=(first.ts,) if first else (), state="investigating")
    return IncidentStatus(text=now.remark.text, ts=(now.remark.ts,), state=now.state)


# --- is there one ---------------------------------------------------------------------------------------------


def is_incident(talk: Conversation, why: Why = "") -> bool:
    """Whether enough speaks for a real incident, up to some moment or in all."""
    if why == "declared":
        return True
    if any(NO_INCIDENT.search(topic.lower()) for topic in talk.topics):
        return False
    found = [weight for _, weight in signs_in(talk)]
    return sum(found) >= (0.5 if why else ENOUGH)


def signs_in(talk: Conversation) -> Iterator[tuple[Utterance, float]]:
    """Remarks that only an incident brings, each with how much it speaks for one."""
    for remark in talk.remarks:
        if remark.bot:
            if is_alarm(remark) or talk.is_entered(remark):
                yield remark, 1.5
        elif remark.quoted or remark.joked:
            continue
        elif severity_in(remark, talk) and not NO_INCIDENT.search(remark.low):
            yield remark, 1.5
        elif remark.surely("impact", "lead", *STATES):
            yield remark, 0.7
        elif remark.likely("impact"):
            yield remark, 0.5


def first_sign(talk: Conversation, *, asked: bool = True) -> Utterance | None:
    """What was said first of it; questions such as "anyone else seeing this?" too unless ``asked`` is off."""
    first = next((remark for remark, _ in signs_in(talk) if asked or not remark.asks), None)
    if first is None or len(first.stems) > 1:
        return first
    return next((r for r in talk.of_message.get(first.ts, ()) if len(r.stems) >= 3), first)  # "SEV1. …"


# --- how grave ------------------------------------------------------------------------------------------------


def severity_of(talk: Conversation) -> tuple[str, Utterance | None]:
    """The last severity given, and by which remark: who belongs there may raise it, who is in charge lower it."""
    chiefs = in_charge(talk)
    named = [match for topic in talk.topics for match in SEVERITY.finditer(topic)]
    found: tuple[str, Utterance | None] = (told_severity(named[-1]) if named else "", None)
    for remark in talk.remarks:
        told = severity_in(remark, talk)
        if not told:
            continue
        gave = found[1] is not None and remark.user == found[1].user
        graver = not found[0] or told[-1] <= found[0][-1]
        if graver or gave or remark.bot or remark.user in chiefs:
            found = told, remark
    return found


def severity_in(remark: Utterance, talk: Conversation) -> str:
    """The severity that a remark gives; empty for none."""
    found = list(SEVERITY.finditer(remark.text))
    if not found or remark.quoted or remark.joked:
        return ""
    if remark.bot:
        return told_severity(found[0]) if talk.is_entered(remark) or is_alarm(remark) else ""
    given = remark.likely("severity") and not remark.asks and remark.user in talk.settled
    return told_severity(found[-1]) if given else ""


def told_severity(match: re.Match[str]) -> str:
    """A severity as it is shown: ``SEV2``, ``P1``."""
    number = (match[2] or match[4]).lower()
    return f"{(match[1] or match[3]).upper()}{NUMBERS.get(number, number)}"
