"""Where the cited evidence holds a specific as it is written, rounded, or in another unit or zone."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from workers.grounding.evidence_values import Index, Instant, Number, Row, stems_of
from workers.grounding.line_match import match_lines
from workers.grounding.literals import Specific
from workers.grounding.quantities import NUMBER, WORD, read_number
from workers.grounding.value_format import Voice
from workers.grounding.written_times import find_times, is_moment
from workers.language.normalization import normalise

SIGNS = frozenset("+-−")
SMALL = 32
"""A whole number below it stands in any evidence by chance: it must be named by a word of the claim."""
QUOTED = frozenset({"code", "doc", "change"})
"""Evidence that is a passage, with few numbers, which a claim may tell in other words."""
COMPARED = re.compile(r"\s(?:as|the|that|what|its|their|more|less|higher|lower|faster|slower|longer|larger|bigger)\b")
LENGTHS = re.compile(
    r"dur|elapsed|latenc|took|time|wait|lag|delay|ttl|interval|second|sleep|expir|retry|\bage\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Support:
    """What a specific rests on. ``step``: how it follows, in one line; empty when it stands there as it is written.

    ``exact``: the value in the base unit, as far as it is known better than it is written.
    """

    values: tuple[Number | Instant, ...] = ()
    rows: tuple[Row, ...] = ()
    step: str = ""
    exact: float | None = None


@dataclass(frozen=True)
class Mention:
    """A specific of a claim with everything that it can rest on; nothing when nothing cited shows it."""

    specific: Specific
    supports: tuple[Support, ...]
    slot: bool = False
    function: str = ""


@dataclass(frozen=True)
class Scope:
    """What a claim's specifics are looked up in: the cited evidence, and the words of the claim."""

    indexes: Sequence[Index]
    words: frozenset[str]
    text: str
    voice: Voice
    shared: dict[str, frozenset[str]] = field(default_factory=dict)
    near: dict[Row, int] = field(default_factory=dict)
    pairs: dict[bool, list[Any]] = field(default_factory=dict)

    def nearness(self, row: Row) -> int:
        """How many words of the claim single a row out."""
        if row not in self.near:
            self.near[row] = len(self.words & row.words - self.common(row))
        return self.near[row]

    def common(self, row: Row) -> frozenset[str]:
        """The words that all rows of a table have."""
        key = f"{row.evidence}\0{row.table}"
        if key not in self.shared:
            rows = next((i.tables.get(row.table, ()) for i in self.indexes if i.id == row.evidence), ())
            same = frozenset.intersection(*(r.words for r in rows)) if len(rows) > 1 else frozenset()
            self.shared[key] = same
        return self.shared[key]


def match_specific(specific: Specific, scope: Scope) -> tuple[Support, ...]:
    """Everything of the cited evidence that a specific can stand for, as it is written or converted."""
    if specific.kind == "lines":
        return tuple(Support((), rows) for i in scope.indexes for rows in match_lines(specific, i, scope.words))
    hash_like = re.fullmatch(r"\d{7,40}", specific.text)
    if hash_like and (found := tuple(match_whole(replace(specific, kind="commit"), scope))):
        return found
    finder = {
        "quantity": match_quantity, "factor": match_factor, "time": match_time, "date": match_time, "person": match_name,
        "name": match_name, "quote": match_quote, "mention": lambda *_: iter(()), "version": match_words, "endpoint": match_words,
    }.get(specific.kind, match_whole)  # fmt: skip
    return tuple(finder(specific, scope))


# --- numbers --------------------------------------------------------------------------------------------------


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
        wide = max(2 * slack, 0.1 * size)
        return value - wide, value + wide
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
                if number.bare and (exact or LENGTHS.search(f"{number.field} {number.row.text}")):
                    yield Support((number,), (number.row,), conversion(said, number), number.value / size)


def numbered(said: Specific, scope: Scope) -> Iterator[Support]:
    """A number that is part of a name: ``cell 3`` for ``cell-3``, ``port 5432``, ``release/5.2``, ``HTTP 502``; or a step."""
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


# --- times, words and addresses -------------------------------------------------------------------------------


def match_time(said: Specific, scope: Scope) -> Iterator[Support]:
    """A clock time or a date: a moment of the evidence in any zone that is written, or the very words."""
    time = next(find_times(said.text), None)
    if time is None:
        return
    for index in scope.indexes:
        for moment in index.instants:
            if (moment.clocked or not time.clocked) and is_moment(time, moment.at, scope.voice, dated=moment.dated):
                alike = said.text in moment.text
                yield Support((moment,), (moment.row,), "" if alike else f"{moment.text} is {said.text}")
    if all(z.lower() in {"utc", "gmt", "z"} for z in time.zones):
        yield from match_words(said, scope)


