"""Alertmanager's webhook -> alerts.

Source: Alertmanager's ``webhook_config``, version 4 of its payload.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from bot.parse.hooks import LONGEST_NAME, Unreadable, parse_moment, read_text
from workers.contracts import AlertEvent, AlertNotification
from workers.language.slack_text import encodable, text_at, value_at

LONGEST_FINGERPRINT = LONGEST_KEY = 64
MOST_LABELS = 64
LONGEST_VALUE = 1_000
LONGEST_LINK = 2_000
STATES: dict[str, Literal["firing", "resolved"]] = {"firing": "firing", "resolved": "resolved"}


def read_notification(payload: Any) -> AlertNotification:
    """The alerts of a notification, and the group they are of. Raises: Unreadable."""
    alerts, left_out = value_at(payload, "alerts"), value_at(payload, "truncatedAlerts")
    if not isinstance(alerts, list):
        raise Unreadable("alerts: Alertmanager's webhook has a list of them (version 4)")
    return AlertNotification(
        key=short_key(text_at(payload, "groupKey")),
        url=encodable(text_at(payload, "externalURL"))[:LONGEST_VALUE],
        truncated=left_out if isinstance(left_out, int) and left_out > 0 else 0,
        alerts=tuple(read_alert(alert, f"alerts[{i}]") for i, alert in enumerate(alerts)),
    )


def short_key(key: str) -> str:
    """A group's key, hashed where it is long."""
    key = encodable(key)
    return key if len(key) <= LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()


def read_alert(alert: Any, place: str) -> AlertEvent:
    """One alert. Raises: Unreadable."""
    if not isinstance(alert, Mapping):
        raise Unreadable(f"{place}: it is not an object")
    state = STATES.get(text_at(alert, "status"))
    if state is None:
        raise Unreadable(f"{place}.status: it is neither firing nor resolved")
    starts = parse_moment(alert.get("startsAt"))
    ends = parse_moment(alert.get("endsAt")) if state == "resolved" else None
    if starts is None or (state == "resolved" and ends is None):
        raise Unreadable(f"{place}.{'endsAt' if starts else 'startsAt'}: it is not an RFC 3339 moment")
    fingerprint = read_text(alert.get("fingerprint"), f"{place}.fingerprint", LONGEST_FINGERPRINT)
    labels, notes = texts(alert.get("labels")), texts(alert.get("annotations"))
    return AlertEvent(
        fingerprint=fingerprint,
        name=(labels.get("alertname") or fingerprint)[:LONGEST_NAME],
        state=state,
        starts_at=starts,
        ends_at=max(starts, ends) if ends else None,
        labels={name: value for name, value in labels.items() if name != "alertname"},
        summary=next((notes[name] for name in ("summary", "message", "description") if notes.get(name)), ""),
        runbook_url=notes.get("runbook_url", "") or notes.get("runbook", ""),
        generator_url=encodable(text_at(alert, "generatorURL"))[:LONGEST_LINK],
    )


def texts(values: Any) -> dict[str, str]:
    """Labels or annotations, as many and as long as are kept."""
    if not isinstance(values, Mapping):
        return {}
    found = [
        (encodable(k)[:LONGEST_NAME], encodable(v)[:LONGEST_VALUE]) for k, v in values.items() if isinstance(v, str)
    ]
    return dict(found[:MOST_LABELS])
