"""Alertmanager's webhook, read as alerts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse.alertmanager import read_notification
from bot.parse.hooks import Unreadable
from tests.support.hook_payloads import alertmanager, one_alert
from tests.unit.bot.parse.test_hooks import JSON
from workers.contracts import AlertEvent, AlertNotification

START = datetime(2026, 11, 21, 11, 4, 0, 123_456, tzinfo=UTC)


def read(**changes: Any) -> AlertEvent:
    told = read_notification(alertmanager(one_alert(**changes)))
    assert told.truncated == 0
    (alert,) = told.alerts
    return alert


def test_an_alert_that_fires() -> None:
    assert read() == AlertEvent(
        fingerprint="6d1f8c3a9b0e4d27",
        name="SearchLatencyHigh",
        state="firing",
        starts_at=START,
        labels={"service": "shop", "severity": "page"},
        summary="p95 is 1.9 s",
        runbook_url="https://wiki.example/search",
        generator_url="http://prometheus:9090/graph?g0.expr=up",
    )


def test_an_alert_that_is_resolved() -> None:
    alert = read(state="resolved")
    assert (alert.state, alert.ends_at) == ("resolved", datetime(2026, 11, 21, 11, 30, 0, 500_000, tzinfo=UTC))
    assert read(state="resolved", endsAt="2026-11-21T09:00:00Z").ends_at == START, "no alert ends before it starts"


def test_what_may_be_missing() -> None:
    alert = read(labels={}, annotations=None)
    assert (alert.name, alert.labels, alert.summary, alert.runbook_url) == ("6d1f8c3a9b0e4d27", {}, "", "")
    assert read(annotations={"description": "d", "message": "m"}).summary == "m"
    assert read_notification({"alerts": []}) == AlertNotification()


def test_what_alertmanager_left_out_is_counted() -> None:
    assert read_notification(alertmanager(one_alert(), truncatedAlerts=7)).truncated == 7
    assert read_notification(alertmanager(one_alert(), truncatedAlerts="7")).truncated == 0


def test_the_group_that_alerts_are_of() -> None:
    told = read_notification(alertmanager(one_alert(), groupKey="{}:{a=1}", externalURL="http://am:9093"))
    assert (told.key, told.url) == ("{}:{a=1}", "http://am:9093")
    long = [read_notification(alertmanager(groupKey="x" * n)).key for n in (64, 65, 66)]
    assert long[0] == "x" * 64
    assert [len(key) for key in long] == [64] * 3
    assert len(set(long)) == 3
    assert read_notification(alertmanager(groupKey=7)).key == ""


def test_labels_are_bounded() -> None:
    alert = read(labels={f"l{i}": "x" * 5_000 for i in range(500)}, annotations={"summary": "s" * 9_000})
    assert len(alert.labels) <= 64
    assert {len(v) for v in alert.labels.values()} == {1_000}
    assert len(alert.summary) == 1_000


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (None, "alerts: Alertmanager's webhook has a list of them"),
        ({"alerts": {}}, "alerts: Alertmanager's webhook has a list of them"),
        (alertmanager(one_alert(), 7), r"alerts\[1\]: it is not an object"),  # type: ignore[arg-type]
        (alertmanager(one_alert(state="pending")), r"alerts\[0\].status: it is neither firing nor resolved"),
        (alertmanager(one_alert(startsAt="now")), r"alerts\[0\].startsAt: it is not an RFC 3339 moment"),
        (alertmanager(one_alert(state="resolved", endsAt=None)), r"alerts\[0\].endsAt: it is not"),
        (alertmanager(one_alert(fingerprint="")), r"alerts\[0\].fingerprint: a text of 1 to 64"),
    ],
)
def test_one_sentence_a_mistake(payload: Any, sentence: str) -> None:
    with pytest.raises(Unreadable, match=f"^{sentence}"):
        read_notification(payload)


@given(
    JSON
    | st.tuples(st.sampled_from(sorted(one_alert())), JSON).map(lambda p: alertmanager({**one_alert(), p[0]: p[1]}))
    | st.dictionaries(st.text(), st.text() | st.just("\ud800")).map(
        lambda d: alertmanager(one_alert(labels=d, annotations={"summary": "\udfff", **d}))
    )
)
def test_any_body_is_read_or_refused(payload: Any) -> None:
    try:
        told = read_notification(payload)
    except Unreadable:
        return
    assert all(a.name and a.fingerprint and (a.ends_at is None) == (a.state == "firing") for a in told.alerts)
    assert len(told.key) <= 64
