"""Channels: private ones, archived ones, topics, bookmarks, and an app that is thrown out."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.support.sandbox_process import running_sandbox


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


def refusal(call, **arguments):
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return caught.value.response["error"]


def events(sandbox, **wanted):
    records = sandbox.see("/control/deliveries", payload="true")["deliveries"]
    inner = [record["payload"]["event"] for record in records]
    return [event for event in inner if wanted.items() <= event.items()]


def person(sandbox, name):
    return next(user["id"] for user in sandbox.see("/client/boot")["users"] if user["name"] == name)


def names(sandbox, **query):
    return [channel["name"] for channel in sandbox.see("/client/boot", **query)["channels"]]


def test_a_private_channel_is_known_to_its_members_only(sandbox):
    slack = sandbox.slack()
    made = sandbox.do("/client/channel", name="inc-secret", is_private=True, guests=["maya"])["channel"]
    assert "inc-secret" in names(sandbox, **{"as": "maya"})
    assert "inc-secret" not in names(sandbox, **{"as": "tomas"})
    assert [e for e in events(sandbox, type="channel_created") if e["channel"]["id"] == made] == []
    assert refusal(slack.conversations_info, channel=made) == "channel_not_found"
    assert refusal(slack.chat_postMessage, channel=made, text="x") == "channel_not_found"
    assert sandbox.do("/control/invite", channel="inc-secret", user="helper")["ok"]
    joined = events(sandbox, type="member_joined_channel", channel=made)[-1]
    assert (joined["channel_type"], joined["inviter"]) == ("G", person(sandbox, "you"))
    shape = slack.conversations_info(channel=made)["channel"]
    assert (shape["is_private"], shape["is_group"], shape["is_channel"]) == (True, True, False)
    assert made in [item["id"] for item in slack.conversations_list(types="private_channel")["channels"]]
    assert made not in [item["id"] for item in slack.conversations_list()["channels"]]
    said = sandbox.do("/client/message", channel=made, text="@helper hi")
    assert {event["type"] for event in events(sandbox, ts=said["ts"])} == {"message", "app_mention"}
    assert events(sandbox, ts=said["ts"], type="message")[0]["channel_type"] == "group"


def test_an_incident_channel_made_with_the_app_tells_it_twice(sandbox):
    made = sandbox.do("/client/channel", name="inc-7-checkout", guests=["helper"])["channel"]
    assert events(sandbox, type="channel_created")[-1]["channel"]["name"] == "inc-7-checkout"
    bot = sandbox.see("/control/state")["bot"]["user_id"]
    assert events(sandbox, type="member_joined_channel", channel=made)[-1]["user"] == bot
    assert sandbox.slack().chat_postMessage(channel=made, text="Hello")["ok"]


def test_nothing_is_posted_in_an_archived_channel(sandbox):
    slack = sandbox.slack()
    assert sandbox.do("/control/archive", channel="payments")["ok"]
    assert events(sandbox, type="channel_archive")[-1]["user"] == person(sandbox, "you")
    assert refusal(slack.chat_postMessage, channel="payments", text="x") == "is_archived"
    assert sandbox.do("/client/message", channel="payments", text="x")["error"] == "is_archived"
    assert refusal(slack.conversations_archive, channel=sandbox.channel("payments")["id"]) == "already_archived"
    assert "payments" not in [c["name"] for c in slack.conversations_list(exclude_archived=True)["channels"]]
    assert slack.conversations_unarchive(channel=sandbox.channel("payments")["id"])["ok"]
    assert slack.chat_postMessage(channel="payments", text="x")["ok"]
    assert refusal(slack.conversations_unarchive, channel=sandbox.channel("payments")["id"]) == "not_archived"
    assert refusal(slack.conversations_archive, channel=sandbox.channel("general")["id"]) == "cant_archive_general"


def test_an_app_that_was_thrown_out_may_not_post(sandbox):
    slack = sandbox.slack()
    channel = slack.conversations_create(name="short-lived")["channel"]["id"]
    assert sandbox.do("/control/kick", channel=channel, user="helper")["ok"]
    assert events(sandbox, type="channel_left")[-1] == events(sandbox, type="channel_left", channel=channel)[-1]
    assert refusal(slack.chat_postMessage, channel=channel, text="x") == "not_in_channel"
    assert slack.conversations_leave(channel=channel)["not_in_channel"]
    assert slack.conversations_join(channel=channel)["ok"]
    assert slack.conversations_leave(channel=channel)["ok"]
    assert sandbox.do("/control/message", channel=channel, text="@helper?")["event_ids"] == []


def test_the_app_makes_renames_and_fills_a_channel(sandbox):
    slack, maya = sandbox.slack(), person(sandbox, "maya")
    channel = slack.conversations_create(name="made-by-app", is_private=True)["channel"]["id"]
    assert slack.conversations_invite(channel=channel, users=[maya])["ok"]
    assert refusal(slack.conversations_invite, channel=channel, users=maya) == "already_in_channel"
    assert slack.conversations_rename(channel=channel, name="renamed")["channel"]["name"] == "renamed"
    assert refusal(slack.conversations_rename, channel=sandbox.channel("search")["id"], name="mine") == "not_authorized"
    assert slack.conversations_kick(channel=channel, user=maya)["ok"]
    assert events(sandbox, type="member_left_channel")[-1]["user"] == maya
    assert refusal(slack.conversations_create, name="No Good") == "invalid_name"
    assert refusal(slack.conversations_create, name="renamed") == "name_taken"


def test_a_topic_is_set_with_a_message(sandbox):
    slack, me = sandbox.slack(), person(sandbox, "you")
    assert (
        slack.conversations_setTopic(channel=sandbox.channel("search")["id"], topic="SEV2 since 14:06")["topic"]
        == "SEV2 since 14:06"
    )
    assert (
        slack.conversations_info(channel=sandbox.channel("search")["id"])["channel"]["topic"]["value"]
        == "SEV2 since 14:06"
    )
    note = sandbox.channel("search")["messages"][-1]
    assert (note["subtype"], note["topic"]) == ("channel_topic", "SEV2 since 14:06")
    assert sandbox.do("/control/topic", channel="search", topic="calm")["ok"]
    assert events(sandbox, subtype="channel_topic")[-1]["user"] == me
    assert (
        refusal(slack.conversations_setPurpose, channel=sandbox.channel("search")["id"], purpose="x" * 251)
        == "too_long"
    )


def test_bookmarks_are_kept_under_the_channels_name(sandbox):
    slack, channel = sandbox.slack(), sandbox.channel("search")["id"]
    link = {"title": "Runbook", "type": "link", "link": "https://example.com/runbook"}
    bookmark = slack.bookmarks_add(channel_id=channel, **link, emoji=":book:")["bookmark"]
    slack.bookmarks_edit(channel_id=channel, bookmark_id=bookmark["id"], title="The runbook")
    (listed,) = slack.bookmarks_list(channel_id=channel)["bookmarks"]
    assert (listed["title"], listed["link"]) == ("The runbook", link["link"])
    shown = next(c for c in sandbox.see("/client/boot")["channels"] if c["id"] == channel)
    assert shown["bookmarks"] == [listed]
    assert refusal(slack.bookmarks_add, channel_id=channel, **(link | {"link": "ftp://x"})) == "invalid_link"
    assert refusal(slack.bookmarks_add, channel_id=channel, **(link | {"type": "file"})) == "invalid_bookmark_type"
    assert slack.bookmarks_remove(channel_id=channel, bookmark_id=bookmark["id"])["ok"]
    assert refusal(slack.bookmarks_edit, channel_id=channel, bookmark_id=bookmark["id"], title="x") == "not_found"
    assert slack.bookmarks_list(channel_id=channel)["bookmarks"] == []


def test_pins_are_told(sandbox):
    slack, channel = sandbox.slack(), sandbox.channel("search")["id"]
    ts = slack.chat_postMessage(channel=channel, text="pin me")["ts"]
    slack.pins_add(channel=channel, timestamp=ts)
    assert events(sandbox, type="pin_added")[-1]["item"]["message"]["ts"] == ts
    assert [item["message"]["ts"] for item in slack.pins_list(channel=channel)["items"]] == [ts]
    slack.pins_remove(channel=channel, timestamp=ts)
    assert events(sandbox, type="pin_removed")[-1]["item"]["message"]["ts"] == ts
