"""One metric measured on a server: its series over a window and the lead before it, read, with a finer onset."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Floats, Frame, Grid
from workers.sources.metrics.bucket_edges import Edge, divisor_of, edge_of, finite_bounds, histogram_of, in_buckets
from workers.sources.metrics.change_points import FEWEST, MIN_RELATIVE
from workers.sources.metrics.drift import as_drift, find_drift
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.onset import Change, back_at, find_change, refine
from workers.sources.metrics.promql_template import read_template
from workers.sources.metrics.query_window import View
from workers.sources.metrics.resolved_metric import Resolved
from workers.sources.metrics.seasonality import beyond_season, hidden_change
from workers.sources.metrics.series_statistics import (
    LAST_PART_S,
    STEADY,
    SURE,
    Reading,
    ended,
    numbers,
    read_series,
    shown,
)

SHORTEST_RANGE_S = 120  # of a rate; shorter ones are mostly noise
FINEST_RANGE_S = 60  # the same, around an onset
FINEST_STEP_S = 15
PHASES = 4  # moments looked at between two scrapes: targets are scraped at different ones
MOST_FINE_POINTS = 240
LONGEST_BREAK = 3  # steps without a value that are not told
MOST_HOLES = 3
TOLD_SHARE = 0.05  # of points that are no numbers; fewer are quiet moments of a quotient
LATE, LATE_S = 5, 300.0  # samples that end this many scrapes, and seconds, before a window have ended


@dataclass(frozen=True)
class Measured:
    """A metric, measured. ``times`` and ``values`` cover lead and window; NaN is missing.

    ``newest``: the newest sample, epoch seconds. ``resolution_s``: how exactly the onset is known. ``warnings``: what
    is missing from the values, as the server says or as they show. ``bounds``: of the buckets of a quantile, in its
    unit; none where it is read from no buckets.
    """

    resolved: Resolved
    promql: str
    view: View
    times: Floats
    values: Floats
    reading: Reading
    newest: float | None
    resolution_s: float
    warnings: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()

    def edge(self, level: float | None) -> Edge | None:
        """What the buckets tell of a level that they do not tell exactly."""
        return edge_of(level, self.bounds)

    def said(self, level: float | None) -> str:
        """A level with its unit; of one that the buckets do not tell, the bound in words."""
        edge, unit = self.edge(level), self.resolved.known.entry.unit
        return edge.said(unit) if edge else shown(level, unit)

    @property
    def is_bound(self) -> bool:
        """Whether of the level of now, or the last known one, only a bound is known."""
        reading = self.reading
        return self.edge(reading.last if reading.current is None else reading.current) is not None

    @property
    def holes(self) -> tuple[tuple[float, float], ...]:
        """Stretches of the window without a value between two that have one, longest first: last moment before and
        first moment after."""
        known = np.flatnonzero(np.isfinite(self.values) & (self.times >= self.view.start))
        wide = np.flatnonzero(np.diff(known) > LONGEST_BREAK)
        found = [(float(self.times[known[i]]), float(self.times[known[i + 1]])) for i in wide]
        return tuple(sorted(found, key=lambda hole: hole[0] - hole[1])[:MOST_HOLES])


def range_of(view: View, interval: float) -> float:
    """The range of rates at the view's step: no sample is left out, and each range holds four."""
    return max(view.step, 4 * interval, SHORTEST_RANGE_S)


def measure(server: Server, resolved: Resolved, view: View, newest: float | None = None) -> Measured:
    """Measure a metric.

    Args:
        server: where.
        resolved: what, filters included.
        view: the window.
        newest: the newest sample when it is known; what rates show after it is cut off.

    Raises:
        ToolUnavailable: the server cannot answer, or the expression has several series.
    """
    interval = server.interval(resolved, view.lead_start, view.end)
    promql = resolved.promql(range_of(view, interval))
    frame = server.backend.query_range(promql, view.grid)
    times, values = frame.times, only(frame, resolved)
    if newest is not None:
        values = np.where(times <= newest + interval, values, np.nan)
    entry = resolved.known.entry
    reference = None
    if view.shift:
        shifted = server.backend.query_range(promql, view.reference)
        reference = only(shifted, resolved)
    reading = read_series(times, values, view, entry.worse, entry.floor, reference)
    change, resolution = told(server, resolved, view, interval, reading, times, values), float(view.step)
    if change is not None:
        change, resolution = finer(server, resolved, view, interval, change)
    elif view.step > interval and is_stirring(values, entry.floor):
        change, resolution = just_begun(server, resolved, view, interval, newest), max(interval, FINEST_STEP_S)
    if change is not reading.change or change is not None:
        reading = numbers(times, values, view, entry.worse, entry.floor, change, reference)
    bounds = bounds_of(server, resolved, promql, view)
    if bounds:
        reading = in_buckets(reading, bounds)
    if newest is not None and is_late(view.end - newest, interval):
        reading = ended(reading)
    return Measured(resolved, promql, view, times, values, reading, newest, resolution, flaws_of(frame), bounds)


def bounds_of(server: Server, resolved: Resolved, promql: str, view: View) -> tuple[float, ...]:
    """The finite bounds of the buckets that a quantile is read from, in its unit; none for anything else."""
    histogram = histogram_of(promql)
    if not histogram:
        return ()
    found = server.backend.label_values("le", (f"{histogram}_bucket",), view.lead_start, view.end)
    return finite_bounds(found, resolved.factor / divisor_of(resolved.template.text))


