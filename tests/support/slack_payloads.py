"""Payloads as Slack sends them, signed; an ledger in memory; and a Web API that notes what it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode

import uvicorn
from fastapi import FastAPI
from slack_sdk.signature import SignatureVerifier

from workers.contracts import Question, Reply
from workers.errors import StoreUnavailable

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
APP = "U0APP"
FORM = "application/x-www-form-urlencoded"


def event_body(event: dict[str, Any], event_id: str = "Ev1", **outer: Any) -> dict[str, Any]:
    """The outer envelope of an event."""
    authorizations = [{"team_id": "T1", "user_id": APP, "is_bot": True}]
    envelope = {"type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event_id": event_id}
    return {**envelope, "authorizations": authorizations, "event": event, **outer}


def mention(text: str = f"<@{APP}> why is search slow?", event_id: str = "Ev1", **event: Any) -> dict[str, Any]:
    """Someone mentions the app."""
    inner = {"type": "app_mention", "user": "U1", "text": text, "ts": "1763733600.000100", "channel": "C1"}
    return event_body({**inner, **event}, event_id)


def message(text: str = "checkout", event_id: str = "Ev2", **event: Any) -> dict[str, Any]:
    """A message in a thread, without a mention."""
    inner = {"type": "message", "user": "U1", "text": text, "ts": "1763733700.000100", "channel": "C1"}
    place = {"channel_type": "channel", "thread_ts": "1763733600.000100"}
    return event_body({**inner, **place, **event}, event_id)


def command(text: str = "why is search slow?", **fields: str) -> dict[str, str]:
    """A slash command."""
    body = {"command": "/oracle", "text": text, "team_id": "T1", "channel_id": "C1", "user_id": "U1"}
    return {**body, "trigger_id": "13345224609.738474920.8088930838d88f008e0", **fields}


def press(value: str = "/api/search", action_id: str = "clarify:0", request_id: str = "a1b2c3d4e5f6") -> dict[str, Any]:
    """A pressed button."""
    place = {"channel_id": "C1", "message_ts": "1763733650.000100", "thread_ts": "1763733600.000100"}
    action = {"type": "button", "action_id": action_id, "block_id": f"clarify:{request_id}", "value": value}
    return {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": "U2", "team_id": "T1"},
        "channel": {"id": "C1"},
        "container": {"type": "message", **place},
        "message": {"ts": place["message_ts"], "thread_ts": place["thread_ts"]},
        "trigger_id": "1.2.abc",
        "actions": [{**action, "action_ts": "1763733800.100000"}],
    }


def choose(value: str = "/api/cart", request_id: str = "a1b2c3d4e5f6", turn: int = 0) -> dict[str, Any]:
    """An option chosen in the menu of a clarifying question."""
    option = {"text": {"type": "plain_text", "text": value}, "value": value}
    action = {"type": "static_select", "action_id": "clarify:menu", "block_id": f"clarify:{request_id}:{turn}"}
    return {**press(), "actions": [{**action, "selected_option": option, "action_ts": "1763733800.000100"}]}


def pressed(
    action_id: str, value: str, *, trigger_id: str = "1.2.abc", user: str = "U2", **outer: Any
) -> dict[str, Any]:
    """A button of an answer."""
    action = {"type": "button", "action_id": action_id, "block_id": "answer:1", "value": value, "action_ts": "1.1"}
    return {**press(), "user": {"id": user, "team_id": "T1"}, "trigger_id": trigger_id, "actions": [action], **outer}


def narrow(
    value: str, *, menu: int = 0, request_id: str = "a1b2c3d4e5f6", trigger_id: str = "1.2.abc", user: str = "U2"
) -> dict[str, Any]:
    """An option chosen in a menu below an answer."""
    option = {"text": {"type": "plain_text", "text": "DACH"}, "value": value}
    action = {"type": "static_select", "action_id": f"answer:narrow:{menu}", "block_id": f"narrow:{request_id}"}
    chosen = {**action, "selected_option": option, "action_ts": "1763733800.000100"}
    return {**press(), "user": {"id": user, "team_id": "T1"}, "trigger_id": trigger_id, "actions": [chosen]}


def edit(
    text: str, before: str, event_id: str = "Ev5", *, event: dict[str, Any] | None = None, **said: Any
) -> dict[str, Any]:
    """A person changed a message."""
    old = {"type": "message", "user": "U1", "team": "T1", "text": before, "ts": "1763733600.000100"}
    new = {**old, "text": text, "edited": {"user": "U1", "ts": "1763733660.000000"}, **said}
    inner = {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": "C1",
        "channel_type": "channel",
    }
    stamps = {"ts": "1763733660.000200", "event_ts": "1763733660.000200"}
    return event_body({**inner, **stamps, "message": new, "previous_message": old, **(event or {})}, event_id)


def stopped(thread_ts: str = "1763733600.000100", event_id: str = "Ev6") -> dict[str, Any]:
    """Someone pressed Stop below a thread."""
    place = {"channel": "C1", "thread_ts": thread_ts, "user": "U2", "event_ts": "1763733900.000100"}
    return event_body({"type": "agent_session_stopped", "streaming_message_ts": [], **place}, event_id)


def shortcut(callback_id: str = "ask_anything") -> dict[str, Any]:
    """A global shortcut."""
    body = {"type": "shortcut", "callback_id": callback_id, "trigger_id": "9.8.short", "action_ts": "1763733800.1"}
    return {**body, "team": {"id": "T1", "domain": "acme"}, "user": {"id": "U1", "team_id": "T1"}}


def about(text: str = "p95 is &gt; 2 s &amp; rising", **message: Any) -> dict[str, Any]:
    """A message shortcut."""
    said = {"type": "message", "user": "U7", "ts": "1763733500.000100", "text": text, **message}
    place = {"channel": {"id": "C1", "name": "general"}, "message": said, "message_ts": said["ts"]}
    return {**shortcut("ask_about"), "type": "message_action", **place}


def window(
    text: str = "why is <search> slow?", kept: dict[str, str] | None = None, chosen: str = "C3", view_id: str = "V1"
) -> dict[str, Any]:
    """The window in which a question is asked, sent."""
    where = {"where": {"where": {"type": "conversations_select", "selected_conversation": chosen}}} if chosen else {}
    values = {"question": {"question": {"type": "plain_text_input", "value": text}}, **where}
    view = {"id": view_id, "type": "modal", "callback_id": "ask", "private_metadata": json.dumps(kept or {})}
    body = {"type": "view_submission", "team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T1"}}
    return {**body, "view": {**view, "state": {"values": values}, "hash": "1.h"}, "trigger_id": "7.7.view"}


def org_wide(body: dict[str, Any]) -> dict[str, Any]:
    """The same from an organisation that installed the app as a whole."""
    if body.get("type") == "event_callback":
        whole = {"enterprise_id": "E1", "team_id": None, "user_id": APP, "is_bot": True, "is_enterprise_install": True}
        return {**body, "enterprise_id": "E1", "authorizations": [whole], "is_ext_shared_channel": False}
    if "command" in body:
        return {**body, "enterprise_id": "E1", "enterprise_name": "acme", "is_enterprise_install": "true"}
    return {**body, "team": None, "enterprise": {"id": "E1", "name": "acme"}, "is_enterprise_install": True}


def as_json(body: dict[str, Any]) -> tuple[str, str]:
    """An event's request body and content type."""
    return json.dumps(body), "application/json"


