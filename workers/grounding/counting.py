"""How many there are: items of lists, rows of tables, lines, and those of them that a word of the claim singles out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from workers.grounding.evidence_values import Row, stems_of
from workers.grounding.groups import OTHERS, has, rows_ended
from workers.grounding.literals import Specific, find_specifics
from workers.grounding.mentions import Scope, Support
from workers.grounding.number_match import compares
from workers.language.negation import is_negated

PROSE = frozenset({"doc", "web"})
LARGEST_COUNT, LEAST_RETOLD = 500, 2
LISTED = re.compile(r"[^.:;()–—]{0,60}(?::| [–—]| \()\s?(?P<items>[^;:()]+?)(?=\.?$|\.\s|[;)])")
DIFFERENT = re.compile(r"\b(?:different|distinct|separate|unique|kinds?|sorts?|various)\b", re.IGNORECASE)
OF_WHOLE = re.compile(r"\s(?:out )?of (?:the |these |those |its |our |all )?(?:last |first )?\w+")


def count_items(said: Specific, scope: Scope) -> Iterator[Support]:
    """Every way in which so many things stand in the evidence."""
    if (
        said.dimension not in {"plain", "factor"}
        or said.value != int(said.value)
        or not 0 < said.value <= LARGEST_COUNT
    ):
        return
    if said.dimension == "factor" and compares(said, scope):
        return
    wanted = int(said.value)
    if len(scope.indexes) == wanted:
        yield Support((), (), f"{wanted} pieces of evidence, written as {said.text}", wanted)
    yield from count_listed(said, wanted, scope)
    whole = OF_WHOLE.match(scope.text[said.end :])
    for index in scope.indexes:
        tables = {name: rows for name, rows in index.tables.items() if name not in {"head", "top"} and len(rows) > 1}
        for name, rows in tables.items():
            yield from count_rows(said, wanted, name, rows, scope, only=len(tables) == 1, whole=bool(whole))
    if len(scope.indexes) > 1:
        heads = [
            r for i in scope.indexes for name, rows in i.tables.items() for r in rows[:1] if name.endswith("facts")
        ]
        yield from count_rows(said, wanted, "evidence", heads, scope, only=False, whole=bool(whole))


def count_listed(said: Specific, wanted: int, scope: Scope) -> Iterator[Support]:
    """The items that the claim itself lists after the number, or the names in a sentence that it retells."""
    listed = LISTED.match(scope.text, said.end)
    items = re.split(r",?\s(?:and|or)\s|,\s", listed["items"]) if listed else []
    if len(items) == wanted > 1 and all(any(stems_of(x) & stems_of(i.text) for i in scope.indexes) for x in items):
        yield Support((), (), f"{wanted} listed: {', '.join(items)}", wanted)
    for row in (r for i in scope.indexes if i.kind in PROSE for r in i.tables.get("lines", ())):
        if len(row.own & scope.words) >= LEAST_RETOLD:
            names = {s.text for s in find_specifics(row.text) if s.kind in {"path", "name"}}
            if len(names) == wanted > 1:
                yield Support((), (row,), f"{', '.join(sorted(names))}, written as {said.text}", wanted)


def count_rows(
    said: Specific, wanted: int, name: str, rows: Sequence[Row], scope: Scope, *, only: bool, whole: bool
) -> Iterator[Support]:
    """The rows of one table: all, those with a word, those without it, those with a value in a field.

    ``only``: there is no other table; ``whole``: the claim says of how many, so that a value need not be named when no
    word of the claim tells the rows apart.
    """
    total = len(rows)
    label = name.rpartition(".")[2].strip("*|") or "rows"
    common = frozenset.intersection(*(r.own for r in rows)) if rows else frozenset()
    if total == wanted and (only or scope.words & (stems_of(label) | common)):
        yield Support((), tuple(rows), f"{total} {label}, written as {said.text}", wanted)
    apart = False
    for word in scope.words - common:
        found = tuple(r for r in rows if has(r.own, word))
        apart = apart or 0 < len(found) < total
        rest = tuple(r for r in rows if r not in found) if OTHERS.search(scope.text) else ()
        for some, what in ((found, f"with “{word}”"), (rest, f"without “{word}”")):
            if found and len(some) == wanted < total:
                yield Support((), some, f"{wanted} of {total} {label} {what}, written as {said.text}", wanted)
    for ended in rows_ended(rows, scope.text):
        if len(ended) == wanted:
            yield Support((), ended, f"{wanted} of {total} {label} by status code, written as {said.text}", wanted)
    yield from count_values(said, wanted, label, rows, scope, whole=whole and not apart)


def count_values(
    said: Specific, wanted: int, label: str, rows: Sequence[Row], scope: Scope, *, whole: bool
) -> Iterator[Support]:
    """The rows of one table with a value in a field; ``whole``: the value need not be named."""
    total = len(rows)
    for field in {f for r in rows[:50] for f in r.cells}:
        values = [r.cells.get(field, "") for r in rows]
        few = len(set(values)) <= max(total // 2, 3)
        if not few and not scope.words & stems_of(field):
            continue
        counts = Counter(values)
        zero = sum(counts[v] for v in ("0", "0.0", "false", "none", "null", "", "[]"))
        apart_words = [("different values", len(counts))] if DIFFERENT.search(scope.text) else []
        none = {v for v in counts if re.fullmatch(r"0|0\.0+", v) and not is_negated(scope.text)}
        for value, n in (
            *((v, n) for v, n in counts.items() if v not in none),
            ("not zero", total - zero),
            *apart_words,
        ):
            named = scope.words & (stems_of(field) | stems_of(value)) or (whole and few and value != "not zero")
            if n == wanted and named:
                yield Support(
                    (), tuple(rows), f"{n} of {total} {label} with {field} {value}, written as {said.text}", wanted
                )
