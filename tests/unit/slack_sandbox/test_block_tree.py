"""Whatever an app sends without ids can be pressed, wherever it stands."""

import pytest
from slack_sdk.webhook import WebhookClient

from slack_sandbox.block_tree import find_element, walk_elements, with_all_ids
from tests.support.sandbox_bolt_app import MENU, over_socket_mode
from tests.support.sandbox_process import running_sandbox

BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Go"}}
ROW = {"type": "actions", "elements": [BUTTON, BUTTON]}
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}, "accessory": BUTTON}
BOX = {"type": "container", "title": {"type": "plain_text", "text": "Box"}, "child_blocks": [ROW, SECTION]}
CARDS = {"type": "carousel", "elements": [{"type": "card", "body": SECTION["text"], "actions": [BUTTON]}]}
FIELDS = {"blocks": [ROW, BOX, CARDS], "attachments": [{"fallback": "f"}, {"fallback": "g", "blocks": [BOX]}]}


@pytest.fixture(scope="module")
def house():
    seen = []
    with running_sandbox() as sandbox, over_socket_mode(sandbox.address, seen):
        sandbox.do("/control/limits", unlimited=True, ack_timeout_s=1)
        yield sandbox, seen


def pairs(message):
    places = [message, *message.get("attachments", [])]
    found = [pair for place in places for pair in walk_elements(place.get("blocks") or [])]
    return [{"block_id": block["block_id"], "action_id": element["action_id"]} for block, element in found]


def test_every_element_has_ids_of_its_own_and_given_ones_stay():
    filled = with_all_ids(FIELDS)
    ids = [tuple(pair.values()) for pair in pairs(filled)]
    assert len(set(ids)) == len(ids) == 2 + 3 + 1 + 3
    assert all(find_element(filled, *pair) for pair in ids)
    assert [item["id"] for item in filled["attachments"]] == [1, 2]
    assert with_all_ids(filled) == filled
    assert with_all_ids({"blocks": [MENU]}) == {"blocks": [MENU]}
    assert "block_id" not in ROW


def press(house, place, ids):
    sandbox, seen = house
    assert sandbox.do("/control/action", **place, **ids) == {"ok": True}
    return seen[-1][1]


def shown(sandbox, ts):
    return next(m for m in sandbox.see("/client/history", channel="search")["messages"] if m["ts"] == ts)


def test_what_was_posted_or_updated_can_be_pressed(house):
    sandbox, _ = house
    slack = sandbox.slack()
    posted = slack.chat_postMessage(channel="search", text="x", **FIELDS)
    place = {"channel": posted["channel"], "message_ts": posted["ts"]}
    for ids in pairs(posted["message"]):
        assert ids.items() <= press(house, place, ids)["actions"][0].items()
    updated = slack.chat_update(channel=posted["channel"], ts=posted["ts"], text="y", **FIELDS)
    bodies = [press(house, place, ids) for ids in pairs(updated["message"])]
    assert [body["container"]["type"] for body in bodies] == ["message"] * 6 + ["message_attachment"] * 3
    assert bodies[-1]["container"]["attachment_id"] == 2


def test_what_replaced_an_ephemeral_message_can_be_pressed(house):
    sandbox, _ = house
    me = sandbox.see("/client/boot")["me"]
    ts = sandbox.slack().chat_postEphemeral(channel="search", user=me, text="menu", blocks=[MENU])["message_ts"]
    place = {"channel": sandbox.channel("search")["id"], "message_ts": ts}
    body = press(house, place, {"block_id": "menu", "action_id": "more"})
    assert WebhookClient(body["response_url"]).send_dict({"replace_original": True, "text": "x"} | FIELDS).body == "ok"
    for ids in pairs(shown(sandbox, ts)):
        assert press(house, place, ids)["container"]["is_ephemeral"]


def test_what_a_stream_brought_can_be_pressed_while_it_grows(house):
    sandbox, _ = house
    slack = sandbox.slack()
    boot = sandbox.see("/client/boot")
    said = sandbox.do("/control/message", channel="search", text="x")
    place = {"channel": said["channel"], "thread_ts": said["ts"]}
    who = {"recipient_team_id": boot["team"]["id"], "recipient_user_id": boot["me"]}
    ts = slack.chat_startStream(**place, **who, chunks=[{"type": "blocks", "blocks": [ROW]}])["ts"]
    first = pairs(sandbox.thread(said["channel"], said["ts"])[-1])
    slack.chat_appendStream(channel=said["channel"], ts=ts, chunks=[{"type": "blocks", "blocks": [BOX]}])
    ids = pairs(sandbox.thread(said["channel"], said["ts"])[-1])
    assert ids[:2] == first
    for pair in ids:
        press(house, {"channel": said["channel"], "message_ts": ts}, pair)
    slack.chat_stopStream(channel=said["channel"], ts=ts)
    assert pairs(sandbox.thread(said["channel"], said["ts"])[-1]) == ids
