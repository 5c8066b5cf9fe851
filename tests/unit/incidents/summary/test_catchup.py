"""What one person is told: what is new since they looked."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tests.support.channel_lines import DAY, channel
from workers.contracts import ChannelMessage, Correction, Deploy
from workers.incidents.summary.catchup import caught_up, says_nothing_new
from workers.incidents.summary.external_events import read_external_events
from workers.incidents.summary.summary_types import Summary
from workers.sources.metrics.metric_evidence import deploy_evidence

LOOKED = DAY + timedelta(hours=11)
NOW = DAY + timedelta(hours=12)
SAID = channel(
    """
10:00 Ana: SEV2: checkout error rate is 5%, investigating. Customers see 502.
10:05 Bo: rolled back payments to v1
10:07 Bo: root cause: the certificate expired at 09:09
"""
)


def after(messages: tuple[ChannelMessage, ...] = SAID, looked: datetime = LOOKED, **inputs: object) -> Summary | None:
    """What is new since someone looked; None for nothing."""
    found = caught_up(messages, NOW, "UTC", after=looked, why="name", **inputs)
    return None if says_nothing_new(found, messages, looked) else found


def test_nothing_is_new_of_what_was_said_before() -> None:
    assert after() is None


def test_what_was_edited_since_is_new() -> None:
    edited = replace(SAID[2], edited_at=LOOKED + timedelta(minutes=1))
    found = after((*SAID[:2], edited))
    assert found is not None
    assert [line.text for line in found.known] == ["The certificate expired at 09:09"]
    assert {ts for entry in found.timeline for ts in entry.ts} == {edited.ts}
    assert after((*SAID[:2], replace(edited, edited_at=LOOKED - timedelta(minutes=1)))) is None


def test_what_people_changed_in_the_timeline_since_is_new_whenever_it_happened() -> None:
    rollback = next(e for e in caught_up(SAID, NOW, "UTC").timeline if e.kind == "rollback")
    for entry, was in (("", ""), (rollback.id, rollback.text)):
        change = Correction(
            entry=entry, was=was, text="rolled back", kind="rollback", at=DAY, said_at=LOOKED + timedelta(minutes=1)
        )
        found = after(corrections=[change])
        assert found is not None
        assert [(e.at, e.text) for e in found.timeline] == [(DAY, "rolled back")]
        assert after(corrections=[change.model_copy(update={"said_at": LOOKED})]) is None


def test_what_only_a_program_told_of_is_new_when_it_happened_since() -> None:
    for minutes, new in ((10, ["deploy payments v2"]), (-10, None)):
        deploy = Deploy(service="payments", version="v2", at=LOOKED + timedelta(minutes=minutes))
        found = after(told=read_external_events([deploy_evidence(deploy)], SAID))
        assert (found and [e.text for e in found.timeline]) == new
