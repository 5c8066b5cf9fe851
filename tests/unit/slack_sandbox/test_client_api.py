"""What the page and tests do and see: typing, editing, reacting, the live stream, the events that follow."""

import json

import pytest
from websockets.sync.client import connect

from tests.support.sandbox_process import running_sandbox, until


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox("--command", "/ask=Ask something|QUESTION") as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


def events(sandbox, **wanted):
    records = sandbox.see("/control/deliveries", payload="true")["deliveries"]
    inner = [record["payload"]["event"] for record in records]
    return [event for event in inner if wanted.items() <= event.items()]


def test_the_page_starts_with_the_team(sandbox):
    boot = sandbox.see("/client/boot", tz="Europe/Berlin")
    me = next(user for user in boot["users"] if user["id"] == boot["me"])
    assert (me["name"], me["tz"]) == ("you", "Europe/Berlin")
    assert [channel["name"] for channel in boot["channels"]][:2] == ["general", "incidents"]
    assert [channel["is_im"] for channel in boot["channels"]].count(True) == 1
    assert boot["commands"] == [{"command": "/ask", "description": "Ask something", "usage_hint": "QUESTION"}]
    assert boot["app"]["name"] == "helper"
    sandbox.see("/client/boot", tz="Nowhere/Else")
    assert "<html" in sandbox.http.get("/").text


def test_a_mention_is_two_events_in_slacks_envelope(sandbox):
    said = sandbox.do("/client/message", channel="search", text="@helper why?")
    records = sandbox.see("/control/deliveries", payload="true")["deliveries"]
    outer = [record["payload"] for record in records if record["event_id"] in said["event_ids"]]
    assert [payload["event"]["type"] for payload in outer] == ["message", "app_mention"]
    assert len({payload["event_id"] for payload in outer}) == 2
    state = sandbox.see("/control/state")
    for payload in outer:
        assert payload["type"] == "event_callback"
        assert payload["api_app_id"] == state["bot"]["app_id"]
        assert payload["authorizations"][0] == {
            "enterprise_id": None,
            "team_id": state["team"]["id"],
            "user_id": state["bot"]["user_id"],
            "is_bot": True,
            "is_enterprise_install": False,
        }
        assert payload["event"]["text"] == f"<@{state['bot']['user_id']}> why?"
        assert payload["event"]["ts"] == said["ts"]
    assert outer[0]["event"]["channel_type"] == "channel"


def test_what_the_bot_is_no_member_of_stays_unheard(sandbox):
    said = sandbox.do("/client/message", channel="random", text="@helper why?")
    assert said["event_ids"] == []
    direct = next(channel["id"] for channel in sandbox.see("/client/boot")["channels"] if channel["is_im"])
    said = sandbox.do("/client/message", channel=direct, text="@helper why?")
    assert len(said["event_ids"]) == 1
    assert events(sandbox, ts=said["ts"])[0]["channel_type"] == "im"


def test_edits_and_deletes_reach_the_app(sandbox):
    said = sandbox.do("/client/message", channel="search", text="first")
    place = {"channel": said["channel"], "ts": said["ts"]}
    assert sandbox.do("/client/edit", **place, text="second")["ok"]
    (change,) = [e for e in events(sandbox, subtype="message_changed") if e["message"]["ts"] == said["ts"]]
    assert (change["previous_message"]["text"], change["message"]["text"]) == ("first", "second")
    assert sandbox.do("/control/edit", **place, text="third", user="maya")["error"] == "cant_update_message"
    assert sandbox.do("/client/delete", **place)["ok"]
    assert [e["deleted_ts"] for e in events(sandbox, subtype="message_deleted")][-1] == said["ts"]
    assert sandbox.do("/client/delete", **place)["error"] == "message_not_found"


def test_a_deleted_root_leaves_its_replies(sandbox):
    said = sandbox.do("/client/message", channel="search", text="root")
    sandbox.do("/client/message", channel="search", text="reply", thread_ts=said["ts"])
    assert sandbox.do("/client/delete", channel=said["channel"], ts=said["ts"])["ok"]
    assert [m["text"] for m in sandbox.thread(said["channel"], said["ts"])] == ["This message was deleted.", "reply"]


