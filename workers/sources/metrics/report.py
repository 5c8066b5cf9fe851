"""The JSON object that metrics_query returns."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from workers.contracts import Window, rfc3339
from workers.language.alert_labels import is_heartbeat, is_no_data
from workers.sources.metrics.analysis import Analysis, Missing
from workers.sources.metrics.backend import Alert, Floats
from workers.sources.metrics.culprit import MOST_SHOWN, Blame, Part
from workers.sources.metrics.measurement import Measured

MOST_POINTS = 240
DIGITS = 6


def moment(seconds: float | None) -> str | None:
    """Epoch seconds as RFC 3339."""
    return None if seconds is None else rfc3339(datetime.fromtimestamp(seconds, UTC))


def number(value: float | None) -> float | None:
    """A value with six significant digits."""
    return None if value is None else float(f"{value:.{DIGITS}g}")


def shown_window(window: Window) -> dict[str, str]:
    """A window's start, end and reason."""
    return {"start": rfc3339(window.start), "end": rfc3339(window.end), "why": window.why}


def report(analysis: Analysis) -> dict[str, Any]:
    """The object of an analysis."""
    main = analysis.main
    return {
        "status": "ok",
        **named(main),
        "window": shown_window(analysis.window),
        **shown_numbers(main),
        "mean": related(analysis.mean, main, None) if analysis.mean else None,
        "related": [related(m, main, analysis.blamed.get(m.resolved.known.name)) for m in analysis.related],
        "first_mover": mover(analysis),
        **blamed(analysis),
        "deploys": [d.model_dump(mode="json") for d in analysis.deploys],
        "alerts": [shown_alert(a) for a in analysis.alerts],
        "series": [] if is_all_bound(main) else thinned(main.times, main.values, main.resolved.known.entry.worse),
        "promql": main.promql,
        "url": analysis.url,
        "nearest": [],
        "newest_at": moment(main.newest),
        "gaps": list(analysis.gaps),
        "unnamed": list(analysis.notes),
        "remarks": list(main.resolved.remarks),
        "unavailable": list(analysis.flaws),
        **({"reason": analysis.reason} if analysis.reason else {}),
    }


def report_missing(missing: Missing) -> dict[str, Any]:
    """The object when there is nothing: the same keys, empty."""
    entry = missing.resolved.known.entry if missing.resolved else None
    return {
        "status": "empty",
        "metric": missing.resolved.known.name if missing.resolved else missing.query.metric,
        "title": entry.title if entry else missing.query.metric,
        "unit": entry.unit if entry else None,
        "filters": dict(missing.query.labels),
        "window": shown_window(missing.window),
        **dict.fromkeys(("current", "baseline", "change_pct", "peak", "onset")),
        **dict.fromkeys(("first_mover", "culprit", "promql", "url")),
        **{key: [] for key in ("related", "candidates", "deploys", "alerts", "series", "gaps")},
        "nearest": list(missing.nearest),
        "reason": missing.reason,
    }


def named(measured: Measured) -> dict[str, Any]:
    """What a measured metric is."""
    known = measured.resolved.known
    return {
        "metric": known.name,
        "title": known.entry.title,
        "unit": known.entry.unit,
        "role": known.entry.role,
        "worse": known.entry.worse,
        "filters": dict(measured.resolved.applied),
    }


def is_all_bound(measured: Measured) -> bool:
    """Whether the buckets tell only a bound, now as before."""
    return measured.is_bound and measured.reading.direction == "steady"


def level(measured: Measured, name: str, value: float | None) -> dict[str, Any]:
    """A level under its name; where the buckets do not tell it, null, with the bound in words beside it."""
    edge = measured.edge(value)
    said = {f"{name}_bound": edge.said(measured.resolved.known.entry.unit)} if edge else {}
    return {name: None if edge else number(value), **said}


