"""The unit of a PromQL expression, as far as the names of its metrics and what is done with them tell it."""

from __future__ import annotations

from dataclasses import dataclass

import promql_parser as promql

from workers.sources.metrics.catalogue import unit_of

COUNTED = ("_total", "_count", "_bucket")
UNKNOWN = "number"
SAME = frozenset(
    "sum avg min max topk bottomk quantile abs ceil floor round sort sort_desc clamp clamp_min clamp_max delta idelta"
    " label_replace label_join avg_over_time min_over_time max_over_time last_over_time quantile_over_time"
    " histogram_quantile histogram_avg".split()
)
COUNTS = frozenset("count count_over_time changes resets count_values".split())


@dataclass(frozen=True)
class Measure:
    """What is measured: s, bytes, ratio, percent or count, empty when it is not known; and whether it is per second."""

    base: str = ""
    rate: bool = False

    @property
    def unit(self) -> str:
        """As facts have it."""
        if self.rate:
            return "/s" if self.base == "count" else UNKNOWN
        return self.base or UNKNOWN


def unit_of_expression(text: str) -> str:
    """The unit of an expression's values; ``number`` when nothing tells it."""
    try:
        return measure_of(promql.parse(text)).unit
    except ValueError:
        return UNKNOWN


def measure_of(node: promql.Expr) -> Measure:
    """What a part of an expression measures."""
    match node:
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            return measure_of(node.expr)
        case promql.VectorSelector():
            return named(node.name or "")
        case promql.MatrixSelector():
            return named(node.vector_selector.name or "")
        case promql.AggregateExpr():
            name = str(node.op)
            return measure_of(node.expr) if name in SAME else Measure("count" if name in COUNTS else "")
        case promql.BinaryExpr():
            return combined(str(node.op), node)
        case promql.Call():
            return called(node)
    return Measure()


def named(name: str) -> Measure:
    """What a metric of a name measures."""
    stem = name
    for end in (*COUNTED, "_sum"):
        stem = stem.removesuffix(end)
    known = unit_of(stem)
    if known != "count" and not name.endswith(("_count", "_bucket")):
        return Measure(known)
    if name.endswith("_bucket"):
        return Measure(known)  # of what is sorted into the buckets
    return Measure("count" if name.endswith(COUNTED) else "")


def called(node: promql.Call) -> Measure:
    """What a function returns."""
    name = node.func.name
    inner = [measure_of(arg) for arg in node.args]
    if name in {"rate", "irate", "deriv"} and inner:
        return Measure(inner[0].base, rate=True)
    if name == "increase" and inner:
        return inner[0]
    if name == "histogram_quantile" and len(inner) > 1:
        return Measure(inner[1].base)
    if name in COUNTS:
        return Measure("count")
    if name in {"time", "timestamp"}:
        return Measure()
    return next((m for m in inner if m.base), Measure()) if name in SAME else Measure()


def combined(op: str, node: promql.BinaryExpr) -> Measure:
    """What an operator makes of two sides."""
    left, right = measure_of(node.lhs), measure_of(node.rhs)
    if op == "/" and left.rate == right.rate and left.base and right.base:
        return Measure("ratio" if left.base == right.base else left.base if right.base == "count" else "")
    if op == "*":
        hundred = any(isinstance(side, promql.NumberLiteral) and side.val == 100 for side in (node.lhs, node.rhs))
        share = "ratio" in {left.base, right.base} and not (left.rate or right.rate)
        return Measure("percent" if hundred and share else "")
    if op in {"+", "-", "%"}:
        return left if left == right else Measure()
    if op in {"or", "and", "unless", "==", "!=", ">", "<", ">=", "<="}:
        as_bool = bool(node.modifier and node.modifier.return_bool)
        return Measure() if as_bool else left if left.base else right
    return Measure()
