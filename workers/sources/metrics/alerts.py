"""Alerts over a window: from the ALERTS series that a server writes, its live list, and what Alertmanager told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from workers.language.alert_labels import gravity, is_calm, object_of, route_of, service_of, severity_of
from workers.language.environment_names import environment_of, is_elsewhere
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.sources.metrics.alert_history import with_alert_history
from workers.sources.metrics.backend import Alert, Grid, Series
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.promql_template import promql_string
from workers.sources.metrics.query_window import View

SERIES, STATES = "ALERTS", "ALERTS_FOR_STATE"
MOST_REFINED = 5
FINE_S = 60
LONGEST_FOR_S = 4 * 3_600.0  # how long an alert may have been pending
LIVE_S = 600.0  # a window that ends this near to the clock is about this very moment
ORDER = {"firing": 0, "pending": 1, "resolved": 2, "inactive": 3}


def read_alerts(server: Server, view: View, newest: float | None, clock: float, name: str = "") -> tuple[Alert, ...]:
    """The alerts that fired or were pending in a window, the gravest first, or one alert by name.

    Args:
        server: where.
        view: the window.
        newest: the newest sample; an alert that still fired then counts as firing.
        clock: the real time, to tell whether the live list is about the window's end.
        name: one alert.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    out: dict[tuple[tuple[str, str], ...], Alert] = {}
    if SERIES in server.names():
        only = f"{{alertname={promql_string(name)}}}" if name else ""
        grid = Grid(view.end - (view.end - view.start) // view.step * view.step, view.end, view.step)
        last = min(float(grid.end), newest) if newest else float(grid.end)
        frame = server.backend.query_range(f"{SERIES}{only}", grid)
        states = active_since(server, only, view)
        for series in sorted(frame.series, key=lambda s: s.labels.get("alertstate") != "firing"):
            alert = from_series(series, grid, last, states)
            out.setdefault(identity(alert), alert)
    found = refined(server, view, tuple(out.values()))
    is_now = abs(clock - view.end) <= LIVE_S
    live = server.backend.live_alerts() if is_now else ()
    merged = with_live(found, [a for a in live if not name or a.name == name])
    told = server.told(float(view.start), max(float(view.end), clock) if is_now else float(view.end))  # its last minute
    merged = with_alert_history(merged, [a for a in told if not name or a.name == name])
    return tuple(sorted((located(a, server.environment) for a in merged), key=place_of))


def located(alert: Alert, configured: str) -> Alert:
    """An alert with its environment, where that is another than the configured one."""
    environment = environment_of(alert.labels, configured)
    return replace(alert, environment=environment) if is_elsewhere(environment, configured) else alert


def place_of(alert: Alert) -> tuple[int, bool, bool, int, float, str]:
    """The order of alerts: what fires, is of this environment, is trouble; the gravest and then the oldest."""
    calm = is_calm(alert.name, alert.labels)
    grave = gravity(severity_of(alert.labels))
    return ORDER.get(alert.state, 9), bool(alert.environment), calm, grave, alert.since or 0.0, alert.name


def identity(alert: Alert) -> tuple[tuple[str, str], ...]:
    """What makes an alert this one."""
    return tuple(sorted({**alert.labels, "alertname": alert.name}.items()))


def active_since(server: Server, only: str, view: View) -> Mapping[tuple[tuple[str, str], ...], float]:
    """When each alert's condition last became true."""
    if STATES not in server.names():
        return {}
    grid = Grid(view.end - (view.end - view.start) // view.step * view.step, view.end, view.step)
    frame = server.backend.query_range(f"{STATES}{only}", grid)
    out = {}
    for series in frame.series:
        labels = {k: v for k, v in series.labels.items() if k != "__name__"}
        out[tuple(sorted(labels.items()))] = float(series.values[np.isfinite(series.values)][-1])
    return out


def from_series(series: Series, grid: Grid, last: float, states: Mapping[tuple[tuple[str, str], ...], float]) -> Alert:
    """An alert from its series; the last run of points counts."""
    labels = {k: v for k, v in series.labels.items() if k not in {"__name__", "alertstate"}}
    there = np.isfinite(series.values)
    at = np.flatnonzero(there)
    start = int(at[np.flatnonzero(np.diff(at, prepend=-10) > 3)[-1]])
    begun, ended = float(grid.times[start]), float(grid.times[at[-1]])
    state = series.labels.get("alertstate", "firing")
    over = ended < last - 2 * grid.step
    active = states.get(tuple(sorted(labels.items())))
    return Alert(
        name=labels.pop("alertname", ""),
        state="resolved" if over else state,
        since=None if start == 0 or state != "firing" else begun,
        labels=labels,
        until=ended if over else None,
        active_at=active if active is not None and active <= begun else None,
    )


def refined(server: Server, view: View, alerts: tuple[Alert, ...]) -> tuple[Alert, ...]:
    """The alerts with the start of their firing found to the minute, also when it lies before the window."""
    out = []
    for i, alert in enumerate(alerts):
        first, last = alert.since and alert.since - view.step, alert.since
        if alert.since is None and alert.active_at is not None:
            first, last = alert.active_at, min(alert.active_at + LONGEST_FOR_S, view.end)
        if first is None or last is None or alert.state == "pending" or i >= MOST_REFINED:
            out.append(alert)
            continue
        labels = {"alertname": alert.name, "alertstate": "firing", **alert.labels}
        selector = f"{SERIES}{{{','.join(f'{k}={promql_string(v)}' for k, v in labels.items())}}}"
        frame = server.backend.query_range(selector, Grid(int(first), int(last), FINE_S))
        starts = [float(frame.times[np.isfinite(s.values)][0]) for s in frame.series]
        out.append(replace(alert, since=min(starts)) if starts else alert)
    return tuple(out)


def with_live(alerts: tuple[Alert, ...], live: Iterable[Alert]) -> list[Alert]:
    """Alerts of the series and of the live list, each once; the list knows the expression and the state of now."""
    out = {identity(a): a for a in alerts}
    for alert in live:
        key = identity(alert)
        known = out.get(key)
        if known is not None:
            active = alert.active_at or known.active_at
            out[key] = replace(known, state=alert.state, expr=alert.expr, active_at=active, until=None)
        elif alert.state != "inactive" or not any(a.name == alert.name for a in out.values()):
            out[key] = replace(alert, since=alert.active_at if alert.state == "firing" else None)
    return list(out.values())


def about(server: Server, alert: Alert, filters: Iterable[tuple[str, str]]) -> bool:
    """Whether an alert may be about some filters: it carries no other value of their labels.

    One that is of no service and no route must name a value of theirs; without filters, it must not be about a thing of
    another kind, such as a disk.
    """
    filters = tuple(filters)
    if alert.environment or is_calm(alert.name, alert.labels):
        return False
    if not service_of(alert.labels) and not route_of(alert.labels):
        named = " ".join((alert.name, alert.summary, *alert.labels.values()))
        asked = content_words(split_names(" ".join(value.replace("/", " ") for _, value in filters)))
        return bool(asked & content_words(split_names(named))) if filters else not object_of(alert.labels)
    for label, value in filters:
        carried = [alert.labels[p] for p in server.catalogue.physical(label) if p in alert.labels]
        if carried and value not in carried:
            return False
    return True


def alert_names(server: Server, start: float, end: float) -> tuple[str, ...]:
    """The alerts that are configured, as far as the server tells, or have fired."""
    fired = server.backend.label_values("alertname", (SERIES,), start, end) if SERIES in server.names() else ()
    told = (a.name for a in server.told(start, end))
    return tuple(sorted({*fired, *told, *(a.name for a in server.backend.live_alerts())}))