def shown_numbers(measured: Measured) -> dict[str, Any]:
    """The numbers of a metric. ``onset`` is null without a change."""
    reading, resolution_s = measured.reading, measured.resolution_s
    change = reading.change
    onset = change and {
        "at": moment(change.at),
        "after": moment(change.after),
        "confidence": change.confidence,
        "kind": change.kind,
        "resolution_s": resolution_s,
    }
    return {
        **level(measured, "current", reading.current),
        **({} if reading.last is None else level(measured, "last_known", reading.last)),
        **level(measured, "baseline", reading.baseline),
        "baseline_of": reading.baseline_of,
        "change_pct": number(reading.change_pct),
        "direction": reading.direction,
        "moved": reading.moved,
        "peak": {**level(measured, "value", reading.peak), "at": moment(reading.peak_at)},
        "onset": onset,
        "recovered_at": moment(change.ended_at) if change else None,
        "samples": reading.samples,
    }


def related(measured: Measured, main: Measured, blamed: Blame | None) -> dict[str, Any]:
    """A related metric; ``lag_s`` is how long after the asked metric it changed, negative for before."""
    change, first = measured.reading.change, main.reading.change
    return {
        **named(measured),
        **shown_numbers(measured),
        "onset_at": moment(change.at) if change else None,
        "lag_s": change.at - first.at if change and first else None,
        "culprit": culprit(blamed),
        "promql": measured.promql,
    }


def mover(analysis: Analysis) -> dict[str, Any] | None:
    """The metric that moved first; ``lag_s`` is negative for before the asked metric."""
    first, onset = analysis.first_mover, analysis.main.reading.change
    if first is None or first.reading.change is None or onset is None:
        return None
    change = first.reading.change
    return {"metric": first.resolved.known.name, "onset_at": moment(change.at), "lag_s": change.at - onset.at}


def culprit(blame: Blame | None) -> dict[str, Any] | None:
    """The label value that explains a change."""
    return {"label": blame.label, "value": blame.value, "share": number(blame.share)} if blame else None


def blamed(analysis: Analysis) -> dict[str, Any]:
    """The culprit, and the values of its label to ask about."""
    breakdown = analysis.breakdown
    if breakdown is None:
        return {"culprit": None, "candidates": []}
    most = 2 * MOST_SHOWN if analysis.query.by else MOST_SHOWN
    return {
        "culprit": culprit(breakdown.blame),
        "candidates": [candidate(analysis, p) for p in breakdown.parts[:most]],
    }


def candidate(analysis: Analysis, part: Part) -> dict[str, Any]:
    """One value of the label broken down by."""
    measured = analysis.focus.get(part.value)
    reading = measured.reading if measured else part.reading
    of = measured or analysis.main
    return {
        "label": analysis.breakdown.label if analysis.breakdown else "",
        "value": part.value,
        **level(of, "baseline", reading.baseline),
        **level(of, "current", reading.current),
        **({} if reading.last is None else level(of, "last_known", reading.last)),
        **level(of, "peak", reading.peak),
        "change_pct": number(reading.change_pct),
        "direction": reading.direction,
        "moved": reading.moved,
        "onset_at": moment(reading.change.at) if reading.change else None,
    }


def shown_alert(alert: Alert) -> dict[str, Any]:
    """An alert."""
    return {
        "name": alert.name,
        "state": alert.state,
        "since": moment(alert.since),
        "until": moment(alert.until),
        "active_at": moment(alert.active_at),
        "labels": dict(alert.labels),
        **({"expr": alert.expr} if alert.expr else {}),
        **({"environment": alert.environment} if alert.environment else {}),
        **({"heartbeat": True} if is_heartbeat(alert.name, alert.labels) else {}),
        **({"no_data": True} if is_no_data(alert.name, alert.labels) else {}),
    }


def thinned(times: Floats, values: Floats, worse: str) -> list[list[Any]]:
    """At most `MOST_POINTS` points ``[time, value]``: the worst one of each stretch, so that peaks stay."""
    known = np.isfinite(values)
    t, v = times[known], values[known]
    if not len(v):
        return []
    sign = -1.0 if worse == "down" else 1.0
    edges = np.unique(np.linspace(0, len(v), min(len(v), MOST_POINTS) + 1).astype(int))
    picks = [lo + int(np.argmax(sign * v[lo:hi])) for lo, hi in pairwise(edges.tolist())]
    return [[moment(float(t[i])), number(float(v[i]))] for i in picks]
