"""What follows from the evidence by one or two plain steps: differences, ratios, shares, sums, means, spans of time.

With a hundred numbers any value is some difference. So only values that belong together are combined: those that the
claim itself writes, those of one object or line, and those of one field over the rows that the claim's words single out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

from workers.grounding.evidence_values import Field, Instant, Number, Row, stems_of
from workers.grounding.literals import Specific
from workers.grounding.specific_match import SMALL, Mention, Scope, Support, interval, rounded, signed, within
from workers.grounding.value_format import say_duration, say_number

FEW, MOST_OF_ROW, MOST_PAIRS, MOST_ROWS, MOST_INSTANTS = 5, 14, 600, 8, 10
UNIT_OF = {"s": "s", "ratio": "ratio", "bytes": "bytes", "/s": "/s"}
ROLES = re.compile(
    r"baseline|before|current|after|peak|prev|new|old|start|end|total|max|min|limit|used|free|capacity|size|high|low",
    re.IGNORECASE,
)
UNTIL_NOW = re.compile(r"\b(?:ago|now|still|since|so far|been|open|old|running|lasts|for)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Operand:
    """A value to reckon with, and where it stands."""

    value: float
    dimension: str
    text: str
    source: Number | None = None


def work_out(said: Specific, own: Sequence[Mention], scope: Scope) -> tuple[Support, ...]:
    """How a number follows from others, the plainest way first; nothing when it does not."""
    if said.kind not in {"quantity", "factor"} or math.isnan(said.value):
        return ()
    written = own_operands(said, own)
    rates = [(operand(a), operand(b)) for a, b in across_dimensions(said, scope)]
    with_own = [(w, operand(n)) for w in written for n in few_of(w.dimension, scope)] if said.kind == "factor" else []
    for pairs in (list(combinations(written, 2)), related_pairs(said, scope), rates, with_own):
        found = tuple(from_pairs(said, pairs))
        if found:
            return found[:4]
    if found := (*from_groups(said, scope), *row_sums(said, scope)):
        return found[:4]
    if said.dimension == "ratio" and (found := tuple(complements(said, scope))):
        return found[:4]
    if said.dimension == "s" and (found := tuple(from_instants(said, own, scope))):
        return found[:4]
    return tuple(two_steps(said, written, scope))[:4]


def few_of(dimension: str, scope: Scope) -> list[Number]:
    """The numbers of a dimension, where there are few."""
    found = [n for i in scope.indexes for n in i.numbers.get(dimension, ())]
    return found if len(found) <= MOST_ROWS else []


# --- operands -------------------------------------------------------------------------------------------------


def own_operands(said: Specific, own: Sequence[Mention]) -> list[Operand]:
    """The claim's other numbers that stand in the evidence, each with its exact value."""
    out = []
    for mention in own:
        one = mention.specific
        if one is said or one.kind != "quantity" or not mention.supports:
            continue
        support = mention.supports[0]
        source = next((v for v in support.values if isinstance(v, Number)), None)
        exact = one.value if support.exact is None else support.exact
        out.append(Operand(exact, one.dimension, one.text, source))
    return out


def operand(number: Number) -> Operand:
    """A number of the evidence."""
    return Operand(number.value, number.dimension, number.text, number)


def related_pairs(said: Specific, scope: Scope) -> list[tuple[Operand, Operand]]:
    """Pairs of values of one dimension that belong together; more of them where chance can hardly hit the number."""
    low, high = interval(said)
    narrow = high - low <= 0.02 * abs(said.value) and abs(said.value) >= SMALL * (said.dimension == "plain")
    if narrow not in scope.pairs:
        every = (*in_one_row(scope, wide=narrow), *in_one_field(scope), *near_lines(scope))
        found = dict.fromkeys((a, b) for a, b in every if a.value != b.value)
        scope.pairs[narrow] = [(operand(a), operand(b)) for a, b in islice(found, MOST_PAIRS)]
    return scope.pairs[narrow]


