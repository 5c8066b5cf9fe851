"""Rules for words of direction: "rose", "halved", "unchanged", "up 8 %" must agree with the values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.contracts import Evidence
from workers.grounding.checks.ownership import bound_refs, singled
from workers.grounding.evidence_binding import NARROW, named
from workers.grounding.lexicon import (
    AFTER_ROLE,
    BACK,
    BEFORE_ROLE,
    BETTER,
    CLAUSE,
    DENIED_BEFORE,
    DOWN,
    FACTORS,
    FASTER,
    FLAT,
    HEDGE,
    PEAK,
    PEAK_ROLE,
    SIGNALS,
    SLIGHTLY,
    SLOWER,
    STRONG,
    UP,
    WORSE,
)
from workers.grounding.parsed_claim import Doubt, Reading, Span, sentence_around, span_around
from workers.grounding.quantities import bound_before
from workers.grounding.value_format import steady
from workers.grounding.value_match import base_value, dimension

STEADY = frozenset({"steady", "unchanged", "flat", "stable"})
GOOD = re.compile(r"\bhits?\b|availability|success|uptime", re.IGNORECASE)
PASSED_AROUND = re.compile(
    r"^\s+(?:as\b|"
    r"than\s(?!(?:its|it|they|before|usual|normal|what|"
    r"the (?:baseline|usual|former|previous|old|earlier)|at (?:the |its )?(?:baseline|start))\b|\d))",
    re.IGNORECASE,
)
FROM_PEAK = re.compile(r"\b(?:from|off|below)\b.{0,25}\b(?:peak|maximum|worst|best|high)\b", re.IGNORECASE)
OTHERWISE = re.compile(
    r"\s(?:of (?:the|these) (?:two|three|both|pair)|touch\b|behind\b|(?:that|what|this|those)\b|"
    r"than (?!before|usual|normal|its\b|it\b|they\b|the (?:former|previous|old|earlier|usual|baseline)\b))",
    re.IGNORECASE,
)
NOBODY = re.compile(r"\b(?:nobody|no one|no-one|none|until|hardly)\b[^,;]*$|(?:\bnot|n[’']t)\b[^,;]*$", re.IGNORECASE)
ATTRIBUTE = re.compile(r"\b(?:with|by|through|in) (?:its|the|an?|their|this|that)\s$", re.IGNORECASE)
EXTREME = re.compile(
    r"\b(?:peak|maximum|worst|trough|bottom|(?:low|deepest|high) point|the (?:low|high) (?:of|for|was)|longest|slowest|"
    r"highest|lowest)\b",
    re.IGNORECASE,
)
WAYS = (FLAT, UP, DOWN, SLOWER, FASTER, WORSE, BETTER, BACK)


def check_directions(reading: Reading) -> str:
    """Words such as "rose", "slower", "unchanged" must agree with the values of the metric they speak of."""
    for at, end, word, way in said_ways(reading):
        if reading.in_slot(at) or PASSED_AROUND.match(reading.text[end:]):
            continue
        if reason := against_itself(end, word, way, reading):
            return reason
        moved = moving_near(at, reading)
        negated = bool(DENIED_BEFORE.search(reading.text[max(0, at - 24) : at]))
        if moved and not any(agrees(word, way, e, at, reading) is not negated for e in moved):
            reason = f"“{word}” does not agree with the values"
            return reason if is_sure(at, reading) and not relative(at, end, way, moved, reading) else Doubt(reason)
        if any(agrees(word, way, e, at, reading) is negated for e in joined(at, reading, moved)):
            return Doubt(f"“{word}” does not hold for all that the claim names")
    return ""


def is_sure(at: int, reading: Reading) -> bool:
    """Whether the clause leaves no doubt of which metric a word of direction speaks."""
    start, end = sentence_around(reading.text, at)
    every = frozenset(e.id for e in reading.cited if e.kind in {"metric", "row"} and move_of(e))
    if HEDGE.search(reading.text[start:end]):
        return False
    return len(every) == 1 or singled(at, every, reading)


def relative(at: int, end: int, way: str, moved: list[Evidence], reading: Reading) -> bool:
    """Whether a word of direction may tell something else than the way from the baseline to now.

    So it is in a question, a figure of speech, a denial, a comparison with other evidence or with the extreme.
    """
    text = reading.text
    first, last = sentence_around(text, at)
    if text[last : last + 1] == "?" or OTHERWISE.match(text[end:]) or NOBODY.search(text[first:at]):
        return True
    if ATTRIBUTE.search(text[:at]) and re.match(r"\s[A-Za-z]", text[end:]):
        return True
    if way == "flat":
        return False
    dated = reading.of_kind("quantity", "time")
    single = (refs[0].name.removesuffix("_at") for m in dated for refs in m.refs if len(refs) == 1)
    if not any(PEAK_ROLE.search(name) for name in single) and not EXTREME.search(text):
        return False
    for evidence in moved:
        before, now, extreme = move_of(evidence)[0]
        if extreme is None or abs(now - before) > abs(extreme - before):
            continue
        sign = {"up": 1, "slower": 1, "down": -1, "faster": -1}.get(way, 1 if before > extreme else -1)
        if way != "worse" and ((now - extreme) * sign > 0 or DENIED_BEFORE.search(text[max(0, at - 24) : at])):
            return True
    return False


def against_itself(end: int, word: str, way: str, reading: Reading) -> str:
    """Why "rose from A to B" cannot be, whatever is cited: B is the lower one."""
    near = [m.specific for m in reading.values() if end <= m.specific.start < end + 60][:2]
    if way not in {"up", "down"} or len(near) < 2 or near[0].dimension != near[1].dimension:
        return ""
    lead, between = reading.text[end : near[0].start], reading.text[near[0].end : near[1].start]
    if re.fullmatch(r"\sfrom (?:about |around |roughly )?", lead) and re.fullmatch(
        r"\sto (?:about |around |roughly |only )?", between
    ):
        gap = near[1].value - near[0].value
        if gap and (gap > 0) is not (way == "up"):
            return f"“{word}” does not agree with its own values"
    return ""


def said_ways(reading: Reading) -> Iterator[tuple[int, int, str, str]]:
    """Every word of direction: where it stands, and which way it says."""
    flat = [m.span() for m in FLAT.finditer(reading.text)]
    for way, pattern in (
        ("flat", FLAT),
        ("up", UP),
        ("down", DOWN),
        ("slower", SLOWER),
        ("faster", FASTER),
        ("worse", WORSE),
        ("better", BETTER),
        ("back", BACK),
    ):
        for match in pattern.finditer(reading.text):
            if way == "flat" or not any(a <= match.start() < b for a, b in flat):
                yield match.start(), match.end(), match.group().lower(), way


def moving_near(at: int, reading: Reading) -> list[Evidence]:
    """The metrics that a word of direction speaks of: those with a value beside it, else those named closest."""
    start, end = span_around(NARROW, reading.text, at)
    every = [e for e in reading.cited if e.kind in {"metric", "row"} and move_of(e)]
    universe = frozenset(e.id for e in every)
    meant = named(reading, at, universe)
    used = {
        r.evidence
        for m in reading.values()
        if start <= m.specific.start < end
        for refs in bound_refs(m, reading)
        for r in refs
    }
    return [e for e in every if e.id in (meant & used or meant)]


def joined(at: int, reading: Reading, moved: list[Evidence]) -> list[Evidence]:
    """The metrics of what "and" joins to the subject of a word of direction: ``A and B both rose``."""
    text = reading.text
    start, end = sentence_around(text, at)
    own = span_around(CLAUSE, text, at)
    universe = frozenset(e.id for e in reading.cited if e.kind in {"metric", "row"} and move_of(e))
    out: set[str] = set()
    for side in (text[start : own[0]], text[own[1] : end]):
        before = side == text[start : own[0]]
        joint = re.search(r"([^,;.:]*)\sand\s$", side) if before else re.match(r"\sand\s([^,;.:]*)", side)
        if (
            not joint
            or any(p.search(joint[1]) for p in WAYS)
            or re.search(r"\b(?:is|are|was|has|had|have|at|from|by|not)\b", joint[1])
        ):
            continue
        place = (start if before else own[1]) + joint.start(1)
        if any(
            x.kind == "name" and place <= x.start < place + len(joint[1]) and x.ids & universe for x in reading.labels
        ):
            mine = named(reading, place + len(joint[1]) // 2, universe, (place, place + len(joint[1])))
            kinds = {what(e) for e in moved}
            out |= {e.id for e in reading.cited if e.id in mine and what(e) in kinds}
    return [e for e in reading.cited if e.id in out]


def what(evidence: Evidence) -> str:
    """What is measured, without whose it is."""
    return str(evidence.facts["metric"].value) if "metric" in evidence.facts else evidence.title.split(" of ")[0]


def agrees(word: str, way: str, evidence: Evidence, at: int, reading: Reading) -> bool:
    """One word against one metric."""
    first, last, extreme = move_of(evidence)[0]
    about = f"{evidence.title} {evidence.facts['metric'].value if 'metric' in evidence.facts else ''}"
    timed = any(f.unit == "s" for f in evidence.facts.values())
    start, end = sentence_around(reading.text, at)
    sentence = reading.text[start:end]
    for stem, (exact, low, high) in FACTORS.items():
        if word.startswith(stem):
            return first != 0 and bounded(reading.text[:at], exact, low, high, last / first)
    if way == "flat":
        return is_steady(evidence, first, last)
    if way == "back":
        return "recovered_at" in evidence.facts or steady_within(first, last, 0.25)
    if way in {"slower", "faster"}:
        if not timed:
            return True
        way = "up" if way == "slower" else "down"
    if way in {"worse", "better"}:
        if not timed and not GOOD.search(about) and not SIGNALS[0][1].search(about):
            return True
        way = "up" if (way == "worse") is not bool(GOOD.search(about)) else "down"
    sign = 1 if way == "up" else -1
    if is_steady(evidence, first, last):
        spike = (
            extreme is not None
            and not steady_within(first, extreme, 0.2 if word.startswith("spik") else 0.5)
            and (extreme - first) * sign > 0
        )
        sized = not STRONG.match(word) and (SLIGHTLY.search(sentence) or told_exactly(evidence, (start, end), reading))
        return spike or (bool(sized) and (last - first) * sign > 0) or listed_rise(evidence, word)
    if (last - first) * sign > 0:
        return True
    if extreme is not None and FROM_PEAK.search(sentence):
        return (last - extreme) * sign > 0
    return (
        extreme is not None and bool(PEAK.search(sentence)) and (extreme - first) * sign > 0 and word.startswith("ro")
    )


def told_exactly(evidence: Evidence, span: Span, reading: Reading) -> bool:
    """Whether a sentence states the size of a change, or both its ends."""
    names = {
        "change" if len(refs) > 1 or "change" in refs[0].name else refs[0].name
        for m in reading.values()
        if span[0] <= m.specific.start < span[1]
        for refs in bound_refs(m, reading)
        if all(r.evidence == evidence.id for r in refs)
    }
    return "change" in names or len(names) > 1


def bounded(lead: str, exact: float, low: float, high: float, factor: float) -> bool:
    """Whether a factor is what "doubled", "more than doubled" or "nearly doubled" says."""
    bound = bound_before(lead)
    if bound == "over":
        return exact * 0.995 <= factor <= exact * 1.6
    if bound in {"near", "under"}:
        return low <= factor <= exact * 1.005
    return low <= factor <= high


def listed_rise(evidence: Evidence, word: str) -> bool:
    """Whether the evidence itself says which way it went, in this very word."""
    return "direction" in evidence.facts and evidence.facts["direction"].value == word


def is_steady(evidence: Evidence, first: float, last: float) -> bool:
    """Said to be steady by its own direction, or less than a tenth apart."""
    return ("direction" in evidence.facts and evidence.facts["direction"].value in STEADY) or steady(first, last)


def steady_within(first: float, last: float, share: float) -> bool:
    """Less than this share apart."""
    return abs(last - first) <= share * max(abs(first), 1e-12)


def move_of(evidence: Evidence) -> list[tuple[float, float, float | None]]:
    """The value from before, the one of now and the extreme between them, of one unit; empty when not known."""
    numeric = {
        n: f
        for n, f in evidence.facts.items()
        if isinstance(f.value, int | float) and not isinstance(f.value, bool) and f.unit not in {"line", "percent"}
    }
    out = []
    for a, before in numeric.items():
        same = {n: f for n, f in numeric.items() if dimension(f) == dimension(before) and AFTER_ROLE.search(n)}
        now = [f for n, f in same.items() if not PEAK_ROLE.search(n)] or list(same.values())
        peak = next((base_value(f) for n, f in same.items() if PEAK_ROLE.search(n)), None)
        if BEFORE_ROLE.search(a) and now:
            out.append((base_value(before), base_value(now[0]), peak))
    return out
