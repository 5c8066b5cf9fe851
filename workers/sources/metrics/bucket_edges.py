"""What the buckets of a histogram can tell of a quantile: in the first and the last of them, only a bound."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from workers.sources.metrics.series_statistics import Reading, percent, shown

FINITE = re.compile(r"[+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
QUANTILE_OF = re.compile(r"histogram_quantile\([^,]{1,40},.{0,400}?\b([A-Za-z_:][\w:]{0,200})_bucket\b", re.DOTALL)
DIVIDED = re.compile(r"/\s*([\d.]+)\s*$")
CLOSE = 1e-6  # shares of a bound: so far a server's arithmetic may miss it


@dataclass(frozen=True)
class Edge:
    """Between what a value lies; None is not known. Both are bounds of buckets, in the value's unit."""

    above: float | None
    below: float | None

    @property
    def sure(self) -> float:
        """The bound that is nearest to the buckets between."""
        return self.above if self.above is not None else float(self.below or 0.0)

    def said(self, unit: str) -> str:
        """As a bound: ``below 5 s``."""
        if self.above is None:
            return f"below {said_bound(self.below or 0.0, unit)}"
        if self.below is None:
            return f"above {said_bound(self.above, unit)}"
        return f"between {said_bound(self.above, unit)} and {said_bound(self.below, unit)}"


def said_bound(value: float, unit: str) -> str:
    """A bound with its unit; parts of a second in milliseconds."""
    return f"{value * 1000:.4g} ms" if unit == "s" and value < 1 else shown(value, unit)


def finite_bounds(texts: Iterable[str], factor: float = 1.0) -> tuple[float, ...]:
    """The finite bounds above zero that ``le`` labels say, ascending, times a factor."""
    return tuple(sorted({float(text) * factor for text in texts if FINITE.fullmatch(text) and float(text) > 0}))


def edge_of(value: float | None, bounds: Sequence[float]) -> Edge | None:
    """What is known of a quantile in the first bucket, in the last finite one, or beyond; None where the buckets on
    both sides of it tell more, and where there are none."""
    if value is None or not bounds:
        return None
    if value <= bounds[0] * (1 + CLOSE):
        return Edge(None, bounds[0])
    if value >= bounds[-1] * (1 - CLOSE):
        return Edge(bounds[-1], None)
    return Edge(bounds[-2], bounds[-1]) if value > bounds[-2] * (1 + CLOSE) else None


def histogram_of(promql: str) -> str:
    """The histogram whose quantile an expression is, without ``_bucket``; empty when it is no such quantile."""
    found = QUANTILE_OF.search(promql)
    return found[1] if found and promql.lstrip("( ").startswith("histogram_quantile") else ""


def in_buckets(reading: Reading, bounds: Sequence[float]) -> Reading:
    """A reading of a quantile without what its buckets can't tell: that it moved within the first or the last of them,
    and by more than it is sure to have moved."""
    before, now = edge_of(reading.baseline, bounds), edge_of(reading.current, bounds)
    change = reading.change
    if change and edge_of(change.level, bounds) == edge_of(change.baseline, bounds) is not None:
        change = None
    if before is not None and before == now and change is None:
        return replace(reading, change=None, change_pct=None, direction="steady")
    if before is None and now is None:
        return replace(reading, change=change)
    first, last = (edge.sure if edge else value for edge, value in ((before, reading.baseline), (now, reading.current)))
    return replace(reading, change=change, change_pct=None if last is None else percent(first, last))


def divisor_of(promql: str) -> float:
    """By what an expression divides its values in the end: 1000 brings milliseconds into seconds."""
    found = DIVIDED.search(promql)
    return float(found[1]) if found else 1.0
