"""Lines of code in evidence: ``path:41-58``, first and last in keys of their own, in words, in the hunks of a diff."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workers.grounding.evidence_values import Index, Row, stems_of
from workers.grounding.known_names import same_path
from workers.grounding.literals import Specific

LINES = re.compile(r"(?P<path>[\w./@-]*[\w-]\.\w+):(?P<first>\d+)(?:[-–](?P<last>\d+))?")
SPOKEN = re.compile(r"(?:\blines?\s|#L|\bL)(?P<first>\d+)(?:\s?(?:[-–]|to|through)\s?L?(?P<last>\d+))?", re.IGNORECASE)
PATH = re.compile(r"[\w-]+/[\w./-]+|\b[\w-]+\.[a-z]{1,4}\b")
FIELDS = re.compile(r"line|^row$", re.IGNORECASE)


def match_lines(said: Specific, index: Index, words: frozenset[str]) -> Iterator[tuple[Row, ...]]:
    """The rows that show the lines that are named: exactly those of the evidence, or lines within them."""
    path, first, last = split_lines(said)
    for known in LINES.finditer(index.text):
        if (not path or same_path(path, known["path"])) and holds(known, first, last):
            yield rows_of(known.group(), index)
    yield from lines_apart(path, first, last, index)
    elsewhere = bool(path) and path.lower() in index.text.lower()
    for line in index.text.splitlines():
        beside = not path or path.lower() in line.lower() or (elsewhere and not PATH.search(line))
        if beside and any(holds(known, first, last) for known in SPOKEN.finditer(line)):
            yield rows_of(line, index)
    shown = [r for p, n, r in index.places if first <= n <= last and (not path or not p or same_path(path, p))]
    if shown and any(r.text[:1] in "+-" or stems_of(r.text) & words for r in shown):
        yield tuple(shown)


def match_joined(said: Specific, indexes: Sequence[Index]) -> Iterator[Row]:
    """Lines whose first and last stand in pieces of one file: in a part of it each, or beside lines that matched."""
    path, first, last = split_lines(said)
    spans = [(known, i) for i in indexes for known in LINES.finditer(i.text)]
    for known, index in spans:
        same = [(k, i) for k, i in spans if k["path"] == known["path"]]
        if (not path or same_path(path, known["path"])) and near(known, first, index):
            yield from (index.tables["head"] if any(near(k, last, i) for k, i in same) else ())


def near(known: re.Match[str], line: int, index: Index) -> bool:
    """Whether a line is one of a span, or stands beside it in the text that is shown of it."""
    low = int(known["first"])
    inside = low <= line <= int(known["last"] or low)
    return inside or bool(re.search(rf"(?m)^\s*{line}[:-] ", index.text))


def split_lines(said: Specific) -> tuple[str, int, int]:
    """``a/b.py:41-58`` -> path, first, last."""
    path, _, lines = (said.target or said.text).rpartition(":")
    numbers = [int(n) for n in re.findall(r"\d+", lines)]
    return path, numbers[0], numbers[-1]


def holds(known: re.Match[str], first: int, last: int) -> bool:
    """Whether the lines that a text names are those, or around them."""
    low = int(known["first"])
    return low <= first and last <= int(known["last"] or low)


def rows_of(text: str, index: Index) -> tuple[Row, ...]:
    """The rows that hold a text, or the head."""
    low = text.strip().lower()
    return tuple(r for rows in index.tables.values() for r in rows if low in r.text) or index.tables["head"]


def lines_apart(path: str, first: int, last: int, index: Index) -> Iterator[tuple[Row, ...]]:
    """Lines whose first and last stand in keys of their own, in one object with the path, if that is named."""
    by_row: dict[Row, set[float]] = {}
    for number in index.numbers.get("plain", ()):
        if FIELDS.search(number.field):
            by_row.setdefault(number.row, set()).add(number.value)
    for row, values in by_row.items():
        elsewhere = not PATH.search(row.text) and path.lower() in index.text.lower()
        inside = len(values) == 2 and min(values) <= first and last <= max(values)
        if (not path or path.lower() in row.text or elsewhere) and (inside or {first, last} <= values):
            yield (row,)
