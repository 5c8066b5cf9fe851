"""Which facts, pairs of facts or lines of text a written number can stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import combinations

from workers.contracts import Evidence, Fact
from workers.grounding.lexicon import BEFORE_ROLE, PEAK_ROLE
from workers.grounding.literals import Specific, find_specifics
from workers.grounding.quantities import NUMBER, PART, PERIOD, UNITS, WORD, read_number
from workers.grounding.template_slots import Ref

DIMENSION = {"s": "s", "ratio": "ratio", "percent": "ratio", "/s": "/s", "bytes": "bytes"}
BARE = "excerpt_bare"
LONGEST_ROW = 400  # characters of a line that are searched for numbers
ABOUT_THE_SEARCH = frozenset({"score", "samples", "onset_confidence"})
UNIT_IN_TEXT = re.compile(
    r"(?:_|\b|(?<=[a-z])(?=[A-Z])|time\.)(ms|msec|millis(?:econds?)?|secs?|seconds?|mins?|minutes?|hours?|days?|bytes|kb|mb|gb|"
    r"percent|pct)(?![a-z])|_(s)\b|(?:#|//|--|in|/\*)\s*(s)\b",
    re.IGNORECASE,
)
TIMED = re.compile(r"seconds|latency|duration|timeout|delay|retry-after|sleep|\bttl\b|expir|interval", re.IGNORECASE)
PER = re.compile(r"\b(?:per|an?|each|every) (second|minute|hour|day)\b", re.IGNORECASE)
DIFF_ROLE = {"-": "excerpt_before", "+": "excerpt_after"}


def facts_of(cited: Sequence[Evidence], *units: str) -> Iterator[Ref]:
    """All facts of the given units, or all."""
    for evidence in cited:
        for name, fact in evidence.facts.items():
            if not units or fact.unit in units:
                yield Ref(evidence.id, name, fact)


def numbers(cited: Sequence[Evidence]) -> Iterator[Ref]:
    """All numeric facts."""
    for ref in facts_of(cited):
        if isinstance(ref.fact.value, int | float) and not isinstance(ref.fact.value, bool):
            yield ref


def dimension(fact: Fact) -> str:
    """The dimension of a fact's unit."""
    return DIMENSION.get(fact.unit, "plain")


def base_value(fact: Fact) -> float:
    """A numeric fact in the base unit of its dimension."""
    value = float(fact.value)
    return value / 100 if fact.unit == "percent" else value


def close(specific: Specific, value: float) -> bool:
    """Equal up to the rounding that the written number shows, or within its bound; a count must be exact."""
    said = specific.value
    slack = max(specific.tolerance * (2.0 if specific.bound == "about" else 1.001), abs(value) * 0.005)
    if specific.bound == "about":
        slack = max(slack, abs(value) * 0.03)
    if specific.bound == "over":
        return said - slack * 0.2 <= value <= said * 1.3
    if specific.bound == "under":
        return said * 0.7 <= value <= said + slack * 0.2
    if specific.bound == "near":
        return said * 0.85 <= value <= said + slack * 0.2
    if specific.dimension == "plain" and float(value).is_integer() and abs(value) < 1000 and specific.bound != "about":
        return abs(said - value) < 1e-9
    return abs(said - value) <= slack


def signed(specific: Specific) -> bool:
    """Whether the number is written with a sign."""
    return specific.text[:1] in {"+", "-", "−"}