def near_lines(scope: Scope) -> Iterator[tuple[Number, Number]]:
    """Values of the lines that share most words with the claim."""
    for index in scope.indexes:
        every = index.tables.get("lines", ())
        best = sorted(
            (i for i, r in enumerate(every) if r.numbers and scope.nearness(r) > 0),
            key=lambda i: -scope.nearness(every[i]),
        )
        rows = [every[i] for i in dict.fromkeys(j for i in best[:FEW] for j in (i, i + 1, i + 2) if j < len(every))]
        for same in by_dimension(n for r in rows for n in index.rows.get(r, ())[:MOST_OF_ROW]).values():
            yield from ((a, b) for a, b in combinations(same, 2) if a.row is not b.row)


def in_one_row(scope: Scope, *, wide: bool) -> Iterator[tuple[Number, Number]]:
    """Values of one object, line or sentence, of which the claim's words name something."""
    for rows in by_row(scope).values():
        for same in by_dimension(rows).values():
            near = [n for n in same if scope.words & stems_of(n.field)]
            close = {id(n) for n in near or (same if len(same) <= FEW else ())}
            for a, b in combinations(same[:MOST_OF_ROW], 2):
                if (
                    wide
                    or {id(a), id(b)} <= close
                    or (len(near) == 1 and {id(a), id(b)} & close)
                    or (is_role(a.field) and is_role(b.field))
                ):
                    yield a, b


@lru_cache(maxsize=4096)
def is_role(field: str) -> bool:
    """Whether a field tells when a value held, or whether it is a part or the whole."""
    return bool(ROLES.search(field))


def across_dimensions(said: Specific, scope: Scope) -> Iterator[tuple[Number, Number]]:
    """What a rate is reckoned from: an amount and a length of time of one line."""
    top = {"/s": "plain", "bytes/s": "bytes"}.get(said.dimension)
    for numbers in by_row(scope).values() if top else ():
        spans = [n for n in numbers if n.dimension == "s"][:4]
        yield from ((a, b) for a in numbers[:12] if a.dimension == top for b in spans)


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


def fields(scope: Scope, *, unnamed: bool = False) -> dict[Field, list[Number]]:
    """The numbers of one field over the rows of a table, and over pieces of evidence."""
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


def in_one_field(scope: Scope) -> Iterator[tuple[Number, Number]]:
    """Values of one field: of the rows that the claim singles out, else the extremes and the ends."""
    for (table, name, _), numbers in fields(scope).items():
        if not name and table == "lines":
            picked = [n for n in numbers if scope.nearness(n.row) > 0][:MOST_ROWS]
        else:
            picked = picked_rows(numbers, scope)
        yield from combinations(picked, 2)


def picked_rows(numbers: Sequence[Number], scope: Scope) -> list[Number]:
    """The values of the rows that the claim's words single out, else the largest, the least, the first and the last."""
    if len(numbers) <= FEW:
        return list(numbers)
    near = sorted(numbers, key=lambda n: -scope.nearness(n.row))
    best = [n for n in near if scope.nearness(n.row) > 0]
    ends = [numbers[0], numbers[-1], min(numbers, key=lambda n: n.value), max(numbers, key=lambda n: n.value)]
    return list(dict.fromkeys((*(best[:MOST_ROWS] if 1 < len(best) < len(numbers) else ()), *ends)))


# --- one step -------------------------------------------------------------------------------------------------

Formula = Callable[[float, float], float]


def formulas(said: Specific, first: str, second: str) -> Iterator[tuple[str, Formula]]:
    """What may be said in a dimension of two values: a sign for the line, and how it is reckoned."""
    same = first == second
    if said.dimension == "factor" and same:
        yield "{a} / {b}", lambda a, b: a / b
    if said.dimension == "ratio" and same:
        yield "{a} / {b}", lambda a, b: a / b
        yield "({a} − {b}) / {b}", lambda a, b: (a - b) / b
        yield "1 − {a} / {b}", lambda a, b: 1 - a / b
        yield "{a} / ({a} + {b})", lambda a, b: a / (a + b)
    if same and said.dimension == first:
        yield "{a} − {b}", lambda a, b: a - b
        yield "{a} + {b}", lambda a, b: a + b
    if same and said.dimension == "points" and first == "ratio":
        yield "{a} − {b}", lambda a, b: a - b
    if said.dimension == "/s" and first == "plain" and second == "s":
        yield "{a} / {b}", lambda a, b: a / b
    if said.dimension == "bytes/s" and first == "bytes" and second == "s":
        yield "{a} / {b}", lambda a, b: a / b
    if said.dimension == "s" and first == "plain" and second == "/s":
        yield "{a} / {b}", lambda a, b: a / b
    if said.dimension in {"plain", "factor", "bytes", "s"} and first == said.dimension and second == "plain":
        yield "{a} / {b}", lambda a, b: a / b


