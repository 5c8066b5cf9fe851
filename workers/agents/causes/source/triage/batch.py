"""Alerts that fired, and what is known around them: series, log patterns, changes, open incidents. Times are epoch
seconds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from workers.agents.causes.source.bundle import find_files, moment_of, read_json, read_metrics, rows_of, word
from workers.agents.causes.source.incident import Series
from workers.errors import ConfigError

BATCH_FILES = ("alerts", "pages")
"""Names of the file of alerts, without ``.json``; a folder without one may hold a single ``alert.json``."""
STARTS = ("starts_at", "start", "window_start", "from", "timestamp", "time", "at", "opened_at", "created_at")
ENDS = ("ends_at", "end", "window_end", "until", "to", "expires_at")
LIMIT_WORDS = frozenset("expected max maximum peak ceiling limit allowed budget tolerance bound cap".split())
SCOPE_WORDS = frozenset("services scope affected components targets".split())
UNITS = frozenset("pct percent ratio ms s seconds count total rate bytes records per min".split())
"""Words of names that say how something is counted, not what."""
PERCENT = frozenset({"pct", "percent"})
CLOSED = frozenset("resolved closed done cancelled canceled postmortem".split())
UNOWNED = frozenset("triggered unacknowledged unacked unassigned new none".split())
"""States and owners of incidents that nobody works on yet."""
MAINTENANCE = frozenset({"maintenance", "maint"})
PLANNED = MAINTENANCE | {"planned", "scheduled"}
HOUR_S = 3_600.0


@dataclass(frozen=True)
class FiredAlert:
    """An alert as it fired.

    ``value`` and ``threshold``: in the metric's unit, None when not known; ``fires``: how often it fired in the hour
    before; ``resolved_after_s``: None when it never cleared; ``pattern``, ``release``: log lines and deploy, by id.
    """

    id: str
    service: str
    metric: str
    monitor: str = ""
    severity: str = ""
    environment: str = ""
    at: float | None = None
    value: float | None = None
    threshold: float | None = None
    fires: int = 1
    resolved_after_s: float | None = None
    pattern: str = ""
    release: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What it watches: the service and the metric."""
        return self.service, self.metric

    @property
    def below(self) -> bool:
        """Whether it fires when the metric is too low."""
        return self.value is not None and self.threshold is not None and self.value < self.threshold


@dataclass(frozen=True)
class AlertPattern:
    """Log lines of one shape. ``growth_pct``: how many more than usual; ``negative``: they tell of trouble."""

    id: str
    text: str
    growth_pct: float
    negative: bool


@dataclass(frozen=True)
class OpenIncident:
    """An incident that somebody works on."""

    id: str
    service: str
    metric: str
    pattern: str
    owner: str


@dataclass(frozen=True)
class Change:
    """A deploy, a job or planned work. ``until``: the end of its window, None when it has none; ``limits``: what it was
    said to reach at most, by name; ``pattern``: the log lines that it makes."""

    name: str
    services: tuple[str, ...]
    at: float
    until: float | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    pattern: str = ""

    def limit_of(self, metric: str) -> float | None:
        """How far a metric was said to go, in its unit; None when nothing was said of it."""
        words = name_words(metric)
        said = {name: v for name, v in self.limits.items() if (words - UNITS) & (name_words(name) - UNITS)}
        fractions = (v / 100 if name_words(n) & PERCENT and not words & PERCENT else v for n, v in said.items())
        return max(fractions, default=None)


@dataclass(frozen=True)
class AlertBatch:
    """Everything that is known. ``unread``: what could not be read, in sentences."""

    alerts: tuple[FiredAlert, ...]
    series: tuple[Series, ...] = ()
    patterns: tuple[AlertPattern, ...] = ()
    incidents: tuple[OpenIncident, ...] = ()
    changes: tuple[Change, ...] = ()
    unread: tuple[str, ...] = ()

    @cached_property
    def pattern_by_id(self) -> dict[str, AlertPattern]:
        """The log patterns by their ids."""
        return {p.id: p for p in self.patterns}

    @cached_property
    def series_by_key(self) -> dict[tuple[str, str], Series]:
        """The series by service and metric."""
        return {(s.service, s.metric): s for s in self.series}

    def next_fire(self, alert: FiredAlert) -> float:
        """When the same alert fired again; infinite when it did not."""
        later = (a.at for a in self.alerts if a.key == alert.key and a.at is not None)
        return min((at for at in later if alert.at is not None and at > alert.at), default=math.inf)

    def series_of(self, alert: FiredAlert) -> Series | None:
        """Its own series, or that of the same metric of a thing that its log lines name."""
        own = self.series_by_key.get(alert.key)
        return own or next((s for s in self.named_series(alert) if s.metric == alert.metric), None)

    def named_series(self, alert: FiredAlert) -> Iterator[Series]:
        """Series of what the alert's log lines name, such as a node or a queue."""
        pattern = self.pattern_by_id.get(alert.pattern)
        for series in self.series:
            if pattern and series.service and series.service != alert.service and series.service in pattern.text:
                yield series


