"""Metrics from samples on disk: the same questions as a Prometheus server, answered in process."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import promql_parser as promql

from workers.contracts import rfc3339
from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Alert, Described, Frame, Grid
from workers.sources.metrics.openmetrics import load_openmetrics
from workers.sources.metrics.promql_evaluator import evaluate_range, matchers
from workers.sources.metrics.sample_store import SampleStore

__all__ = ["EmbeddedBackend", "load_openmetrics"]

DEFAULT_INTERVAL_S = 60.0


class EmbeddedBackend:
    """A `Backend` over a sample store. A store that was written anew is opened anew."""

    name = "embedded samples"
    parallel = 1

    def __init__(self, store_path: Path) -> None:
        self.path = store_path
        self.lock = threading.Lock()
        self.opened: tuple[tuple[int, int], SampleStore] | None = None

    @property
    def store(self) -> SampleStore:
        """The store as it stands on disk."""
        try:
            stat = (self.path / "index.json").stat()
        except OSError as error:
            raise ToolUnavailable(f"there is no sample store at {self.path}") from error
        stamp = (stat.st_ino, stat.st_mtime_ns)
        with self.lock:
            if self.opened is None or self.opened[0] != stamp:
                self.opened = (stamp, self.open_store())
            return self.opened[1]

    def open_store(self) -> SampleStore:
        """Open it; again when it was replaced between reading its index and its arrays."""
        try:
            return SampleStore(self.path)
        except ToolUnavailable:
            return SampleStore(self.path)

    def names(self) -> frozenset[str]:
        """All metric names."""
        return frozenset(self.store.by_name)

    def label_names(self, metric: str) -> frozenset[str]:
        """The labels that a metric carries."""
        return self.store.label_names(metric)

    def label_values(self, label: str, metrics: tuple[str, ...], start: float, end: float) -> tuple[str, ...]:
        """The values of a label on series that have samples in the span."""
        store = self.store
        found: set[str] = set()
        for metric in metrics:
            for series in store.by_name.get(metric, ()):
                value = series.labels.get(label)
                if value and value not in found:
                    times = store.times[series.times_at : series.times_at + series.count]
                    if times[0] <= end * 1000 and times[-1] >= start * 1000:
                        found.add(value)
        return tuple(sorted(found))

    def query_range(self, promql: str, grid: Grid) -> Frame:
        """Evaluate an expression on a grid."""
        return evaluate_range(self.store, promql, grid)

    def described(self) -> Mapping[str, Described]:
        """Nothing: samples on disk are kept without their descriptions."""
        return {}

    def recorded(self) -> frozenset[str]:
        """Nothing: samples on disk have no rules."""
        return frozenset()

    def cadence(self, selector: str, start: float, end: float) -> tuple[float | None, float]:
        """Newest sample in the span and the usual time between samples."""
        store, node = self.store, promql.parse(selector)
        if not isinstance(node, promql.VectorSelector):
            raise ToolUnavailable(f"{selector!r} is not a selector")
        newest: float | None = None
        interval = DEFAULT_INTERVAL_S
        seen: set[int] = set()
        for series in store.select(node.name, matchers(node)):
            if series.times_at in seen:
                continue
            seen.add(series.times_at)
            times = store.times[series.times_at : series.times_at + series.count]
            lo, hi = np.searchsorted(times, [start * 1000, end * 1000 + 1])
            if hi > lo and (newest is None or times[hi - 1] / 1000 > newest):
                newest = float(times[hi - 1] / 1000)
                if hi - lo > 1:
                    interval = float(np.median(np.diff(times[max(lo, hi - 20) : hi]))) / 1000
        return newest, interval

    def tells_alerts(self) -> bool:
        """True: what fired was recorded with the samples."""
        return True

    def lacks_alert_rules(self) -> bool:
        """False: samples on disk say nothing of rules."""
        return False

    def live_alerts(self) -> tuple[Alert, ...]:
        """Nothing: samples on disk say nothing of this very moment."""
        return ()

    def graph_url(self, promql: str, start: float, end: float) -> str | None:  # noqa: ARG002
        """Samples on disk have no page."""
        return None

    def ping(self, now: float) -> str:
        """Version and age of the newest sample."""
        times = self.store.times
        known = times[times <= now * 1000]  # the demo's store has samples of the hours to come
        if not len(known):
            raise ToolUnavailable(f"the sample store {self.path} has no sample yet")
        newest = float(known.max())
        when = rfc3339(datetime.fromtimestamp(newest / 1000, UTC))
        return f"embedded samples at {self.path}, newest sample {when}, {age(now - newest / 1000)}"


def age(seconds: float) -> str:
    """How old something is, in words."""
    if seconds < 0:
        return "ahead of the moment asked about"
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} old"
    return f"{seconds:.0f} s old"
