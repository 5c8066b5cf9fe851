"""What follows from the evidence by one or two plain steps: differences, ratios, shares, sums, means, spans of time.

With a hundred numbers any value is some difference. So only values that belong together are combined: those that the
claim itself writes, those of one object or line, and those of one field over the rows that the claim singles out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from workers.grounding.evidence_values import Number, Row, stems_of
from workers.grounding.groups import counts_said, fields, groups_of, picked_rows
from workers.grounding.literals import Specific
from workers.grounding.mentions import Mention, Scope, Support
from workers.grounding.number_match import SIGNS, SMALL, YEAR, interval
from workers.grounding.time_spans import from_instants
from workers.grounding.value_format import round_off, say_number

FEW, MOST_OF_ROW, MOST_PAIRS, MOST_ROWS, MOST_FOUND = 5, 14, 600, 8, 4
UNIT_OF = {"s": "s", "ratio": "ratio", "bytes": "bytes", "/s": "/s"}
Formula = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Operand:
    """A value to reckon with, and where it stands."""

    value: float
    dimension: str
    text: str
    source: Number | None = None


def work_out(said: Specific, own: Sequence[Mention], scope: Scope) -> tuple[Support, ...]:
    """How a number follows from others, the plainest way first; nothing when it does not."""
    if said.kind not in {"quantity", "factor"} or math.isnan(said.value) or YEAR.fullmatch(said.text):
        return ()
    written = own_operands(said, own)
    few = [n for i in scope.indexes for n in i.numbers.get("plain", ())] if said.kind == "factor" else []
    with_own = [(w, operand(n)) for w in written for n in few if len(few) <= MOST_ROWS]
    ways: tuple[Callable[[], Iterable[Support]], ...] = (
        lambda: from_pairs(said, combinations(written, 2)),
        lambda: own_sums(said, written, scope),
        lambda: from_pairs(said, related_pairs(said, own, scope)),
        lambda: from_pairs(said, amounts_over_time(said, scope)),
        lambda: from_pairs(said, with_own),
        lambda: from_groups(said, own, scope),
        lambda: row_sums(said, scope),
        lambda: from_instants(said, own, scope),
    )
    return next((found for way in ways if (found := tuple(islice(way(), MOST_FOUND)))), ())


# --- operands -------------------------------------------------------------------------------------------------


def own_operands(said: Specific, own: Sequence[Mention]) -> list[Operand]:
    """The claim's other numbers that stand in the evidence, each with its exact value."""
    out: list[Operand] = []
    for mention in own:
        one = mention.specific
        if one is not said and one.kind == "quantity" and mention.supports:
            support = mention.supports[0]
            source = next((v for v in support.values if isinstance(v, Number)), None)
            exact = one.value if support.exact is None else support.exact
            out.extend(Operand(v, one.dimension, one.text, source) for v in dict.fromkeys((exact, one.value)))
    return out


def operand(number: Number) -> Operand:
    """A number of the evidence."""
    return Operand(number.value, number.dimension, number.text, number)


def related_pairs(said: Specific, own: Sequence[Mention], scope: Scope) -> list[tuple[Operand, Operand]]:
    """Pairs of values of one dimension that belong together; more of them where chance can hardly hit the number."""
    low, high = interval(said)
    narrow = high - low <= 0.02 * abs(said.value) and abs(said.value) >= SMALL * (said.dimension == "plain")
    if narrow not in scope.pairs:
        every = (*in_one_row(scope, wide=narrow), *in_one_field(own, scope), *near_lines(scope))
        found = dict.fromkeys((a, b) for a, b in every if a.value != b.value)
        scope.pairs[narrow] = [(operand(a), operand(b)) for a, b in islice(found, MOST_PAIRS)]
    return scope.pairs[narrow]


def in_one_row(scope: Scope, *, wide: bool) -> Iterator[tuple[Number, Number]]:
    """Values of one object, line or sentence, of which the claim's words name something."""
    for numbers in by_row(scope).values():
        for same in by_dimension(numbers).values():
            near = {id(n) for n in same if scope.words & stems_of(n.field)}
            for a, b in combinations(same[:MOST_OF_ROW], 2):
                named = len({id(a), id(b)} & near)
                few = not near and len(same) <= FEW
                if wide or few or named == 2 or (named and len(near) == 1):
                    yield a, b