def read_alerts(folder: Path) -> AlertBatch:
    """The alerts that the files of a folder tell of, at any depth.

    ``alerts.json`` or ``pages.json`` (a list; or one ``alert.json``), ``alert_history.json`` (earlier fires),
    ``metrics.csv``, ``patterns.json``, ``deploys.json``, ``incidents_open.json``; rows of other JSON files that have a
    start and an end are planned work, and so are open incidents whose status says so.

    Raises:
        ConfigError: there is no folder, or no alert in it.
    """
    files = find_files(folder)
    unread: list[str] = []

    def items(*names: str) -> list[dict[str, Any]]:
        return [row for name in names if name in files for row in rows_of(read_json(files[name], unread))]

    named = next((name for name in (*BATCH_FILES, "alert") if name in files), "")
    alerts = tuple(read_alert(row, f"A{i:02}") for i, row in enumerate(items(named), 1))
    if not alerts:
        raise ConfigError(f"--bundle: {folder.name} holds no alerts.json")
    known = {named, "alert", "alert_history", "metrics", "patterns", "deploys", "incidents_open"}
    others = [name for name, p in files.items() if p.suffix == ".json" and name not in known]
    planned = [c for c in map(read_change, items(*others)) if c is not None and c.until is not None]
    opened = [row for row in items("incidents_open") if state_of(row) not in CLOSED]
    works = [row for row in opened if is_planned(row)]
    history = items("alert_history")
    return AlertBatch(
        alerts=tuple(with_history(a, history) for a in alerts),
        series=read_metrics(files["metrics"]) if "metrics" in files else (),
        patterns=tuple(map(read_pattern, items("patterns"))),
        incidents=tuple(read_incident(row) for row in opened if row not in works and is_owned(row)),
        changes=(*filter(None, map(read_change, [*items("deploys"), *works])), *planned),
        unread=tuple(dict.fromkeys(unread)),
    )


def has_batch(folder: Path) -> bool:
    """Whether a folder holds several alerts, and not one incident."""
    return any(next(folder.rglob(f"{name}.json"), None) for name in BATCH_FILES)


# --- rows -------------------------------------------------------------------------------------------------------


def read_alert(row: Mapping[str, Any], otherwise: str) -> FiredAlert:
    """An alert; ``otherwise``: its id where it has none."""
    return FiredAlert(
        id=word(row, "id", "alert_id", "page_id") or otherwise,
        service=word(row, "service"),
        metric=word(row, "metric") or word(row, "monitor", "name"),
        monitor=word(row, "monitor", "name"),
        severity=word(row, "severity", "priority"),
        environment=word(row, "environment", "env"),
        at=seconds_of(row, "fired_at", *STARTS),
        value=number_of(row, "value"),
        threshold=number_of(row, "threshold"),
        fires=int(number_of(row, "fired_count_last_1h", "fires_last_hour") or 1),
        resolved_after_s=number_of(row, "auto_resolved_after_s", "resolved_after_s"),
        pattern=word(row, "related_pattern", "pattern_id", "pattern"),
        release=word(row, "recent_deploy", "deploy", "version"),
    )