def as_form(body: dict[str, Any]) -> tuple[str, str]:
    """A command's or an interaction's request body and content type."""
    return urlencode(body if "command" in body else {"payload": json.dumps(body)}), FORM


def signed(raw: str, content_type: str, *, secret: str = SECRET, age_s: int = 0, **more: str) -> dict[str, str]:
    """The headers of a signed request."""
    timestamp = str(int(time.time()) - age_s)
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=raw)
    stamps = {"x-slack-request-timestamp": timestamp, "x-slack-signature": signature or ""}
    return {"content-type": content_type, **stamps, **more}


class MemoryInbox:
    """An ledger that keeps everything in memory. ``waiting``: threads that wait for a reply, and their request."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.replies: list[Reply] = []
        self.seen: set[str] = set()
        self.waiting: dict[str, str] = {}
        self.before = 0
        self.broken = False

    def clean(self, text: str) -> str:
        return text

    def accept(self, question: Question) -> str | None:
        self.check()
        if question.event_id in self.seen:
            return None
        self.seen.add(question.event_id)
        self.questions.append(question)
        return question.request_id

    def accept_reply(self, reply: Reply) -> str | None:
        self.check()
        found = {t: r for t, r in self.waiting.items() if reply.request_id == r or t == reply.thread_ts}
        for thread, request_id in found.items():
            self.replies.append(reply)
            del self.waiting[thread]
            return request_id
        return None

    def is_awaited(self, reply: Reply) -> bool:
        self.check()
        return reply.thread_ts in self.waiting

    def asker_of(self, request_id: str, team: str, channel: str) -> str:
        self.check()
        mine = (q for q in self.questions if (q.request_id, q.team, q.channel) == (request_id, team, channel))
        return next((q.asker for q in mine), "")

    def ahead(self, request_id: str) -> int:
        self.check()
        return self.before

    def oldest_open_s(self) -> float:
        self.check()
        return 12.5

    def counts(self) -> dict[str, int]:
        self.check()
        return {"plan": 2, "deliver": 1, "waiting": 4, "done": 7}

    def check(self) -> None:
        if self.broken:
            raise StoreUnavailable("the database at memory failed: gone")


@contextmanager
def stand_in(
    port: int = 0, by_method: dict[str, dict[str, Any]] | None = None, **answers: Any
) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """A Web API that says ok, or ``answers``, and ``by_method`` what else; an event under ``wait`` is waited for.

    Yields: its address, and the calls so far (method, arguments).
    """
    calls: list[tuple[str, dict[str, Any]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
            is_json = (self.headers["content-type"] or "").startswith("application/json")
            arguments = json.loads(raw or "{}") if is_json else dict(parse_qsl(raw))
            method = self.path.rpartition("/")[2]
            calls.append((method, {**arguments, "token": self.headers["authorization"]}))
            said = {"ok": True, **answers, **(by_method or {}).get(method, {})}
            wait = said.pop("wait", None)
            if wait:
                wait.wait(30)
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):  # whoever asked may have gone
                self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/api/", calls
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def served(web: FastAPI, port: int = 0) -> Iterator[str]:
    """A real server, on a free port when none is given. Yields: its address."""
    server = uvicorn.Server(uvicorn.Config(web, port=port, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(lambda: server.started)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def wait_for(condition: Callable[[], Any], within_s: float = 120) -> Any:
    """Poll until a condition is true. Returns: what it returned."""
    end = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < end, "the condition did not become true"
        time.sleep(0.01)
    return found
