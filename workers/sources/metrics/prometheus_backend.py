"""Metrics from a server that speaks the Prometheus HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics.

Source: https://prometheus.io/docs/prometheus/latest/querying/api/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import numpy as np

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Alert, Described, Floats, Frame, Grid, Series
from workers.sources.metrics.embedded_backend import DEFAULT_INTERVAL_S, age
from workers.sources.metrics.http_connection import HttpApi
from workers.sources.metrics.promql_template import duration

INTERVALS = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 180.0, 300.0, 600.0)
LOOK_BACK = "10m"
ALERTING = ("rules", "alerts")
WARNING_CHARS, MOST_WARNINGS = 200, 3
MOST_DESCRIBED = 5_000
MOST_LISTED = 5_000  # series listed where label names are not served for one metric


class PrometheusBackend(HttpApi):
    """A `Backend` over HTTP. What a server does not serve is done without, or found another way."""

    name = "prometheus"
    parallel = 8

    def names(self) -> frozenset[str]:
        """All metric names, at most a minute old."""
        return self.keep("names", lambda: frozenset(self.words("label/__name__/values", {})))

    def described(self) -> Mapping[str, Described]:
        """The server's metadata.

        Source: /api/v1/metadata
        """
        return self.keep("metadata", self.read_metadata)

    def read_metadata(self) -> Mapping[str, Described]:
        """Kind, help and unit of metrics; empty where the server does not serve them."""
        try:
            data = self.ask("metadata", {"limit": MOST_DESCRIBED, "limit_per_metric": 1})
            found = {str(name): rows[0] for name, rows in data.items() if rows}
            return {
                n: Described(str(r.get("type") or ""), str(r.get("help") or ""), str(r.get("unit") or ""))
                for n, r in found.items()
            }
        except (ToolUnavailable, KeyError, TypeError, IndexError, AttributeError):
            return {}

    def recorded(self) -> frozenset[str]:
        """The metrics of the server's recording rules."""
        return self.keep("recorded", self.read_recorded)

    def read_recorded(self) -> frozenset[str]:
        """Their names; empty where rules are not served."""
        try:
            groups = self.ask("rules", {"type": "record"})["groups"]
            return frozenset(str(r["name"]) for g in groups for r in g["rules"] if r.get("type") == "recording")
        except (ToolUnavailable, KeyError, TypeError, AttributeError):
            return frozenset()

    def label_names(self, metric: str) -> frozenset[str]:
        """The labels that a metric carries."""
        return self.keep(("labels", metric), lambda: self.read_label_names(metric))

    def read_label_names(self, metric: str) -> frozenset[str]:
        """From the list of labels, else from the list of series."""
        try:
            return frozenset(self.words("labels", {"match[]": metric})) - {"__name__"}
        except ToolUnavailable as error:
            try:
                rows = self.ask("series", {"match[]": metric, "limit": MOST_LISTED})
                return frozenset(str(label) for row in rows for label in row) - {"__name__"}
            except (ToolUnavailable, TypeError):
                raise error from None

    def label_values(self, label: str, metrics: tuple[str, ...], start: float, end: float) -> tuple[str, ...]:
        """The values of a label on some metrics in a span, to the hour."""
        first, last = int(start // 3600) * 3600, int(-(-end // 3600)) * 3600
        params = {"match[]": list(metrics), "start": first, "end": last}
        return self.keep(("values", label, metrics, first, last), lambda: self.words(f"label/{label}/values", params))

    def query_range(self, promql: str, grid: Grid) -> Frame:
        """Evaluate an expression on a grid.

        Source: /api/v1/query_range
        """
        asked = {"query": promql, "start": grid.start, "end": grid.end, "step": grid.step}
        answer = self.answer("query_range", asked)
        data = answer["data"]
        try:
            if data["resultType"] != "matrix":
                raise self.nonsense()
            rows = data["result"]
            return Frame(grid, tuple(self.series(rows, grid)), warnings_of(answer), not_numbers(rows))
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
            raise self.nonsense() from error

    def series(self, rows: list[Mapping[str, Any]], grid: Grid) -> Iterator[Series]:
        """The result series that have a finite value, on the grid; all points are read at once."""
        native = [not row.get("values") and bool(row.get("histograms")) for row in rows]
        points = [
            [(p[0], p[1]["count"]) for p in row["histograms"]] if is_native else row.get("values") or []
            for row, is_native in zip(rows, native, strict=True)
        ]
        flat = [p for row in points for p in row]
        moments = np.array([p[0] for p in flat], dtype=np.float64)
        numbers: Floats = np.array([float(p[1]) for p in flat], dtype=np.float64)
        row_of = np.repeat(np.arange(len(rows)), [len(row) for row in points])
        places = np.round((moments - grid.start) / grid.step).astype(np.int64)
        values = np.full((len(rows), (grid.end - grid.start) // grid.step + 1), np.nan)
        finite = np.isfinite(numbers)
        values[row_of[finite], places[finite]] = numbers[finite]
        known = np.isfinite(values).any(axis=1)
        for i, row in enumerate(rows):
            labels = {str(k): str(v) for k, v in row["metric"].items()}
            if known[i]:
                yield Series(labels, values[i], native[i])

    def instant(self, promql: str, at: float) -> dict[tuple[tuple[str, str], ...], float]:
        """Evaluate an expression once: labels -> finite value.

        Source: /api/v1/query
        """
        data = self.ask("query", {"query": promql, "time": at})
        try:
            rows = {tuple(sorted(r["metric"].items())): float(r["value"][1]) for r in data["result"]}
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise self.nonsense() from error
        return {k: v for k, v in rows.items() if np.isfinite(v)}

    def cadence(self, selector: str, start: float, end: float) -> tuple[float | None, float]:
        """Newest sample in the span and the usual time between samples."""
        newest, interval = self.cadence_at(selector, f"timestamp({selector})", end)
        if newest is not None and newest >= start:
            return newest, interval
        step = max(int((end - start) / 200), 60)
        grid = Grid(int(end) - int((end - start) // step) * step, int(end), step)
        frame = self.query_range(f"max(count_over_time({selector}[{duration(step)}]))", grid)
        found = [float(frame.times[np.isfinite(s.values)][-1]) for s in frame.series]
        if not found:
            return None, DEFAULT_INTERVAL_S
        exact = f"max_over_time(timestamp({selector})[{duration(step)}:15s])"
        newest = self.cadence_at(selector, exact, found[0])[0] or found[0]
        return newest, self.cadence_at(selector, f"timestamp({selector})", newest)[1]

    def cadence_at(self, selector: str, newest: str, at: float) -> tuple[float | None, float]:
        """Newest sample at one moment, and the time between the samples before it, in one request."""
        both = (
            f'label_replace(max({newest}), "of", "newest", "", "") or '
            f'label_replace(max(count_over_time({selector}[{LOOK_BACK}])), "of", "count", "", "")'
        )
        found = {dict(k).get("of"): v for k, v in self.instant(both, at).items()}
        count = found.get("count", 0.0)
        interval = min(INTERVALS, key=lambda s: abs(np.log(s * count / 600))) if count else DEFAULT_INTERVAL_S
        return found.get("newest"), interval

    def tells_alerts(self) -> bool:
        """Whether ALERTS is among its metrics, or its rules or alerts are served."""
        return "ALERTS" in self.names() or any(self.keep(("served", p), lambda p=p: self.serves(p)) for p in ALERTING)  # type: ignore[misc]

    def lacks_alert_rules(self) -> bool:
        """Whether its rules are served and none is of an alert, and ALERTS is not among its metrics."""
        rules = self.keep(("served", "rules"), lambda: self.serves("rules"))
        return "ALERTS" not in self.names() and rules and not self.live_alerts()

    def serves(self, path: str) -> bool:
        """Whether the server has a part of the API."""
        try:
            self.ask(path, {})
        except ToolUnavailable:
            return False
        return True

    def live_alerts(self) -> tuple[Alert, ...]:
        """Alerts of this moment from the rules, else from the list of active ones; empty when neither is served."""
        for path, read in (("rules", read_rules), ("alerts", read_alerts)):
            try:
                return self.keep(path, lambda path=path, read=read: read(self.ask(path, {})))  # type: ignore[misc]
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise self.nonsense() from error
            except ToolUnavailable:
                continue
        return ()

    def graph_url(self, promql: str, start: float, end: float) -> str | None:
        """The server's graph page."""
        until = datetime.fromtimestamp(end, UTC).strftime("%Y-%m-%d %H:%M:%S")
        page = {"g0.expr": promql, "g0.tab": 0, "g0.range_input": f"{int(end - start)}s", "g0.end_input": until}
        return f"{self.shown}/graph?{urlencode(page)}"

    def ping(self, now: float) -> str:
        """Version and age of the newest sample."""
        names = self.names()
        try:
            build = self.ask("status/buildinfo", {})
        except ToolUnavailable:
            build = {}  # a server that answers names and not this one is none the worse
        version = build.get("version", "of unknown version") if isinstance(build, dict) else "of unknown version"
        if not names:
            return f"prometheus {version} at {self.shown}, no samples yet"
        name = "up" if "up" in names else min(names)
        newest, _ = self.cadence(name, now - 86_400, now)
        seen = f"newest sample of {name} {age(now - newest)}" if newest else f"no sample of {name} in the last 24 h"
        return f"prometheus {version} at {self.shown}, {len(names)} metrics, {seen}"


def warnings_of(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """What a server says is missing from its answer, a few short sentences; VictoriaMetrics only that it is partial."""
    told = answer.get("warnings")
    told = [" ".join(str(w).split())[:WARNING_CHARS] for w in told] if isinstance(told, list) else []
    partial = ["the response is partial"] if answer.get("isPartial") is True else []
    return tuple(dict.fromkeys((*told, *partial)))[:MOST_WARNINGS]


def not_numbers(rows: list[Mapping[str, Any]]) -> int:
    """How many points are NaN or infinite."""
    return sum(str(p[1]).lstrip("+-") in {"NaN", "Inf"} for row in rows for p in row.get("values") or ())


def read_rules(data: Any) -> tuple[Alert, ...]:
    """Alerting rules with their active alerts; a rule without any is inactive."""
    out: list[Alert] = []
    for group in data["groups"]:
        for rule in group["rules"]:
            if rule.get("type") != "alerting":
                continue
            active = read_alerts({"alerts": rule.get("alerts") or []}, str(rule.get("query", "")))
            out.extend(active or [Alert(str(rule["name"]), "inactive", expr=str(rule.get("query", "")))])
    return tuple(out)


def read_alerts(data: Any, expr: str = "") -> tuple[Alert, ...]:
    """Active alerts. The server tells when the condition became true, not when they began to fire."""
    return tuple(
        Alert(
            name=str(a["labels"]["alertname"]),
            state=str(a["state"]),
            labels={str(k): str(v) for k, v in a["labels"].items() if k != "alertname"},
            active_at=read_moment(str(a["activeAt"])) if a.get("activeAt") else None,
            expr=expr,
        )
        for a in data["alerts"]
    )


def read_moment(text: str) -> float:
    """RFC 3339 with up to nine decimals, as epoch seconds without them."""
    return datetime.fromisoformat(re.sub(r"\.\d+", "", text)).timestamp()
