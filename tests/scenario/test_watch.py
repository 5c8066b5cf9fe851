"""Signed events through ``app.dispatch``: what is said in followed channels is committed before Slack hears so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.signed_requests import Front
from tests.support.slack_payloads import APP, SECRET, event_body, message, stand_in
from workers.settings.load import load_settings
from workers.store.channel_inbox import INBOXES, clean_batch, release_inbox
from workers.store.channel_leases import CHANNELS, release_channel, write_channel
from workers.store.channel_messages import load_messages
from workers.store.channels import ChannelSettings, change_channel
from workers.store.database import open_database
from workers.store.followed_channels import followed, note_channel, pause_channel

HERE = "T1", "C1"


@pytest.fixture
def front(sqlite_store: str) -> Iterator[Front]:
    with stand_in(user_id=APP) as (address, calls):
        database = open_database(sqlite_store)
        slack = {"bot_token": "xoxb-1", "signing_secret": SECRET, "api_url": address}
        yield Front(load_settings({f"oracle.slack.{key}": value for key, value in slack.items()}), database, calls)
        database.close()


def happened(kind: str, channel: Any = "C1", **more: Any) -> dict[str, Any]:
    return event_body({"type": kind, "channel": channel, "event_ts": "1763733700.000900", **more})


def said(text: str = "p95 is 2 s", **more: Any) -> dict[str, Any]:
    return message(text, thread_ts=None, **more)


def texts(front: Front, channel: str = "C1") -> list[str]:
    """The messages of a channel, after a worker has cleaned what came."""
    held = INBOXES.claim(front.database, ("T1", channel), 20)
    if held is not None:
        while clean_batch(front.database, held, str, lambda: None, settle_s=0, every_s=0):
            pass
        release_inbox(front.database, held)
    return [m.text for m in load_messages(front.database, "T1", channel)]


def state(front: Front) -> str:
    found = followed(front.database, *HERE)
    return found.state if found else ""


def test_a_followed_channel_is_heard_without_a_call_to_slack(front: Front) -> None:
    note_channel(front.database, *HERE)
    for _ in range(3):
        front.take(said())
    front.take(said("an alert", ts="1763733701.000100", user=None, bot_id="B9", subtype="bot_message"))
    assert texts(front) == ["p95 is 2 s", "an alert"]
    assert front.calls == []


def test_other_channels_are_not_heard(front: Front) -> None:
    note_channel(front.database, *HERE)
    front.take(said(channel="C2"))
    assert texts(front, "C2") == []


def test_what_the_app_says_itself_is_not_kept(front: Front) -> None:
    note_channel(front.database, *HERE)
    own = {"type": "message", "ts": "1763733700.000100", "user": APP, "bot_id": "B0", "text": "the summary"}
    front.take(said(user=APP, bot_id="B0"))
    front.take(
        happened("message", subtype="message_changed", ts="1763733702.000100", message=own, previous_message=own)
    )
    assert texts(front) == []


def test_a_store_that_is_down_has_slack_send_again(front: Front) -> None:
    note_channel(front.database, *HERE)
    front.take(said())
    with front.database.begin() as connection:
        connection.exec_driver_sql("alter table channel_inbox rename to gone")
    later = said("second", event_id="Ev7", ts="1763733701.000100")
    assert front.send(later).status == 503
    with front.database.begin() as connection:
        connection.exec_driver_sql("alter table gone rename to channel_inbox")
    front.take(later, **{"x-slack-retry-num": "1"})
    assert texts(front) == ["p95 is 2 s", "second"]


@pytest.mark.parametrize(
    ("event", "noted"),
    [
        (happened("member_joined_channel", user=APP), True),
        (happened("member_joined_channel", user="U1"), False),
        (happened("channel_rename", {"id": "C1", "name": "inc-42"}), True),
        (happened("channel_rename", {"id": "C1", "name": "team-lunch"}), False),
        (happened("group_rename", {"id": "C1", "name": "sev1-db"}), True),
        (happened("channel_created", {"id": "C1", "name": "inc-42"}), False),
        (happened("channel_unarchive", user="U1"), True),
        (happened("message", subtype="channel_topic", topic="🚨 down", user="U1", ts="1763733700.000100"), True),
        (happened("message", subtype="group_purpose", purpose="sev2", user="U1", ts="1763733700.000100"), True),
        (happened("message", subtype="channel_topic", topic="lunch", user="U1", ts="1763733700.000100"), False),
        (happened("member_joined_channel", {"id": 7}, user=APP), False),
    ],
)
def test_which_events_find_a_channel(front: Front, event: dict[str, Any], noted: bool) -> None:
    front.take(event)
    assert (state(front) == "found") is noted
    assert front.calls == []


def test_a_channel_that_is_off_is_neither_found_nor_heard(front: Front) -> None:
    change_channel(front.database, *HERE, ChannelSettings(mode="off"), "U1")
    front.take(happened("member_joined_channel", user=APP))
    assert state(front) == ""
    note_channel(front.database, *HERE)
    front.take(said())
    assert texts(front) == []


@pytest.mark.parametrize("kind", ["channel_left", "group_left", "channel_archive", "channel_deleted", "group_archive"])
def test_a_channel_that_is_closed_is_left(front: Front, kind: str) -> None:
    note_channel(front.database, *HERE)
    front.take(happened(kind))
    assert state(front) == "left"
    front.take(said())
    assert texts(front) == []


def test_a_paused_channel_is_heard(front: Front) -> None:
    note_channel(front.database, *HERE)
    held = CHANNELS.claim(front.database, HERE, 20)
    assert held is not None
    release_channel(front.database, write_channel(front.database, held, state="following"))
    assert pause_channel(front.database, *HERE, paused=True)
    front.take(said())
    assert texts(front) == ["p95 is 2 s"]


def moved(**more: Any) -> dict[str, Any]:
    inner = {
        "type": "channel_id_changed",
        "old_channel_id": "C1",
        "new_channel_id": "C9",
        "event_ts": "1790000000.000100",
    }
    return event_body({**inner, **more}, "Ev-moved")


def test_a_channel_with_another_id_stays_followed(front: Front) -> None:
    note_channel(front.database, *HERE, name="inc-42")
    front.take(said())
    front.take(moved())
    front.take(moved(), **{"x-slack-retry-num": "1"})
    front.take(said("and now 3 s", channel="C9", event_id="Ev8", ts="1763733701.000100"))
    found = followed(front.database, "T1", "C9")
    assert found is not None
    assert (found.state, found.name, state(front)) == ("found", "inc-42", "")
    assert texts(front, "C9") == ["p95 is 2 s", "and now 3 s"]


@pytest.mark.parametrize("odd", [{"new_channel_id": ""}, {"old_channel_id": None}, {"new_channel_id": "C1"}])
def test_a_new_id_that_cannot_be_read_changes_nothing(front: Front, odd: dict[str, Any]) -> None:
    note_channel(front.database, *HERE)
    front.take(moved(**odd))
    assert state(front) == "found"