def measure_mean(server: Server, measured: Measured) -> Measured | None:
    """The mean of what a quantile of a histogram is of, which no buckets limit; None where it is not known.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    resolved, divisor = measured.resolved, divisor_of(measured.resolved.template.text)
    base, matchers = histogram_of(measured.promql), resolved.matchers or {}
    parts = (f"{base}_sum", f"{base}_count")
    if not base or not set(parts) <= server.names():
        return None
    text = "sum by ({{by}}) (rate({}{{{{filter}}}}[{{rate}}])) / sum by ({{by}}) (rate({}{{{{filter}}}}[{{rate}}]))"
    text = text.format(*parts)
    template = read_template(f"({text}) / {divisor:g}" if divisor != 1 else text, ())
    title = re.sub(r"^(?:p\d+|median)\b", "mean", resolved.known.entry.title)
    entry = resolved.known.entry.model_copy(update={"title": title, "quantile": None})
    known = replace(resolved.known, name=f"{resolved.known.name}_mean", entry=entry, templates=(template,), raw=True)
    held = matchers.get(f"{base}_bucket", ())
    own = replace(resolved, known=known, template=template, prefix="", matchers=dict.fromkeys(parts, held))
    return measure(server, own, measured.view, measured.newest)


def flaws_of(frame: Frame) -> tuple[str, ...]:
    """What a server says is missing from its answer, and that many points are no numbers."""
    known = sum(int(np.isfinite(s.values).sum()) for s in frame.series)
    lost, points = frame.not_numbers, frame.not_numbers + known
    told = (f"{lost} of {points} points are not numbers (NaN or infinite) and are left out",)
    return frame.warnings + (told if lost >= TOLD_SHARE * points and lost else ())


def is_late(late_s: float, interval: float) -> bool:
    """Whether samples end so long before a window does that they say nothing of its end."""
    return late_s > max(LATE * interval, LATE_S)


def told(
    server: Server, resolved: Resolved, view: View, interval: float, reading: Reading, times: Floats, values: Floats
) -> Change | None:
    """The change worth telling: a step, or a drift where there is none; nothing that the season brings anyway."""
    floor = resolved.known.entry.floor
    if not reading.samples:
        return None
    change = as_drift(reading.change, times, values, floor) if reading.change else find_drift(times, values, floor)
    found = change and beyond_season(server, resolved, view, interval, change, (times, values))
    if found is change and found is not None and is_back(found, times, values):
        found = None
    if found is None or found.kind == "drift":
        hidden = hidden_change(server, resolved, view, interval, (times, values))
        found = hidden if hidden and hidden.confidence >= SURE else found
    return found if found and found.confidence >= SURE else None


def is_back(change: Change, times: Floats, values: Floats) -> bool:
    """Whether a series is about where it was before a change that has not ended: nobody would call that one."""
    known = np.isfinite(values)
    last = values[known & (times >= max(times[known][-1] - LAST_PART_S, change.at))]
    near = STEADY * abs(change.baseline)
    return change.ended_at is None and bool(abs(float(np.median(last)) - change.baseline) <= near)


def only(frame: Frame, resolved: Resolved) -> Floats:
    """The values of the one series that a metric has."""
    if len(frame.series) > 1:
        raise ToolUnavailable(
            f"the expression of {resolved.known.name} has {len(frame.series)} series; it must aggregate them into one"
        )
    return frame.series[0].values if frame.series else np.full(len(frame.times), np.nan)


def finer(server: Server, resolved: Resolved, view: View, interval: float, change: Change) -> tuple[Change, float]:
    """The change with onset and end found on finer series, and the step of the last one."""
    step = float(view.step)
    if change.kind == "drift":
        return change, step
    promql = resolved.promql(max(2.5 * interval, FINEST_RANGE_S))
    finest = max(interval / PHASES, FINEST_STEP_S)
    while step > finest:
        width = 5 * step
        fine = math.ceil(max(finest, width / MOST_FINE_POINTS))
        grid = around(change.after - 3 * step, change.at + step, fine)
        frame = server.backend.query_range(promql, grid)
        change = refine(change, frame.times, only(frame, resolved))
        if change.ended_at is not None:
            grid = around(change.ended_at - 4 * step, change.ended_at + step, fine)
            frame = server.backend.query_range(promql, grid)
            change = replace(change, ended_at=back_at(change, frame.times, only(frame, resolved)))
        step = float(fine)
    return change, max(step, interval)


def is_stirring(values: Floats, floor: float) -> bool:
    """Whether the last few points leave the level before them: too few yet to call it a change."""
    known = values[np.isfinite(values)]
    recent, before = known[-FEWEST:], known[-27:-FEWEST]
    if len(before) < 2 * FEWEST:
        return False
    level = float(np.median(before))
    scatter = 1.4826 * float(np.median(np.abs(before - level)))
    away = float(np.abs(recent - level).max())
    return away > max(4 * scatter, MIN_RELATIVE * abs(level), floor)


def just_begun(server: Server, resolved: Resolved, view: View, interval: float, newest: float | None) -> Change | None:
    """A change of the last minutes, which only a finer series shows."""
    last = min(newest, view.end) if newest is not None else view.end
    step = math.ceil(max(interval, FINEST_STEP_S))
    grid = around(last - MOST_FINE_POINTS / 2 * step, last, step)
    promql = resolved.promql(max(2.5 * interval, FINEST_RANGE_S))
    frame = server.backend.query_range(promql, grid)
    change = find_change(frame.times, only(frame, resolved), resolved.known.entry.floor)
    return change if change and change.confidence >= SURE and change.at >= last - 4 * view.step else None


def around(first: float, last: float, step: int) -> Grid:
    """A fine grid on whole steps."""
    return Grid(int(first // step * step), int(last // step * step), step)


def with_filter(server: Server, resolved: Resolved, extra: Mapping[str, str]) -> Resolved:
    """The same alternative of a metric with more filters."""
    filters = {**dict(resolved.applied), **dict(resolved.dropped), **extra}
    return server.filter(resolved, tuple(filters.items()))
