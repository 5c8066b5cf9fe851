"""The values of a PromQL expression as evidence: of each series where it began and ended, how far it went, and when it
changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from workers.contracts import Evidence, Fact
from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Backend, Floats, Frame, Series
from workers.sources.metrics.bucket_edges import edge_of
from workers.sources.metrics.expression_query import Expression
from workers.sources.metrics.expression_units import UNKNOWN, unit_of_expression
from workers.sources.metrics.measurement import around
from workers.sources.metrics.metric_evidence import time_fact, value_fact
from workers.sources.metrics.onset import Change, find_change, refine
from workers.sources.metrics.promql_template import duration, promql_string
from workers.sources.metrics.report import moment, thinned
from workers.sources.metrics.series_statistics import SURE, shown

MOST_SERIES = 50
UNNAMED = "value"
"""What a series without labels is called."""
MOST_CHARTS = 8
MOST_FINER, FINER, FINE_STEP_S = 3, 12, 15
ROWS_A_PIECE = 12


@dataclass(frozen=True)
class SeriesSummary:
    """One series: ``values`` on the grid's moments, at least one finite. ``bounds``: of the buckets of a quantile."""

    labels: Mapping[str, str]
    times: Floats
    values: Floats
    change: Change | None
    bounds: tuple[float, ...] = ()

    def said(self, value: float, unit: str) -> str:
        """A value with its unit; one that the buckets do not tell as a bound."""
        edge = edge_of(value, self.bounds)
        return edge.said(unit) if edge else said(value, unit)

    def fact(self, value: float, unit: str, at: datetime | None = None) -> Fact:
        """A value as a fact; one that the buckets do not tell as a bound, in words."""
        return value_fact(value, unit, edge_of(value, self.bounds), self.entity, at)

    @property
    def name(self) -> str:
        """As PromQL writes a series."""
        inside = ", ".join(f"{k}={promql_string(v)}" for k, v in sorted(self.labels.items()) if k != "__name__")
        return f"{self.labels.get('__name__', '')}{{{inside}}}" if inside else self.labels.get("__name__", UNNAMED)

    @property
    def entity(self) -> str:
        """Whose values they are: its only label's value, else all labels."""
        own = [v for k, v in self.labels.items() if k != "__name__"]
        return own[0] if len(own) == 1 else self.name

    @property
    def known(self) -> tuple[Floats, Floats]:
        """Moments and values where there are any."""
        finite = np.isfinite(self.values)
        return self.times[finite], self.values[finite]


def summarize(frame: Frame, bounds: tuple[float, ...] = ()) -> list[SeriesSummary]:
    """All series of a result: those that changed first, then those with the highest values.

    Args:
        frame: the result.
        bounds: of the buckets, where it is a quantile of a histogram.
    """
    found = [summary_of(frame.times, series, bounds) for series in frame.series]
    return sorted(found, key=lambda s: (s.change is None, -float(np.nanmax(s.values)), s.name))


def summary_of(times: Floats, series: Series, bounds: tuple[float, ...]) -> SeriesSummary:
    """One series, with its change if it has one that is sure, and that its buckets can tell."""
    change = find_change(times, series.values) if len(times) > 1 else None
    if change and (before := edge_of(change.baseline, bounds)) and before == edge_of(change.level, bounds):
        change = None
    sure = change if change and change.confidence >= SURE else None
    return SeriesSummary(series.labels, times, series.values, sure, bounds)


