"""Where people come in: shortcuts, edits, home tabs and direct messages of several people, prompts, views."""

import json

import pytest
from websockets.sync.client import connect

from tests.support.sandbox_process import running_sandbox

SHORTCUTS = ("--shortcut", "order=Order something", "--message-shortcut", "about=Ask about this")


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox(*SHORTCUTS) as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


def events(sandbox, **wanted):
    records = sandbox.see("/control/deliveries", payload="true")["deliveries"]
    inner = [record["payload"]["event"] for record in records]
    return [event for event in inner if wanted.items() <= event.items()]


def person(sandbox, name):
    return next(user["id"] for user in sandbox.see("/client/boot")["users"] if user["name"] == name)


def test_the_page_knows_the_shortcuts(sandbox):
    assert sandbox.see("/client/boot")["shortcuts"] == [
        {"callback_id": "order", "title": "Order something", "of_message": False},
        {"callback_id": "about", "title": "Ask about this", "of_message": True},
    ]


def test_an_edit_tells_what_was_and_what_is(sandbox):
    said = sandbox.do("/control/message", channel="search", user="maya", text="first")
    edit = {"channel": said["channel"], "ts": said["ts"], "user": "maya"}
    assert sandbox.do("/control/edit", **edit, text="first")["ok"]
    assert sandbox.do("/control/edit", **edit, text=" ")["error"] == "no_text"
    assert sandbox.do("/control/edit", **edit, text="second @helper")["ok"]
    (change,) = [e for e in events(sandbox, subtype="message_changed") if e["message"]["ts"] == said["ts"]]
    bot = sandbox.see("/control/state")["bot"]["user_id"]
    assert (change["previous_message"]["text"], change["message"]["text"]) == ("first", f"second <@{bot}>")
    assert change["message"]["edited"]["user"] == person(sandbox, "maya")
    assert change["message"]["blocks"][0]["elements"][0]["elements"][-1] == {"type": "user", "user_id": bot}
    assert (change["hidden"], change["channel_type"]) == (True, "channel")


def test_opening_the_app_is_told_by_tab_and_person(sandbox):
    slack, maya = sandbox.slack(), person(sandbox, "maya")
    assert sandbox.do("/control/open", user="maya")["view"] is None
    opened = events(sandbox, type="app_home_opened", user=maya)[-1]
    direct = slack.conversations_open(users=maya)["channel"]["id"]
    assert (opened["tab"], opened["channel"]) == ("messages", direct)
    home = {"type": "home", "blocks": [{"type": "divider"}]}
    slack.views_publish(user_id=maya, view=home)
    assert sandbox.see("/client/home", **{"as": "maya"})["view"]["type"] == "home"
    assert sandbox.see("/client/home")["view"] is None
    assert events(sandbox, type="app_home_opened", user=maya)[-1]["view"]["type"] == "home"
    assert sandbox.do("/control/open", tab="shelf")["error"] == "invalid_tab"


def test_prompts_are_suggested_before_the_first_message(sandbox):
    slack = sandbox.slack()
    prompts = [{"title": "Latency", "message": "why is p95 up?"}]
    direct = slack.conversations_open(users=person(sandbox, "priya"))["channel"]["id"]
    slack.assistant_threads_setSuggestedPrompts(channel_id=direct, title="Try", prompts=prompts)
    assert sandbox.see("/client/history", channel=direct, **{"as": "priya"})["prompts"] == {
        "title": "Try",
        "prompts": prompts,
    }


def test_several_people_see_what_is_theirs(sandbox):
    slack, tomas = sandbox.slack(), person(sandbox, "tomas")
    boot = sandbox.see("/client/boot", **{"as": "tomas"})
    assert boot["me"] == tomas
    direct = next(channel["id"] for channel in boot["channels"] if channel["is_im"])
    assert direct not in [channel["id"] for channel in sandbox.see("/client/boot")["channels"]]
    search = sandbox.channel("search")["id"]
    for name in ("tomas", "you"):
        sandbox.see("/client/history", channel=search, **{"as": name})
    address = sandbox.address["url"].replace("http", "ws", 1) + "client/stream?as="
    with connect(address + "tomas") as his, connect(address + "you") as mine:
        said = sandbox.http.post("/client/message?as=tomas", json={"channel": direct, "text": "hi"}).json()
        assert json.loads(his.recv(timeout=60))["message"]["user"] == tomas
        slack.chat_postEphemeral(channel=search, user=tomas, text="psst")
        assert json.loads(his.recv(timeout=60))["type"] == "ephemeral"
        slack.chat_postMessage(channel=search, text="all of you")
        assert json.loads(mine.recv(timeout=60))["message"]["text"] == "all of you"
    assert events(sandbox, ts=said["ts"])[0]["channel_type"] == "im"
    unread = {name: boot_of(sandbox, name)["unread"] for name in ("tomas", "you")}
    assert unread == {"tomas": 1, "you": 1}
    sandbox.see("/client/history", channel=search, **{"as": "tomas"})
    assert [boot_of(sandbox, name)["unread"] for name in ("tomas", "you")] == [0, 1]
    assert sandbox.http.get("/client/boot", params={"as": "nobody"}).status_code == 404