def from_pairs(said: Specific, pairs: Iterable[tuple[Operand, Operand]]) -> Iterator[Support]:
    """The pairs from which a number follows."""
    low, high = interval(said)
    for one, two in pairs:
        for a, b in ((one, two), (two, one)):
            for shape, formula in formulas(said, a.dimension, b.dimension):
                result = reckon(formula, a.value, b.value)
                if result is not None and fits(said, low, high, result):
                    step = shape.format(a=a.text, b=b.text)
                    yield support(said, step, result, [x.source for x in (a, b) if x.source])


def reckon(formula: Formula, a: float, b: float) -> float | None:
    """A result that is a number."""
    try:
        found = formula(a, b)
    except (ZeroDivisionError, OverflowError):
        return None
    return found if abs(found) < 1e30 else None


def fits(said: Specific, low: float, high: float, result: float) -> bool:
    """Whether a result is what is written; a change is often written without its sign."""
    if said.dimension == "plain" and abs(said.value) < 1000 and said.value == int(said.value) and not said.bound:
        return abs(abs(result) - said.value) < 1e-9
    return low <= result <= high or (not signed(said) and low > 0 and low <= -result <= high)


def support(said: Specific, step: str, result: float, sources: Sequence[Number]) -> Support:
    """A line such as ``1.9 s / 0.21 s = 9.05, written as nine times``."""
    shown = say_number(result, UNIT_OF[said.dimension]) if said.dimension in UNIT_OF else rounded(result)
    rest = "" if shown.replace(" ", "") == said.text.replace(" ", "") else f", written as {said.text}"
    return Support(tuple(sources), tuple(s.row for s in sources), f"{step} = {shown}{rest}", result)


def from_groups(said: Specific, scope: Scope) -> Iterator[Support]:
    """Sums, means and shares over one field: of all rows, or of those that the claim singles out."""
    low, high = interval(said)
    for (table, name, dimension), numbers in fields(scope, unnamed=said.dimension == "ratio").items():
        near = scope.words & stems_of(name) or any(scope.nearness(n.row) for n in numbers)
        loose = said.dimension == "ratio" and len(numbers) <= FEW and not table.endswith("facts")
        if dimension == "plain" and not near and not loose:
            continue
        for some in dict.fromkeys((tuple(numbers), *subsets(numbers, scope))):
            total = sum(n.value for n in some)
            if dimension == said.dimension or (said.dimension == "factor" and dimension == "plain"):
                if low <= total <= high:
                    yield support(
                        said, " + ".join(n.text for n in some[:8]) + (" …" if len(some) > 8 else ""), total, some
                    )
                if low <= total / len(some) <= high:
                    yield support(said, f"mean of {len(some)} values of {name}", total / len(some), some)
            if said.dimension == "ratio" and total:
                for number in some:
                    if low <= number.value / total <= high:
                        yield support(said, f"{number.text} / sum of {name}", number.value / total, [number])


def row_sums(said: Specific, scope: Scope) -> Iterator[Support]:
    """The sum of the counts of one line: ``3 failed, 418 passed, 9 skipped``."""
    low, high = interval(said)
    for numbers in by_row(scope).values() if said.dimension == "plain" else ():
        counts = [n for n in numbers if n.dimension == "plain" and n.bare]
        for size in range(3, min(len(counts), 6) + 1):
            for i in range(len(counts) - size + 1):
                some = counts[i : i + size]
                if low <= (total := sum(n.value for n in some)) <= high:
                    yield support(said, " + ".join(n.text for n in some), total, some)


