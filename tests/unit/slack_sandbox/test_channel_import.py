"""A channel's past, told again at its own times."""

import re

import pytest
from slack_sdk.errors import SlackApiError

from tests.support.sandbox_process import running_sandbox

APP = {"subtype": "bot_message", "bot_id": "B0ALERTS", "username": "Alertmanager", "text": "DiskFull firing"}


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


@pytest.fixture
def place(sandbox, request):
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name)[-70:].strip("-")
    return sandbox.do("/client/channel", name=name, guests=["helper"])["channel"]


def past(sandbox, place, ts, text="", at="", **message):
    return sandbox.do("/control/past", channel=place, message={"ts": ts, "text": text, **message}, at=at)


def events(sandbox, place, **wanted):
    records = sandbox.see("/control/deliveries", type="message", payload="true")["deliveries"]
    inner = [record["payload"]["event"] for record in records]
    return [event for event in inner if {"channel": place, **wanted}.items() <= event.items()]


def test_messages_keep_their_times_and_later_ones_follow(sandbox, place):
    slack = sandbox.slack()
    lena = sandbox.do("/control/person", name="lena", real_name="Lena Ost", tz="Europe/Berlin")["user"]
    assert past(sandbox, place, "1763632330.000100", "it is down", user=lena)["ok"]
    assert past(sandbox, place, "1763632340.000100", "looking", user=lena, thread_ts="1763632330.000100")["ok"]
    posted = slack.chat_postMessage(channel=place, text="I see it")["ts"]
    assert "1763632340.000100" < posted < "1763632341"
    page = slack.conversations_history(channel=place)["messages"]
    assert [message["ts"] for message in page] == [posted, "1763632330.000100"]
    assert page[1]["reply_count"] == 1
    (event,) = events(sandbox, place, ts="1763632330.000100")
    assert (event["text"], event["user"], event["event_ts"]) == ("it is down", lena, "1763632330.000100")
    assert slack.users_info(user=lena)["user"]["tz"] == "Europe/Berlin"


def test_other_apps_speak_and_messages_are_edited(sandbox, place):
    past(sandbox, place, "1763632330.000100", **APP)
    past(sandbox, place, "1763632331.000100", "same here", bot_id="B0ALERTS", thread_ts="1763632330.000100")
    past(sandbox, place, "1763632330.000100", **(APP | {"text": "DiskFull resolved"}), at="1763632390.000000")
    first, changed = (m for m in events(sandbox, place) if not m.get("thread_ts") or m.get("subtype"))
    assert (first["username"], first["subtype"]) == ("Alertmanager", "bot_message")
    assert (changed["subtype"], changed["message"]["text"]) == ("message_changed", "DiskFull resolved")
    assert changed["message"]["edited"]["ts"].startswith("1763632390.")


def test_the_past_is_told_in_order_and_whole(sandbox, place):
    past(sandbox, place, "1763632330.000100", "one", user="USLACKBOT")
    assert past(sandbox, place, "1763632329.000100", "too late", user="USLACKBOT")["error"] == "invalid_ts"
    assert past(sandbox, place, "yesterday", "x", user="USLACKBOT")["error"] == "invalid_arguments"
    assert past(sandbox, place, "1763632331.000100", "x", at="noon")["error"] == "invalid_arguments"
    answer = past(sandbox, place, "1763632331.000100", "x", user="USLACKBOT", thread_ts="1763632300.000100")
    assert answer["error"] == "thread_not_found"


def test_who_has_no_zone_shows_none(sandbox):
    made = sandbox.do("/control/person", name="kit", id="U0KIT00001")["user"]
    assert sandbox.slack().users_info(user=made)["user"]["tz"] == ""
    assert sandbox.do("/control/person", name="kit", id=made)["error"] == "id_taken"
    assert sandbox.do("/control/person", name="kit", id="nobody")["error"] == "invalid_arguments"
    with pytest.raises(SlackApiError):
        sandbox.slack().users_info(user="U0NOBODY01")


def test_a_long_past_is_told_at_once_and_the_clock_runs_again(sandbox, place):
    told = [{"ts": f"17636323{n:02d}.000100", "user": "USLACKBOT", "text": f"note {n}"} for n in range(40)]
    told[3] |= {"thread_ts": told[1]["ts"], "edited": {"user": "USLACKBOT", "ts": told[4]["ts"]}}
    assert sandbox.do("/control/pasts", channel=place, messages=told)["count"] == 40
    slack = sandbox.slack()
    page = slack.conversations_history(channel=place, limit=50)["messages"]
    assert [m["ts"] for m in page] == [m["ts"] for m in reversed(told) if "thread_ts" not in m]
    (_, reply) = slack.conversations_replies(channel=place, ts=told[1]["ts"])["messages"]
    assert reply["edited"]["ts"] == told[4]["ts"]
    assert float(slack.chat_postMessage(channel=place, text="now")["ts"]) > float(told[-1]["ts"]) + 1_000
    assert sandbox.do("/control/pasts", channel=place, messages=told)["error"] == "invalid_ts"
    assert sandbox.do("/control/pasts", channel=place, messages="x")["error"] == "invalid_arguments"


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"thread_ts": "1763632200.000100"}, "thread_not_found"),
        ({"thread_ts": "yesterday"}, "invalid_thread_ts"),
        ({"ts": "1763632300.000100"}, "invalid_ts"),
        ({"text": 7}, "invalid_arguments"),
        ({"text": None}, "invalid_arguments"),
        ({"blocks": "x"}, "invalid_arguments"),
        ({"attachments": [1]}, "invalid_arguments"),
    ],
)
def test_a_past_is_told_whole_or_not_at_all(sandbox, place, wrong, error):
    told = [{"ts": f"17636323{n:02d}.000100", "user": "USLACKBOT", "text": f"note {n}"} for n in range(4)]
    told[1] |= {"thread_ts": told[0]["ts"]}
    answer = sandbox.do("/control/pasts", channel=place, messages=[*told[:3], told[3] | wrong])
    assert answer["error"] == error
    assert sandbox.slack().conversations_history(channel=place)["messages"] == []
    assert sandbox.do("/control/pasts", channel=place, messages=told)["count"] == 4


def test_an_app_outside_the_marketplace_reads_fifteen_messages_a_minute(sandbox, place):
    told = [{"ts": f"17636323{n:02d}.000100", "user": "USLACKBOT", "text": f"note {n}"} for n in range(40)]
    sandbox.do("/control/pasts", channel=place, messages=told)
    sandbox.do("/control/limits", app="distributed")
    slack = sandbox.slack()
    page = slack.conversations_history(channel=place, limit=200)
    assert (len(page["messages"]), page["has_more"]) == (15, True)
    with pytest.raises(SlackApiError) as refused:
        slack.conversations_history(channel=place)
    assert refused.value.response.headers["Retry-After"] == "60"
    sandbox.do("/control/pass", seconds=60)
    assert (
        slack.conversations_history(channel=place, latest=page["messages"][-1]["ts"])["messages"][0]["text"]
        == "note 24"
    )
    sandbox.do("/control/limits", app="internal")
    assert all(len(slack.conversations_history(channel=place, limit=200)["messages"]) == 40 for _ in range(50))
    with pytest.raises(SlackApiError):
        slack.conversations_history(channel=place)
