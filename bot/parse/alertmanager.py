"""Alertmanager's webhook -> alerts.

Source: Alertmanager's ``webhook_config``, version 4 of its payload.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Literal

from bot.parse.hooks import LONGEST_ENVIRONMENT, LONGEST_NAME, Unreadable
from workers.contracts import AlertEvent, AlertNotification
from workers.language.alert_labels import STATE_REASON
from workers.language.environment_labels import PRODUCTION
from workers.language.environment_names import environment_of
from workers.language.payload_values import encodable, parse_moment, text_at, value_at

LONGEST_FINGERPRINT = LONGEST_KEY = 64
MOST_LABELS = 64
LONGEST_VALUE = 1_000
LONGEST_LINK = 2_000
FNV_OFFSET, FNV_PRIME, SEPARATOR = 0xCBF29CE484222325, 0x100000001B3, b"\xff"
UNFILLED = re.compile(r"\{\{[^{}]{0,200}\}\}")
STATES: dict[str, Literal["firing", "resolved"]] = {"firing": "firing", "resolved": "resolved"}


def read_notification(payload: Any, environment: str = PRODUCTION) -> AlertNotification:
    """The alerts of a notification, and the group they are of.

    One that cannot be read does not lose the others: it is told under ``refused``.

    Args:
        payload: the body.
        environment: the configured one, of alerts that name none.

    Raises: Unreadable: it is no notification, or none of its alerts can be read.
    """
    given, left_out = value_at(payload, "alerts"), value_at(payload, "truncatedAlerts")
    if not isinstance(given, list):
        raise Unreadable("alerts: Alertmanager's webhook has a list of them (version 4)")
    alerts: list[AlertEvent] = []
    refused: list[str] = []
    for i, alert in enumerate(given):
        try:
            alerts.append(read_alert(alert, f"alerts[{i}]", environment))
        except Unreadable as error:
            refused.append(str(error))
    if refused and not alerts:
        raise Unreadable(refused[0])
    return AlertNotification(
        key=short_key(text_at(payload, "groupKey")),
        url=encodable(text_at(payload, "externalURL"))[:LONGEST_VALUE],
        truncated=left_out if isinstance(left_out, int) and left_out > 0 else 0,
        refused=tuple(refused),
        alerts=tuple(alerts),
    )


def short_key(key: str) -> str:
    """A group's key, hashed where it is long."""
    key = encodable(key)
    return key if len(key) <= LONGEST_KEY else hashlib.sha256(key.encode()).hexdigest()


def read_alert(alert: Any, place: str, environment: str) -> AlertEvent:
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
    fingerprint = fingerprint_of(alert, place)
    labels, notes = texts(alert.get("labels")), texts(alert.get("annotations"))
    if state == "firing" and (reason := notes.get("grafana_state_reason")):
        labels[STATE_REASON] = reason
    return AlertEvent(
        fingerprint=fingerprint,
        name=(labels.get("alertname") or fingerprint)[:LONGEST_NAME],
        state=state,
        starts_at=starts,
        ends_at=max(starts, ends) if ends else None,
        labels={name: value for name, value in labels.items() if name != "alertname"},
        summary=summary_of(notes),
        runbook_url=notes.get("runbook_url", "") or notes.get("runbook", ""),
        generator_url=encodable(text_at(alert, "generatorURL"))[:LONGEST_LINK],
        environment=environment_of(labels, environment)[:LONGEST_ENVIRONMENT],
    )


def summary_of(notes: Mapping[str, str]) -> str:
    """What an alert says of itself; rather a note whose template was filled in, and none of what was not."""
    said = [notes[name] for name in ("summary", "message", "description") if notes.get(name)]
    whole = [text for text in said if "{{" not in text] or [UNFILLED.sub("", text).strip() for text in said]
    return whole[0] if whole else ""


def fingerprint_of(alert: Mapping[str, Any], place: str) -> str:
    """What is sent, else what Alertmanager makes of the labels. Raises: Unreadable: neither is there."""
    given = text_at(alert, "fingerprint").strip()
    if given and len(given) <= LONGEST_FINGERPRINT and given.isprintable():
        return given
    labels = value_at(alert, "labels")
    named = {k: v for k, v in labels.items() if isinstance(v, str)} if isinstance(labels, Mapping) else {}
    if not named:
        raise Unreadable(f"{place}: it has neither a fingerprint nor labels to make one from")
    return label_fingerprint(named)


def label_fingerprint(labels: Mapping[str, str]) -> str:
    """FNV-1a of 64 bits over names and values, each with a byte 255 after it, by the names' order: 16 hex digits.

    Source: ``labelSetToFingerprint`` of prometheus/common, which gives Alertmanager's alerts their fingerprints.
    """
    value = FNV_OFFSET
    for name, text in sorted((encodable(n), encodable(t)) for n, t in labels.items()):
        for byte in name.encode() + SEPARATOR + text.encode() + SEPARATOR:
            value = ((value ^ byte) * FNV_PRIME) & (2**64 - 1)
    return f"{value:016x}"


def texts(values: Any) -> dict[str, str]:
    """Labels or annotations, as many and as long as are kept."""
    if not isinstance(values, Mapping):
        return {}
    found = [
        (encodable(k)[:LONGEST_NAME], encodable(v)[:LONGEST_VALUE]) for k, v in values.items() if isinstance(v, str)
    ]
    return dict(found[:MOST_LABELS])
