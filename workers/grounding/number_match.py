"""Where the cited evidence holds a number as it is written, rounded, or in another unit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workers.grounding.evidence_values import Index, Number, stems_of
from workers.grounding.literals import Specific
from workers.grounding.mentions import Scope, Support
from workers.grounding.quantities import NUMBER, WORD, read_number
from workers.grounding.word_match import match_words, rows_with

YEAR = re.compile(r"(?:19|20)\d\d")
"""A number that may be a year is that one, or another."""
SIGNS = frozenset("+-−")
SMALL = 32
"""A whole number below it stands in any evidence by chance: it must be named by a word of the claim."""
QUOTED = frozenset({"code", "doc", "change"})
"""Evidence that is a passage, with few numbers, which a claim may tell in other words."""
COMPARED = re.compile(r"\s(?:as|the|that|what|its|their|more|less|higher|lower|faster|slower|longer|larger|bigger)\b")
LENGTHS = re.compile(
    r"dur|elapsed|latenc|took|time|wait|lag|delay|ttl|interval|second|sleep|expir|retry|\bage\b", re.IGNORECASE
)


def interval(said: Specific) -> tuple[float, float]:
    """The values that a written number may stand for: rounded or cut off at its last digit, or within its bound."""
    value, slack = said.value, said.tolerance * 1.0001
    size = abs(value)
    if value == 0:
        return 0.0, 0.0
    if said.bound in {"over", "under", "near"}:
        side = {
            "over": (-0.1 * slack, (0.3 if slack < 0.1 * size else 0.49) * size),
            "under": (-0.3 * size, 0.1 * slack),
        }
        low, high = side.get(said.bound, (-0.15 * size, 0.1 * slack))
        return value + low, value + high
    if said.bound == "about":
        wide = max(slack, 0.03 * size)
        return value - wide, value + wide
    if said.dimension == "plain" and YEAR.fullmatch(said.text):
        return value, value
    if said.dimension == "plain" and size < 1000 and value == int(value):
        return (value, value) if said.text[:1].isdigit() else (value - 0.49, value + 0.49)
    return value - slack, value + slack * (1.0 if slack >= 0.05 * size else 2.0)


def raw_value(said: Specific) -> float | None:
    """The number as it is written, whatever its unit; None for what is written as a part or in several."""
    found = re.match(rf"{NUMBER}|{WORD}\b", said.text, re.IGNORECASE)
    if not found or "and" in said.text:
        return said.value if said.dimension in {"plain", "factor"} else None
    return read_number(found.group())[0]


def within(index: Index, dimension: str, low: float, high: float) -> Sequence[Number]:
    """The numbers of a dimension between two values."""
    found = index.numbers.get(dimension, ())
    return found[bisect_left(found, low, key=lambda n: n.value) : bisect_right(found, high, key=lambda n: n.value)]


def match_quantity(said: Specific, scope: Scope) -> Iterator[Support]:
    """A number of the same dimension; a bare one that is written alike; a small one only where a word names it."""
    small = said.dimension == "plain" and abs(said.value) < SMALL and said.value == int(said.value)
    for low, high, dimension in readings(said):
        for index in scope.indexes:
            for number in within(index, dimension, low, high):
                exact = number.value == said.value or number.value != int(number.value)
                if not small or (exact and (index.kind in QUOTED or named(number, scope))):
                    yield Support((number,), (number.row,), conversion(said, number), number.value)
            for number in within(index, dimension, -high, -low) if said.text[0] not in SIGNS and low > 0 else ():
                yield Support((number,), (number.row,), conversion(said, number), -number.value)
    if said.dimension == "plain":
        yield from numbered(said, scope)
    else:
        yield from unmarked(said, scope)


def unmarked(said: Specific, scope: Scope) -> Iterator[Support]:
    """A bare number for one with a unit: written alike, or a length of time in the row of one."""
    raw = raw_value(said)
    low, high = interval(said)
    for index in scope.indexes:
        for number in within(index, "plain", raw, raw) if raw is not None else ():
            if number.bare and (number.value >= SMALL or named(number, scope)):
                yield Support((number,), (number.row,), "", said.value)
        for size in (1.0, 1e3) if said.dimension == "s" else ():
            for number in within(index, "plain", low * size, high * size):
                exact = said.value >= 60 and number.value == said.value * size
                near = "." in said.text and "." in number.text and scope.nearness(number.row) > 0
                if number.bare and (exact or near or LENGTHS.search(f"{number.field} {number.row.text}")):
                    yield Support((number,), (number.row,), conversion(said, number), number.value / size)


def numbered(said: Specific, scope: Scope) -> Iterator[Support]:
    """A number that is part of a name: ``cell 3`` for ``cell-3``, ``port 5432``, ``release/5.2``; or a step."""
    start = scope.text.rfind(" ", 0, said.start) + 1
    token = scope.text[start:].split(" ", 1)[0].strip('.,;:!?()`"“”')
    if len(token) > len(said.text) + 1 and re.search(r"[A-Za-z]", token):
        yield from match_words(replace(said, text=token), scope)
    before = re.search(r"([A-Za-z]{2,})[ -]$", scope.text[: said.start])
    if not before or not re.fullmatch(r"\d+", said.text):
        return
    pattern = re.compile(rf"(?<![a-z]){before[1].lower()}s?[\s_:#=-]*{said.text}(?!\w)")
    for index in scope.indexes:
        steps = index.tables.get("numbered steps", ())
        if before[1].lower() == "step" and 0 < said.value <= len(steps):
            yield Support((), (steps[int(said.value) - 1],))
        if pattern.search(index.text.lower()):
            yield Support((), rows_with(pattern, index))


def readings(said: Specific) -> Iterator[tuple[float, float, str]]:
    """The spans of values that a written number may mean: ``GB`` counts by 1000 or by 1024."""
    low, high = interval(said)
    yield low, high, said.dimension
    if said.dimension in {"bytes", "bytes/s"} and (prefix := re.search(r"([kmgtp])b(?![a-z])", said.text.lower())):
        size = 1.024 ** (" kmgtp".index(prefix[1]))
        yield low * size, high * size, said.dimension
    if said.dimension == "bytes/s":  # of a metric that is called "per second" and has a plain unit
        yield low, high, "bytes"
    if said.dimension == "points":
        yield low, high, "ratio"
        yield low * 100, high * 100, "plain"
    if said.dimension == "plain" and abs(said.value) < 1 and "." in said.text:
        yield low, high, "ratio"


def named(number: Number, scope: Scope) -> bool:
    """Whether a word of the claim is one of a number's field, or of its line."""
    own = stems_of(number.field) | (frozenset() if number.row.cells else number.row.own)
    return bool(scope.words & own)


def conversion(said: Specific, number: Number) -> str:
    """The line that says how a value became what is written; nothing when it is written alike."""
    written = re.search(NUMBER, number.text)
    alike = written and raw_value(said) == read_number(written.group())[0]
    return "" if alike else f"{number.text} is {said.text}"


def match_factor(said: Specific, scope: Scope) -> Iterator[Support]:
    """``seven times`` as a count, and ``×9`` as a text writes it; ratios are worked out."""
    if not compares(said, scope):
        yield from match_quantity(replace(said, dimension="plain"), scope)
    for index in scope.indexes:
        for number in within(index, "factor", *interval(said)):
            yield Support((number,), (number.row,), "", number.value)


def compares(said: Specific, scope: Scope) -> bool:
    """Whether a factor tells a ratio rather than how often something happened: ``twice as fast``, ``×9``."""
    after = scope.text[said.end : said.end + 14]
    return bool(re.search(r"×|x\b|fold|factor", said.text, re.IGNORECASE) or COMPARED.match(after))