def match_quantity(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A number with a unit: a fact of that dimension, a value derived from two, or the words of a text."""
    for ref in numbers(cited):
        value = base_value(ref.fact)
        fits = dimension(ref.fact) == specific.dimension
        bare = specific.dimension == "plain" and ref.fact.unit in {"ratio", "count", "number", "text", "/s"}
        if not (fits or bare) or ref.name in ABOUT_THE_SEARCH:
            continue
        unsigned = ref.fact.unit == "percent" and not signed(specific)
        if close(specific, value) or (unsigned and close(specific, abs(value))):
            yield (ref,)
    if specific.dimension == "s":
        yield from spans(specific, cited)
    yield from other_readings(specific, cited)
    yield from differences(specific, cited)
    yield from contrasts(specific, cited)
    if PART.fullmatch(specific.text) and re.search(r"(?:of|the|its|that|what|as)$", specific.text):
        yield from ((a, b) for e in cited for a, b in pairs(e) if multiple(specific, a, b))
    found = list(match_rows(specific, cited))
    yield from found or bare_rows(specific, cited)


def bare_rows(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """A number with a unit that its line of code does not name; whoever reads the claim is told of the doubt."""
    raw = re.match(rf"{NUMBER}|(?:{WORD})\b", specific.text, re.IGNORECASE)
    if not raw or specific.dimension == "plain":
        return
    said = read_number(raw.group())[0]
    wanted = {said, specific.value * 1000} if specific.dimension == "s" else {said}
    for evidence in cited:
        rows = evidence.excerpt.splitlines() if evidence.kind in {"code", "change"} else []
        for row in (r for r in rows if not UNIT_IN_TEXT.search(r)):
            if any(dim == "plain" and value in wanted for value, dim, _ in numbers_in(row)):
                yield (Ref(evidence.id, BARE, Fact(value=row, unit="text")),)


def other_readings(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """``GB`` as 1024³ bytes too; ``17 an hour`` as the count of a metric that is told per hour."""
    if prefix := re.search(r"([kmgt])b$", specific.text.lower()) if specific.dimension == "bytes" else None:
        binary = replace(specific, value=specific.value * 1.024 ** (" kmgt".index(prefix[1])))
        yield from ((r,) for r in numbers(cited) if r.fact.unit == "bytes" and close(binary, float(r.fact.value)))
    if period := re.search(PERIOD + "$", specific.text, re.IGNORECASE) if specific.dimension == "/s" else None:
        word = period.group().lower().rstrip("s")
        raw = replace(specific, value=specific.value * UNITS[word][1], dimension="plain", bound="about")
        told = {e.id for e in cited if re.search(rf"\bper {word}\b", e.title)}
        yield from (
            (r,)
            for r in numbers(cited)
            if r.evidence in told and r.fact.unit in {"count", "number"} and close(raw, float(r.fact.value))
        )


def spans(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """Durations between two times."""
    times = [(r, datetime.fromisoformat(str(r.fact.value))) for r in facts_of(cited, "time") if r.name != "newest_at"]
    slack = max(specific.tolerance, 0.0 if specific.value % 60 else 30.0)
    for (a, at), (b, bt) in combinations(times, 2):
        gap = abs((at - bt).total_seconds())
        windows = [r for r in (a, b) if r.name.startswith("window")]
        if not gap or len(windows) == 1 or (windows and a.evidence != b.evidence):
            continue
        if abs(gap - specific.value) <= slack or (specific.bound and close(specific, gap)):
            yield (a, b)


def pairs(evidence: Evidence) -> Iterator[tuple[Ref, Ref]]:
    """Two values of one unit that a change may be told between: from before to after, or from the peak to now."""
    refs = [r for r in numbers([evidence]) if r.fact.unit not in {"line", "percent"} and r.name not in ABOUT_THE_SEARCH]
    told = any(BEFORE_ROLE.search(r.name) for r in refs)
    for a, b in combinations(refs, 2):
        if a.fact.unit != b.fact.unit:
            continue
        if not told or BEFORE_ROLE.search(a.name) or PEAK_ROLE.search(a.name):
            yield a, b
        elif BEFORE_ROLE.search(b.name) or PEAK_ROLE.search(b.name):
            yield b, a


def differences(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """Changes in percent, and differences, between two values of one evidence; points are those between ratios."""
    for evidence in cited:
        for a, b in pairs(evidence):
            first, last = base_value(a.fact), base_value(b.fact)
            if specific.dimension == "ratio":
                moved = (last - first) / abs(first) if first else 0.0
            elif specific.dimension == ("points" if a.fact.unit == "ratio" else dimension(a.fact)) != "plain" or (
                specific.dimension == "plain" and a.fact.unit == "count"
            ):
                moved = last - first
            else:
                continue
            if moved and (close(specific, moved) or (not signed(specific) and close(specific, abs(moved)))):
                yield (a, b)


def contrasts(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """``33 GB more than the other node``, ``40 % above``: between the same value of two pieces of evidence."""
    for name in ("current", "baseline", "peak"):
        same = [r for r in numbers(cited) if r.name == name and r.fact.unit not in {"percent", "line"}]
        for a, b in combinations(same, 2):
            if a.fact.unit != b.fact.unit or a.evidence == b.evidence:
                continue
            one, two = base_value(a.fact), base_value(b.fact)
            if specific.dimension == "ratio":
                fits = any(y and close(specific, abs(x - y) / abs(y)) for x, y in ((one, two), (two, one)))
            else:
                fits = specific.dimension == dimension(a.fact) != "plain" and close(specific, abs(one - two))
            if fits:
                yield (a, b)
    for evidence in cited if specific.dimension == "ratio" else ():
        counts = [r for r in numbers([evidence]) if r.fact.unit == "count" and evidence.kind in {"row", "incident"}]
        for a, b in combinations(counts, 2):
            small, large = sorted((base_value(a.fact), base_value(b.fact)))
            if large and close(specific, small / large):
                yield (a, b)


def match_factor(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """``×9``: the ratio of two values of one evidence, of the current values of two, a count, or words."""
    for evidence in cited:
        for a, b in pairs(evidence):
            if multiple(specific, a, b) or multiple(specific, b, a):
                yield (a, b)
    now = [r for r in numbers(cited) if r.name == "current"]
    for a, b in combinations(now, 2):
        if a.fact.unit == b.fact.unit and (multiple(specific, a, b) or multiple(specific, b, a)):
            yield (a, b)
    for ref in numbers(cited):
        if ref.fact.unit == "count" and specific.value == ref.fact.value and "factor" not in specific.text:
            yield (ref,)
    yield from match_rows(specific, cited)


def multiple(specific: Specific, a: Ref, b: Ref) -> bool:
    """Whether the second value is so many times the first."""
    first, last = base_value(a.fact), base_value(b.fact)
    return bool(first and last) and close(specific, last / first)


# --- numbers in code and documents ----------------------------------------------------------------------------


def match_rows(specific: Specific, cited: Sequence[Evidence]) -> Iterator[tuple[Ref, ...]]:
    """Lines and sentences that show the number; in a diff the line says whether it held before or after."""
    for evidence in cited:
        if evidence.kind in {"metric", "deploy", "alert"}:
            continue
        timed = specific.dimension == "s" and TIMED.search(f"{evidence.title} {evidence.excerpt}")
        for row in rows_of(evidence):
            if shows(specific, row) or (timed and not UNIT_IN_TEXT.search(row) and holds(specific, row)):
                name = DIFF_ROLE.get(row[:1], "excerpt") if evidence.kind == "change" else "excerpt"
                yield (Ref(evidence.id, name, Fact(value=row, unit="text")),)


def rows_of(evidence: Evidence) -> Iterator[str]:
    """The title, the lines of the excerpt and the texts among the facts, one row each."""
    yield evidence.title
    yield from evidence.excerpt.splitlines()
    for fact in evidence.facts.values():
        if fact.unit == "text" and isinstance(fact.value, str):
            yield from fact.value.splitlines()


def shows(specific: Specific, row: str) -> bool:
    """Whether a row holds the number: with the same unit, or with the unit that the row's own words name."""
    row = row[:LONGEST_ROW]
    for value, dim, text in numbers_in(row):
        if text == specific.text.lower() or (dim == specific.dimension and abs(value - specific.value) < 1e-9):
            return True
        if dim == "plain" and specific.dimension not in {"plain", "factor"}:
            if specific.dimension == "ratio" and value <= 1 and abs(value - specific.value) < 1e-9:
                return True
            if (
                specific.dimension == "/s"
                and (told := PER.search(row))
                and (
                    abs(value - specific.value * UNITS[told[1].lower()][1]) < 1e-9
                    and told[1].lower() in specific.text.lower()
                )
            ):
                return True
            unit = UNIT_IN_TEXT.search(row)
            known = UNITS.get((unit[1] or unit[2] or unit[3]).lower()) if unit else None
            if known and known[0] == specific.dimension and abs(value * known[1] - specific.value) < 1e-9:
                return True
        if specific.dimension in {"plain", "factor"} and dim in {"plain", "factor"} and value == specific.value:
            return True
    return False


def holds(specific: Specific, row: str) -> bool:
    """Whether a row without a unit holds the number: the threshold of a rule about latency is in seconds."""
    return any(dim == "plain" and abs(value - specific.value) < 1e-9 for value, dim, _ in numbers_in(row))


@lru_cache(maxsize=4096)
def numbers_in(row: str) -> tuple[tuple[float, str, str], ...]:
    """Value, dimension and text of every number in a row."""
    cut = re.sub(r"(?<=\d)_(?=\d{3})", "", row[:LONGEST_ROW].lstrip("+-").replace("*", " ").replace("`", ""))
    cut = re.sub(r"(?<=\d)\.(?=(?:milli|second|minute|hour|day)s?)", " ", cut)
    return tuple((s.value, s.dimension, s.text.lower()) for s in find_specifics(cut) if s.dimension)
