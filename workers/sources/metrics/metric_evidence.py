"""What metrics_query found, as evidence: every value that an answer may quote is a named fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from workers.contracts import Deploy, Evidence, Fact, rfc3339
from workers.language.alert_labels import is_heartbeat, is_no_data, object_of
from workers.language.environment_labels import is_environment
from workers.sources.metrics.analysis import Analysis
from workers.sources.metrics.backend import Alert, Backend
from workers.sources.metrics.bucket_edges import Edge
from workers.sources.metrics.measurement import Measured
from workers.sources.metrics.promql_template import promql_string
from workers.sources.metrics.report import is_all_bound, moment, number, thinned
from workers.sources.metrics.series_statistics import wave

PLAIN_NAME = re.compile(r"[\w./ -]{1,200}(?::\d{1,5})?")
"""A thing in the words of its labels, a host with its port among them: a name that is shown whole, not a link."""


def gather(analysis: Analysis, backend: Backend) -> tuple[Evidence, ...]:
    """All evidence: the culprit's and the asked metric, what moved with it, deploys nearest to the onset, alerts."""
    culprit, main = analysis.culprit, analysis.main
    others = [m for m in analysis.focus.values() if m is not culprit]
    mean = [analysis.mean] if analysis.mean else []
    metrics = [*([culprit] if culprit else []), main, *mean, *others, *analysis.related]
    return (
        *(metric_evidence(m, analysis, backend) for m in metrics),
        *(deploy_evidence(d) for d in analysis.deploys),
        *(alert_evidence(a, analysis.window.start, analysis.window.end) for a in analysis.alerts),
    )


def entity_of(measured: Measured) -> str:
    """Whose values they are: the value filtered by, else the service, else all."""
    filters = dict(measured.resolved.applied)
    own = [v for k, v in filters.items() if k != "service" and not is_environment(k)]
    return own[0] if own else filters.get("service", "all")


def place_of(measured: Measured, analysis: Analysis, entity: str) -> str:
    """`` in prod-eu-west``: what is asked for beside endpoint and service, as far as a metric is filtered by it."""
    asked = {k for k, _ in analysis.query.labels} - {"endpoint", "service"}
    others = [v for k, v in measured.resolved.applied if k in asked and v != entity]
    return f" in {', '.join(others)}" if others else ""


def metric_evidence(measured: Measured, analysis: Analysis, backend: Backend) -> Evidence:
    """One metric."""
    entry, entity = measured.resolved.known.entry, entity_of(measured)
    view = measured.view
    facts = dict(metric_facts(measured, entity))
    if measured is analysis.main and analysis.mean and analysis.mean.reading.current is not None:
        facts["mean"] = Fact(value=number(analysis.mean.reading.current) or 0.0, unit=entry.unit, entity=entity)
    for i, remark in enumerate(measured.resolved.remarks, 1):
        facts[f"remark_{i}"] = Fact(value=remark, entity=entity)
    facts |= count_facts(measured, (analysis.main, *analysis.related), entity)
    facts["window_start"] = time_fact(rfc3339(analysis.window.start), entity)
    facts["window_end"] = time_fact(rfc3339(analysis.window.end), entity)
    asked = measured is analysis.main or measured is analysis.culprit
    own = analysis.breakdown.blame if analysis.breakdown else None
    blame = own if asked else analysis.blamed.get(measured.resolved.known.name)
    if blame:
        facts["culprit_label"] = Fact(value=blame.label, entity=entity)
        facts["culprit_value"] = Fact(value=blame.value, entity=entity)
        facts["culprit_share"] = Fact(value=number(blame.share) or 0.0, unit="ratio", entity=entity)
    newest = measured.newest or analysis.main.newest
    return Evidence(
        kind="metric",
        title=(entry.title if entity == "all" else f"{entry.title} of {entity}") + place_of(measured, analysis, entity),
        locator=measured.promql,
        url=backend.graph_url(measured.promql, view.lead_start, view.end),
        excerpt=summary(measured, entity),
        facts=facts,
        series=samples(measured),
        observed_at=datetime.fromtimestamp(newest, UTC) if newest else None,
    )


def samples(measured: Measured) -> tuple[tuple[float, float], ...]:
    """The points behind it, epoch seconds and values, those that a report shows; none where all are bounds."""
    if is_all_bound(measured):
        return ()
    points = thinned(measured.times, measured.values, measured.resolved.known.entry.worse)
    return tuple((datetime.fromisoformat(at).timestamp(), value) for at, value in points if value is not None)