def in_one_field(own: Sequence[Mention], scope: Scope) -> Iterator[tuple[Number, Number]]:
    """Values of one field: of the rows that the claim singles out, else the extremes and the ends."""
    for numbers in fields(scope).values():
        yield from combinations(picked_rows(numbers, own, scope), 2)


def near_lines(scope: Scope) -> Iterator[tuple[Number, Number]]:
    """Values of the lines that share most words with the claim."""
    for index in scope.indexes:
        every = index.tables.get("lines", ())
        named = [i for i, r in enumerate(every) if r.numbers and scope.nearness(r) > 0]
        best = sorted(named, key=lambda i: -scope.nearness(every[i]))
        rows = [every[i] for i in dict.fromkeys(j for i in best[:FEW] for j in (i, i + 1, i + 2) if j < len(every))]
        for same in by_dimension(n for r in rows for n in index.rows.get(r, ())[:MOST_OF_ROW]).values():
            yield from ((a, b) for a, b in combinations(same, 2) if a.row is not b.row)


def amounts_over_time(said: Specific, scope: Scope) -> Iterator[tuple[Operand, Operand]]:
    """What a rate is reckoned from: an amount and a length of time of one line."""
    top = {"/s": "plain", "bytes/s": "bytes"}.get(said.dimension)
    for numbers in by_row(scope).values() if top else ():
        spans = [n for n in numbers if n.dimension == "s"][:4]
        yield from ((operand(a), operand(b)) for a in numbers[:12] if a.dimension == top for b in spans)


def by_row(scope: Scope) -> dict[Row, tuple[Number, ...]]:
    """The numbers of each row that measure something."""
    return {row: numbers for index in scope.indexes for row, numbers in index.rows.items()}


def by_dimension(numbers: Iterable[Number]) -> dict[str, list[Number]]:
    """Numbers apart by dimension; plain readings of what has a unit are left out."""
    out: dict[str, list[Number]] = {}
    for number in numbers:
        if number.dimension != "plain" or number.bare or number.text.replace(",", "").replace(".", "").isdigit():
            out.setdefault(number.dimension, []).append(number)
    return out


# --- one step -------------------------------------------------------------------------------------------------


def formulas(said: Specific, first: str, second: str) -> Iterator[tuple[str, Formula]]:
    """What may be said in a dimension of two values: a sign for the line, and how it is reckoned."""
    want, same = said.dimension, first == second
    if (want in {"factor", "ratio"} and same and (want, first) != ("ratio", "ratio")) or (
        want == first and second == "plain" and want in {"plain", "bytes", "s"}
    ):
        yield "{a} / {b}", lambda a, b: a / b
    if want == "ratio" and same:
        yield "({a} − {b}) / {b}", lambda a, b: (a - b) / b
        yield "1 − {a} / {b}", lambda a, b: 1 - a / b
        if first in {"plain", "bytes"}:
            yield "{a} / ({a} + {b})", lambda a, b: a / (a + b)
    if same and (want == first or (want == "points" and first == "ratio")):
        yield "{a} − {b}", lambda a, b: a - b
        yield "{a} + {b}", lambda a, b: a + b
    if (want, first, second) in {
        ("/s", "plain", "s"),
        ("bytes/s", "bytes", "s"),
        ("s", "plain", "/s"),
        ("plain", "s", "s"),
    }:
        yield "{a} / {b}", lambda a, b: a / b


def from_pairs(said: Specific, pairs: Iterable[tuple[Operand, Operand]]) -> Iterator[Support]:
    """The pairs from which a number follows."""
    for one, two in pairs:
        for a, b in ((one, two), (two, one)):
            for shape, formula in formulas(said, a.dimension, b.dimension):
                result = reckon(formula, a.value, b.value)
                if result is not None and fits(said, result):
                    yield support(
                        said, shape.format(a=a.text, b=b.text), result, [x.source for x in (a, b) if x.source]
                    )


