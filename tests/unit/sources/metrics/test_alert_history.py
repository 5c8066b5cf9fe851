"""Alerts that Alertmanager told of, merged with those that a server shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from workers.contracts import AlertEvent
from workers.errors import StoreUnavailable, ToolUnavailable
from workers.sources.metrics.alert_history import alert_history, with_alert_history
from workers.sources.metrics.backend import Alert

END = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVENT = AlertEvent(
    fingerprint="f",
    name="PaySlow",
    state="resolved",
    starts_at=END - timedelta(minutes=30),
    ends_at=END + timedelta(minutes=5),
    labels={"endpoint": "/pay", "cluster": "east"},
    summary="Payments are slow",
    runbook_url="https://docs.example/pay",
)
TOLD = Alert(
    "PaySlow",
    "firing",
    EVENT.starts_at.timestamp(),
    EVENT.labels,
    summary=EVENT.summary,
    runbook_url=EVENT.runbook_url,
)
SHOWN = Alert("PaySlow", "firing", TOLD.since, {"endpoint": "/pay"}, expr="p95 > 1")


def test_an_event_stands_as_it_stood_at_the_window_s_end() -> None:
    told = alert_history(lambda start, end: (EVENT,))
    assert told(0, END.timestamp()) == (TOLD,)
    (later,) = told(0, END.timestamp() + 3_600)
    assert (later.state, later.until) == ("resolved", END.timestamp() + 300)


def test_events_that_cannot_be_read_are_a_failure_of_the_tool() -> None:
    def away(start: datetime, end: datetime) -> tuple[AlertEvent, ...]:
        raise StoreUnavailable("the database is away")

    with pytest.raises(ToolUnavailable, match="the database is away"):
        alert_history(away)(0, 1)


def test_one_alert_is_told_of_and_shown_once() -> None:
    (one,) = with_alert_history([SHOWN], [TOLD])
    assert one == replace(SHOWN, summary="Payments are slow", runbook_url="https://docs.example/pay")
    (one,) = with_alert_history([replace(SHOWN, since=None)], [TOLD])
    assert one.since == TOLD.since


def test_the_server_knows_the_state_and_the_event_when_it_ended() -> None:
    over = replace(TOLD, state="resolved", until=TOLD.since + 600)
    assert with_alert_history([SHOWN], [over])[0].state == "firing"
    (one,) = with_alert_history([replace(SHOWN, state="resolved")], [over])
    assert one.until == over.until


@pytest.mark.parametrize(
    "other",
    [
        replace(SHOWN, labels={"endpoint": "/list"}),
        replace(SHOWN, since=TOLD.since - 7_200),
        replace(SHOWN, name="ListSlow"),
    ],
)
def test_another_alert_stays_another(other: Alert) -> None:
    assert with_alert_history([other], [TOLD]) == [other, TOLD]


def test_what_fired_is_not_inactive() -> None:
    assert with_alert_history([Alert("PaySlow", "inactive"), Alert("Quiet", "inactive")], [TOLD]) == [
        Alert("Quiet", "inactive"),
        TOLD,
    ]
