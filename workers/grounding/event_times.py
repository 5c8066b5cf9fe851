"""What happened when: the events that a stretch of a claim names, and the times written beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Evidence
from workers.grounding.checks.ownership import bound_refs, in_parallel, in_text
from workers.grounding.evidence_binding import NARROW, named
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import EVENTS, HEDGE, PEAK_ROLE
from workers.grounding.parsed_claim import Doubt, Reading, Span, clause_around, sentence_around, span_around

RANGE_BEFORE = re.compile(
    r"\b(?:between|between \d\d?:\d\d(?: [A-Z]{3})? and|from \d\d?:\d\d(?: [A-Z]{3})? (?:to|until|till))\s*$",
    re.IGNORECASE,
)
THEY = re.compile(r"\b(?:it|they|this|that|these|those)\b", re.IGNORECASE)
RANGE_AFTER = re.compile(r"^\s?(?:[–-]|to|until|till)\s?\d\d?:\d\d")


@dataclass(frozen=True)
class Event:
    """One event out of cited evidence. ``kind`` is one of the names in `lexicon.EVENTS`."""

    evidence: str
    name: str
    kind: str
    at: datetime


def event_class(name: str, evidence: Evidence) -> str:
    """What kind of event a time fact is."""
    if name.startswith(("window", "newest", "observed")):
        return "window"
    for kind, keys in (
        ("peak", ("peak", "max_at", "lowest")),
        ("recovered", ("recover", "resolved", "ended")),
        ("onset", ("onset", "began")),
    ):
        if any(key in name for key in keys):
            return kind
    if evidence.kind in {"deploy", "alert", "change"}:
        return evidence.kind
    return next((key for key in ("deploy", "alert") if key in name), "onset" if "start" in name else "other")


def all_events(reading: Reading) -> list[Event]:
    """Every dated event in the cited evidence."""
    return [
        Event(e.id, name, event_class(name, e), datetime.fromisoformat(str(fact.value)))
        for e in reading.cited
        for name, fact in e.facts.items()
        if fact.unit == "time" and event_class(name, e) != "window"
    ]


def kinds_said(text: str, span: Span, at: int) -> list[str]:
    """The kinds of event whose words stand in a stretch, nearest to a place first; those before it come before."""
    found: list[tuple[int, str]] = []
    for kind, pattern in EVENTS:
        for match in pattern.finditer(text, *span):
            gap = at - match.end() if match.end() <= at else (match.start() - at) + 15
            found.append((gap, kind))
    return list(dict.fromkeys(kind for _, kind in sorted(found)))


def events_in(reading: Reading, span: Span, at: int, default: str = "") -> list[Event]:
    """The events that a stretch of a claim can mean; empty when it names none.

    Args:
        reading: the claim.
        span: the stretch.
        at: the place in it that the event stands nearest to.
        default: the kind meant when no word says it: "before the p95 did".
    """
    known = [e for e in all_events(reading) if e.kind != "other"]
    labels = [x for x in reading.labels if span[0] <= x.start < span[1]]
    kinds = kinds_said(reading.text, span, at)
    if not kinds and not labels:
        return []
    for kind in [*kinds, *([default] if default else []), *([] if kinds else ["deploy", "alert", "change", "onset"])]:
        universe = frozenset(e.evidence for e in known if e.kind == kind)
        own = [x for x in labels if x.ids & universe]
        alone = len(universe) == 1 and kind in kinds and kind in {"deploy", "alert", "change"}
        if universe and (own or not labels or alone):
            meant = named(reading, at, universe, span)
            if kind == "alert":
                return [e for e in known if e.evidence in meant and e.kind == kind and e.name != "active_at"] or [
                    e for e in known if e.evidence in meant and e.kind == kind
                ]
            return [e for e in known if e.evidence in meant and e.kind == kind]
    return []


# --- times beside events --------------------------------------------------------------------------------------


def check_times(reading: Reading) -> str:
    """A written time must be that of the event named beside it."""
    for mention in reading.of_kind("time"):
        if not mention.refs or any(r.name == "excerpt" for refs in mention.refs for r in refs):
            continue
        if reason := peak_without_value(mention, reading):
            return reason
        wanted = events_beside(mention, reading)
        held = {(r.evidence, r.name) for refs in mention.refs for r in refs}
        if wanted and not held & {(e.evidence, e.name) for e in wanted} and not in_parallel(mention, reading):
            reason = f"{mention.specific.text} is not the time of the {wanted[0].kind} that the claim names"
            return reason if alone(mention, reading) and not of_other(mention, wanted, reading) else Doubt(reason)
        if not wanted and (reason := other_kind(mention, reading)):
            return reason
    return ""


def alone(mention: Mention, reading: Reading) -> bool:
    """Whether a time is the only one of its sentence, which is not put as a supposition."""
    start, end = sentence_around(reading.text, mention.specific.start)
    others = [m for m in reading.of_kind("time") if start <= m.specific.start < end and m is not mention]
    near = kinds_said(reading.text, span_around(NARROW, reading.text, mention.specific.start), mention.specific.start)
    return bool(near) and not others and not HEDGE.search(reading.text[start:end])


def of_other(mention: Mention, wanted: list[Event], reading: Reading) -> bool:
    """Whether the sentence may mean other evidence than its words name: by a pronoun, or a value beside it."""
    start, end = sentence_around(reading.text, mention.specific.start)
    if THEY.search(reading.text[start : mention.specific.start]):
        return True
    held = {r.evidence for refs in mention.refs for r in refs} - {e.evidence for e in wanted}
    near = [m for m in reading.values() if start <= m.specific.start < end]
    return any(r.evidence in held for m in near for refs in m.refs for r in refs)


def events_beside(mention: Mention, reading: Reading) -> list[Event]:
    """The events that a written time may belong to: of the kind said nearest, of the evidence named nearest."""
    text, at = reading.text, mention.specific.start
    known = all_events(reading)
    spans = (span_around(NARROW, text, at), clause_around(text, at), sentence_around(text, at))
    if RANGE_BEFORE.search(text[:at]) or RANGE_AFTER.match(text[mention.specific.end :]):
        meant = named(reading, at, frozenset(e.evidence for e in known))
        return [e for e in known if e.evidence in meant]
    opened = text.rfind("(", spans[1][0], at)
    if opened >= 0 and ")" not in text[opened:at]:
        spans = ((spans[1][0], opened), *spans[1:])
        held = named(reading, opened, frozenset(e.evidence for e in known), spans[0])
        if not kinds_said(text, spans[0], opened) and 0 < len(held) < len({e.evidence for e in known}):
            return [e for e in known if e.evidence in held]
    wide = spans[0] if kinds_said(text, spans[2], at) else spans[2]
    if not kinds_said(text, spans[0], at) and (tops := peaks_beside(wide, known, reading)):
        return tops
    kinds = next((k for s in spans if (k := kinds_said(text, s, at))), [])
    for kind in kinds:
        pool = [e for e in known if e.kind in {kind, "other"}]
        if any(e.kind == kind for e in pool):
            meant = named(reading, at, frozenset(e.evidence for e in pool))
            return [e for e in pool if e.evidence in meant]
    if kinds and kinds != ["onset"]:
        return []
    meant = named(reading, at, frozenset(e.evidence for e in known))
    return [e for e in known if e.evidence in meant] if len(meant) < len({e.evidence for e in known}) else []


def peaks_beside(span: Span, known: list[Event], reading: Reading) -> list[Event]:
    """The peaks whose values stand in a stretch that has no word for an event: ``hit 40 at 09:44``."""
    ids: set[str] = set()
    for mention in reading.values():
        near = bound_refs(mention, reading) if span[0] <= mention.specific.start < span[1] else []
        readings = [refs for refs in near if not in_text(refs)]
        if readings and all(len(refs) == 1 and PEAK_ROLE.search(refs[0].name) for refs in readings):
            ids |= {refs[0].evidence for refs in readings}
    return [e for e in known if e.kind == "peak" and e.evidence in ids]


def peak_without_value(mention: Mention, reading: Reading) -> str:
    """Why the time of a peak cannot stand with a value that is not the peak's."""
    start, end = clause_around(reading.text, mention.specific.start)
    held = {r.evidence for refs in mention.refs for r in refs if PEAK_ROLE.search(r.name)}
    if len(held) != sum(len(refs) for refs in mention.refs) or kinds_said(reading.text, (start, end), start):
        return ""
    for value in reading.values():
        readings = bound_refs(value, reading) if start <= value.specific.start < end else []
        single = [refs[0] for refs in readings if len(refs) == 1 and refs[0].evidence in held]
        if single and len(single) == len(readings) and not any(PEAK_ROLE.search(r.name) for r in single):
            return f"{value.specific.text} is not the value at {mention.specific.text}"
    return ""


