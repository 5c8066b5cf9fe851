"""Who leads an incident: who says so, whom they name, and who says yes when asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.conversation import MENTION, Conversation
from workers.incidents.summary.second_reading import LEADS, acts_in, bears_out
from workers.incidents.summary.sentences import LEADS as LABELS
from workers.incidents.summary.summary_types import Lead
from workers.incidents.summary.utterances import Utterance

MENTIONED = re.compile(utterance_patterns.NAMED)
MYSELF = re.compile(r"\b(?:i|i'm|i'll|i've|me|mine|my|ich|mich|mir|yo|me encargo)\b")
TO_ANSWER = timedelta(minutes=15)
BRIEF = 6
"""So few words without a name speak of who writes them: "leading this from here"."""
SAYS_YES = 0.2
"""How likely who was asked to lead must say yes."""


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
        if remark.quoted or remark.joked or (remark.bot and not remark.entered):
            continue
        acts = acts_in(talk.reading, remark.ts, remark.stems)
        before = asked.get(remark.name)
        if before and remark.message.at - before.message.at <= TO_ANSWER and says_yes(acts):
            del asked[remark.name]
            yield Taken(remark.name, remark, before)
            continue
        told = says_lead(remark, talk) and bears_out(talk.reading, "lead", (remark.ts,), remark.text)
        if not (told or acts.get("lead", 0.0) >= LEADS):
            continue
        others = others_in(remark, talk)
        if remark.asks and not remark.takes_lead:
            asked |= {others[0]: remark} if len(others) == 1 else {}
        elif name := led_by(remark, others):
            yield Taken(name, remark)


def says_yes(acts: Mapping[str, float]) -> bool:
    """Whether a sentence takes what was asked."""
    return max(acts.get("commitment", 0.0), acts.get("lead", 0.0)) >= SAYS_YES


def says_lead(remark: Utterance, talk: Conversation) -> bool:
    """Whether the words of a remark say who leads, or that who leads hands it over."""
    hands = remark.message.user in talk.chiefs and hands_lead(remark)
    return hands or talk.takes_it(remark) or is_lead(remark)


def led_by(remark: Utterance, others: tuple[str, ...]) -> str:
    """Whom a remark makes the lead; empty when that is not clear."""
    first = next((name for name in others if remark.low.lstrip("@").startswith(name.split()[0].lower())), "")
    if first:
        return first
    mine = remark.takes_lead or MYSELF.search(remark.low) or len(remark.low.split()) <= BRIEF
    if not remark.bot and mine and (remark.takes_lead or len(others) != 1):
        return remark.name
    return others[0] if len(others) == 1 else ""


def others_in(remark: Utterance, talk: Conversation) -> tuple[str, ...]:
    """The people that a remark names beside its writer, as they are shown."""
    named = [talk.called[word] for word in re.findall(r"[\w.'-]*\w", remark.low) if word in talk.called]
    named += [name for name in MENTION.findall(remark.text) if name.lower() not in talk.called]
    return tuple(dict.fromkeys(name for name in named if name != remark.name))


def lead_of(talk: Conversation) -> Lead | None:
    """Who leads now; None while nobody said so, or whom they mean is not clear."""
    found = list(takings(talk))
    if not found:
        return None
    last = found[-1]
    text = last.remark.text
    if last.asked:
        return Lead(text=f"{last.asked.text} → {text}", ts=(last.asked.ts, last.remark.ts), name=last.name)
    told = text if last.name in text or "@" in text else f"@{last.remark.name}: {text}"
    return Lead(text=told, ts=(last.remark.ts,), name=last.name)


def hands_lead(remark: Utterance) -> bool:
    """Whether whoever leads says who leads from now on."""
    to_one = len(set(MENTIONED.findall(remark.text)) - {remark.message.name}) == 1
    return remark.stated and bool(
        utterance_patterns.HANDS_LEAD.search(remark.low)
        or (to_one and utterance_patterns.TURNS_OVER.search(remark.low))
    )


def is_lead(remark: Utterance) -> bool:
    """Whether a remark says who leads."""
    low = remark.low
    if remark.quoted or remark.supposed:
        return False
    if remark.takes_lead or (remark.label in LABELS and not remark.asks):
        return True
    if remark.hedged or remark.asks or not utterance_patterns.COMMANDER.search(low):
        return False
    return bool(
        utterance_patterns.HANDS_OVER.search(low)
        or utterance_patterns.words("i'm", "i am", "is", "i'll be", "taking", "take", "as", "have").search(low)
    )
