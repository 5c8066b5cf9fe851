"""One query analysed as an engineer on call would: the metric, what moved with it, who is to blame, what was deployed
and what is alerting."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np

from workers.contracts import Deploy, Window, rfc3339
from workers.language.environment_labels import BESIDES, LABELS, PRODUCTION, kind_of, production_label
from workers.language.nearest_names import nearest_names
from workers.sources.metrics.alerts import about, read_alerts
from workers.sources.metrics.backend import Alert, Grid
from workers.sources.metrics.catalogue import Known
from workers.sources.metrics.change_attribution import TIME, explain, likely_labels
from workers.sources.metrics.culprit import Blame, Breakdown, best_breakdown, break_down, with_share
from workers.sources.metrics.deadline_pool import DeadlinePool, Job
from workers.sources.metrics.embedded_backend import age
from workers.sources.metrics.measurement import Measured, is_late, measure, measure_mean
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.query_string import MetricQuery, SinceDeploy, Span
from workers.sources.metrics.query_window import LONGEST_LEAD, Deploys, plan_view, resolve_window
from workers.sources.metrics.related_metrics import around, blame_related, first_mover
from workers.sources.metrics.resolved_metric import Resolved

BEFORE_WINDOW = timedelta(hours=1)  # deploys this long before a window are told too
KNOWN_FOR_S = 7 * 86_400  # label values are looked up this far back
MOST_LABELS = 3
FIRST_S = 3_600.0  # samples that begin this long after a window does are told
UNREAD = "not all of the server's metrics were read in time"


@dataclass(frozen=True)
class Missing:
    """Why there is nothing to say, and what there is instead."""

    query: MetricQuery
    window: Window
    reason: str
    nearest: tuple[str, ...] = ()
    resolved: Resolved | None = None


@dataclass(frozen=True)
class Analysis:
    """Everything about one query. ``focus``: the asked metric for values of the breakdown's label that moved, most
    telling first. ``blamed``: related metric that moved -> the part of it that explains why. ``first_mover``: the
    related metric that moved before the asked one.
    ``mean``: of what the asked quantile is of, where its buckets tell only a bound.
    ``gaps``: what could not be read, and where there are no samples. ``notes``: what of the question the values do not
    heed. ``flaws``: what is missing from the values of the asked metric."""

    query: MetricQuery
    window: Window
    main: Measured
    focus: Mapping[str, Measured] = field(default_factory=dict)
    related: tuple[Measured, ...] = ()
    breakdown: Breakdown | None = None
    blamed: Mapping[str, Blame] = field(default_factory=dict)
    first_mover: Measured | None = None
    mean: Measured | None = None
    deploys: tuple[Deploy, ...] = ()
    alerts: tuple[Alert, ...] = ()
    gaps: tuple[str, ...] = ()
    url: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    flaws: tuple[str, ...] = ()

    @property
    def culprit(self) -> Measured | None:
        """The asked metric for the culprit, when there is one."""
        if self.breakdown is None or not self.breakdown.explains:
            return None
        return self.focus.get(self.breakdown.parts[0].value)


def analyse(query: MetricQuery, server: Server, now: datetime, deploys: Deploys, budget_s: float) -> Analysis | Missing:
    """Answer a query.

    Args:
        query: what was asked.
        server: where.
        now: the moment asked about.
        deploys: known deploys of a span, oldest first.
        budget_s: after this time, related metrics and the like are left out and named.

    Raises:
        ToolArgumentError: the query names something that cannot be.
        ToolUnavailable: the server cannot answer.
    """
    until = time.monotonic() + budget_s
    known = server.find(query.metric, end_of(query, now))
    services = services_of(query, server, known, now) if isinstance(query.window, SinceDeploy) else ()
    window = resolve_window(query.window, now, deploys, services)
    services = services or services_of(query, server, known, window.end)
    first, last = window.start.timestamp(), window.end.timestamp()
    resolved = server.resolve(known, query.labels, first, last)
    lost = unusable(query, window, server, resolved)
    if lost and not server.holdings.complete:
        lost = replace(lost, reason=f"{lost.reason}; {UNREAD}")
    if resolved is None or lost:
        return lost or Missing(query, window, f"{known.name} is not on this server")
    whole, (resolved, note) = resolved, in_production(server, resolved, query, first, last)
    resolved, others = of_worst(server, resolved, first, last)
    newest, interval = server.backend.cadence(resolved.selector, first - KNOWN_FOR_S, last)
    if resolved is not whole and (newest is None or newest < first):
        resolved, note = whole, "production has no samples; all environments together are told"
        newest, interval = server.backend.cadence(resolved.selector, first - KNOWN_FOR_S, last)
    server.intervals.learn(resolved.names[0], interval)
    if newest is None or newest < first:
        return without_samples(query, window, server, resolved, newest)
    main = measure(server, resolved, plan_view(window, query.compare, interval), newest)
    if not main.reading.samples:
        return without_samples(query, window, server, resolved, newest)
    main = zoomed_out(main, server, query, window, interval)
    side = DeadlinePool[object](server.backend.parallel, until)
    breakdown, alerts = beside(query, server, main, side)
    focus, related = around(server, main, breakdown, side)
    mean = measure_mean(server, main) if main.is_bound else None
    unheeded = f"not filtered by {query.unfiltered}: {known.name} has no such label" if query.unfiltered else ""
    flaws = (*main.warnings, *missing_spans(main, newest))
    return Analysis(
        query=query,
        window=window,
        main=main,
        focus=focus,
        related=related,
        breakdown=breakdown,
        blamed=blame_related(server, related, side),
        first_mover=first_mover(main, related),
        mean=mean,
        deploys=told(deploys, window, services, main, focus),
        alerts=alerts,
        gaps=(*flaws, *side.gaps),
        url=server.backend.graph_url(main.promql, main.view.lead_start, main.view.end),
        reason=staleness(newest, interval, window, last_known(main)),
        notes=tuple(filter(None, (unheeded, note, others))),
        flaws=flaws,
    )


def missing_spans(main: Measured, newest: float) -> tuple[str, ...]:
    """Where there are no values: stretches between others, and what lies before the first where samples began later."""
    known = np.flatnonzero(np.isfinite(main.values))
    began = float(main.times[known[0]]) if len(known) else newest
    late = began - main.view.start > max(FIRST_S, 0.1 * (main.view.end - main.view.start))
    first = (f"no value before {moment(began)}",) if late else ()
    return (*first, *(f"no value from {moment(a)} to {moment(b)}" for a, b in main.holes))


def in_production(
    server: Server, resolved: Resolved, query: MetricQuery, first: float, last: float
) -> tuple[Resolved, str]:
    """A metric in production, where its labels tell environments and none is asked for; else as it is, with a sentence
    when its values are those of another environment."""
    names = resolved.filtered
    held = [x for x in LABELS if names and all(x in server.labels(name) for name in names)]
    asked = dict(query.labels)
    values = {x: server.backend.label_values(x, (names[0],), first, last) for x in held}
    for label in (x for x in held if kind_of(asked.get(x, ""))):
        told = kind_of(asked[label])
        return resolved, "" if told == PRODUCTION else f"told of {label}={asked[label]}, not of production"
    label = production_label(values)
    if any(kind_of(v) for v in asked.values()) or query.by in held:
        return resolved, ""
    if not label:
        others = [v for x in held for v in values[x] if x != BESIDES and kind_of(v)]
        none = others and all(kind_of(v) != PRODUCTION for v in others)
        return resolved, f"told of {', '.join(others[:3])}: no production is known" if none else ""
    found = [v for v in values[label] if kind_of(v) == PRODUCTION]
    own = server.filter(resolved, (*resolved.applied, (label, found[0] if len(found) == 1 else PRODUCTION)))
    return (resolved, "") if own.dropped else (own, "")


def of_worst(server: Server, resolved: Resolved, first: float, last: float) -> tuple[Resolved, str]:
    """A metric of the thing that is worst off, where its entry names the label of such things; with a sentence when
    others are not well either."""
    entry = resolved.known.entry
    label = server.grouping(resolved, entry.worst_of) if entry.worst_of else None
    if label is None or entry.worst_of in dict(resolved.applied):
        return resolved, ""
    frame = server.backend.query_range(resolved.promql(last - first, (label,)), Grid(int(last), int(last), 1))
    sign = 1.0 if entry.worse == "up" else -1.0
    found = sorted((sign * float(s.values[0]), s.labels.get(label, "")) for s in frame.series)
    if not found or not found[-1][1]:
        return resolved, ""
    bad = sum(level > entry.floor for level, _ in found) if entry.worse == "up" else 0
    own = server.filter(resolved, (*resolved.applied, (entry.worst_of, found[-1][1])), (first, last))
    others = f"{entry.title}: {bad} of {len(found)} have some; the one with most is told" if bad > 1 else ""
    return (resolved, "") if own.dropped else (own, others)


def end_of(query: MetricQuery, now: datetime) -> float:
    """When a window ends, as far as the query alone tells."""
    end = query.window.end if isinstance(query.window, Span) else None
    return min(end or now, now).timestamp()


def zoomed_out(main: Measured, server: Server, query: MetricQuery, window: Window, interval: float) -> Measured:
    """The same with a longer lead, when a quiet window lies within a change that began before its lead."""
    if main.reading.moved or query.compare != "previous" or main.view.start - main.view.lead_start >= LONGEST_LEAD:
        return main
    wide = measure(server, main.resolved, plan_view(window, query.compare, interval, LONGEST_LEAD), main.newest)
    change = wide.reading.change
    return wide if change and wide.reading.moved and change.ended_at is None else main


def services_of(query: MetricQuery, server: Server, known: Known, now: datetime) -> tuple[str, ...]:
    """The services whose deploys matter: the one asked for, else those that the metric is about."""
    asked = dict(query.labels).get("service")
    if asked:
        return (asked,)
    last = now.timestamp()
    resolved = server.resolve(known, query.labels, last - KNOWN_FOR_S, last)
    return server.values(resolved, "service", last - KNOWN_FOR_S, last) if resolved else ()


def unusable(query: MetricQuery, window: Window, server: Server, resolved: Resolved | None) -> Missing | None:
    """Why a metric cannot be asked for with these labels."""
    if resolved is None:
        known = server.find(query.metric, window.end.timestamp())
        wanted = [*dict.fromkeys(n.replace("{prefix}", "") for t in known.templates for n in t.metrics)]
        lacks = f": it has none of {', '.join(wanted[:4])}" if wanted else ""
        reason = f"{known.name} is not on this server{lacks}"
        return Missing(
            query, window, reason, nearest_names([(wanted or [known.name])[0]], server.names(), limit=5, least=60)
        )
    carried = sorted({label for name in resolved.filtered for label in server.labels(name)} - {"le"})
    shown = ", ".join(carried) or "none"
    for label, _ in resolved.dropped:
        reason = f"{resolved.known.name} has no label {label!r} on this server; it has {shown}"
        return Missing(query, window, reason, nearest_names([label], carried, limit=5, least=60), resolved)
    if query.by and server.grouping(resolved, query.by) is None:
        reason = f"{resolved.known.name} cannot be grouped by {query.by!r} on this server; it has {shown}"
        return Missing(query, window, reason, nearest_names([query.by], carried, limit=5, least=60), resolved)
    return None


def without_samples(
    query: MetricQuery, window: Window, server: Server, resolved: Resolved, newest: float | None
) -> Missing:
    """Why a window is empty: values that do not exist, or samples that end before it."""
    end = window.end.timestamp()
    for label, value in resolved.applied:
        there = server.values(resolved, label, window.start.timestamp() - KNOWN_FOR_S, end)
        if value not in there:
            reason = f"metrics for {value} not found for {window.why}"
            return Missing(query, window, reason, nearest_names([value], there, limit=5, least=60), resolved)
    subject = " ".join(v for _, v in resolved.applied) or resolved.known.name
    reason = f"metrics for {subject} not found for {window.why}"
    if newest is not None and newest >= window.start.timestamp():
        reason = f"{resolved.known.name} of {subject} has no value for {window.why}: nothing was counted"
    elif newest is not None:
        reason += f"; the newest sample is from {moment(newest)}"
    elif not server.holdings.complete:
        reason += f"; {UNREAD}"
    return Missing(query, window, reason, (), resolved)


def beside(
    query: MetricQuery, server: Server, main: Measured, side: DeadlinePool[object]
) -> tuple[Breakdown | None, tuple[Alert, ...]]:
    """The breakdown that explains most, and the alerts."""
    alerts: Job[object] = ("alerts", partial(read_alerts, server, main.view, main.newest, time.time()))
    if side.parallel == 1:
        breakdown, (found,) = broken_down(query, server, main, side), side.run([alerts])
    else:
        jobs: list[Job[object]] = [alerts, ("labels", partial(broken_down, query, server, main, side))]
        found, breakdown = side.run(jobs)  # type: ignore[assignment]
    known = found if isinstance(found, tuple) else ()
    kept = (a for a in known if a.state != "inactive" and about(server, a, main.resolved.applied))
    return breakdown, tuple(kept)


def broken_down(query: MetricQuery, server: Server, main: Measured, side: DeadlinePool[object]) -> Breakdown | None:
    """The metric by the label that explains its change, else by those where parts of it may have changed unseen."""
    resolved, view, name = main.resolved, main.view, main.resolved.known.name
    explained = explain(server, main, side, query.by)
    if explained:
        return explained
    labels = [query.by] if query.by else likely_labels(server, resolved)
    free = [x for x in labels if x not in dict(resolved.applied)][:MOST_LABELS]
    free = free[: 1 if main.reading.moved else None]
    jobs: list[Job[object]] = [(f"{name} by {x}", partial(break_down, server, resolved, view, x)) for x in free]
    parts = [b for b in side.part(TIME).run(jobs) if isinstance(b, Breakdown)]
    if main.reading.moved:
        return parts[0] if parts else None
    return best_breakdown([with_share(b, None, resolved.known.entry.worse) for b in parts])


def told(
    deploys: Deploys, window: Window, services: tuple[str, ...], main: Measured, focus: Mapping[str, Measured]
) -> tuple[Deploy, ...]:
    """Deploys from an hour before the window, or before an earlier onset, on.

    Those of the metric's services come first, of these the ones before the onset, nearest first.
    """
    changes = [m.reading.change for m in (*focus.values(), main) if m.reading.change]
    onset = changes[0].at if changes else None
    start = min(window.start, *(datetime.fromtimestamp(c.at, UTC) for c in changes)) if changes else window.start

    def order(deploy: Deploy) -> tuple[bool, bool, float]:
        at = deploy.at.timestamp()
        other = bool(services) and deploy.service not in services
        return (other, False, -at) if onset is None else (other, at > onset, abs(onset - at))

    return tuple(sorted(deploys(start - BEFORE_WINDOW, window.end), key=order))


def staleness(newest: float, interval: float, window: Window, then: str = "") -> str:
    """A sentence when samples end well before the window does, with what is known of then."""
    late = window.end.timestamp() - newest
    if not is_late(late, interval):
        return ""
    return f"newest sample {moment(newest)}, {age(late).removesuffix(' old')} before the end of the window{then}"


def last_known(main: Measured) -> str:
    """The level that samples ended at, in words; empty where they have not ended."""
    last = main.reading.last
    return "" if last is None else f"; it was {main.said(last)} then"


def moment(seconds: float) -> str:
    """Epoch seconds as RFC 3339."""
    return rfc3339(datetime.fromtimestamp(seconds, UTC))
