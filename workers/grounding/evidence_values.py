"""What evidence holds, whatever its shape: numbers with their dimension, instants, and the rows they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from workers.contracts import Evidence
from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS

TOKEN = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
NAME = re.compile(r"\w+(?:[-.@:]\w+)+")
BINARY = re.compile(r"(?:[\d\s_]|^)([kmgtp])b(?![a-z])")
LONGEST_LABEL = 120  # characters of a text that says whose row it is; longer ones are prose


@lru_cache(maxsize=8192)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words and of the parts of its names, without those that say nothing."""
    found = (t.lower() for t in TOKEN.findall(text))
    names = (n.lower() for n in NAME.findall(text) if any(c.isdigit() for c in n))
    return frozenset(stem(w) for w in found if len(w) > 1 and w not in STOP_WORDS).union(names)


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """One object, line or row of a table, and one metric's facts.

    ``table``: what it is an item of; ``text``: what it says in its own words, lower case; ``words``: the stems of that,
    of the names on the way to it, and of the title; ``own``: of all that is in it; ``cells``: its values by field;
    ``parent``: the object that it stands in; ``numbers`` and ``instants``: those that stand in it.
    """

    evidence: str
    table: str
    index: int
    text: str
    words: frozenset[str]
    own: frozenset[str] = frozenset()
    cells: dict[str, str] = field(default_factory=dict)
    parent: Row | None = None
    numbers: list[Number] = field(default_factory=list)
    instants: list[Instant] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A number of evidence in the base unit of its dimension. ``bare``: nothing says its unit."""

    value: float
    dimension: str
    text: str
    field: str
    row: Row
    bare: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Instant:
    """A moment that evidence names. ``dated``: its day is written; ``clocked``: its hour is."""

    at: datetime
    text: str
    field: str
    row: Row
    dated: bool = True
    clocked: bool = True


Field = tuple[str, str, str]
"""Table, field and dimension."""


@dataclass(frozen=True, eq=False)
class Index:
    """Everything of one piece of evidence that a specific may be looked up in.

    ``text``: all its words; ``numbers``: by dimension, sorted by value; ``sequence``: as they stand; ``tables``: the
    rows of each list and table; ``facts``: numbers and instants by the name of the fact; ``fields`` and ``rows``: the
    numbers that measure something, by what they are called and by where they stand; ``places``: lines of code in diffs.
    """

    id: str
    kind: str
    text: str
    title: frozenset[str]
    evidence: Evidence
    sequence: tuple[Number, ...]
    numbers: dict[str, tuple[Number, ...]]
    instants: tuple[Instant, ...]
    tables: dict[str, tuple[Row, ...]]
    facts: dict[str, Number | Instant]
    fields: dict[Field, tuple[Number, ...]]
    rows: dict[Row, tuple[Number, ...]]
    places: tuple[tuple[str, int, Row], ...] = ()


@dataclass
class Collector:
    """What is gathered while one piece of evidence is read."""

    evidence: str
    title: frozenset[str]
    hint: str = ""
    numbers: list[Number] = field(default_factory=list)
    instants: list[Instant] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    facts: dict[str, Number | Instant] = field(default_factory=dict)
    places: list[tuple[str, int, Row]] = field(default_factory=list)

    def add(self, value: float, dimension: str, text: str, name: str, row: Row) -> None:
        """One number with its unit; ``MB`` counts by 1000 or by 1024."""
        self.numbers.append(Number(value, dimension, text, name, row))
        if dimension == "bytes" and (prefix := BINARY.search(text.lower())):
            self.numbers.append(Number(value * 1.024 ** " kmgtp".index(prefix[1]), dimension, text, name, row))

    def row(
        self,
        table: str,
        index: int,
        text: str,
        cells: dict[str, str],
        above: frozenset[str],
        deep: str = "",
        parent: Row | None = None,
    ) -> Row:
        """One more row, of the words of its text and of what stands above it; ``deep``: what else it holds."""
        own = stems_of(text[:2000])
        made = Row(
            self.evidence, table, index, text.lower(), own | above | self.title, own | stems_of(deep), cells, parent
        )
        self.rows.append(made)
        return made