def with_finer_onsets(found: Sequence[SeriesSummary], asked: Expression, backend: Backend) -> list[SeriesSummary]:
    """The same, the first changes found again on finer points around them, where the source answers."""
    out = list(found)
    if asked.instant or asked.grid.step <= FINE_STEP_S:
        return out
    for i, one in enumerate(found[:MOST_FINER]):
        if one.change is None or one.change.kind == "drift":
            continue
        fine = max(asked.grid.step // FINER, FINE_STEP_S)
        grid = around(one.change.after - 6 * asked.grid.step, one.change.at + 2 * asked.grid.step, fine)
        try:
            frame = backend.query_range(asked.text, grid)
        except ToolUnavailable:
            break
        same = next((s for s in frame.series if dict(s.labels) == dict(one.labels)), None)
        if same is not None:
            out[i] = replace(one, change=refine(one.change, frame.times, same.values))
    return out


def unit_of_values(asked: Expression, series: Sequence[SeriesSummary]) -> str:
    """The unit of a result: a share never exceeds 1, what does is a plain number."""
    unit = unit_of_expression(asked.text)
    beyond = unit == "ratio" and any(np.nanmax(np.abs(s.values)) > 1.0 + 1e-9 for s in series)
    return UNKNOWN if beyond else unit


def said(value: float, unit: str) -> str:
    """A value with its unit."""
    plain = f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    if unit in {UNKNOWN, "ratio", "count"}:
        return plain
    return f"{plain} bytes" if unit == "bytes" else shown(value, unit)


def describe(one: SeriesSummary, unit: str) -> str:
    """A series in a line."""
    times, values = one.known
    if len(values) == 1:
        return f"{one.name}: {one.said(float(values[0]), unit)} at {moment(float(times[0]))}"
    low, high = int(np.argmin(values)), int(np.argmax(values))
    parts = [
        f"first {one.said(float(values[0]), unit)}",
        f"last {one.said(float(values[-1]), unit)}",
        f"min {one.said(float(values[low]), unit)} at {moment(float(times[low]))}",
        f"max {one.said(float(values[high]), unit)} at {moment(float(times[high]))}",
        f"mean {one.said(float(values.mean()), unit)}",
    ]
    if one.change:
        levels = f"from {one.said(one.change.baseline, unit)} to {one.said(one.change.level, unit)}"
        parts.append(f"{one.change.direction} {levels} between {moment(one.change.after)} and {moment(one.change.at)}")
        parts += [f"back since {moment(one.change.ended_at)}"] if one.change.ended_at is not None else []
    if times[-1] < one.times[-1]:
        parts.append(f"no value after {moment(float(times[-1]))}")
    return f"{one.name}: {', '.join(parts)}"


def range_evidence(asked: Expression, found: Sequence[SeriesSummary], backend: Backend) -> tuple[Evidence, ...]:
    """The first series one by one, each with its points; the others as rows."""
    unit = unit_of_values(asked, found)
    rest = list(enumerate(found))[MOST_CHARTS:MOST_SERIES]
    rows = [rest[i : i + ROWS_A_PIECE] for i in range(0, len(rest), ROWS_A_PIECE)]
    return (
        *(series_evidence(asked, one, unit, backend) for one in found[:MOST_CHARTS]),
        *(rows_evidence(asked, some, unit, backend) for some in rows),
    )


def series_evidence(asked: Expression, one: SeriesSummary, unit: str, backend: Backend) -> Evidence:
    """One series over a range.

    Facts: series, label_NAME …, first, last, min, max (each with its moment, min_at and max_at too), mean, samples,
    window_start, window_end, step; with a change onset_at (the first moment that shows it), onset_after
    (the last that does not), direction, baseline, level, recovered_at.
    """
    times, values = one.known
    points = thinned(one.times, one.values, "up")
    return Evidence(
        kind="metric",
        title=one.name if one.labels else asked.text[:120],
        locator=asked.text,
        url=backend.graph_url(asked.text, asked.grid.start, asked.grid.end),
        excerpt=describe(one, unit),
        facts={name: fact.model_copy(update={"entity": one.entity}) for name, fact in series_facts(asked, one, unit)},
        series=tuple((datetime.fromisoformat(at).timestamp(), v) for at, v in points),
        observed_at=datetime.fromtimestamp(float(times[-1]), UTC) if len(values) else None,
    )


def series_facts(asked: Expression, one: SeriesSummary, unit: str) -> Iterator[tuple[str, Fact]]:
    """The facts of `series_evidence`."""
    times, values = one.known
    yield "series", Fact(value=one.name)
    for label, value in one.labels.items():
        yield f"label_{label}", Fact(value=value)
    low, high = int(np.argmin(values)), int(np.argmax(values))
    for name, i in (("first", 0), ("last", -1), ("min", low), ("max", high)):
        at = datetime.fromtimestamp(float(times[i]), UTC)
        yield name, one.fact(float(values[i]), unit, at)
        yield f"{name}_at", time_fact(moment(float(times[i])), "")
    yield "mean", one.fact(float(values.mean()), unit)
    yield "samples", Fact(value=len(values), unit="count")
    if one.change:
        yield "onset_after", time_fact(moment(one.change.after), "")
        yield "onset_at", time_fact(moment(one.change.at), "")
        yield "direction", Fact(value=one.change.direction)
        yield "baseline", one.fact(one.change.baseline, unit)
        yield "level", one.fact(one.change.level, unit)
        if one.change.ended_at is not None:
            yield "recovered_at", time_fact(moment(one.change.ended_at), "")
    yield "window_start", time_fact(moment(asked.grid.start), "")
    yield "window_end", time_fact(moment(asked.grid.end), "")
    yield "step", Fact(value=duration(asked.grid.step))


def rows_evidence(
    asked: Expression, some: Sequence[tuple[int, SeriesSummary]], unit: str, backend: Backend
) -> Evidence:
    """Some further series, a row each. Facts: series_7, series_7_last, series_7_max, series_7_onset_at …"""
    facts: dict[str, Fact] = {}
    for i, one in some:
        _, values = one.known
        name = f"series_{i + 1}"
        facts[name] = Fact(value=one.name, entity=one.entity)
        facts[f"{name}_last"] = one.fact(float(values[-1]), unit)
        if not asked.instant:
            facts[f"{name}_max"] = one.fact(float(values.max()), unit)
        if one.change:
            facts[f"{name}_onset_at"] = time_fact(moment(one.change.at), one.entity)
    first, last = some[0][0] + 1, some[-1][0] + 1
    return Evidence(
        kind="metric",
        title=f"series {first} to {last} of {asked.text[:80]}" if last > first else asked.text[:120],
        locator=asked.text,
        url=backend.graph_url(asked.text, asked.grid.start, asked.grid.end),
        excerpt="\n".join(describe(one, unit) for _, one in some),
        facts=facts,
        observed_at=datetime.fromtimestamp(asked.grid.end, UTC),
    )


def instant_evidence(asked: Expression, found: Sequence[SeriesSummary], backend: Backend) -> tuple[Evidence, ...]:
    """The values at one moment: one series alone with its value as a fact, else rows."""
    unit = unit_of_values(asked, found)
    if len(found) > 1:
        rows = list(enumerate(found))[:MOST_SERIES]
        parts = [rows[i : i + ROWS_A_PIECE] for i in range(0, len(rows), ROWS_A_PIECE)]
        return tuple(rows_evidence(asked, some, unit, backend) for some in parts)
    one = found[0]
    times, values = one.known
    at = datetime.fromtimestamp(float(times[-1]), UTC)
    facts = {"series": Fact(value=one.name, entity=one.entity)}
    facts |= {f"label_{k}": Fact(value=v, entity=one.entity) for k, v in one.labels.items()}
    facts["value"] = one.fact(float(values[-1]), unit, at)
    facts["at"] = time_fact(moment(float(times[-1])), one.entity)
    return (
        Evidence(
            kind="metric",
            title=one.name if one.labels else asked.text[:120],
            locator=asked.text,
            url=backend.graph_url(asked.text, asked.grid.end - 3_600, asked.grid.end),
            excerpt=describe(one, unit),
            facts=facts,
            observed_at=at,
        ),
    )


def data_of(asked: Expression, found: Sequence[SeriesSummary]) -> dict[str, Any]:
    """The JSON object: the first `MOST_SERIES` series with their points."""
    return {
        "query": asked.text,
        "start": moment(asked.grid.start),
        "end": moment(asked.grid.end),
        "step_s": asked.grid.step,
        "unit": unit_of_values(asked, found),
        "count": len(found),
        "series": [
            {
                "labels": dict(one.labels),
                "points": thinned(one.times, one.values, "up"),
                "onset_at": moment(one.change.at) if one.change else None,
            }
            for one in found[:MOST_SERIES]
        ],
    }
