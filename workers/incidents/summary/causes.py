"""What is behind an incident: what is supposed, what is known, and what it is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.lead import in_charge
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap

MOST_HYPOTHESES, MOST_RULED_OUT = 5, 6
SAME = 0.5
"""The share of their words that two remarks of the same have in common."""
ASKED_OF = 0.1
"""A question is of a suspicion from here on."""
FEWEST = 2
"""Words that a line has which stands by itself."""


@dataclass(frozen=True)
class Causes:
    """``found``: remarks that tell the cause as known, by whoever may say so."""

    found: tuple[Utterance, ...]
    hypotheses: tuple[Line, ...]
    ruled_out: tuple[Line, ...]


def causes_of(talk: Conversation) -> Causes:
    """What people found, suppose and exclude; what is ruled out was suspected before, in other or the same words."""
    suspicions = list(suspicions_in(talk))
    chiefs = in_charge(talk) | talk.settled
    found = tuple(r for r in talk.people if r.user in chiefs and tells_cause(r))
    excluded: list[tuple[Utterance, Utterance | None]] = []
    for remark in talk.people:
        corrects = remark.chance("correction") > remark.chance("ruled_out")  # of a figure, not of a cause
        if remark.likely("ruled_out") and not (remark.asks or remark.joked or corrects):
            of = suspected(remark, suspicions, talk)
            if of or remark.surely("ruled_out"):
                excluded.append((remark, of))
    gone = {one.key for _, one in excluded if one}
    left = [
        one
        for one in suspicions
        if one.key not in gone
        and one.likely("hypothesis")
        and not (found and one.key < found[-1].key)  # the cause is known since
        and not any(r.key > one.key and overlap(r.stems, one.stems) >= SAME for r, _ in excluded)
    ]
    ruled = [line_of(remark, of or talk.sentence_before(remark)) for remark, of in excluded]
    return Causes(found, tuple(lines(left))[-MOST_HYPOTHESES:], tuple(once_each(ruled))[-MOST_RULED_OUT:])


def suspicions_in(talk: Conversation) -> Iterator[Utterance]:
    """What was supposed, or asked of as if it were supposed."""
    for remark in talk.people:
        supposed = remark.likely("hypothesis") or (remark.asks and remark.chance("hypothesis", "proposal") > ASKED_OF)
        if supposed and remark.stems:
            yield remark


def suspected(remark: Utterance, suspicions: list[Utterance], talk: Conversation) -> Utterance | None:
    """What a remark excludes: the last suspicion it shares a word with, or that it answers."""
    earlier = [one for one in suspicions if one.key < remark.key]
    shared = [one for one in earlier if one.stems & remark.stems]
    if shared:
        return shared[-1]
    answered = next(talk.before(remark), None)
    return next((one for one in reversed(earlier) if answered and one.ts == answered.ts), None)


def tells_cause(remark: Utterance) -> bool:
    """Whether a remark tells the cause as known, and not as a guess."""
    if remark.asks or remark.joked or remark.hedged or len(remark.stems) < FEWEST:
        return False
    return remark.surely("cause")


def line_of(remark: Utterance, before: Utterance | None = None) -> Line:
    """A remark as it stands in a summary; one of few words with the one that it answers."""
    if before is None or len(remark.stems) > FEWEST:
        return Line(text=remark.text, ts=(remark.ts,))
    return Line(text=f"{before.text.rstrip('?. ')} → {remark.text}", ts=tuple(dict.fromkeys((before.ts, remark.ts))))


def lines(remarks: list[Utterance]) -> Iterator[Line]:
    """Each once, the last of those that say the same."""
    for place, remark in enumerate(remarks):
        if not any(overlap(remark.stems, later.stems) >= SAME for later in remarks[place + 1 :]):
            yield line_of(remark)


def once_each(found: list[Line]) -> list[Line]:
    """Lines without those that say the same of the same message."""
    seen: dict[str, Line] = {f"{line.ts[-1]} {line.text}": line for line in found}
    return list(seen.values())