def subsets(numbers: Sequence[Number], scope: Scope) -> Iterator[tuple[Number, ...]]:
    """The values of the rows that share a word of the claim which the others lack."""
    for word in scope.words:
        some = tuple(n for n in numbers if word in n.row.words)
        if 1 < len(some) < len(numbers):
            yield some
    best = max((scope.nearness(n.row) for n in numbers), default=0)
    near = tuple(n for n in numbers if scope.nearness(n.row) == best)
    if 1 < len(near) < len(numbers):
        yield near


def complements(said: Specific, scope: Scope) -> Iterator[Support]:
    """What is left of a whole: ``6 % miss`` where 94 % hit."""
    low, high = interval(said)
    for index in scope.indexes:
        for number in within(index, "ratio", 1 - high, 1 - low):
            if 0 < number.value < 1:
                yield support(said, f"1 − {number.text}", 1 - number.value, [number])


# --- spans of time --------------------------------------------------------------------------------------------


def from_instants(said: Specific, own: Sequence[Mention], scope: Scope) -> Iterator[Support]:
    """The time between two moments, or from one until now."""
    low, high = interval(said)
    if not said.bound and said.value >= 5:
        low, high = said.value - max(said.tolerance, 1), said.value + max(said.tolerance, 1)
    picked = picked_instants(own, scope)
    for a, b in combinations(picked, 2):
        gap = abs((a.at - b.at).total_seconds())
        if not (a.dated and b.dated):
            gap = min(gap % 86_400, -gap % 86_400)
        if a.clocked != b.clocked or not (low <= gap <= high):
            continue
        if sum(i.field.startswith("window") for i in (a, b)) == 1 or not gap:
            continue
        first, last = sorted((a, b), key=lambda i: i.at)
        step = f"from {first.text} to {last.text} = {say_duration(gap)}, written as {said.text}"
        yield Support((first, last), (first.row, last.row), step, gap)
    for moment in picked if UNTIL_NOW.search(scope.text) else ():
        gap = (scope.voice.now - moment.at).total_seconds()
        if gap > 0 and moment.clocked and low <= gap <= high and not moment.field.startswith("window"):
            yield Support(
                (moment,),
                (moment.row,),
                f"from {moment.text} until now = {say_duration(gap)}, written as {said.text}",
                gap,
            )


def picked_instants(own: Sequence[Mention], scope: Scope) -> list[Instant]:
    """The moments to measure between: those that the claim writes, those of the lines it names, the first and the last."""
    written = [v for m in own if m.specific.kind in {"time", "date"} for s in m.supports for v in s.values]
    out: list[Instant] = [v for v in written if isinstance(v, Instant)][:MOST_INSTANTS]
    for index in scope.indexes:
        every = [i for i in index.instants if not i.field.startswith("newest")]
        if len(every) > MOST_INSTANTS:
            near = sorted(every, key=lambda i: -scope.nearness(i.row))[: MOST_INSTANTS - 2]
            every = [*(i for i in near if scope.nearness(i.row)), every[0], every[-1]]
        out.extend(every)
    return list(dict.fromkeys(out))


# --- two steps ------------------------------------------------------------------------------------------------


def two_steps(said: Specific, written: Sequence[Operand], scope: Scope) -> Iterator[Support]:
    """A rate over a span of time, and a share or a change of sums."""
    low, high = interval(said)
    totals: list[Operand] = []
    for (_, name, dimension), numbers in fields(scope).items():
        if scope.words & stems_of(name):
            totals.extend(
                Operand(sum(n.value for n in some), dimension, f"sum of {name}", some[0])
                for some in dict.fromkeys((tuple(numbers), *subsets(numbers, scope)))
            )
    totals = totals[:12]
    yield from from_pairs(said, [*combinations(totals, 2), *((t, w) for t in totals for w in written)])
    if said.dimension == "ratio":
        for a, b in combinations(written, 2):
            for c in written:
                if c not in (a, b) and a.dimension == b.dimension == c.dimension and c.value:
                    result = (a.value - b.value) / c.value
                    if fits(said, low, high, result):
                        yield support(said, f"({a.text} − {b.text}) / {c.text}", result, [])
