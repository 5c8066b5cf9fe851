"""What was done about an incident and how it went, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.lead import in_charge
from workers.incidents.summary.program_posts import kind_of_post
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap, stems_of

MOST_TRIED, MOST_DECISIONS = 8, 8
SAME = 0.5
"""The share of words in common from which two remarks tell of the same."""
FEWEST = 2
"""Words of a remark that stands by itself; one of fewer takes what it answers with it."""
PROPOSED = timedelta(minutes=12)


def tried_of(talk: Conversation) -> tuple[Line, ...]:
    """What was done about it, each once, as it was told last."""
    found: list[Utterance] = []
    for remark in talk.remarks:
        if is_deed(remark, talk):
            found = [old for old in found if overlap(old.stems, remark.stems) < SAME]
            found.append(remark)
    return tuple(Line(text=r.text, ts=(r.ts,)) for r in found[-MOST_TRIED:])


def is_deed(remark: Utterance, talk: Conversation) -> bool:
    """Whether something was done to the system just before it was said."""
    if remark.quoted or remark.asks or remark.joked or len(remark.stems) < FEWEST:
        return False
    if remark.bot:
        return kind_of_post(remark, talk) in {"rollback", "change"}
    return remark.likely("deed") and remark.user in talk.settled


def decisions_of(talk: Conversation) -> tuple[Line, ...]:
    """What was decided, by who is in charge; a bare "go" with the proposal that it answers."""
    found: list[Line] = []
    for remark, proposal in decisions_in(talk):
        line = (
            Line(text=f"{proposal.text.rstrip('?. ')} → {remark.text}", ts=(proposal.ts, remark.ts))
            if proposal
            else Line(text=remark.text, ts=(remark.ts,))
        )
        found = [
            old
            for old in found
            if not (set(old.ts) & set(line.ts) or overlap(stems_of(old.text), remark.stems) >= SAME)
        ]
        found.append(line)
    return tuple(found[-MOST_DECISIONS:])


def decisions_in(talk: Conversation) -> Iterator[tuple[Utterance, Utterance | None]]:
    """Decisions, each with the proposal that it says yes to."""
    chiefs = in_charge(talk)
    for remark in talk.people:
        if remark.asks or remark.joked or remark.user not in chiefs or not remark.likely("decision"):
            continue
        if len(remark.stems) >= FEWEST:
            yield remark, None
        elif proposal := proposed(remark, talk):
            yield remark, proposal


def proposed(remark: Utterance, talk: Conversation) -> Utterance | None:
    """What a few words say yes or no to: what was proposed just before."""
    earlier = [r for r in talk.before(remark, PROPOSED) if r.likely("proposal") or (r.asks and len(r.stems) >= FEWEST)]
    return earlier[0] if earlier else None
