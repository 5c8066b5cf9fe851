"""An incident in a few lines of its summary: what people felt, what caused it, and what ended it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.contracts import Kind, order_of
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.contradictions import FAILS, SLOW
from workers.incidents.summary.summary_types import Entry, Line, Summary
from workers.language.sentences import overlap, stems_of

DEPLOYED = re.compile(r"\b(?:deploy|release|rollout|rolled? ?out|went out|version)")
OUTRIGHT = re.compile(
    r"\b(?:root[- ]cause|found (?:it|the)|found(?=:)|that's (?:the|our) (?:cause|reason)|the (?:\w+ )?cause|culprit)\b"
)
HOW_MANY = re.compile(r"\d ?(?:%|percent\b|k\b)|\b\d+,\d{3}\b")
"""A figure that is no status code."""
TELLING = 3
"""Words that a line has at least to say what caused it: not "Found it"."""
DEEDS: frozenset[Kind] = frozenset({"rollback", "deploy", "change"})
SAME = 0.6
MOST_CAUSES = 2


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


# --- what people felt ---------------------------------------------------------------------------------------------


def felt_in(summary: Summary) -> Line | None:
    """What people felt: the impact, how many before other numbers, these before words; else how it showed."""
    shown = [line for line in summary.impact if not utterance_patterns.CAUSE.search(line.text.lower())] or symptoms_of(
        summary
    )
    counted = [line for line in shown if utterance_patterns.QUANTITY.search(line.text.lower()) and fails(line)]
    summed = [line for line in counted if utterance_patterns.TALLY.search(line.text.lower())]
    people = [line for line in counted if HOW_MANY.search(line.text.lower())]
    detected = [entry for entry in summary.timeline if entry.kind == "detected"]
    return next(iter((*summed[-1:], *people, *counted, *shown, *detected)), None)


def fails(line: Line) -> bool:
    """Whether a line says that something fails or is slow."""
    low = line.text.lower()
    return bool(FAILS.search(low) or SLOW.search(low) or utterance_patterns.AFFECTED.search(low))


def symptoms_of(summary: Summary) -> list[Line]:
    """What is known that says how it shows, rather than why."""
    return [line for line in summary.known if is_symptom(line, summary) and not is_about_people(line)]


def is_symptom(line: Line, summary: Summary) -> bool:
    """Whether a line names no cause and no deploy, is nothing that people found, and says that something fails, or was
    said before anybody looked.
    """
    low = line.text.lower()
    if any(entry.kind == "finding" and entry.text == line.text for entry in summary.timeline):
        return False
    if utterance_patterns.CAUSE.search(low) or DEPLOYED.search(low):
        return False
    felt = (
        FAILS.search(low)
        or SLOW.search(low)
        or (utterance_patterns.WHO.search(low) and utterance_patterns.AFFECTED.search(low))
    )
    return bool(felt) or is_early(line, summary)


def is_early(line: Line, summary: Summary) -> bool:
    """Whether a line was said before it was declared, or in the same message."""
    declared = [ts for entry in summary.timeline if entry.kind == "declared" for ts in entry.ts]
    return bool(line.ts and declared) and order_of(line.ts[0]) <= min(map(order_of, declared))


def is_about_people(line: Line) -> bool:
    """Whether a line says who leads, rather than why."""
    low = line.text.lower()
    return bool(utterance_patterns.COMMANDER.search(low)) and not utterance_patterns.CAUSE.search(low)


# --- what caused it -----------------------------------------------------------------------------------------------


def causes_in(summary: Summary) -> tuple[Line, ...]:
    """The line that says the cause most plainly, with another one of its message; nothing while it is not known."""
    found = [(score, line) for line in told(summary) if (score := plainness(line, summary)) > 0]
    if not found:
        return ()
    best = max(found, key=lambda one: (one[0], order_of(one[1].ts[0])))[1]
    same = [line for _, line in found if line.ts[0] == best.ts[0]]
    return tuple(same) if len(same) <= MOST_CAUSES else (best,)


def told(summary: Summary) -> Iterator[Line]:
    """What may say the cause: what is known, and what people found."""
    done = {line.text for line in (*summary.tried, *summary.decisions)}
    seen = set[str]()
    for line in (*summary.known, *(entry for entry in summary.timeline if entry.kind == "finding")):
        telling = line.ts and len(stems_of(line.text)) >= TELLING and line.text not in done | seen
        if telling and not is_about_people(line) and not is_symptom(line, summary):
            seen.add(line.text)
            yield Line(text=line.text, ts=line.ts)


def plainness(line: Line, summary: Summary) -> int:
    """How plainly a line says the cause; 0: not at all."""
    low = line.text.lower()
    found = {ts for entry in summary.timeline if entry.kind == "finding" for ts in entry.ts}
    denies = (
        utterance_patterns.SO_NO.match(low) if found & set(line.ts) else utterance_patterns.SO_NO.search(low)
    )  # "all of -3, none of -2"
    if utterance_patterns.NO_HELP.search(low) or denies:
        return 0
    telling = bool(utterance_patterns.CAUSE.search(low)) + bool(found & set(line.ts))
    return telling and telling + 2 * bool(OUTRIGHT.search(low)) + bool(utterance_patterns.IDENTIFIES.match(low))


# --- what ended it ------------------------------------------------------------------------------------------------


def ends_in(summary: Summary) -> list[Entry]:
    """What people said when they felt it no more; else when it was over."""
    ends = [[entry for entry in summary.timeline if entry.kind == kind] for kind in ("mitigated", "resolved")]
    return ends[0] or ends[1]


def deed_before(end: Entry, summary: Summary) -> Entry | None:
    """The last thing that was done before the end and is not said to have changed nothing; a rollback before others."""
    began = summary.since or end.at
    done = [entry for entry in summary.timeline if entry.kind in DEEDS and began <= entry.at <= end.at]
    deeds = [deed for deed in done if deed is not end and is_deed(deed) and not in_vain(deed, summary.tried)]
    backs = [deed for deed in deeds if deed.kind == "rollback"]
    return next(reversed(backs or deeds), None)


def is_deed(deed: Entry) -> bool:
    """Whether something was done to the system, for sure."""
    low = deed.text.lower()
    return not (utterance_patterns.is_hedged(low) or utterance_patterns.CHANGES_SEVERITY.search(low))


def in_vain(deed: Entry, tried: Sequence[Line]) -> bool:
    """Whether someone said that it did not help, or that it is not done."""
    said = [deed.text, *(line.text for line in tried if of_same(line, deed))]
    return any(utterance_patterns.NO_HELP.search(text.lower()) for text in said)


def of_same(line: Line, deed: Entry) -> bool:
    """Whether a line is of a deed: in much the same words, by the same message, or of a rollback as it is."""
    back = deed.kind == "rollback" and utterance_patterns.ROLLBACK.search(line.text.lower())
    return bool(back) or bool(set(line.ts) & set(deed.ts)) or overlap(stems_of(line.text), stems_of(deed.text)) >= SAME
