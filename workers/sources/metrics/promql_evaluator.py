"""Evaluates the part of PromQL that the embedded store knows. Source of the rules: Prometheus 2.42."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import numpy as np
import promql_parser as promql

from workers.errors import ToolUnavailable
from workers.sources.metrics import promql_windows
from workers.sources.metrics.backend import Floats, Frame, Grid, Series
from workers.sources.metrics.promql_operators import ARITHMETIC, COMPARISON, SETS, Matching, Value, apply
from workers.sources.metrics.promql_vector import Bools, Vector, aggregate, highest, histogram_quantile
from workers.sources.metrics.sample_store import Block, Matcher, Millis, SampleStore

AGGREGATES = ("sum", "avg", "min", "max", "count")
RANKED = ("topk", "bottomk")
OTHERS = ("histogram_quantile", "clamp_min", "clamp_max", "vector", "scalar", "time", "sort", "sort_desc", "absent")
MATHS: dict[str, Callable[[Floats], Floats]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "exp": np.exp,
    "floor": np.floor,
    "ln": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "sqrt": np.sqrt,
}
RANGES: dict[str, Callable[[Block, Millis, int], tuple[Floats, Bools]]] = {
    "rate": lambda b, m, r: promql_windows.extrapolated(b, m, r, counter=True, per_second=True),
    "increase": lambda b, m, r: promql_windows.extrapolated(b, m, r, counter=True, per_second=False),
    "delta": lambda b, m, r: promql_windows.extrapolated(b, m, r, counter=False, per_second=False),
    "irate": lambda b, m, r: promql_windows.last_two(b, m, r, counter=True),
    "idelta": lambda b, m, r: promql_windows.last_two(b, m, r, counter=False),
    **{
        f"{op}_over_time": lambda b, m, r, op=op: promql_windows.over_time(op, b, m, r)  # type: ignore[misc]
        for op in ("avg", "min", "max", "sum", "count", "last")
    },
}
OPS = {"MatchOp.Equal": "=", "MatchOp.NotEqual": "!=", "MatchOp.Re": "=~", "MatchOp.NotRe": "!~"}


def evaluate_range(store: SampleStore, text: str, grid: Grid) -> Frame:
    """Evaluate an expression on a grid.

    Returns: a frame without series that have no finite value.

    Raises:
        ToolUnavailable: the text is not PromQL, or the embedded store does not know a part of it; names the part.
    """
    try:
        tree = promql.parse(text)
    except ValueError as error:
        raise ToolUnavailable(f"{text!r} is not PromQL: {error}") from error
    moments = np.arange(grid.start, grid.end + 1, grid.step, dtype=np.int64) * 1000
    value = Evaluation(store, moments).value(tree)
    if not isinstance(value, Vector):
        value = Vector(({},), value.reshape(1, -1), np.ones((1, len(moments)), dtype=bool))
    clean = np.where(value.present & np.isfinite(value.values), value.values, np.nan)
    some = (Series(x, v) for x, v in zip(value.labels, clean, strict=True) if np.isfinite(v).any())
    return Frame(grid, tuple(some))


def matchers(selector: promql.VectorSelector) -> list[Matcher]:
    """The label matchers of a selector."""
    return [Matcher(m.name, OPS[str(m.op)], m.value) for m in selector.matchers.matchers]


def unknown(what: object) -> ToolUnavailable:
    """The error for an expression outside of the known part."""
    known = ", ".join((*AGGREGATES, *RANKED, *RANGES, *MATHS, *OTHERS))
    return ToolUnavailable(f"the embedded store cannot evaluate {what}; a Prometheus server can. It knows {known}")


class Evaluation:
    """One evaluation: a store and the moments of a grid, in milliseconds."""

    def __init__(self, store: SampleStore, moments: Millis) -> None:
        self.store = store
        self.moments = moments

    def value(self, node: promql.Expr) -> Value:
        """A vector, or the values of a scalar at each moment."""
        match node:
            case promql.NumberLiteral():
                return np.full(len(self.moments), node.val)
            case promql.ParenExpr():
                return self.value(node.expr)
            case promql.UnaryExpr():
                inner = self.value(node.expr)
                return inner.mapped(np.negative) if isinstance(inner, Vector) else -inner
            case promql.VectorSelector():
                return self.selected(node)
            case promql.AggregateExpr():
                return self.aggregated(node)
            case promql.BinaryExpr():
                return self.combined(node)
            case promql.Call():
                return self.called(node)
        raise unknown(f"{type(node).__name__} {node}")

    def vector(self, node: promql.Expr) -> Vector:
        """A node that must be a vector."""
        value = self.value(node)
        if not isinstance(value, Vector):
            raise unknown(f"{node} where a vector is needed")
        return value

    def scalar(self, node: promql.Expr) -> Floats:
        """A node that must be a scalar."""
        value = self.value(node)
        if isinstance(value, Vector):
            raise unknown(f"{node} where a number is needed")
        return value

    def blocks(self, selector: promql.VectorSelector, back_ms: int) -> tuple[list[Block], Millis]:
        """The samples that a selector reads, and the moments shifted by its offset."""
        if selector.at is not None or selector.matchers.or_matchers:
            raise unknown(selector)
        moments = self.moments - millis(selector.offset)
        return self.store.blocks(
            self.store.select(selector.name, matchers(selector)), int(moments[0]) - back_ms, int(moments[-1])
        ), moments

    def selected(self, node: promql.VectorSelector) -> Vector:
        """An instant selector."""
        blocks, moments = self.blocks(node, promql_windows.LOOKBACK_MS)
        parts = []
        for block in blocks:
            labels = tuple({"__name__": s.name, **s.labels} for s in block.series)
            parts.append(Vector(labels, *promql_windows.latest(block, moments)))
        return Vector.joined(parts, len(self.moments))

    def ranged(self, name: str, node: promql.MatrixSelector) -> Vector:
        """A function over a range selector."""
        range_ms = millis(node.range)
        blocks, moments = self.blocks(node.vector_selector, range_ms)
        parts = []
        for block in blocks:
            labels = tuple(
                {"__name__": s.name, **s.labels} if name == "last_over_time" else s.labels for s in block.series
            )
            parts.append(Vector(labels, *RANGES[name](block, moments, range_ms)))
        return Vector.joined(parts, len(self.moments))

    def aggregated(self, node: promql.AggregateExpr) -> Vector:
        """``sum by (…)`` and its kin."""
        op = str(node.op)
        if op not in AGGREGATES and op not in RANKED:
            raise unknown(op)
        labels = tuple(node.modifier.labels) if node.modifier else ()
        without = node.modifier is not None and node.modifier.type == promql.AggModifierType.Without
        if op in RANKED:
            k = self.scalar(node.param) if node.param is not None else np.ones(len(self.moments))
            return highest(self.vector(node.expr), k, labels, without=without, lowest=op == "bottomk")
        return aggregate(op, self.vector(node.expr), labels, without=without)

    def missing(self, vector: Vector, node: promql.Expr) -> Vector:
        """``absent``: 1 where there is no series."""
        gone = ~vector.present.any(axis=0).reshape(1, -1)
        return Vector((plain_matches(node),), np.where(gone, 1.0, np.nan), gone)

    def combined(self, node: promql.BinaryExpr) -> Value:
        """A binary operator."""
        op, modifier = str(node.op), node.modifier
        if op not in ARITHMETIC and op not in COMPARISON and op not in SETS:
            raise unknown(op)
        matching = Matching()
        if modifier and modifier.matching:
            on = modifier.matching.type == promql.LabelModifierType.Include
            matching = Matching(tuple(modifier.matching.labels), on)
        sided = (promql.VectorMatchCardinality.ManyToOne, promql.VectorMatchCardinality.OneToMany)
        if modifier and (modifier.card in sided or modifier.group_labels):
            raise unknown("group_left or group_right")
        as_bool = bool(modifier and modifier.return_bool)
        return apply(op, self.value(node.lhs), self.value(node.rhs), matching, as_bool=as_bool)

    def called(self, node: promql.Call) -> Value:
        """A function."""
        name, args = node.func.name, node.args
        if name in RANGES and isinstance(args[0], promql.MatrixSelector):
            return self.ranged(name, args[0])
        if name in MATHS:
            with np.errstate(all="ignore"):
                return self.vector(args[0]).mapped(MATHS[name])
        match name:
            case "histogram_quantile":
                return histogram_quantile(self.scalar(args[0]), self.vector(args[1]))
            case "clamp_min":
                floor = self.scalar(args[1])
                return self.vector(args[0]).mapped(lambda v: np.maximum(v, floor))
            case "clamp_max":
                top = self.scalar(args[1])
                return self.vector(args[0]).mapped(lambda v: np.minimum(v, top))
            case "vector":
                return Vector(({},), self.scalar(args[0]).reshape(1, -1), np.ones((1, len(self.moments)), dtype=bool))
            case "scalar":
                return single(self.vector(args[0]))
            case "sort" | "sort_desc":
                return self.vector(args[0])
            case "absent":
                return self.missing(self.vector(args[0]), args[0])
            case "time":
                return self.moments / 1000
        raise unknown(f"{name}()")


def plain_matches(node: promql.Expr) -> dict[str, str]:
    """The labels that a selector asks for by one value."""
    while isinstance(node, promql.ParenExpr):
        node = node.expr
    found = node.matchers.matchers if isinstance(node, promql.VectorSelector) else ()
    return {m.name: m.value for m in found if str(m.op) == "MatchOp.Equal" and m.name != "__name__"}


def single(vector: Vector) -> Floats:
    """The only series' value at each moment, NaN where there is none or several."""
    count = vector.present.sum(axis=0)
    total = np.where(vector.present, vector.values, 0.0).sum(axis=0)
    return np.where(count == 1, total, np.nan)


def millis(length: timedelta | None) -> int:
    """A duration in milliseconds."""
    return round(length / timedelta(milliseconds=1)) if length else 0
