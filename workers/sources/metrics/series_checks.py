"""What a server's data say of a metric beyond its names: whether each series is there several times, and in which unit
its times are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Backend, Grid
from workers.sources.metrics.bucket_edges import divisor_of, finite_bounds, histogram_of
from workers.sources.metrics.inventory_cache import InventoryCache
from workers.sources.metrics.resolved_metric import Resolved
from workers.sources.metrics.series_copies import COUNTED, MOST_COPIES, are_copies, may_tell_copies, say_copies
from workers.sources.metrics.unit_check import UnitCheck, check_unit

DAY_S = 86_400
POINTS = 16
"""Samples of each series that are compared with those of its copies."""
MEAN_OF_PAIR = "sum(rate({0}_sum[1d])) / sum(rate({0}_count[1d]))"


class SeriesChecks:
    """Each is looked at once, for as long as the server's names stay the same."""

    def __init__(self, backend: Backend, holdings: InventoryCache, labels: Callable[[str], frozenset[str]]) -> None:
        self.backend, self.holdings, self.labels = backend, holdings, labels
        self.copied: dict[tuple[str, bool], bool] = {}
        self.units: dict[str, UnitCheck] = {}

    def forget(self) -> None:
        """The server has other names now."""
        self.copied, self.units = {}, {}

    def apply(self, resolved: Resolved, end: float) -> Resolved:
        """A metric that counts each series once, and in the unit that it is in."""
        name = (resolved.filtered or resolved.names)[0]
        label, values = self.copies_of(name, end)
        resolved = replace(resolved, copies=label)
        unit = self.unit_of(resolved, end) if resolved.known.entry.unit == "s" else UnitCheck()
        remarks = (say_copies(label, values) if label else "", unit.doubt)
        return replace(resolved, factor=unit.factor, remarks=tuple(filter(None, remarks)))

    def copies_of(self, name: str, end: float) -> tuple[str, tuple[str, ...]]:
        """The label that tells copies apart, with its values; empty where none does."""
        for label in may_tell_copies(self.labels(name)):
            family = self.holdings.known(name)
            known = family.labels.get(label, ()) if family else ()
            values = known or self.backend.label_values(label, (name,), end - DAY_S, end)
            if not 2 <= len(values) <= MOST_COPIES:
                continue
            like = name if COUNTED.search(name) else self.counter_with(label, end) or name
            key = (label, bool(COUNTED.search(like)))
            if key not in self.copied:
                found = self.compare(like, label, end)
                if found is None:
                    continue
                self.copied[key] = found
            if self.copied[key]:
                return label, values
        return "", ()

    def counter_with(self, label: str, end: float) -> str:
        """A counter that has a label, as its copies are told apart more surely than those of what goes up and down."""
        families = self.holdings.inventory(end).values()
        return next((f.probe for f in families if label in f.labels and COUNTED.search(f.probe)), "")

    def compare(self, name: str, label: str, end: float) -> bool | None:
        """Whether the values of a label are of copies; None when that cannot be seen."""
        only = 'le="+Inf",' if name.endswith("_bucket") else ""
        selector = f'{name}{{{only}{label}!=""}}'
        try:
            newest, interval = self.backend.cadence(selector, end - DAY_S, end)
            if newest is None:
                return None
            step = max(int(interval), 1)
            frame = self.backend.query_range(selector, Grid(int(newest) - POINTS * step, int(newest), step))
        except ToolUnavailable:
            return None
        return are_copies(frame, label, counted=bool(COUNTED.search(name)))

    def unit_of(self, resolved: Resolved, end: float) -> UnitCheck:
        """The unit of times against their buckets and their mean."""
        text = resolved.promql(DAY_S)
        if text not in self.units:
            try:
                base = histogram_of(text) or re.sub(r"_(?:sum|count)$", "", resolved.names[0])
                self.units[text] = read_unit(self.backend, text, base, 1 / divisor_of(text), end)
            except ToolUnavailable:
                return UnitCheck()
        return self.units[text]


def read_unit(backend: Backend, text: str, base: str, said_s: float, end: float) -> UnitCheck:
    """The unit of times against their buckets and the mean of a day.

    Args:
        backend: the server.
        text: the expression that reads them.
        base: the metric, without suffixes.
        said_s: seconds in the unit that is assumed.
        end: epoch seconds.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    buckets = (f"{base}_bucket",)
    bounds = finite_bounds(backend.label_values("le", buckets, end - DAY_S, end)) if histogram_of(text) else ()
    paired = {f"{base}_sum", f"{base}_count"} <= backend.names()
    mean = MEAN_OF_PAIR.format(base) if paired else f"avg(avg_over_time({base}[1d]))"
    frame = backend.query_range(mean, Grid(int(end), int(end), 1))
    values = [float(s.values[0]) for s in frame.series]
    return check_unit(base, said_s, bounds, values[0] if values else None)