def other_kind(mention: Mention, reading: Reading) -> str:
    """Why a time cannot be that of the kind of event said nearest to it, which nothing cited dates."""
    kinds = kinds_said(reading.unquoted(), clause_around(reading.text, mention.specific.start), mention.specific.start)
    known = {(e.evidence, e.name): e.kind for e in all_events(reading)}
    held = {known[k] for refs in mention.refs for r in refs if (k := (r.evidence, r.name)) in known}
    over = held == {"alert"} and kinds[:1] == ["recovered"] and is_over(mention, reading)
    if kinds and kinds != ["onset"] and held and kinds[0] not in held and "other" not in held and not over:
        reason = f"{mention.specific.text} is the time of the {'/'.join(sorted(held))}, not of the {kinds[0]}"
        return reason if kinds[0] not in {"alert", "change", "deploy"} or kinds[0] in known.values() else Doubt(reason)
    return ""


def is_over(mention: Mention, reading: Reading) -> bool:
    """Whether a time is all that dates an alert which is resolved: then it may be when it was."""
    ids = {r.evidence for refs in mention.refs for r in refs}
    own = [e for e in reading.cited if e.id in ids and e.kind == "alert"]
    return any(
        "state" in e.facts and e.facts["state"].value == "resolved" and not any("resolved" in n for n in e.facts)
        for e in own
    )
