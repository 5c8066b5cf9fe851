"""An answer that holds: drafted by the reasoner, grounded, written once more where claims of it were struck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workers.contracts import Answer, Draft, Verdict
from workers.ports import Brief, Reasoner

Ground = Callable[[Draft], tuple[Answer, tuple[Verdict, ...]]]


@dataclass(frozen=True)
class Written:
    """An answer, what of it was struck, who wrote it, and what was struck on the way."""

    answer: Answer
    struck: tuple[Verdict, ...]
    by: str
    notes: tuple[str, ...]


def write(reasoner: Reasoner, brief: Brief, ground: Ground) -> Written:
    """A draft that holds: written once more when claims of it do not, by the rules when that does not help."""
    draft = reasoner.write_answer(brief)
    answer, struck = ground(draft)
    by, notes = reasoner.name, tuple(f"struck and rewritten: {v.id}: {v.reason}" for v in struck)
    if struck:
        again = reasoner.write_answer(replace(brief, draft=draft, struck=struck))
        better, left = ground(again)
        if len(left) <= len(struck) and (reasoner.name == by or not holds(draft, struck)):
            draft, answer, struck, by = again, better, left, reasoner.name
    if by != "rules" and not holds(draft, struck):
        notes = (*notes, *(f"struck again: {v.id}: {v.reason}" for v in struck))
        answer, struck = ground(reasoner.write_plainly(brief, "what it wrote could not be verified"))
        by = reasoner.name
    return Written(answer, struck, by, notes)


def holds(draft: Draft, struck: Sequence[Verdict]) -> bool:
    """Whether its headline and most of its claims stand."""
    return 2 * len(struck) <= len(draft.claims) and not any(v.id == "headline" for v in struck)
