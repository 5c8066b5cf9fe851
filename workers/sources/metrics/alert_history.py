"""Alerts that Alertmanager told of, beside those that a server's samples and live list show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from workers.contracts import AlertEvent
from workers.errors import StoreUnavailable, ToolUnavailable
from workers.sources.metrics.backend import Alert

TOGETHER_S = 600.0  # Alertmanager waits before it tells, and a server's samples are minutes apart
Told = Callable[[float, float], tuple[Alert, ...]]
"""The alerts that were told of and fired between two moments, epoch seconds; what ended later fires still."""


def no_alert_history(start: float, end: float) -> tuple[Alert, ...]:
    """Nobody tells of alerts."""
    del start, end
    return ()


def alert_history(alerts: Callable[[datetime, datetime], tuple[AlertEvent, ...]]) -> Told:
    """Stored events as alerts. What it returns raises `ToolUnavailable` when they cannot be read."""

    def told(start: float, end: float) -> tuple[Alert, ...]:
        try:
            events = alerts(datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC))
        except StoreUnavailable as error:
            raise ToolUnavailable(f"the alerts that were told of cannot be read: {error}") from error
        return tuple(as_alert(event, end) for event in events)

    return told


def as_alert(event: AlertEvent, end: float) -> Alert:
    """An event as it stood at a moment."""
    ended = event.ends_at.timestamp() if event.ends_at else None
    over = ended is not None and ended <= end
    return Alert(
        name=event.name,
        state="resolved" if over else "firing",
        since=event.starts_at.timestamp(),
        labels=event.labels,
        until=ended if over else None,
        summary=event.summary,
        runbook_url=event.runbook_url,
    )


def with_alert_history(alerts: Sequence[Alert], told: Iterable[Alert]) -> list[Alert]:
    """Each alert once: the server knows its state, who told of it when it began and what it means."""
    out = list(alerts)
    for event in told:
        place = next((i for i, alert in enumerate(out) if is_same(alert, event)), None)
        if place is None:
            out.append(event)
            continue
        known = out[place]
        out[place] = replace(
            known,
            since=known.since if known.since is not None else event.since,
            until=known.until if known.until is not None or known.state != "resolved" else event.until,
            summary=event.summary,
            runbook_url=event.runbook_url,
        )
    return [a for a in out if a.state != "inactive" or not any(o is not a and o.name == a.name for o in out)]


def is_same(alert: Alert, event: Alert) -> bool:
    """Whether both are one: Alertmanager's labels are those of the server and what it added to them."""
    if alert.name != event.name or not alert.labels.items() <= event.labels.items() or alert.state == "inactive":
        return False
    return alert.since is None or event.since is None or abs(alert.since - event.since) <= TOGETHER_S
