"""A Bolt app with the listeners that answer people, on a real ledger, and a Slack that says and refuses what is set."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl

from slack_bolt import App, BoltContext, BoltRequest, BoltResponse
from slack_bolt.authorization import AuthorizeResult
from slack_sdk import WebClient

from bot.listeners.mentions import ListenerContext
from bot.middleware.accept import TurnAway
from tests.support.request_logs import make_log, unchanged
from tests.support.slack_payloads import SECRET, as_form, as_json, command, event_body, signed, wait_for
from tests.support.tables import sqlite_tables
from workers.access.views import access_of
from workers.contracts import Answer, Claim, Landscape, MetricInfo, Question, RequestLog
from workers.delivery.slack_chat import SlackChat
from workers.requests.ledger import Ledger
from workers.settings.load import Settings, load_settings
from workers.settings.schema import WorkerSection
from workers.store.database import Database
from workers.store.incidents import Incident
from workers.store.request_jobs import Asked
from workers.store.request_logs import SqlStore, open_store

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LANDSCAPE = Landscape(
    metrics=(MetricInfo(name="latency_p95", unit="s"),), labels={"endpoint": ("/api/zones",)}, repositories=("shop",)
)
Said = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class FakeSlack:
    """Web API and response address. ``answers``: method -> what it says, ``{"ok": False, "error": …}`` to refuse."""

    address: str = ""
    answers: dict[str, Said] = field(default_factory=dict)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What one call returns."""
        if method == "respond":
            self.told.append(arguments)
            return {"ok": True}
        said = self.answers.get(method, {})
        self.calls.append((method, arguments))
        return {"ok": True, "ts": "500.1"} | (said(arguments) if callable(said) else said)

    def called(self, method: str) -> list[dict[str, Any]]:
        """The arguments of every call of a method."""
        return [arguments for name, arguments in self.calls if name == method]


@contextmanager
def fake_slack() -> Iterator[FakeSlack]:
    """A Slack on a free port."""
    slack = FakeSlack()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
            is_json = (self.headers["content-type"] or "").startswith("application/json")
            arguments = json.loads(raw or "{}") if is_json else dict(parse_qsl(raw))
            body = json.dumps(slack.answer(self.path.rpartition("/")[2], arguments)).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    slack.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield slack
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Desk:
    """An app and everything around it. ``noted``: what the middleware that accepts questions left in the context."""

    slack: FakeSlack
    settings: Settings
    store: SqlStore
    ledger: Ledger
    noted: dict[str, Any] = field(default_factory=dict)
    rung: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chat = SlackChat("xoxb-test", f"{self.slack.address}/api/")
        self.attention = ListenerContext(
            ring=self.rung.append,
            settings=self.settings,
            ledger=self.ledger,
            store=self.store,
            landscape=lambda: LANDSCAPE,
            queued=lambda *_: None,
            chats=lambda _: self.chat,
            access=access_of(self.settings),
        )
        self.app = App(
            signing_secret=SECRET,
            client=WebClient(base_url=f"{self.slack.address}/api/", retry_handlers=[]),
            before_authorize=TurnAway(),
            authorize=authorize,
            ignoring_self_events_enabled=False,
            attaching_conversation_kwargs_enabled=False,
        )
        self.app.middleware(self.note)

    @property
    def database(self) -> Database:
        return self.store.database

    def note(self, context: BoltContext, next_: Callable[[], Any]) -> None:
        """Stands for the middleware that accepts questions."""
        context.update(self.noted)
        next_()

    def listen(self, *kinds: ModuleType) -> Desk:
        """Register listeners."""
        for kind in kinds:
            kind.register(self.app, self.attention)
        self.app.event(re.compile(".*"))(lambda: None)
        return self

    def send(self, body: dict[str, Any]) -> BoltResponse:
        """Deliver a signed request; it must be acknowledged."""
        raw, content_type = as_json(body) if body.get("type") == "event_callback" else as_form(body)
        response = self.app.dispatch(BoltRequest(body=raw, headers=dict(signed(raw, content_type))))
        assert response.status == 200, response.body
        return response

    def say(self, text: str, **fields: str) -> str:
        """Type ``/oracle TEXT``. Returns: all words of what one person is told."""
        before = len(self.slack.told)
        response = self.send(command(text, response_url=f"{self.slack.address}/respond", **fields))
        assert response.body == "", "acknowledged at once, answered later"
        wait_for(lambda: len(self.slack.told) > before)
        told = self.slack.told[-1]
        assert told["response_type"] == "ephemeral"
        return all_words(told)

    def broken(self) -> None:
        """The database answers nothing any more."""
        with self.database.begin() as connection:
            connection.exec_driver_sql("alter table jobs rename to gone")


