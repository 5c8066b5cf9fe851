"""What alerts have in common, and where they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.contracts import AlertEvent

PLACES = ("service", "job", "app", "application", "service_name")
ROUTES = ("endpoint", "route", "handler", "http_route", "path", "uri")
"""Labels that say of what an alert is, the plainest first."""
URGENT = ("critical", "page", "p1", "sev1", "high", "error", "p2", "sev2", "warning")
"""Severities, the most severe first."""


def labels_of(alert: AlertEvent) -> dict[str, str]:
    """All labels of an alert, its name among them."""
    return {"alertname": alert.name, **alert.labels}


def shared_labels(alerts: Sequence[AlertEvent]) -> dict[str, str]:
    """The labels that all of some alerts have."""
    common = labels_of(alerts[0]) if alerts else {}
    for alert in alerts[1:]:
        own = labels_of(alert)
        common = {name: value for name, value in common.items() if own.get(name) == value}
    return common


def channel_of(routes: Mapping[str, str], default: str, alerts: Sequence[AlertEvent]) -> str:
    """The channel where alerts are told: the first whose ``label=value`` all of them have, else the default."""
    told = {f"{name}={value}" for name, value in shared_labels(alerts).items()}
    return next((channel for label, channel in routes.items() if label in told), default)


def first_of(labels: Mapping[str, str], names: Sequence[str]) -> str:
    """The value of the first of some labels that is there."""
    return next((labels[name] for name in names if labels.get(name)), "")


def asked_about(alerts: Sequence[AlertEvent]) -> str:
    """What someone who is woken by these alerts wants to know first."""
    firing = [alert for alert in alerts if alert.state == "firing"] or list(alerts)
    first = min(firing, key=urgency)
    labels = labels_of(first)
    places = dict.fromkeys(filter(None, (first_of(labels, PLACES), first_of(labels, ROUTES))))
    return f"Why is {first.name} firing{' for ' + ' '.join(places) if places else ''}?"


def urgency(alert: AlertEvent) -> int:
    """Alerts that somebody is woken for come first."""
    level = (alert.labels.get("severity") or alert.labels.get("priority") or "").lower()
    return URGENT.index(level) if level in URGENT else len(URGENT)