def test_a_click_on_a_reaction_adds_and_removes_it(sandbox):
    said = sandbox.do("/client/message", channel="search", text="nice")
    place = {"channel": said["channel"], "ts": said["ts"], "name": "tada"}
    assert sandbox.do("/client/reaction", **place)["ok"]
    assert sandbox.do("/control/reaction", **place, user="maya")["ok"]
    assert sandbox.channel("search")["messages"][-1]["reactions"][0]["count"] == 2
    assert sandbox.do("/client/reaction", **place)["ok"]
    assert sandbox.channel("search")["messages"][-1]["reactions"][0]["count"] == 1
    kinds = [event["type"] for event in events(sandbox, reaction="tada")]
    assert kinds == ["reaction_added", "reaction_added", "reaction_removed"]
    assert sandbox.do("/client/reaction", **(place | {"name": "no such!"}))["error"] == "invalid_name"


def test_channels_are_made_renamed_and_joined(sandbox):
    made = sandbox.do("/control/channel", name="inc-42")
    assert events(sandbox, type="channel_created")[-1]["channel"]["name"] == "inc-42"
    assert sandbox.do("/control/channel", name="inc-42")["error"] == "name_taken"
    assert sandbox.do("/control/channel", name="No Spaces")["error"] == "invalid_name"
    assert sandbox.do("/control/invite", channel="inc-42", user="helper")["ok"]
    assert events(sandbox, type="member_joined_channel")[-1]["channel"] == made["channel"]
    assert sandbox.do("/control/rename", channel="inc-42", name="inc-43")["ok"]
    assert events(sandbox, type="channel_rename")[-1]["channel"]["name"] == "inc-43"


def test_the_stream_shows_what_changes(sandbox):
    slack = sandbox.slack()
    address = sandbox.address["url"].replace("http", "ws", 1) + "client/stream"
    with connect(address) as page:
        said = sandbox.do("/client/message", channel="search", text="watch")
        update = json.loads(page.recv(timeout=60))
        assert (update["type"], update["channel"], update["message"]["text"]) == ("message", said["channel"], "watch")
        posted = slack.chat_postMessage(
            channel=said["channel"],
            thread_ts=said["ts"],
            text="hi",
            metadata={"event_type": "secret", "event_payload": {}},
        )
        reply, root = json.loads(page.recv(timeout=60)), json.loads(page.recv(timeout=60))
        assert (reply["type"], reply["message"]["thread_ts"]) == ("message", said["ts"])
        assert "metadata" not in reply["message"]
        assert (root["type"], root["message"]["reply_count"]) == ("changed", 1)
        slack.chat_update(channel=said["channel"], ts=posted["ts"], text="hello")
        assert json.loads(page.recv(timeout=60))["message"]["text"] == "hello"
        slack.chat_postEphemeral(channel=said["channel"], user=sandbox.see("/client/boot")["me"], text="psst")
        assert json.loads(page.recv(timeout=60))["type"] == "ephemeral"
        slack.assistant_threads_setStatus(channel_id=said["channel"], thread_ts=said["ts"], status="is on it")
        assert json.loads(page.recv(timeout=60))["status"] == "is on it"
        slack.chat_delete(channel=said["channel"], ts=posted["ts"])
        assert json.loads(page.recv(timeout=60))["ts"] == posted["ts"]


def test_any_event_can_be_made(sandbox):
    event_id = sandbox.do("/control/event", event={"type": "team_join", "user": {"id": "U1"}}, deliveries=2)["event_id"]

    def both_tried():
        records = sandbox.see("/control/deliveries", type="team_join")["deliveries"]
        tried = next(record["attempts"] for record in records if record["event_id"] == event_id)
        return [attempt["result"] for attempt in tried] == ["no_connection"] * 2

    until(both_tried)


def test_mistakes_are_answered(sandbox):
    assert sandbox.do("/client/message", channel="nowhere", text="x") == {"ok": False, "error": "channel_not_found"}
    assert sandbox.do("/client/message", channel="search", text="  ")["error"] == "no_text"
    assert sandbox.do("/client/dance")["error"] == "unknown_verb"
    assert sandbox.http.post("/control/dance", json={}).status_code == 404
    assert sandbox.http.post("/control/faults", json={"method": "x", "action": "explode"}).status_code == 422
    assert sandbox.http.get("/control/state", params={"channel": "nowhere"}).status_code == 404
    assert sandbox.do("/control/message", channel="search", text="x", user="nobody")["error"] == "user_not_found"
    assert sandbox.do("/client/view", view_id="V0", state={})["error"] == "not_found"