def authorize(context: BoltContext) -> AuthorizeResult:
    """One workspace."""
    return AuthorizeResult(enterprise_id=None, team_id=context.team_id, bot_token="xoxb-test")


@contextmanager
def open_desk(home: Path, **overrides: Any) -> Iterator[Desk]:
    """A worker on a new database."""
    home.mkdir(exist_ok=True)
    with fake_slack() as slack:
        settings = load_settings({"oracle.slack.signing_secret": SECRET, **overrides}, home=home)
        store = open_store(sqlite_tables(home / "oracle.db"), unchanged)
        yield Desk(slack, settings, store, Ledger(store.database, WorkerSection(), hide_secret))
        store.database.close()


def hide_secret(text: str) -> str:
    """Takes out the one secret of these tests."""
    return text.replace("hunter2", "[redacted]")


def all_words(part: Any) -> str:
    """Every text in a message or view, blocks only."""
    if isinstance(part, dict) and "blocks" in part:
        return all_words(part["blocks"]) if part["blocks"] else str(part.get("text", ""))
    if isinstance(part, list):
        return " ".join(map(all_words, part))
    if not isinstance(part, dict):
        return ""
    own = str(part["text"]) if isinstance(part.get("text"), str) else ""
    return " ".join(filter(None, [own, *(all_words(value) for value in part.values())]))


# --- what stands in the ledger ----------------------------------------------------------------------------------


def ask(worker: Desk, number: int = 1, text: str = "why is search slow?", **changes: Any) -> Question:
    """Someone asked something; nobody works on it yet."""
    shared: dict[str, Any] = {
        "request_id": f"abcdef{number:06d}",
        "text": text,
        "asker": "U1",
        "team": "T1",
        "channel": "C1",
        "ts": f"100.{number}",
        "thread_ts": f"100.{number}",
        "event_id": f"Ev{number}",
        "source": "slack",
        "received_at": datetime.now(UTC),
    }
    question = Question(**(shared | changes))
    assert worker.ledger.accept(question)
    return question


def answer(worker: Desk, question: Question, headline: str = "It was the deploy") -> RequestLog:
    """The answer stands in its thread."""
    said = Answer(headline=Claim(template=headline, text=headline))
    log = make_log(question.request_id, question.text).model_copy(update={"question": question, "answer": said})
    worker.store.save(log)
    job = worker.ledger.claim(question.request_id)
    assert job is not None
    worker.ledger.finish(worker.ledger.checkpoint(job, "deliver", log), "done")
    return log


def busy(worker: Desk) -> None:
    """Someone else's questions keep every worker."""
    for number in range(90, 90 + worker.ledger.limits.concurrency):
        assert worker.ledger.claim(ask(worker, number, "theirs?", asker="U8", channel="C8").request_id)


def asked(number: int = 1, **changes: Any) -> Asked:
    """One request of a list."""
    shared: dict[str, Any] = {
        "request_id": f"abcdef{number:06d}",
        "asker": "U1",
        "text": "why is search slow?",
        "headline": "It was the deploy",
        "stage": "done",
        "channel": "C1",
        "thread_ts": f"100.{number}",
        "accepted_at": NOON - number * HOUR,
    }
    return Asked(**(shared | changes))


def incident(number: int = 1, **changes: Any) -> Incident:
    """One incident."""
    shared: dict[str, Any] = {
        "id": number,
        "team": "T1",
        "channel": "C1",
        "title": "Checkout fails",
        "status": "active",
        "ts": f"200.{number}",
        "opened_by": "U1",
        "opened_at": NOON - HOUR,
    }
    return Incident(**(shared | changes))


def home_opened(user: str = "U1", tab: str = "home") -> dict[str, Any]:
    """Someone opens a tab of the app."""
    return event_body({"type": "app_home_opened", "user": user, "channel": "D1", "tab": tab, "event_ts": "1.1"})


def pressed(action_id: str, value: str = "", user: str = "U1") -> dict[str, Any]:
    """A button of the Home tab."""
    return {
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": user, "team_id": "T1"},
        "container": {"type": "view", "view_id": "V1"},
        "view": {"id": "V1", "type": "home"},
        "trigger_id": "1.2.abc",
        "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value, "action_ts": "1.1"}],
    }


def submitted(callback_id: str, values: dict[str, Any], user: str = "U1", kept: str = "") -> dict[str, Any]:
    """A window that was sent."""
    return {
        "type": "view_submission",
        "team": {"id": "T1"},
        "user": {"id": user, "team_id": "T1"},
        "view": {
            "id": "V2",
            "type": "modal",
            "callback_id": callback_id,
            "private_metadata": kept,
            "state": {"values": values},
        },
    }