def boot_of(sandbox, name):
    channels = sandbox.see("/client/boot", **{"as": name})["channels"]
    return next(channel for channel in channels if channel["name"] == "search")


def label(text):
    return {"type": "plain_text", "text": text}


def option(value):
    return {"text": label(value), "value": value}


def element(block_id, kind, **fields):
    return {
        "type": "input",
        "block_id": block_id,
        "label": label(block_id),
        "optional": True,
        "element": {"type": kind, "action_id": "x", **fields},
    }


def inputs(me, channel):
    choose = {"options": [option("a"), option("b")]}
    return [
        element("text", "plain_text_input", multiline=True, initial_value="two\nlines"),
        element("empty", "plain_text_input"),
        element("select", "static_select", **choose, initial_option=option("b")),
        element("radio", "radio_buttons", **choose, initial_option=option("a")),
        element("boxes", "checkboxes", **choose, initial_options=[option("a")]),
        element("none", "checkboxes", **choose),
        element("user", "users_select", initial_user=me),
        element("channel", "channels_select", initial_channel=channel),
        element("here", "conversations_select", default_to_current_conversation=True),
        element("date", "datepicker", initial_date="2026-11-21"),
    ]


def opened(sandbox, **fields):
    """A modal opened from a message in #search."""
    slack = sandbox.slack()
    me, channel = sandbox.see("/client/boot")["me"], sandbox.channel("search")["id"]
    view = {"type": "modal", "title": label("Ask"), "submit": label("Ask"), "blocks": inputs(me, channel)} | fields
    return slack.views_open(trigger_id=trigger(sandbox), view=view)["view"], me, channel


def trigger(sandbox):
    """A fresh trigger id, read over Socket Mode."""
    slack = sandbox.slack()
    with connect(slack.apps_connections_open(app_token=sandbox.address["app_token"])["url"]) as socket:
        assert json.loads(socket.recv(timeout=60))["type"] == "hello"
        said = sandbox.do("/control/message", channel="search", text="x")
        place = {"channel": "search", "message_ts": said["ts"]}
        sandbox.do("/control/shortcut", callback_id="about", **place)
        while (envelope := json.loads(socket.recv(timeout=60)))["type"] != "interactive":
            pass
        return envelope["payload"]["trigger_id"]


def test_a_view_starts_with_its_initial_values(sandbox):
    view, me, channel = opened(sandbox)
    values = {block_id: actions["x"] for block_id, actions in view["state"]["values"].items()}
    assert values == {
        "text": {"type": "plain_text_input", "value": "two\nlines"},
        "empty": {"type": "plain_text_input", "value": None},
        "select": {"type": "static_select", "selected_option": option("b")},
        "radio": {"type": "radio_buttons", "selected_option": option("a")},
        "boxes": {"type": "checkboxes", "selected_options": [option("a")]},
        "none": {"type": "checkboxes", "selected_options": []},
        "user": {"type": "users_select", "selected_user": me},
        "channel": {"type": "channels_select", "selected_channel": channel},
        "here": {"type": "conversations_select", "selected_conversation": channel},
        "date": {"type": "datepicker", "selected_date": "2026-11-21"},
    }


def test_what_was_entered_stays_when_the_view_is_redrawn(sandbox):
    view, *_ = opened(sandbox)
    entered = {"text": {"x": {"type": "plain_text_input", "value": "mine"}}}
    sandbox.do("/control/view", view_id=view["id"], state={"values": entered})
    redrawn = {
        "type": "modal",
        "title": label("Ask"),
        "submit": label("Ask"),
        "blocks": [
            element("text", "plain_text_input", initial_value="other"),
            element("fresh", "plain_text_input", initial_value="new"),
        ],
    }
    view = sandbox.slack().views_update(view_id=view["id"], hash=view["hash"], view=redrawn)["view"]
    assert {block_id: actions["x"]["value"] for block_id, actions in view["state"]["values"].items()} == {
        "text": "mine",
        "fresh": "new",
    }
