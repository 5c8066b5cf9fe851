"""What stands together: a value and a name of one sentence must not come from two rows of one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from workers.grounding.evidence_values import Number, Row
from workers.grounding.relations.owners import numbers_of
from workers.grounding.relations.reading import Reading, clause_around, sentence_around
from workers.grounding.specific_match import Mention, interval, standing_alone

NAMES = ("name", "person", "address", "endpoint", "version", "commit", "path", "domain")


def check_named_rows(reading: Reading) -> str:
    """A value beside one name: the row of that name has another value in the same field."""
    for mention in reading.values():
        held = numbers_of(mention)
        start, end = sentence_around(reading.text, mention.specific.start)
        names = [m for m in reading.of_kind(*NAMES) if start <= m.specific.start < end and m.supports]
        if not held or len(names) != 1 or reading.derived(mention):
            continue
        mine = {item for n in held for item in chain(n.row)}
        there = {item for s in names[0].supports for r in s.rows for item in chain(r)}
        tables = {(i.evidence, i.table) for i in mine} & {(i.evidence, i.table) for i in there}
        for table in tables:
            own, other = ({i for i in some if (i.evidence, i.table) == table} for some in (mine, there))
            if not own & other and all(differs(mention, held, item, reading) for item in other):
                return f"{mention.specific.text} stands in another row than {names[0].specific.text}"
    return ""


def chain(row: Row) -> Iterator[Row]:
    """A row of a list or table and those that it stands in."""
    found: Row | None = row
    while found is not None:
        if found.table not in {"head", "top"} and not found.table.endswith(("lines", "facts")):
            yield found
        found = found.parent


def differs(mention: Mention, held: Sequence[Number], item: Row, reading: Reading) -> bool:
    """Whether a row, or what is in it, has its own value in the field, and it is another one."""
    low, high = interval(mention.specific)
    fields = {(n.field, n.dimension) for n in held}
    index = next(i for i in reading.scope.indexes if i.id == item.evidence)
    own = [n for n in index.sequence if (n.field, n.dimension) in fields and item in chain(n.row)]
    return bool(own) and not any(low <= n.value <= high for n in own)


def check_named_pairs(reading: Reading) -> str:
    """Two names of one clause that stand in two columns of a table, and never in one row."""
    names = [m for m in reading.of_kind(*NAMES) if m.supports and not m.slot]
    for a, b in combinations(names, 2):
        start, end = clause_around(reading.text, a.specific.start)
        if not start <= b.specific.start < end:
            continue
        for index in reading.scope.indexes:
            for table, rows in index.tables.items():
                first, last = cells_with(a, rows), cells_with(b, rows)
                columns = {c for _, c in first}.isdisjoint({c for _, c in last})
                if first and last and columns and {r for r, _ in first}.isdisjoint({r for r, _ in last}):
                    return f"{a.specific.text} and {b.specific.text} stand in two rows of {table.rpartition('.')[2] or 'a table'}"
    return ""


def cells_with(mention: Mention, rows: Sequence[Row]) -> set[tuple[Row, str]]:
    """The rows and columns of a table in which a name stands."""
    pattern = standing_alone(mention.specific.text)
    plain = (r for r in rows if r.cells and not r.table.endswith("facts"))
    return {(r, name) for r in plain for name, cell in r.cells.items() if len(cell) < 80 and pattern.search(cell)}
