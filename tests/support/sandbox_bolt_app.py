"""A small Bolt app of its own kind, to run against a sandbox: mentions, buttons, a modal, a command, a home tab."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI, Request
from slack_bolt import App
from slack_bolt.adapter.fastapi import SlackRequestHandler
from slack_bolt.adapter.socket_mode import SocketModeHandler

from slack_sandbox.server import listen

MODAL = {
    "type": "modal",
    "callback_id": "order",
    "notify_on_close": True,
    "title": {"type": "plain_text", "text": "Order"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "what",
            "label": {"type": "plain_text", "text": "What"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
    ],
}
MENU = {
    "type": "actions",
    "block_id": "menu",
    "elements": [
        {"type": "button", "action_id": "more", "text": {"type": "plain_text", "text": "More"}, "value": "42"},
        {"type": "button", "action_id": "order", "text": {"type": "plain_text", "text": "Order"}},
    ],
}


def label(text: str) -> dict:
    return {"type": "plain_text", "text": text}


def option(value: str) -> dict:
    return {"text": label(value), "value": value}


def field(block_id: str, kind: str, **fields) -> dict:
    """An input that need not be filled in; `block_id` is its label, too."""
    element = {"type": kind, "action_id": "x", **fields}
    return {"type": "input", "block_id": block_id, "label": label(block_id), "optional": True, "element": element}


_TWO = {"options": [option("one"), option("two")]}
FORM = {
    "type": "modal",
    "callback_id": "form",
    "title": label("Form"),
    "submit": label("Send"),
    "blocks": [
        field("Words", "plain_text_input", multiline=True, initial_value="first line"),
        field("Nothing", "plain_text_input"),
        field("Select", "static_select", **_TWO, initial_option=option("two")),
        field("Radio", "radio_buttons", **_TWO, initial_option=option("one")),
        field("Boxes", "checkboxes", **_TWO, initial_options=[option("two")]),
        field("Service", "external_select", min_query_length=1),
        field("Where", "conversations_select", default_to_current_conversation=True),
        field("Channel", "channels_select"),
        field("Person", "users_select"),
        {
            "type": "actions",
            "block_id": "more",
            "elements": [{"type": "button", "action_id": "next", "text": label("Next")}],
        },
    ],
}


def make_app(address: dict, seen: list) -> App:
    """Everything that reaches the app is noted in `seen`."""
    app = App(
        token=address["bot_token"],
        signing_secret=address["signing_secret"],
        client=_client(address),
        token_verification_enabled=False,
    )

    @app.middleware
    def note(body, request, next):  # noqa: A002
        seen.append((body.get("type") or body.get("command"), body, dict(request.headers)))
        next()

    @app.event("app_mention")
    def greet(event, client):
        blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "*Hello*"}}, MENU]
        client.chat_postMessage(channel=event["channel"], thread_ts=event["ts"], text="Hello", blocks=blocks)

    @app.event("message")
    def read(event):
        pass

    @app.action("more")
    def more(ack, body, respond):
        ack()
        value, thread_ts = body["actions"][0]["value"], body["container"].get("thread_ts")
        respond(text=f"more: {value}", response_type="in_channel", replace_original=False, thread_ts=thread_ts)

    @app.action("order")
    def open_order(ack, body, client):
        ack()
        client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    @app.view("order")
    def take_order(ack, body, view, client):
        what = view["state"]["values"]["what"]["text"]["value"]
        if what == "nothing":
            ack(response_action="errors", errors={"what": "Something, please."})
            return
        ack()
        client.chat_postMessage(channel=body["user"]["id"], text=f"ordered: {what}")

    @app.view_closed("order")
    def forget_order(ack):
        ack()

    @app.command("/ask")
    def answer(ack, command):
        ack(f"you asked: {command['text']}")

    @app.event("app_home_opened")
    def show_home(event, client):
        if event["tab"] == "messages":
            prompts = [{"title": "Orders", "message": "what did I order?"}]
            client.assistant_threads_setSuggestedPrompts(channel_id=event["channel"], title="Try", prompts=prompts)
            return
        section = {"type": "section", "text": {"type": "plain_text", "text": "Welcome home"}}
        client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [section]})

    add_shortcuts(app)
    return app


def add_shortcuts(app: App) -> None:
    """A shortcut of messages and one that is global, both to a form; and what Stop does."""

    @app.shortcut("about")
    @app.shortcut("form")
    def open_form(ack, body, client):
        ack()
        client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @app.options("x")
    def offer(ack, body):
        names = [name for name in ("checkout", "catalogue", "search") if body["value"] in name]
        ack(options=[option(name) for name in names])

    @app.action("next")
    def push_form(ack, body, client):
        ack()
        client.views_push(trigger_id=body["trigger_id"], view=MODAL)

    @app.action(re.compile(""))
    def take_the_rest(ack):
        ack()

    @app.view("form")
    def take_form(ack, view):
        wrong = "wrong block" in str(view["state"]["values"])
        ack(response_action="errors", errors={"nowhere": "Not there."}) if wrong else ack()

    @app.event("agent_session_stopped")
    def stop(event, client):
        place = {"channel_id": event["channel"], "thread_ts": event["thread_ts"]}
        client.agents_sessions_setStatus(**place, status="active")
        client.chat_postMessage(channel=event["channel"], thread_ts=event["thread_ts"], text="I have stopped.")

    for kind in "channel_created member_joined_channel channel_left group_left group_archive group_unarchive".split():
        app.event(kind)(lambda: None)


def _client(address: dict):
    from slack_sdk import WebClient

    return WebClient(token=address["bot_token"], base_url=address["api_url"], retry_handlers=[])


@contextmanager
def over_socket_mode(address: dict, seen: list, ping_interval: float = 1) -> Iterator[App]:
    app = make_app(address, seen)
    handler = SocketModeHandler(app, address["app_token"], ping_interval=ping_interval)
    handler.connect()
    try:
        yield app
    finally:
        closing = threading.Thread(target=close, args=(handler.client,), daemon=True)  # slack_sdk's may wait for ever
        closing.start()
        closing.join(10)


def close(client) -> None:
    """Without waiting for the receiving thread, which sleeps up to three seconds and may close the socket itself."""
    client.closed, client.auto_reconnect_enabled = True, False
    with suppress(OSError, AttributeError):
        client.current_session.sock.shutdown(socket.SHUT_RDWR)
    with suppress(AttributeError):
        client.close()


@contextmanager
def over_http(address: dict, seen: list, listener) -> Iterator[App]:
    app = make_app(address, seen)
    handler, api = SlackRequestHandler(app), FastAPI()

    @api.post("/slack/events")
    async def events(request: Request):
        return await handler.handle(request)

    server = uvicorn.Server(uvicorn.Config(api, log_level="warning", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield app
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def free_listener():
    return listen("127.0.0.1", 0)
