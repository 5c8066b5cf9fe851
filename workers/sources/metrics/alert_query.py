"""A query for one alert: whether and when it fired in a window."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workers.contracts import Deploy, Window, rfc3339
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.sources.metrics.alerts import SERIES, STATES, alert_names, read_alerts
from workers.sources.metrics.analysis import BEFORE_WINDOW, staleness
from workers.sources.metrics.backend import Alert
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.promql_template import promql_string
from workers.sources.metrics.query_string import AlertQuery
from workers.sources.metrics.query_window import Deploys, View, plan_view, resolve_window
from workers.sources.metrics.report import moment, shown_alert, shown_window, thinned

KNOWN_FOR_S = 30 * 86_400  # an alert that fired this long before or after the window is known
SAMPLES_S = 60.0
MOST_LOOKED = 3  # metrics whose newest sample stands for the server's, where there is no `up`
EVERY = "*"  # alert=* asks for whatever fired
NO_RULES = "the server has no rules API and no ALERTS series, so whether an alert fires is not known"


@dataclass(frozen=True)
class AlertAnalysis:
    """One alert over a window. ``alerts`` has one entry for each set of labels it fired with; when it did not fire,
    one that is inactive."""

    window: Window
    alerts: tuple[Alert, ...]
    deploys: tuple[Deploy, ...]
    data: dict[str, Any]
    reason: str


def analyse_alert(query: AlertQuery, server: Server, now: datetime, deploys: Deploys) -> AlertAnalysis:
    """Answer a query for an alert.

    Raises:
        ToolArgumentError: no alert has that name; carries the nearest ones.
        ToolUnavailable: the server cannot answer, or does not tell of alerts at all.
    """
    window = resolve_window(query.window, now, deploys)
    last = window.end.timestamp()
    every = query.alert == EVERY
    names = [] if every else alert_names(server, last - KNOWN_FOR_S, last + KNOWN_FOR_S)
    if query.alert not in names and not every:
        if not server.backend.tells_alerts():
            told = f"; of those that were told to a hook none is named {query.alert!r}" if names else ""
            raise ToolUnavailable(f"{NO_RULES}{told}")
        where = "is configured here or has fired" if names else "is known here: nothing has ever fired"
        raise ToolArgumentError(
            f"no alert named {query.alert!r} {where}", nearest_names([query.alert], names, limit=5, least=60)
        )
    view = plan_view(window, "previous", SAMPLES_S)
    newest = newest_sample(server, view)
    found = read_alerts(server, view, newest, time.time(), "" if every else query.alert)
    fired = tuple(a for a in found if a.state != "inactive")
    reason = "" if fired else f"{'no alert fired' if every else f'{query.alert} did not fire'} for {window.why}"
    alerts = fired or (() if every else found[:1] or (Alert(query.alert, "inactive"),))
    known = deploys(window.start - BEFORE_WINDOW, window.end)
    stale = staleness(newest, SAMPLES_S, window) if newest else ""
    reason = "; ".join(filter(None, (reason, stale)))
    data = data_of(query, server, window, alerts, reason)
    data["deploys"] = [d.model_dump(mode="json") for d in known]
    return AlertAnalysis(window, alerts, known, data, reason)


def newest_sample(server: Server, view: View) -> float | None:
    """When samples end in a window: what fired then has not been seen to stop since."""
    names = [name for name in server.names() if name not in {SERIES, STATES}]
    looked = ["up"] if "up" in names else sorted(names)[:MOST_LOOKED]
    found = (server.backend.cadence(name, view.start, view.end)[0] for name in looked)
    return max((at for at in found if at is not None), default=None)


def data_of(
    query: AlertQuery, server: Server, window: Window, alerts: tuple[Alert, ...], reason: str
) -> dict[str, Any]:
    """The same keys as for a metric: the value is how many of the alert fire."""
    view = plan_view(window, "previous", SAMPLES_S)
    one = "" if query.alert == EVERY else f"alertname={promql_string(query.alert)},"
    promql = f'count({SERIES}{{{one}alertstate="firing"}})'
    frame = server.backend.query_range(promql, view.grid) if SERIES in server.names() else None
    series = thinned(frame.times, frame.series[0].values, "up") if frame and frame.series else []
    firing = [a for a in alerts if (a.is_trouble if query.alert == EVERY else a.state == "firing")]
    since = min((a.since for a in alerts if a.since), default=None)
    return {
        "status": "ok",
        "metric": query.alert,
        "title": "firing alerts" if query.alert == EVERY else f"alert {query.alert}",
        "unit": "count",
        "filters": {},
        "window": shown_window(window),
        "current": len(firing),
        "baseline": None,
        "change_pct": None,
        "peak": None,
        "onset": {"at": moment(since), "confidence": 1.0} if since else None,
        "related": [],
        "culprit": None,
        "candidates": [],
        "alerts": [shown_alert(a) for a in alerts],
        "series": series,
        "promql": promql,
        "url": server.backend.graph_url(promql, view.lead_start, view.end),
        "nearest": [],
        "gaps": [],
        "reason": reason or f"{len(firing)} firing at {rfc3339(window.end)}",
    }