@lru_cache(maxsize=4096)
def standing_alone(text: str) -> re.Pattern[str]:
    """Matches a text, in any case, when no word character continues it."""
    head = r"(?<![\w./-])v?" if text[:1].isdigit() else r"(?<![\w./-])" if text[:1] == "/" else r"(?<!\w)"
    return re.compile(head + re.escape(text) + r"(?![\w])(?!\.\d)", re.IGNORECASE)


@lru_cache(maxsize=512)
def squeeze(text: str) -> str:
    """White space as single blanks; Markdown's emphasis and code marks do not count."""
    text = normalise(text)
    return re.sub(r"\s+", " ", re.sub(r"(?<!\w)_([^_\n]+)_(?!\w)", r"\1", re.sub(r"[*`]", "", text))).strip()


def match_words(said: Specific, scope: Scope) -> Iterator[Support]:
    """The very words, standing alone."""
    text = squeeze(said.text)
    pattern = standing_alone(text.lstrip("v#") if said.kind in {"version", "name"} else text)
    for index in scope.indexes:
        if pattern.search(squeeze(index.text)):
            yield Support((), rows_with(pattern, index))


def rows_with(pattern: re.Pattern[str], index: Index) -> tuple[Row, ...]:
    """The rows that hold a text; the head for what only the title or locator holds."""
    found = tuple(r for rows in index.tables.values() for r in rows if pattern.search(r.text))
    return found or index.tables["head"]


def match_name(said: Specific, scope: Scope) -> Iterator[Support]:
    """A name: the very words, else without marks and accents, or a member with its owner."""
    found = list(match_words(said, scope))
    yield from found
    bare = folded(said.text)
    parts = [p for p in re.split(r"\.|::|#|/|@", said.text.removesuffix("()")) if p]
    whole = len(bare) >= 4 and sum(map(str.isalpha, bare)) == sum(map(str.isalpha, said.text)) > 0
    pattern = re.compile(rf"(?<![a-z0-9]){re.escape(bare).replace(chr(92) + ' ', ' ?')}(?![a-z0-9])")
    for index in scope.indexes if not found else ():
        shown = squeeze(index.text)
        member = len(parts) > 1 and all(len(p) > 2 and standing_alone(p).search(shown) for p in parts)
        if member or (whole and pattern.search(folded(shown))):
            yield Support((), index.tables["head"])


@lru_cache(maxsize=512)
def folded(text: str) -> str:
    """Lower case, without accents, hyphens, dots and underscores."""
    bare = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[-_\u2011]|(?<=[a-z]) (?=\d)", "", bare).replace(".", " ").strip()


def match_quote(said: Specific, scope: Scope) -> Iterator[Support]:
    """A quotation: the very words; a mark at its end may be the writer's, and … stands for what is left out."""
    parts = [p.strip() for p in re.split(r"…|\.\.\.|\[…\]", said.text) if len(p.strip()) > 3]
    for index in scope.indexes:
        shown = squeeze(index.text)
        texts = dict.fromkeys((said.text, said.text.rstrip(".,;:!?…"), said.text.strip(".… ")))
        pattern = next((p for t in texts if t and (p := standing_alone(squeeze(t))).search(shown)), None)
        if pattern:
            yield Support((), rows_with(pattern, index))
        elif len(parts) > 1 and all(squeeze(p).lower() in shown.lower() for p in parts):
            yield Support((), index.tables["head"])


def match_whole(said: Specific, scope: Scope) -> Iterator[Support]:
    """An address or path whole: a URL never by its start, a host also as that of a URL, a path also by its last parts."""
    wanted = re.escape(said.text.rstrip("/"))
    stop = r"(?=[\s)\]>\"'|,;`=]|[.:!?](?:\s|$)|$)"
    pattern = {
        "url": rf"(?<![\w./-]){wanted}/?{stop}",
        "path": rf"(?<![\w.-]){wanted}(?![\w-])(?!\.\w)",
        "commit": rf"(?<!\w){wanted}[0-9a-f]*(?!\w)",
    }.get(said.kind, rf"(?:(?<=//)|(?<![\w.@/-])){wanted}(?:/?{stop}|(?=[:/]\d|/\w)|(?=\())")
    found = re.compile(pattern, re.IGNORECASE if said.kind != "url" else 0)
    yield from (Support((), rows_with(found, i)) for i in scope.indexes if found.search(i.text))
