"""Who leads an incident: who says so, whom they name, and who says yes when asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from workers.incidents.summary.conversation import LED_BY, Conversation
from workers.incidents.summary.summary_types import Lead
from workers.incidents.summary.utterances import Utterance

MYSELF = re.compile(r"\b(?:i|i'm|i'll|i've|me|mine|my|im|ich|mich|mir|yo|me encargo)\b")
YOU = re.compile(r"\b(?:you|your|du|dir|tú|te)\b")
TO_ANSWER = timedelta(minutes=15)


@dataclass(frozen=True)
class Taken:
    """Someone leads from a moment on. ``name``: as people are shown; ``asked``: what they said yes to."""

    name: str
    remark: Utterance
    asked: Utterance | None = None


def takings(talk: Conversation) -> Iterator[Taken]:
    """Every time somebody came to lead, in order."""
    asked: dict[str, Utterance] = {}
    for remark in talk.remarks:
        if remark.quoted or remark.joked or (remark.bot and not talk.is_entered(remark)):
            continue
        others = [name for name in talk.named_in(remark.text) if name != remark.name]
        before = asked.get(remark.name)
        if before and remark.message.at - before.message.at <= TO_ANSWER and remark.likely("commitment", "lead"):
            del asked[remark.name]
            yield Taken(remark.name, remark, before)
        elif remark.surely("lead"):
            speaks_of_self = MYSELF.search(remark.low) and not (remark.asks or YOU.search(remark.low))
            if len(others) == 1 and not speaks_of_self:
                if remark.asks:
                    asked[others[0]] = remark
                else:
                    yield Taken(others[0], remark)
            elif not remark.asks and not remark.bot and (not others or MYSELF.search(remark.low)):
                yield Taken(remark.name, remark)


def lead_of(talk: Conversation) -> Lead | None:
    """Who leads now; None while nobody said so."""
    last = None
    for last in takings(talk):  # noqa: B007 - the last of them
        pass
    if last is None:
        return None
    text = last.remark.text
    if last.asked:
        text = f"{last.asked.text} → {text}"
    ts = (last.asked.ts, last.remark.ts) if last.asked else (last.remark.ts,)
    return Lead(text=text, ts=ts, name=last.name)


def leaders_of(talk: Conversation) -> frozenset[str]:
    """The users who led at any time, and whom the topic names."""
    if "leaders" not in talk.memo:
        named = [talk.called[word] for word in LED_BY.findall(" ".join(talk.topics).lower()) if word in talk.called]
        names = {*named, *(taken.name for taken in takings(talk))}
        talk.memo["leaders"] = frozenset(talk.users[name] for name in names if name in talk.users)
    return talk.memo["leaders"]


def in_charge(talk: Conversation) -> frozenset[str]:
    """Who may say how it stands and what is done: who leads or led; where nobody does, all who belong there."""
    return leaders_of(talk) or talk.settled
