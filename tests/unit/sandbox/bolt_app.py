"""A small Bolt app of its own kind, to run against a sandbox: mentions, buttons, a modal, a command, a home tab."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI, Request
from slack_bolt import App
from slack_bolt.adapter.fastapi import SlackRequestHandler
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bot.sandbox.server import listen

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
        section = {"type": "section", "text": {"type": "plain_text", "text": "Welcome home"}}
        client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [section]})

    return app


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
        handler.close()


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
