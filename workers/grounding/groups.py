"""Which values of one field belong together: of all rows, of those that share a word or a name of the claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from workers.grounding.evidence_values import Field, Number, Row, stems_of
from workers.grounding.mentions import Mention, Scope
from workers.language.durations import NUMBER_WORDS

OTHERS = re.compile(r"\b(?:other|rest|remaining|else|without|except|but|not|no|none|un\w+)\b|n[’']t\b", re.IGNORECASE)
"""What makes a claim speak of the rows that lack a word."""
STATUS = re.compile(r"status|code", re.IGNORECASE)
STATUSES = (
    (re.compile(r"\b(?:succe\w+|ok)\b", re.IGNORECASE), "23"),
    (re.compile(r"\b(?:fail\w+|error\w*|unsuccessful)\b", re.IGNORECASE), "45"),
)
"""Words for how requests ended, with the first digits of the status codes that say so."""
FEW, MOST_ROWS, MOST_CHOICES, LEAST_SHARED = 5, 8, 6, 5


def fields(scope: Scope, *, unnamed: bool = False) -> dict[Field, list[Number]]:
    """The numbers of each field over the rows of a table and over pieces of evidence, of the fields named best."""
    out: dict[Field, list[Number]] = {}
    for index in scope.indexes:
        for key, numbers in index.fields.items():
            out.setdefault(key, []).extend(numbers)
    many = {key: found for key, found in out.items() if len(found) > 1}
    said = {key: len(scope.words & stems_of(key[1])) for key in many}
    most: dict[tuple[str, str], int] = {}
    for key, n in said.items():
        most[key[0], key[2]] = max(n, most.get((key[0], key[2]), 0))
    return {
        key: found
        for key, found in many.items()
        if unnamed or (said[key] == most[key[0], key[2]] and (said[key] or key[2] != "plain" or not key[1]))
    }


def picked_rows(numbers: Sequence[Number], own: Sequence[Mention], scope: Scope) -> list[Number]:
    """The values of the rows that the claim singles out, else the largest, the least, the first and the last."""
    if len(numbers) <= FEW:
        return list(numbers)
    named = rows_named(own)
    best = [n for n in sorted(numbers, key=lambda n: -scope.nearness(n.row)) if scope.nearness(n.row) > 0]
    if numbers[0].row.table == "lines" and not numbers[0].field:
        return best[:MOST_ROWS]
    ends = [numbers[0], numbers[-1], min(numbers, key=lambda n: n.value), max(numbers, key=lambda n: n.value)]
    some = best[:MOST_ROWS] if 1 < len(best) < len(numbers) else []
    return list(dict.fromkeys((*(n for n in numbers if n.row in named), *some, *ends)))


def rows_named(own: Sequence[Mention]) -> set[Row]:
    """The rows in which the claim's names and times stand."""
    return {r for m in own if m.specific.kind not in {"quantity", "factor"} for s in m.supports for r in s.rows}


def groups_of(numbers: Sequence[Number], own: Sequence[Mention], scope: Scope) -> list[tuple[Number, ...]]:
    """All values, and those of the rows that the claim may mean; each group once."""
    every = (tuple(numbers), *some_of(numbers, own, scope))
    return list(dict.fromkeys(g for g in every if len(g) > 1))


def some_of(numbers: Sequence[Number], own: Sequence[Mention], scope: Scope) -> Iterator[tuple[Number, ...]]:
    """The values of rows that share a word which others lack, or lack it; that hold a name or time of the claim; that
    it singles out best; and so many as it counts, where there are few choices."""
    common = frozenset.intersection(*(n.row.words for n in numbers))
    for word in scope.words - common:
        some = tuple(n for n in numbers if has(n.row.words, word))
        yield some
        if OTHERS.search(scope.text):
            yield tuple(n for n in numbers if n not in some)
    for ended in rows_ended([n.row for n in numbers], scope.text):
        yield tuple(n for n in numbers if n.row in ended)
    for mention in own:
        rows = {r for s in mention.supports for r in s.rows}
        yield tuple(n for n in numbers if n.row in rows or n.row.parent in rows)
    best = max((scope.nearness(n.row) for n in numbers), default=0)
    yield tuple(n for n in numbers if scope.nearness(n.row) == best)
    for count in counts_said(scope.text):
        if 1 < count < len(numbers) and comb(len(numbers), count) <= MOST_CHOICES:
            yield from combinations(numbers, count)


def rows_ended(rows: Sequence[Row], text: str) -> Iterator[tuple[Row, ...]]:
    """The rows whose status code is of the sort that the claim names: ``successful``, ``failed``."""
    for pattern, first in STATUSES:
        if pattern.search(text):
            yield tuple(r for r in rows if any(STATUS.search(k) and is_code(v, first) for k, v in r.cells.items()))


def is_code(value: str, first: str) -> bool:
    """Whether a cell is a status code that begins with one of some digits."""
    return bool(re.fullmatch(rf"[{first}]\d\d", value))


def has(words: frozenset[str], word: str) -> bool:
    """Whether a row has a word, in whatever form: ``success`` for "succeeded"."""
    start = word[:LEAST_SHARED]
    return word in words or (len(word) > LEAST_SHARED and any(w.startswith(start) for w in words))


def counts_said(text: str) -> set[int]:
    """The small whole numbers that a claim writes, specific or not: ``the three tasks``."""
    words = re.findall(r"[a-z]+|\d+", text.lower())
    return {
        int(w) if w.isdigit() else NUMBER_WORDS[w] for w in words if w in NUMBER_WORDS or (w.isdigit() and len(w) < 3)
    }
