"""Response URLs, ephemeral answers and view rules, with an app that acknowledges everything."""

import httpx
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from tests.support.sandbox_bolt_app import MENU, MODAL, over_socket_mode
from tests.support.sandbox_process import running_sandbox, until


@pytest.fixture(scope="module")
def house():
    seen = []
    with running_sandbox() as sandbox, over_socket_mode(sandbox.address, seen):
        sandbox.do("/control/limits", unlimited=True, ack_timeout_s=1)
        yield sandbox, seen


def pressed(house, *, ephemeral):
    """A button pressed; gives the message's ts and what the app got."""
    sandbox, seen = house
    slack, me = sandbox.slack(), sandbox.see("/client/boot")["me"]
    if ephemeral:
        ts = slack.chat_postEphemeral(channel="search", user=me, text="menu", blocks=[MENU])["message_ts"]
    else:
        ts = slack.chat_postMessage(channel="search", text="menu", blocks=[MENU])["ts"]
    place = {"channel": sandbox.channel("search")["id"], "message_ts": ts, "block_id": "menu", "action_id": "more"}
    assert sandbox.do("/client/action", **place)["ok"]
    return ts, next(body for kind, body, _ in reversed(seen) if kind == "block_actions")


def shown(sandbox, ts):
    return [m["text"] for m in sandbox.see("/client/history", channel="search")["messages"] if m["ts"] == ts]


@pytest.mark.parametrize("ephemeral", [True, False])
def test_a_response_url_replaces_and_deletes_what_it_came_from(house, ephemeral):
    sandbox, _ = house
    ts, body = pressed(house, ephemeral=ephemeral)
    assert ("message" in body) is not ephemeral
    assert body["container"]["is_ephemeral"] is ephemeral
    assert (body["actions"][0]["value"], body["actions"][0]["text"]["text"]) == ("42", "More")
    hook = WebhookClient(body["response_url"])
    assert hook.send(text="replaced", replace_original=True).body == "ok"
    assert shown(sandbox, ts) == ["replaced"]
    assert hook.send(delete_original=True).status_code == 200
    assert shown(sandbox, ts) == []


def test_a_response_url_checks_what_it_gets(house):
    _, body = pressed(house, ephemeral=False)
    hook = WebhookClient(body["response_url"])
    assert hook.send(text="x", blocks=[{"type": "nonsense"}]).status_code == 400
    assert httpx.post(body["response_url"], content=b"nonsense").status_code == 400
    assert httpx.post(body["response_url"], json={}).json()["error"] == "no_text"
    until(lambda: hook.send(text="once more").status_code == 404)
    assert hook.send(text="too much").status_code == 404


def test_views_are_stacked_updated_and_guarded(house):
    sandbox, _ = house
    slack = sandbox.slack()

    def trigger():
        return pressed(house, ephemeral=False)[1]["trigger_id"]

    view = slack.views_open(trigger_id=trigger(), view=MODAL | {"external_id": "one"})["view"]
    pushed = slack.views_push(trigger_id=trigger(), view=MODAL)["view"]
    assert (pushed["previous_view_id"], pushed["root_view_id"]) == (view["id"], view["id"])
    slack.views_push(trigger_id=trigger(), view=MODAL)
    refused = [
        ("push_limit_reached", slack.views_push, {"trigger_id": trigger(), "view": MODAL}),
        ("invalid_trigger_id", slack.views_open, {"trigger_id": "1.2.3", "view": MODAL}),
        ("hash_conflict", slack.views_update, {"view_id": view["id"], "hash": "old", "view": MODAL}),
        ("not_found", slack.views_update, {"view_id": "V0", "view": MODAL}),
        ("duplicate_external_id", slack.views_open, {"trigger_id": trigger(), "view": MODAL | {"external_id": "one"}}),
        ("invalid_arguments", slack.views_open, {"trigger_id": trigger(), "view": {"type": "modal"}}),
    ]
    for code, call, arguments in refused:
        with pytest.raises(SlackApiError) as caught:
            call(**arguments)
        assert caught.value.response["error"] == code
    title = {"type": "plain_text", "text": "New"}
    updated = slack.views_update(external_id="one", hash=view["hash"], view=MODAL | {"title": title})["view"]
    assert (updated["id"], updated["title"]["text"]) == (view["id"], "New")
    assert updated["hash"] != view["hash"]


def test_shortcuts_reach_the_app(house):
    sandbox, seen = house
    said = sandbox.do("/control/message", channel="search", text="look", user="maya")
    sandbox.do("/control/shortcut", callback_id="global")
    sandbox.do("/control/shortcut", callback_id="this", channel="search", message_ts=said["ts"])
    until(lambda: {"shortcut", "message_action"} <= {kind for kind, *_ in seen})
    body = next(body for kind, body, _ in seen if kind == "message_action")
    assert (body["callback_id"], body["message"]["text"]) == ("this", "look")


def test_an_external_select_asks_the_app(house):
    sandbox, seen = house
    said = sandbox.do("/control/message", channel="search", text="look", user="maya")
    sandbox.do("/control/shortcut", callback_id="about", channel="search", message_ts=said["ts"])
    view = until(lambda: [v for v in sandbox.see("/control/state")["views"] if v["callback_id"] == "form"])[-1]
    asked = {"view_id": view["id"], "block_id": "Service", "action_id": "x", "value": "c"}
    answer = sandbox.do("/control/suggest", **asked)
    assert [option["value"] for option in answer["options"]] == ["checkout", "catalogue", "search"]
    body = next(body for kind, body, _ in seen if kind == "block_suggestion")
    assert (body["block_id"], body["value"], body["view"]["id"]) == ("Service", "c", view["id"])
    assert "trigger_id" not in body
    assert sandbox.do("/control/suggest", **(asked | {"action_id": "gone"}))["error"] == "action_not_found"
