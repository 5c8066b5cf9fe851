"""PURE. Causes: both ends must be dated in the cited evidence, the cause first and shortly before its effect."""

from __future__ import annotations

import re

from workers.contracts import Evidence
from workers.engine.directions import is_steady, move_of
from workers.engine.events import Event, all_events, events_in
from workers.engine.lexicon import BACKWARD_CAUSE, FORWARD_CAUSE
from workers.engine.reading import Reading, Span, sentence_around

SHORTLY_S = 15 * 60
UNSHOWN = "a cause needs evidence for both ends"


def says_cause(prose: str) -> bool:
    """Whether a text gives a cause."""
    return bool(BACKWARD_CAUSE.search(prose) or FORWARD_CAUSE.search(prose))


def check_cause(reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, with the reason, for a claim that gives a cause."""
    prose = reading.prose()
    match = BACKWARD_CAUSE.search(prose) or FORWARD_CAUSE.search(prose)
    if match is None:
        return "supported", ""
    backward = match.re is BACKWARD_CAUSE
    start, end = sentence_around(reading.text, match.start())
    left, right = (start, match.start()), (match.end(), end)
    if backward and not prose[start : match.start()].strip():
        cut = re.search(r",\s", prose[match.end() : end])
        left, right = (
            ((match.end() + cut.end(), end), (match.end(), match.end() + cut.start())) if cut else (left, right)
        )
    cause = happened(reading, right if backward else left)
    effect = happened(reading, left if backward else right)
    if not cause or not effect:
        return "hypothesis", UNSHOWN
    return judge(cause, effect, reading)


def happened(reading: Reading, span: Span) -> list[Event]:
    """The events of one end; what is measured began to move at its onset."""
    found = events_in(reading, span, span[1], "onset")
    starts = {e.evidence: e for e in all_events(reading) if e.kind == "onset"}
    return [starts.get(e.evidence, e) if e.kind == "peak" else e for e in found]


def judge(cause: list[Event], effect: list[Event], reading: Reading) -> tuple[str, str]:
    """Order and distance in time decide what may be said."""
    lead = [(b.at - a.at).total_seconds() for a in cause for b in effect if a.evidence != b.evidence]
    if lead and max(lead) < -30:
        return "struck", "the cause comes after the effect"
    if not any(e.kind in {"deploy", "change"} for e in cause):
        return "hypothesis", "two things that moved together do not show a cause"
    if any(still(reading.by_id(e.evidence)) for e in effect):
        return "hypothesis", "what is called the effect did not move"
    if not any(-30 <= gap <= SHORTLY_S for gap in lead):
        return "hypothesis", "the cause does not come shortly before the effect"
    return "supported", ""


def still(evidence: Evidence | None) -> bool:
    """Whether a metric stayed where it was."""
    moves = move_of(evidence) if evidence else []
    return bool(evidence and moves and is_steady(evidence, moves[0][0], moves[0][1]))
