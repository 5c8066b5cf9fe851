"""What alerts have in common, and where they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.contracts import AlertEvent
from workers.language.alert_labels import gravity, is_calm, object_of, route_of, service_of, severity_of
from workers.language.environment_labels import PRODUCTION
from workers.language.environment_names import is_elsewhere


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


def things_of(labels: Mapping[str, str]) -> tuple[str, ...]:
    """What an alert is about: its service and route, else whatever else its labels name; nothing where they do not."""
    return tuple(dict.fromkeys(filter(None, (service_of(labels), route_of(labels), object_of(labels)))))


def gravest(alerts: Sequence[AlertEvent], environment: str = PRODUCTION) -> AlertEvent | None:
    """The alert that someone who is woken wants to know of first.

    Args:
        alerts: of one group.
        environment: the one that questions are about.

    Returns: None when nobody is woken: none is trouble of that environment.
    """
    told = [alert for alert in alerts if is_trouble(alert, environment)]
    firing = [alert for alert in told if alert.state == "firing"] or told
    return min(firing, key=lambda alert: gravity(severity_of(alert.labels)), default=None)


def question_about(alert: AlertEvent) -> str:
    """What someone who is woken by an alert wants to know first."""
    things = things_of(alert.labels)
    return f"Why is {alert.name} firing{' for ' + ' '.join(things) if things else ''}?"


def is_trouble(alert: AlertEvent, environment: str) -> bool:
    """Whether an alert is of an environment, and neither a heartbeat nor a lack of data."""
    return not is_calm(alert.name, alert.labels) and not is_elsewhere(alert.environment, environment)