def with_history(alert: FiredAlert, history: list[dict[str, Any]]) -> FiredAlert:
    """The alert with how often it fired in the hour before, and how soon it cleared then, where a history tells it."""
    fires: list[float] = []
    cleared: list[float] = []
    for row in history:
        at, end = seconds_of(row, "fired_at", *STARTS), seconds_of(row, "resolved_at", *ENDS)
        same = word(row, "service") == alert.service and word(row, "metric", "monitor") in {alert.metric, alert.monitor}
        if not same or at is None or alert.at is None or not alert.at - HOUR_S <= at <= alert.at:
            continue
        if at < alert.at:
            fires.append(at)
        cleared += [end - at] if end is not None else []
    took = alert.resolved_after_s if alert.resolved_after_s is not None or not cleared else median(cleared)
    return replace(alert, fires=max(alert.fires, len(fires) + 1), resolved_after_s=took)


def read_pattern(row: Mapping[str, Any]) -> AlertPattern:
    """A log pattern whose growth is a percentage."""
    mood = word(row, "sentiment", "severity", "level").lower()
    return AlertPattern(
        id=word(row, "pattern_id", "id"),
        text=word(row, "signature", "pattern", "template"),
        growth_pct=number_of(row, "delta_vs_baseline_pct", "growth_pct") or 0.0,
        negative=mood.startswith(("neg", "err", "warn", "fatal", "crit")),
    )


def read_incident(row: Mapping[str, Any]) -> OpenIncident:
    """An incident."""
    return OpenIncident(
        id=word(row, "incident_id", "id"),
        service=word(row, "service"),
        metric=word(row, "metric"),
        pattern=word(row, "related_pattern", "pattern_id"),
        owner=word(row, "owner", "assignee"),
    )


def is_planned(row: Mapping[str, Any]) -> bool:
    """Whether a row is of work that was announced: its state or kind says so, or its name speaks of maintenance."""
    named = " ".join(word(row, key) for key in ("incident_id", "id", "name", "title", "summary"))
    kind = name_words(f"{state_of(row)} {word(row, 'kind', 'type')}")
    return bool(kind & PLANNED) or bool(name_words(named) & MAINTENANCE)


def state_of(row: Mapping[str, Any]) -> str:
    """How an incident stands."""
    return word(row, "status", "state").lower()


def is_owned(row: Mapping[str, Any]) -> bool:
    """Whether somebody works on an incident: it is not merely there, and where an owner is told of, there is one."""
    owners = [row[key] for key in ("owner", "assignee") if key in row]
    nobody = bool(owners) and all(not owner or str(owner).lower() in UNOWNED for owner in owners)
    return not nobody and state_of(row) not in UNOWNED


def read_change(row: Mapping[str, Any]) -> Change | None:
    """A deploy or planned work; None without a time. A window is two moments, or one text with both; planned work whose
    end is not told lasts."""
    window = row.get("window")
    if isinstance(window, str) and "/" in window:
        window = dict(zip(("start", "end"), window.split("/", 1), strict=True))
    whole = {**row, **window} if isinstance(window, Mapping) else row
    at = seconds_of(whole, *STARTS)
    if at is None:
        return None
    scopes = [v for k, v in row.items() if isinstance(v, list) and name_words(k) & SCOPE_WORDS and "out" not in k]
    named = (word(row, "service", "component"), *(s for scope in scopes for s in scope if isinstance(s, str)))
    inner = {f"{k}_{i}": v for k, part in row.items() if isinstance(part, Mapping) for i, v in part.items()}
    limits = {k: float(v) for k, v in {**row, **inner}.items() if is_number(v) and name_words(k) & LIMIT_WORDS}
    return Change(
        name=word(row, "version", "name", "id", "incident_id", "title", "summary"),
        services=tuple(filter(None, named)),
        at=at,
        until=seconds_of(whole, *ENDS) or (math.inf if is_planned(row) else None),
        limits=limits,
        pattern=word(row, "related_pattern", "pattern_id"),
    )


# --- values -----------------------------------------------------------------------------------------------------


def is_number(value: Any) -> bool:
    """Whether a JSON value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def number_of(row: Mapping[str, Any], *keys: str) -> float | None:
    """The first value of some keys that is a number."""
    return next((float(row[k]) for k in keys if is_number(row.get(k))), None)


def seconds_of(row: Mapping[str, Any], *keys: str) -> float | None:
    """The first value of some keys that is a time, in epoch seconds."""
    found = moment_of(row, *keys)
    return found.timestamp() if found else None


def name_words(name: str) -> frozenset[str]:
    """The words of a name."""
    return frozenset(re.findall(r"[a-z0-9]+", name.lower()))
