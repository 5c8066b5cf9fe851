"""Whose value it is: a value must not stand in another row or field than the one that the claim's words name."""

from __future__ import annotations

from collections.abc import Iterator

from workers.grounding.evidence_values import Number, Row, stems_of
from workers.grounding.relations.reading import Reading, clause_around, sentence_around
from workers.grounding.specific_match import Mention, interval

PROSE_WORDS = 2
"""How many words must single out a line or sentence; one does for an object, a row of a table, a metric."""


def check_owners(reading: Reading) -> str:
    """A value of another row: the clause names a row that has its own value in the same field, and not the value's row."""
    for mention in reading.values():
        held = numbers_of(mention)
        if not held or mention.specific.kind == "factor" or is_count(mention):
            continue
        for span in (clause_around, sentence_around):
            start, end = span(reading.text, mention.specific.start)
            said = stems_of(reading.text[start:end]) & reading.scope.words
            if (rival := owner_named(mention, held, said, reading)) and not reading.derived(mention):
                return f"{mention.specific.text} is not the value of “{rival}”"
            if said:
                break
    return ""


def is_count(mention: Mention) -> bool:
    """Whether a number only counts, in words: ``three``."""
    return mention.specific.dimension == "plain" and not mention.specific.text[:1].isdigit()


def numbers_of(mention: Mention) -> list[Number]:
    """The numbers that a value can stand for by itself; none when it is worked out."""
    single = [s.values[0] for s in mention.supports if len(s.values) == 1 and isinstance(s.values[0], Number)]
    if len(single) != len(mention.supports):
        return []
    structured = [n for n in single if n.row.table not in {"lines", "head"}]
    return structured or single


def rivals(held: list[Number], reading: Reading) -> Iterator[Number]:
    """Numbers of the same field in other rows, and of the same dimension in other fields of the same row."""
    fields = {(n.field, n.dimension) for n in held}
    tables = {n.row.table for n in held}
    rows = {n.row for n in held}
    for index in reading.scope.indexes:
        for number in index.sequence:
            if number.row not in rows and (number.field, number.dimension) in fields and number.row.table in tables:
                yield number


def owner_named(mention: Mention, held: list[Number], said: frozenset[str], reading: Reading) -> str:
    """What the words name instead: they fit another row, and nothing in them is of the value's rows alone."""
    low, high = interval(mention.specific)
    mine = frozenset().union(*(n.row.words for n in held))
    for rival in rivals(held, reading):
        if not mention.slot and low <= rival.value <= high:
            continue
        theirs = said & (rival.row.words - mine)
        least = PROSE_WORDS if rival.row.table == "lines" else 1
        own = all(said & (n.row.words - rival.row.words) for n in held)
        if len(theirs) >= least and not any(said & (n.row.words - rival.row.words) for n in held) and not own:
            return title_of(rival.row, theirs)
    return ""


def title_of(row: Row, words: frozenset[str]) -> str:
    """A row as a reason names it."""
    line = next((part for part in row.text.splitlines() if words & stems_of(part)), row.text)
    return line.strip()[:60]