def metric_facts(measured: Measured, entity: str) -> Iterator[tuple[str, Fact]]:
    """The facts of one metric; those that are not known are left out."""
    known, reading, change = measured.resolved.known, measured.reading, measured.reading.change
    yield "metric", Fact(value=known.entry.title, entity=entity)
    yield "metric_name", Fact(value=known.name, entity=entity)
    yield "role", Fact(value=known.entry.role, entity=entity)
    for label, value in measured.resolved.applied:
        yield label, Fact(value=value, entity=entity)
    for name, level in (("baseline", reading.baseline), ("current", reading.current), ("last_known", reading.last)):
        if level is not None:
            yield name, level_fact(measured, level, entity)
    if reading.peak is not None and reading.peak_at is not None:
        at = datetime.fromtimestamp(reading.peak_at, UTC)
        yield "peak", level_fact(measured, reading.peak, entity, at)
        yield "peak_at", time_fact(rfc3339(at), entity)
    if reading.change_pct is not None:
        yield "change_pct", Fact(value=number(reading.change_pct) or 0.0, unit="percent", entity=entity)
    yield "direction", Fact(value=reading.direction, entity=entity)
    if reading.baseline_of:
        yield "baseline_of", Fact(value=reading.baseline_of, entity=entity)
    yield from wave_facts(measured, entity)
    if change is not None:
        yield "onset_at", time_fact(moment(change.at), entity)
        yield "onset_confidence", Fact(value=change.confidence, unit="ratio", entity=entity)
        if change.ended_at is not None:
            yield "recovered_at", time_fact(moment(change.ended_at), entity)
    if measured.newest is not None:
        yield "newest_at", time_fact(moment(measured.newest), entity)
    for first, last in measured.holes[:1]:
        yield "missing_from", time_fact(moment(first), entity)
        yield "missing_until", time_fact(moment(last), entity)
    yield "samples", Fact(value=reading.samples, unit="count", entity=entity)


def level_fact(measured: Measured, level: float, entity: str, at: datetime | None = None) -> Fact:
    """A level with its unit; of one that the buckets do not tell, the bound in words."""
    return value_fact(level, measured.resolved.known.entry.unit, measured.edge(level), entity, at)


def value_fact(value: float, unit: str, edge: Edge | None, entity: str, at: datetime | None = None) -> Fact:
    """A value with its unit; the bound in words where ``edge`` says that the buckets do not tell it."""
    if edge:
        return Fact(value=edge.said(unit), entity=entity, at=at)
    return Fact(value=number(value) or 0.0, unit=unit, entity=entity, at=at)


def wave_facts(measured: Measured, entity: str) -> Iterator[tuple[str, Fact]]:
    """Between what a metric went up and down that is where it was before; none when it is level."""
    entry, inside = measured.resolved.known.entry, measured.values[measured.times >= measured.view.start]
    is_level = measured.reading.direction == "steady" and not measured.is_bound
    between = wave(inside, entry.floor) if is_level else None
    for name, level in zip(("lowest", "highest"), between or (), strict=False):
        yield name, Fact(value=number(level) or 0.0, unit=entry.unit, entity=entity)


def time_fact(text: str | None, entity: str) -> Fact:
    """A moment."""
    return Fact(value=text or "", unit="time", entity=entity)


def summary(measured: Measured, entity: str) -> str:
    """One plain line."""
    entry, reading = measured.resolved.known.entry, measured.reading
    change = reading.change
    subject = entry.title if entity == "all" else f"{entry.title} of {entity}"
    now = measured.said(reading.current)
    if reading.last is not None:
        now = f"unknown, last {measured.said(reading.last)} at {moment(measured.newest)}"
    parts = [f"{subject}: {measured.said(reading.baseline)} → {now}"]
    if measured.is_bound:
        parts[0] += "; the buckets tell no more"
    elif reading.change_pct is not None:
        parts[0] += f" ({reading.change_pct:+.0f} %)"
    if change:
        parts.append(f"{reading.direction} at {moment(change.at)}")
        parts[-1] += {"spikes": " in spikes", "drift": " in a slow drift"}.get(change.kind, "")
    else:
        parts.append(reading.direction)
    if reading.peak is not None:
        word = "lowest" if entry.worse == "down" else "peak"
        parts.append(f"{word} {measured.said(reading.peak)} at {moment(reading.peak_at)}")
    if change and change.ended_at is not None:
        parts.append(f"back since {moment(change.ended_at)}")
    return "; ".join((", ".join(parts), *measured.resolved.remarks))


def deploy_evidence(deploy: Deploy) -> Evidence:
    """One deploy."""
    at = rfc3339(deploy.at.astimezone(UTC))
    facts = {
        "service": Fact(value=deploy.service, entity=deploy.service),
        "version": Fact(value=deploy.version, entity=deploy.service),
        "at": Fact(value=at, unit="time", entity=deploy.service),
        "source": Fact(value=deploy.source, entity=deploy.service),
    }
    if deploy.commit:
        facts["commit"] = Fact(value=deploy.commit, unit="commit", entity=deploy.service)
    commit = f", commit {deploy.commit[:12]}" if deploy.commit else ""
    return Evidence(
        kind="deploy",
        title=f"deploy {deploy.service} {deploy.version}",
        locator=f"{deploy.service}@{deploy.commit[:12] or deploy.version}",  # services of one repository share commits
        excerpt=f"{deploy.service} {deploy.version}{commit}, deployed at {at} (known from {deploy.source})",
        facts=facts,
        observed_at=deploy.at,
    )


