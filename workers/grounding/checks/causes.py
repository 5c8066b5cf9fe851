"""Causes: both ends must be dated in the cited evidence, the cause first and shortly before its effect."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

from workers.contracts import Evidence
from workers.grounding.checks.directions import is_steady, move_of
from workers.grounding.checks.scope import shown_text
from workers.grounding.event_times import Event, all_events, events_in
from workers.grounding.lexicon import BACKWARD_CAUSE, DENIAL, FORWARD_CAUSE, HEDGE, TRANSITIVE
from workers.grounding.parsed_claim import Doubt, Reading, Span, sentence_around

SHORTLY_S = 15 * 60
PUSHED = re.compile(
    r"\b(?:is|was|were|are|been|being) (?!followed|preceded|written|made|authored|added|changed|touched|merged|deployed|shipped|owned|done|led|set|given|up|down|higher|lower|slower|faster|off|out)\w+(?:ed|en|t)?(?: up| down)? by (?=\S)|"
    r"\bkeeps? [^.;,]{1,40} (?:waiting|busy|slow|down|up|from)\b|\bunder (?:a|the|this) (?:surge|flood|load|weight|pressure|wave|burden)\b|"
    r"\b(?:has|have|had) made\b[^.;]{1,60}\b(?:reach|hit|touch|cross|exceed|go|drop|fall|rise)\b",
    re.IGNORECASE,
)
UNSHOWN = "a cause needs evidence for both ends"


def says_cause(reading: Reading) -> bool:
    """Whether a claim gives a cause."""
    prose = reading.prose()
    return bool(BACKWARD_CAUSE.search(prose) or FORWARD_CAUSE.search(prose) or acts(reading))


def acts(reading: Reading) -> re.Match[str] | None:
    """``the drop in wins lowered the hit ratio``: a verb that acts on what a cited metric measures."""
    metrics = {e.id for e in reading.cited if e.kind == "metric"}
    for match in TRANSITIVE.finditer(reading.prose()):
        span = range(match.end(), match.end() + 30)
        if any(x.start in span and x.ids & metrics for x in reading.labels) and reading.text[: match.start()].strip():
            return match
    return None


def check_cause(reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, with the reason, for a claim that gives a cause."""
    prose = reading.prose()
    match = BACKWARD_CAUSE.search(prose) or FORWARD_CAUSE.search(prose) or acts(reading)
    if match is None:
        return "supported", ""
    backward = match.re is BACKWARD_CAUSE
    if backward and from_person(match, reading):
        return "supported", ""
    if all(e.kind == "doc" for e in reading.cited):
        return "supported", ""
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


def from_person(match: re.Match[str], reading: Reading) -> bool:
    """``the commit comes from Olu``: said of an author."""
    people = (m.specific for m in reading.of_kind("person") if 0 <= m.specific.start - match.end() <= 2)
    said = match.group().lower().startswith(("come", "came"))
    return said and any(not re.match(r"[’']s", reading.text[p.end :]) for p in people)


def happened(reading: Reading, span: Span) -> list[Event]:
    """The events of one end; what is measured began to move at its onset."""
    found = events_in(reading, span, span[1], "onset")
    starts = {e.evidence: e for e in all_events(reading) if e.kind == "onset"}
    return [starts.get(e.evidence, e) if e.kind == "peak" else e for e in found]


def judge(cause: list[Event], effect: list[Event], reading: Reading) -> tuple[str, str]:
    """Order and distance in time decide what may be said."""
    lead = [(b.at - a.at).total_seconds() for a in cause for b in effect if a.evidence != b.evidence]
    if lead and max(lead) < -30:
        supposed = HEDGE.search(reading.text) or DENIAL.search(reading.text)
        return ("hypothesis" if supposed else "struck"), "the cause comes after the effect"
    if not any(e.kind == "deploy" for e in cause):
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


def check_pushes(reading: Reading) -> str:
    """``was pushed up by``, ``under a surge``: a cause in words that the evidence itself must hold."""
    if not any(e.kind == "alert" or (e.kind == "metric" and move_of(e)) for e in reading.cited):
        return ""
    found = PUSHED.search(reading.unquoted())
    if found and found.group().lower() not in shown_text(reading.cited):
        return Doubt(f"“{found.group().strip()}” is more than the evidence shows")
    return ""
