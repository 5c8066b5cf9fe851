"""What an app posts, and a mention beside a file, over a local Slack: the bot accepts, a worker answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from workers.contracts import RequestLog
from workers.entrypoints.tasks import take

AT = "1763632330.000100"
ALERT = {
    "subtype": "bot_message",
    "bot_id": "B0MONITOR",
    "username": "Monitor",
    "text": "[FIRING:1] SearchLatencyHigh: p95 latency of /api/search is 1.9 s",
    "attachments": [{"fallback": "p95 over a day", "image_url": "https://g.io/p95.png", "title": "p95 today"}],
}


@pytest.fixture
def house(prepared_home: Path) -> Iterator[House]:
    with run_house(prepared_home) as found:
        yield found


def channel_of(house: House, name: str) -> str:
    """A new channel with the app in it."""
    return str(house.slack.control("channel", {"name": name, "user": "maya", "guests": ["oracle"]})["channel"])


def answered(house: House, before: int) -> RequestLog:
    """The log of the one request that was accepted since."""
    (request_id,) = wait_for(lambda: house.asked[before:])
    take(house.worker, request_id)
    return house.worker.oracle.store.load(request_id)


def test_below_an_alert_its_words_are_what_is_asked_about(house: House) -> None:
    channel = channel_of(house, "monitoring")
    body = {"channel": channel, "message": {"ts": AT, **ALERT}}
    assert house.slack.control("past", body)["ok"]
    before = len(house.asked)
    house.say(channel, "@oracle what's going on with this?", thread_ts=AT)
    log = answered(house, before)
    assert log.question.context == (f"The app Monitor posted: “{ALERT['text']}\np95 today”",)
    assert log.answer is not None
    assert log.answer.missing[-1].text == "I did not read the picture “p95 today”."


def test_a_mention_beside_a_file_is_answered_once(house: House) -> None:
    channel = channel_of(house, "questions")
    before = len(house.asked)
    bot, me = house.slack.get("state")["bot"]["user_id"], house.me
    event: dict[str, Any] = {"channel": channel, "user": me, "ts": AT, "event_ts": AT, "subtype": "file_share"}
    event |= {"text": f"<@{bot}> what changed today?", "files": [{"id": "F1", "name": "error.log"}]}
    for kind in ("message", "app_mention"):
        house.slack.control("event", {"event": {"type": kind, "channel_type": "channel", **event}, "deliveries": 2})
    log = answered(house, before)
    assert log.question.unread == ("error.log",)
    assert len(house.asked) == before + 1