def reckon(formula: Formula, a: float, b: float) -> float | None:
    """A result that is a number."""
    try:
        found = formula(a, b)
    except (ZeroDivisionError, OverflowError):
        return None
    return found if abs(found) < 1e30 else None


def fits(said: Specific, result: float) -> bool:
    """Whether a result is what is written; a change is often written without its sign."""
    if said.dimension == "plain" and abs(said.value) < 10_000 and said.value == int(said.value) and not said.bound:
        return abs(abs(result) - said.value) < 1e-9
    low, high = interval(said)
    return low <= result <= high or (said.text[0] not in SIGNS and low > 0 and low <= -result <= high)


def support(said: Specific, step: str, result: float, sources: Sequence[Number]) -> Support:
    """A line such as ``1.9 s / 0.21 s = 9.05, written as nine times``."""
    shown = say_number(result, UNIT_OF[said.dimension]) if said.dimension in UNIT_OF else round_off(result, 3)
    rest = "" if shown.replace(" ", "") == said.text.replace(" ", "") else f", written as {said.text}"
    return Support(tuple(sources), tuple(s.row for s in sources), f"{step} = {shown}{rest}", result)


def own_sums(said: Specific, written: Sequence[Operand], scope: Scope) -> Iterator[Support]:
    """The sum of three or more of the claim's own numbers, or of two where the second is only a word: three and one."""
    if ": " in scope.text and said.dimension == "plain" and 1 in counts_said(scope.text):
        written = [*written, Operand(1, "plain", "1")]
        yield from from_pairs(said, combinations(written, 2))
    same = list({w.text: w for w in written if w.dimension == said.dimension}.values())[:6]
    for size in range(3, len(same) + 1):
        for some in combinations(same, size):
            if fits(said, total := sum(w.value for w in some)):
                yield support(said, " + ".join(w.text for w in some), total, [w.source for w in some if w.source])


def from_groups(said: Specific, own: Sequence[Mention], scope: Scope) -> Iterator[Support]:
    """Sums, means and shares over one field: of all rows, or of those that the claim singles out."""
    for (table, name, dimension), numbers in fields(scope, unnamed=said.dimension in {"ratio", "plain"}).items():
        near = scope.words & stems_of(name) or any(scope.nearness(n.row) for n in numbers)
        loose = said.dimension == "ratio" and len(numbers) <= FEW and not table.endswith("facts")
        whole = said.dimension == "plain" and said.value >= SMALL and not said.bound
        if dimension == "plain" and not near and not loose and not whole:
            continue
        for some in groups_of(numbers, own, scope) if near or loose or dimension != "plain" else [tuple(numbers)]:
            total = sum(n.value for n in some)
            if dimension == said.dimension or (said.dimension == "factor" and dimension == "plain"):
                if fits(said, total):
                    step = " + ".join(n.text for n in some[:8]) + (" …" if len(some) > 8 else "")
                    yield support(said, step, total, some)
                if fits(said, total / len(some)):
                    yield support(said, f"mean of {len(some)} values of {name}", total / len(some), some)
            additive = dimension in {"plain", "bytes"} or not table.endswith("facts")  # latencies make no whole
            for number in some if said.dimension == "ratio" and total and additive else ():
                if fits(said, number.value / total):
                    yield support(said, f"{number.text} / sum of {name}", number.value / total, [number])


def row_sums(said: Specific, scope: Scope) -> Iterator[Support]:
    """The sum of the counts of one line: ``3 failed, 418 passed, 9 skipped``."""
    for numbers in by_row(scope).values() if said.dimension == "plain" else ():
        counts = [n for n in numbers if n.dimension == "plain" and n.bare]
        for size in range(2, min(len(counts), 6) + 1):
            for i in range(len(counts) - size + 1):
                some = counts[i : i + size]
                if fits(said, total := sum(n.value for n in some)) and (size > 2 or said.value >= SMALL):
                    yield support(said, " + ".join(n.text for n in some), total, some)
