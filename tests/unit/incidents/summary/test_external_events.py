"""Deploys and alerts that programs told of, in the summary of a channel that speaks of them."""

from __future__ import annotations

from datetime import timedelta

from tests.support.channel_lines import DAY, OUTAGE, channel
from workers.contracts import AlertEvent, Deploy
from workers.grounding.value_format import Voice
from workers.incidents.summary.external_events import MOST_ALONE, alert_event, read_external_events
from workers.incidents.summary.summarizer import summarize_channel
from workers.incidents.summary.timeline import MOST
from workers.sources.metrics.metric_evidence import deploy_evidence

DEPLOY = Deploy(service="checkout-api", version="b81f2c", at=DAY + timedelta(hours=9, minutes=6))
ELSEWHERE = Deploy(service="invoices", version="1.2", at=DAY + timedelta(hours=9, minutes=7))
ALERT = AlertEvent(
    fingerprint="f1",
    name="CheckoutErrorRateHigh",
    state="firing",
    starts_at=DAY + timedelta(hours=9, minutes=12),
    labels={"service": "checkout-api"},
)
OTHER = AlertEvent(fingerprint="f2", name="DiskFull", state="firing", starts_at=DAY + timedelta(hours=9))


def test_only_what_the_channel_speaks_of_is_told() -> None:
    found = read_external_events(
        [*map(deploy_evidence, (DEPLOY, ELSEWHERE)), *map(alert_event, (ALERT, OTHER))], channel(OUTAGE)
    )
    assert [(item.id, item.kind) for item in found] == [("E1", "deploy"), ("E2", "alert")]


def test_it_stands_in_the_timeline_once_beside_what_people_wrote() -> None:
    messages = channel(OUTAGE)
    summary = summarize_channel(
        messages, Voice(now=DAY), told=read_external_events([deploy_evidence(DEPLOY), alert_event(ALERT)], messages)
    ).summary
    deploys = [entry for entry in summary.timeline if "E1" in entry.evidence]
    assert len(deploys) == 1
    assert deploys[0].at == DEPLOY.at
    alerts = [entry for entry in summary.timeline if entry.kind == "alert"]
    assert len(alerts) == 1
    assert alerts[0].evidence == ("E2",)
    assert alerts[0].ts


def test_of_many_deploys_that_nobody_wrote_of_those_about_its_beginning_stand_in_the_timeline() -> None:
    messages = channel(OUTAGE)
    ten = timedelta(minutes=10)
    many = [DEPLOY.model_copy(update={"version": f"v{n}", "at": DAY + n * ten}) for n in range(200)]
    told = read_external_events([*map(deploy_evidence, many), alert_event(ALERT)], messages)
    summary = summarize_channel(messages, Voice(now=DAY), told=told).summary
    assert len(summary.timeline) <= MOST
    alone = [entry for entry in summary.timeline if not entry.ts]
    assert len(alone) == MOST_ALONE
    assert all(DAY + 8 * 6 * ten < entry.at < DAY + 10 * 6 * ten for entry in alone)
    before = {entry.id for entry in summarize_channel(messages, Voice(now=DAY)).summary.timeline}
    assert before <= {entry.id for entry in summary.timeline}
