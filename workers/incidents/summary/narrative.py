"""An incident in a few lines of its summary: what people felt, what caused it, and what ended it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workers.contracts import Kind, order_of
from workers.incidents.summary.program_posts import ROLLBACK
from workers.incidents.summary.summary_types import Entry, Line, Summary
from workers.language.hedges import is_hedged
from workers.language.negation import is_negated
from workers.language.sentences import overlap, stems_of

DEEDS: frozenset[Kind] = frozenset({"rollback", "deploy", "change"})
SAME = 0.6
"""The share of words in common from which two lines are of one deed."""


@dataclass(frozen=True)
class Story:
    """What a reader wants told first; of what nobody said nothing.

    ``felt``: what people felt. ``causes``: the cause as it is known, one or two lines of one message. ``end``: what was
    said when people felt it no more; ``deed``: the last that was done before.
    """

    felt: Line | None
    causes: tuple[Line, ...]
    deed: Entry | None
    end: Entry | None


def story_of(summary: Summary) -> Story:
    """The story of an incident, from its summary."""
    ends = ends_in(summary)
    deed = deed_before(ends[-1], summary) if ends else None
    end = next((entry for entry in ends if deed is None or entry.at >= deed.at), None)
    return Story(felt=felt_in(summary), causes=causes_in(summary), deed=deed, end=end)


def felt_in(summary: Summary) -> Line | None:
    """What people felt: the last impact with a figure, else any; else how it showed first."""
    counted = [line for line in summary.impact if any(letter.isdigit() for letter in line.text)]
    detected = [entry for entry in summary.timeline if entry.kind == "detected"]
    return next(iter((*counted[-1:], *summary.impact[:1], *detected)), None)


def causes_in(summary: Summary) -> tuple[Line, ...]:
    """The last that people found to be the cause, with another line of its message; nothing while it is not known."""
    found = [line for line in summary.known if is_finding(line, summary)]
    return tuple(line for line in found if line.ts[0] == found[-1].ts[0])


def is_finding(line: Line, summary: Summary) -> bool:
    """Whether a line of what is known tells the cause."""
    return any(entry.kind == "finding" and entry.text == line.text for entry in summary.timeline)


def symptoms_of(summary: Summary) -> list[Line]:
    """What is known that was said before it was declared, so that it tells how it showed rather than why."""
    declared = [order_of(ts) for entry in summary.timeline if entry.kind == "declared" for ts in entry.ts]
    early = [line for line in summary.known if declared and order_of(line.ts[0]) <= min(declared)]
    return [line for line in early if not is_finding(line, summary)]


def ends_in(summary: Summary) -> list[Entry]:
    """What people said when they felt it no more; else when it was over."""
    ends = [[entry for entry in summary.timeline if entry.kind == kind] for kind in ("mitigated", "resolved")]
    return ends[0] or ends[1]


def deed_before(end: Entry, summary: Summary) -> Entry | None:
    """The last thing that was done before the end and is not said to have changed nothing; a rollback before others."""
    began = summary.since or end.at
    done = [entry for entry in summary.timeline if entry.kind in DEEDS and began <= entry.at <= end.at]
    told = (*summary.tried, *summary.known)  # "rollback didn't help" was seen, not done
    deeds = [d for d in done if d is not end and not is_hedged(d.text) and not in_vain(d, told)]
    backs = [deed for deed in deeds if deed.kind == "rollback"]
    return next(reversed(backs or deeds), None)


def in_vain(deed: Entry, told: Sequence[Line]) -> bool:
    """Whether someone said that it did not help, or that it is not done."""
    said = [deed.text, *(line.text for line in told if of_same(line, deed))]
    return any(is_negated(text) for text in said)


def of_same(line: Line, deed: Entry) -> bool:
    """Whether a line is of a deed: in much the same words, by the same message, or of a rollback as it is."""
    back = deed.kind == "rollback" and ROLLBACK.search(line.text)
    return bool(back) or bool(set(line.ts) & set(deed.ts)) or overlap(stems_of(line.text), stems_of(deed.text)) >= SAME
