"""Rules for which value it is: from before, of now, the peak, or a change between two."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.grounding.checks.ownership import bound_refs, in_parallel, in_text
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import (
    ABOUT,
    AFTER_AFTER,
    AFTER_ROLE,
    ARROW_AFTER,
    BEFORE_AFTER,
    BEFORE_ANYWHERE,
    BEFORE_LEAD,
    BEFORE_ROLE,
    CHANGE_AFTER,
    CHANGE_BEFORE,
    CHANGED_BY,
    HEDGE,
    INTRO_AFTER,
    INTRO_BEFORE,
    IS_LEAD,
    LOW,
    NOW_AFTER,
    NOW_ANYWHERE,
    NOW_LEAD,
    NOW_STAYS,
    PAST,
    PEAK,
    PEAK_AFTER,
    PEAK_ROLE,
    PRESENT,
    ROLE_CLAUSE,
    SHARE_NOW,
    TO_LEAD,
    WAS_LEAD,
)
from workers.grounding.parsed_claim import Doubt, Reading, sentence_around, span_around
from workers.grounding.quantities import PART
from workers.grounding.template_slots import Ref
from workers.grounding.value_match import base_value

INTRODUCTION = re.compile(
    r"(?:^|[.;]\s)(?:at (?:its|the|their) \w+|as of now|now|at (?:present|the moment)|currently),\s*$", re.IGNORECASE
)
ABOUT_END = re.compile(
    r"\b(?:about|roughly|around|approximately|some|nearly|almost|just|only|over|under|merely|more than|less than|"
    r"a mere|an?|the)\s*$",
    re.IGNORECASE,
)
OFF_PEAK = re.compile(
    r"\b(?:below|off|from|under|down from|short of)\b.{0,12}\b(?:peak|maximum|worst|best|high)\b", re.IGNORECASE
)


def check_roles(reading: Reading) -> str:
    """``from A to B``: A is a value from before, B one from after; ``peaked at`` is the peak; "up 8 %" a change."""
    for mention in reading.values():
        if not mention.refs or mention.derived:
            continue
        role = role_of(mention, reading)
        readings = bound_refs(mention, reading)
        if not readings or in_parallel(mention, reading):
            readings = list(mention.refs)
        if role and not any(plays(role, refs, mention, reading) for refs in diff_first(readings)):
            reason = f"{mention.specific.text} {MISMATCH[role]}"
            other = role == "before" and any(len(refs) == 1 and PEAK_ROLE.search(refs[0].name) for refs in readings)
            return reason if role in SURE and not other and not loose(mention, reading) else Doubt(reason)
        if not role and not any(len(refs) == 1 or told(refs, mention, reading) for refs in readings):
            return Doubt(f"{mention.specific.text} is no change from the baseline to now")
    return ""


TO_COME = re.compile(
    r"\b(?:needs?|has|have|should|must|ought|want(?:s|ed)?|expect(?:s|ed)?|hope(?:s|d)?|aims?|wait\w*|back)\b[^,;]{0,200}\bfrom\b",
    re.IGNORECASE,
)
SURE = frozenset({"before", "after", "change"})
BEFORE_THE_INCIDENT = re.compile(r"before (?:the|this|that) (?:incident|change|outage)", re.IGNORECASE)
MISMATCH = {
    "before": "is not the value from before",
    "after": "is the value from before",
    "now": "is not the value of now",
    "peak": "is not the peak",
    "low": "is not the lowest value",
    "change": "is no such change",
}


def loose(mention: Mention, reading: Reading) -> bool:
    """Whether the role of a value rests on words elsewhere in its sentence, or the sentence only supposes."""
    lead, tail, _, _ = around(mention, reading)
    start, end = sentence_around(reading.text, mention.specific.start)
    near = BEFORE_LEAD.search(lead) or BEFORE_AFTER.match(tail) or TO_LEAD.search(lead) or ARROW_AFTER.match(tail)
    if TO_COME.search(lead):
        return True
    return not near or bool(HEDGE.search(reading.text[start:end]))


def diff_first(readings: Iterable[tuple[Ref, ...]]) -> list[tuple[Ref, ...]]:
    """When a diff shows the number as removed or added, that decides, and not another place where it stands."""
    every = list(readings)
    marked = [refs for refs in every if any(r.name in {"excerpt_before", "excerpt_after"} for r in refs)]
    return marked + [r for r in every if not in_text(r)] if marked else every


def around(mention: Mention, reading: Reading) -> tuple[str, str, str, bool]:
    """What stands before and after a value in its clause, up to its neighbours; the clause; whether it is alone."""
    at, stop = mention.specific.start, mention.specific.end
    start, end = span_around(ROLE_CLAUSE, reading.text, at)
    lead_from = max([start, *(m.specific.end for m in reading.values() if m.specific.end <= at)])
    tail_to = min([end, *(m.specific.start for m in reading.values() if m.specific.start >= stop)])
    others = [
        m
        for m in reading.values()
        if m is not mention and start <= m.specific.start < end and m.specific.dimension == mention.specific.dimension
    ]
    lead = reading.text[lead_from:at]
    if lead_from > start:
        lead = next((lead[m.end() :] for p in (PEAK_AFTER, BEFORE_AFTER, NOW_AFTER) if (m := p.match(lead))), lead)
    if intro := INTRODUCTION.search(reading.text[:lead_from] if lead_from == start else ""):
        lead = f"{intro.group().lstrip('.; ')} {lead}"
    return lead, reading.text[stop:tail_to], reading.text[start:end], not others


def role_of(mention: Mention, reading: Reading) -> str:
    """The role that the words around a value give it; "" when they give none."""
    lead, tail, clause, alone = around(mention, reading)
    if COMPARES.search(lead) and of_others(mention, reading):
        return ""
    if is_change(mention, lead, tail):
        return "change"
    if mention.specific.kind == "factor" or PART.fullmatch(mention.specific.text):
        return ""
    if PEAK_AFTER.match(tail):
        return "peak"
    if BEFORE_AFTER.match(tail) or ARROW_AFTER.match(tail):
        return "before"
    if AFTER_AFTER.match(tail):
        return "after"
    if NOW_AFTER.match(tail) or NOW_STAYS.match(reading.text[mention.specific.end :]):
        return "now"
    if re.fullmatch(r"\sto\s", tail) and BEFORE_LEAD.search(lead):
        return "before"
    return role_by_lead(lead, clause, reading, mention, alone=alone)


COMPARES = re.compile(rf"\b(?:than|compared (?:with|to)|against|versus|vs\.?)\s*{ABOUT}$", re.IGNORECASE)


def of_others(mention: Mention, reading: Reading) -> bool:
    """Whether the value before this one in the sentence belongs to other evidence."""
    start = sentence_around(reading.text, mention.specific.start)[0]
    before = [m for m in reading.values() if start <= m.specific.start < mention.specific.start and m.refs]
    own = {r.evidence for refs in mention.refs for r in refs}
    return bool(before) and own.isdisjoint(r.evidence for refs in before[-1].refs for r in refs)


def role_by_lead(lead: str, clause: str, reading: Reading, mention: Mention, *, alone: bool) -> str:
    """The role that the words before a value, or in its whole clause, give it."""
    if TO_LEAD.search(lead) and not PEAK.search(lead) and not LOW.search(lead):
        return "after"
    if BEFORE_LEAD.search(lead):
        return "before"
    if LOW.search(lead):
        return "low"
    if PEAK.search(lead):
        return "peak"
    if NOW_LEAD.search(lead):
        return "now"
    return role_by_clause(lead, clause, reading, mention) if alone else role_at_last(lead, clause, reading, mention)


def role_by_clause(lead: str, clause: str, reading: Reading, mention: Mention) -> str:
    """The role that words anywhere in its clause give the only value there."""
    before, now = BEFORE_ANYWHERE.search(clause), NOW_ANYWHERE.search(clause)
    if before and not now:
        return "before"
    if now and not before:
        return "now"
    if BEFORE_THE_INCIDENT.search(reading.text[: mention.specific.start]):
        return "before"
    return role_at_last(lead, clause, reading, mention)


def role_at_last(lead: str, clause: str, reading: Reading, mention: Mention) -> str:
    """The role that the sentence gives a value: a contrast with now, an introduction, the tense."""
    start, end = sentence_around(reading.text, mention.specific.start)
    if WAS_LEAD.search(lead) and NOW_ANYWHERE.search(reading.text[start:end]):
        return "before"
    earlier = reading.text[: span_around(ROLE_CLAUSE, reading.text, mention.specific.start)[0]]
    if INTRO_BEFORE.search(earlier):
        return "before"
    if INTRO_AFTER.search(earlier) and not in_clause(earlier, reading):
        return "after"
    if is_present(clause, reading.text[start:end]):
        return "now"
    return "after" if IS_LEAD.search(lead) and not PEAK.search(clause) else ""


def is_present(clause: str, sentence: str) -> bool:
    """Whether a clause tells how things are: what it gives is the value of now."""
    tells = (PRESENT.search(clause) and not PAST.search(clause)) or SHARE_NOW.search(clause)
    return bool(tells) and not PEAK.search(sentence) and not LOW.search(sentence) and not BEFORE_ANYWHERE.search(clause)


def in_clause(text: str, reading: Reading) -> bool:
    """Whether the last clause of a text holds a value of its own."""
    start = span_around(ROLE_CLAUSE, text, max(len(text) - 3, 0))[0]
    return any(start <= m.specific.start < len(text) and m.specific.dimension != "s" for m in reading.values())


def is_change(mention: Mention, lead: str, tail: str) -> bool:
    """Whether the words around a number make it a difference."""
    if mention.specific.dimension == "points" or mention.specific.text[:1] in {"+", "−"}:
        return mention.specific.kind == "quantity"
    while (match := ABOUT_END.search(lead)) is not None:
        lead = lead[: match.start()].rstrip()
    by = re.search(r"\bby\s*$", lead)
    before = bool(CHANGE_BEFORE.search(lead.rstrip()))
    if mention.specific.dimension == "ratio" or mention.specific.kind == "factor":
        return before or bool(CHANGE_AFTER.match(tail))
    if mention.specific.dimension not in {"s", "/s", "bytes", "plain"}:
        return False
    return bool(CHANGED_BY.search(lead[-24:])) if by else before


def plays(role: str, refs: tuple[Ref, ...], mention: Mention, reading: Reading) -> bool:
    """Whether one reading of a value can have a role."""
    if len(refs) > 1:
        timed = refs[0].fact.unit == "time"
        return (
            timed
            or (role == "change" and told(refs, mention, reading))
            or (role != "change" and mention.specific.kind == "factor")
        )
    ref = refs[0]
    moved = "change" in ref.name or ref.fact.unit == "percent"
    evidence = reading.by_id(ref.evidence)
    names = set(evidence.facts) if evidence else set()
    if role == "change":
        return (
            moved or in_text(refs) or mention.specific.kind == "factor" or not any(BEFORE_ROLE.search(n) for n in names)
        )
    if moved:
        return False
    if role == "before":
        return not AFTER_ROLE.search(ref.name)
    if not any(BEFORE_ROLE.search(n) for n in names) and not BEFORE_ROLE.search(ref.name):
        return True
    if role == "after":
        return not BEFORE_ROLE.search(ref.name)
    if role == "now":
        return not BEFORE_ROLE.search(ref.name) and not (PEAK_ROLE.search(ref.name) and "current" in names)
    return is_extreme(role, ref, reading)


def is_extreme(role: str, ref: Ref, reading: Reading) -> bool:
    """Whether a value is the highest, or the lowest, of its evidence: the peak of a fall is its lowest value."""
    evidence = reading.by_id(ref.evidence)
    if evidence is None or ref.name.startswith("excerpt"):
        return True
    rest = [
        base_value(f) for n, f in evidence.facts.items() if f.unit == ref.fact.unit and n in {"baseline", "current"}
    ]
    value = base_value(ref.fact)
    low = bool(rest) and value <= min(rest)
    return bool(PEAK_ROLE.search(ref.name)) and (low if role == "low" else True)


def told(refs: tuple[Ref, ...], mention: Mention, reading: Reading) -> bool:
    """A change is told from the baseline to now; to the peak only where the sentence speaks of it."""
    if refs[0].fact.unit == "time" or len({r.evidence for r in refs}) > 1:
        return True
    names = [r.name for r in refs]
    peaks = [n for n in names if PEAK_ROLE.search(n)]
    if not any(BEFORE_ROLE.search(n) for n in names):
        start, end = sentence_around(reading.text, mention.specific.start)
        return not peaks or bool(OFF_PEAK.search(reading.text[start:end]))
    start, end = sentence_around(reading.text, mention.specific.start)
    return not peaks or bool(PEAK.search(reading.text[start:end]))