NO_ALERT_RULES = "no alert rules"


def count_evidence(alerts: Sequence[Alert], start: datetime, end: datetime, *, no_rules: bool = False) -> Evidence:
    """How many alerts fire in the environment that is asked about: none is a result too. Neither heartbeats
    nor lacks of data count.

    Args:
        alerts: those of the window.
        start: of the window.
        end: of the window.
        no_rules: the server has no rule that could fire, so that none says nothing of how things stand.
    """
    firing = sum(alert.is_trouble for alert in alerts)
    elsewhere = sum(alert.state == "firing" and bool(alert.environment) for alert in alerts)
    besides = f", {elsewhere} more in other environments" if elsewhere else ""
    return Evidence(
        kind="alert",
        title="firing alerts",
        locator='count(ALERTS{alertstate="firing"})',
        excerpt=f"this server has {NO_ALERT_RULES}" if no_rules else f"{firing} alerts firing{besides}",
        facts={
            "firing": Fact(value=firing, unit="count", entity="all"),
            "window_start": time_fact(rfc3339(start), "all"),
            "window_end": time_fact(rfc3339(end), "all"),
            **({"rules": Fact(value=NO_ALERT_RULES, entity="all")} if no_rules else {}),
        },
        observed_at=end,
    )


def alert_evidence(alert: Alert, start: datetime, end: datetime) -> Evidence:
    """One alert."""
    entity = alert.labels.get("endpoint") or alert.labels.get("service") or alert.name
    facts = {
        "name": Fact(value=alert.name, entity=entity),
        "state": Fact(value=alert.state, entity=entity),
        "window_start": time_fact(rfc3339(start), entity),
        "window_end": time_fact(rfc3339(end), entity),
    }
    for name, at in (("since", alert.since), ("until", alert.until), ("active_at", alert.active_at)):
        if at is not None:
            facts[name] = time_fact(moment(at), entity)
    if "severity" in alert.labels:
        facts["severity"] = Fact(value=alert.labels["severity"], entity=entity)
    for name, text in (("expr", alert.expr), ("summary", alert.summary)):
        if text:
            facts[name] = Fact(value=text, entity=entity)
    if alert.runbook_url:
        facts["runbook"] = Fact(value=alert.runbook_url, unit="url", entity=entity)
    heartbeat, about = is_heartbeat(alert.name, alert.labels), object_of(alert.labels)
    no_data = is_no_data(alert.name, alert.labels)
    for name, text in (
        ("environment", alert.environment),
        ("object", about),
        ("heartbeat", "yes" if heartbeat else ""),
        ("no_data", "yes" if no_data else ""),
    ):
        if text:
            unit = "name" if name == "object" and PLAIN_NAME.fullmatch(text) else "text"
            facts[name] = Fact(value=text, unit=unit, entity=entity)
    facts |= {f"label_{k}": Fact(value=v, entity=entity) for k, v in alert.labels.items()}
    since = f" since {moment(alert.since)}" if alert.since else ""
    until = f" until {moment(alert.until)}" if alert.until else ""
    labels = ", ".join(f"{k} {v}" for k, v in alert.labels.items())
    where = f"{alert.environment}: " if alert.environment else ""
    what = "; a heartbeat, which always fires, and no trouble" if heartbeat else f"; about {about}" if about else ""
    what += "; there is no data, which is neither trouble nor health" if no_data else ""
    return Evidence(
        kind="alert",
        title=f"{where}alert {alert.name} {alert.state}",
        locator=f"ALERTS{{alertname={promql_string(alert.name)}}}",
        excerpt=f"{where}{alert.name} {alert.state}{since}{until}" + (f" ({labels})" if labels else "") + what,
        facts=facts,
        observed_at=end,
    )


def count_facts(measured: Measured, others: Iterable[Measured], entity: str) -> Iterator[tuple[str, Fact]]:
    """``failed`` and ``requests`` of the window, beside a share of errors; nothing where the requests of the same
    things were not measured with it.

    Moments without either value are left out: where samples are missing, less is counted than there was.
    """
    entry, applied = measured.resolved.known.entry, dict(measured.resolved.applied)
    traffic = next((m for m in others if is_traffic(m) and dict(m.resolved.applied) == applied), None)
    if entry.role != "errors" or entry.unit != "ratio" or traffic is None or traffic.view != measured.view:
        return
    inside = measured.times > measured.view.start
    rate, share = traffic.values[inside], measured.values[inside]
    known = np.isfinite(rate) & np.isfinite(share)
    counted = rate[known] * measured.view.step
    yield "requests", Fact(value=round(float(counted.sum())), unit="count", entity=entity)
    yield "failed", Fact(value=round(float((counted * share[known]).sum())), unit="count", entity=entity)


def is_traffic(measured: Measured) -> bool:
    """Whether it says how many requests there are each second."""
    entry = measured.resolved.known.entry
    return entry.role == "traffic" and entry.unit == "/s"
