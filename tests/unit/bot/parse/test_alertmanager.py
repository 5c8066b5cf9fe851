"""Alertmanager's webhook, read as alerts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse.alertmanager import label_fingerprint, read_notification
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
        environment="production",
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


@pytest.mark.parametrize("given", [None, "", 7, "x" * 65, "a\x00b"])
def test_an_alert_without_a_usable_fingerprint_gets_alertmanagers(given: Any) -> None:
    labels = {"shard": "2", "alertname": "QueueStuck"}
    made = read(fingerprint=given, labels=labels).fingerprint
    assert made == read(fingerprint=None, labels=dict(reversed(labels.items()))).fingerprint, "in any order"
    assert made != read(fingerprint=None, labels={**labels, "shard": "3"}).fingerprint
    assert len(made) == 16


def test_a_made_fingerprint_is_fnv_1a_of_names_and_values() -> None:
    assert label_fingerprint({}) == "cbf29ce484222325", "the offset of FNV-1a of 64 bits"
    value = 0xCBF29CE484222325
    for byte in b"alertname\xffDown\xffjob\xffshop\xff":
        value = (value ^ byte) * 0x100000001B3 % 2**64
    assert label_fingerprint({"job": "shop", "alertname": "Down"}) == f"{value:016x}"


def test_one_bad_alert_does_not_lose_the_others() -> None:
    told = read_notification(alertmanager(one_alert(), 7, one_alert(startsAt="now"), one_alert(fingerprint="b")))  # type: ignore[arg-type]
    assert [alert.fingerprint for alert in told.alerts] == ["6d1f8c3a9b0e4d27", "b"]
    assert [sentence.partition(":")[0] for sentence in told.refused] == ["alerts[1]", "alerts[2].startsAt"]


@pytest.mark.parametrize(
    ("labels", "environment"),
    [
        ({}, "production"),
        ({"env": "prod"}, "production"),
        ({"environment": "qa"}, "qa"),
        ({"environment": "production", "namespace": "till-qa"}, "production"),
        ({"namespace": "till-staging"}, "till-staging"),
        ({"namespace": "till"}, "production"),
        ({"cluster": "dev-eu-1"}, "dev-eu-1"),
        ({"deployment_environment": "load"}, "load"),
    ],
)
def test_the_environment_of_an_alert(labels: dict[str, str], environment: str) -> None:
    assert read(labels={"alertname": "ErrorsHigh", **labels}).environment == environment


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (None, "alerts: Alertmanager's webhook has a list of them"),
        ({"alerts": {}}, "alerts: Alertmanager's webhook has a list of them"),
        (alertmanager(7, one_alert(state="x")), r"alerts\[0\]: it is not an object"),  # type: ignore[arg-type]
        (alertmanager(one_alert(state="pending")), r"alerts\[0\].status: it is neither firing nor resolved"),
        (alertmanager(one_alert(startsAt="now")), r"alerts\[0\].startsAt: it is not an RFC 3339 moment"),
        (alertmanager(one_alert(state="resolved", endsAt=None)), r"alerts\[0\].endsAt: it is not"),
        (alertmanager(one_alert(fingerprint="", labels={})), r"alerts\[0\]: it has neither a fingerprint nor labels"),
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


def test_what_a_template_left_open_is_not_told() -> None:
    notes = {"summary": "Lag of {{ $labels.instance }}", "description": "Replication lags by 40 s"}
    (alert,) = read_notification({"alerts": [one_alert(annotations=notes)]}).alerts
    assert alert.summary == "Replication lags by 40 s"
    (alert,) = read_notification({"alerts": [one_alert(annotations={"summary": notes["summary"]})]}).alerts
    assert alert.summary == "Lag of"
