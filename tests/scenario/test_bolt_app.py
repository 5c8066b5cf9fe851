"""The app against a local Slack: over Socket Mode and over HTTP, on the real ledger in SQLite."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from slack_bolt import App
from slack_sdk import WebClient

from bot.app import build_app
from bot.transport.socket_mode import start_socket_mode
from bot.transport.web import build_web
from tests.support.deployment import Slack, run_slack
from tests.support.real_servers import free_port
from tests.support.request_logs import unchanged
from tests.support.slack_payloads import served, wait_for
from tests.support.tables import delete_rows
from workers.contracts import Landscape
from workers.requests.ledger import Ledger
from workers.settings.load import Settings, load_settings
from workers.store.database import Database, open_database
from workers.store.request_logs import SqlStore
from workers.store.tables import events
from workers.telemetry.service_metrics import ServiceMetrics

LANDSCAPE = Landscape(labels={"endpoint": ("/api/zones",)}, documents=("Zones runbook",))
THREE_PARTS = {"database": True, "slack": True, "broker": True}


@dataclass
class Team:
    """A local Slack, and the app beside it."""

    slack: Slack
    settings: Settings
    database: Database
    place: str = ""
    numbers: Iterator[int] = field(default_factory=itertools.count)
    rung: list[str] = field(default_factory=list)
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.database, self.settings.core.worker)
        self.store = SqlStore(self.database, unchanged)
        self.client = WebClient(self.slack.address["bot_token"], self.slack.address["api_url"])
        self.app: App = build_app(
            self.settings, self.ledger, self.store, self.rung.append, metrics=self.metrics, landscape=lambda: LANDSCAPE
        )

    def notes(self, channel: str) -> list[dict[str, Any]]:
        """The messages in a channel that one person alone sees."""
        (found,) = self.slack.get("state", channel=channel)["channels"]
        return [note["message"] for note in found["ephemerals"]]

    def count(self, stage: str) -> int:
        """How many requests are at a stage."""
        return self.ledger.counts().get(stage, 0)

    def let_it_ask(self, request_id: str, channel: str, thread_ts: str) -> str:
        """What a worker does with an unclear question. Returns: the ts of the message with its buttons."""
        job = self.ledger.claim(request_id)
        assert job is not None
        labels = [{"type": "plain_text", "text": text} for text in ("/api/search", "/api/cart")]
        buttons = [
            {"type": "button", "action_id": f"clarify:{i}", "text": label, "value": label["text"]}
            for i, label in enumerate(labels)
        ]
        block = {"type": "actions", "block_id": f"clarify:{request_id}", "elements": buttons}
        told = self.client.chat_postMessage(channel=channel, thread_ts=thread_ts, text="Which one?", blocks=[block])
        self.ledger.finish(job, "waiting")
        return str(told["ts"])

    def press(self, channel: str, message_ts: str, request_id: str, place: int = 0) -> None:
        """A person presses an option."""
        where = {"channel": channel, "message_ts": message_ts, "block_id": f"clarify:{request_id}"}
        self.slack.control("action", {**where, "action_id": f"clarify:{place}", "value": "/api/search", "user": "you"})

    def channel(self, name: str) -> str:
        """The id of a channel."""
        (found,) = self.slack.get("state", channel=name)["channels"]
        return str(found["id"])

    def submit(self, text: str) -> dict[str, Any]:
        """A person fills in the open window and sends it. Returns: what it says then."""
        (view,) = wait_for(lambda: self.slack.get("state")["views"])
        values = {"question": {"question": {"type": "plain_text_input", "value": text}}}
        body = {"view_id": view["id"], "state": {"values": values}, "user": "you"}
        return self.slack.control("view", body)

    def unacknowledged(self) -> list[dict[str, Any]]:
        """The events that Slack still waits for."""
        return [d for d in self.slack.get("deliveries")["deliveries"] if not d["acknowledged"]]


@contextmanager
def team(slack: Slack, home: Path) -> Iterator[Team]:
    keys = ("bot_token", "app_token", "signing_secret", "api_url")
    settings = load_settings({f"oracle.slack.{key}": slack.address[key] for key in keys}, home=home)
    database = open_database(settings.database_url)
    try:
        yield Team(slack, settings, database)
    finally:
        database.close()


@pytest.fixture(scope="module", params=["socket", "http"])
def connected(request: pytest.FixtureRequest, module_home: Path) -> Iterator[Team]:
    """A team whose app is connected in one of the two ways."""
    port = free_port()
    door = f"http://127.0.0.1:{port}/slack/events"
    urls = ("--events-url", door, "--interactivity-url", door, "--commands-url", door)
    with ExitStack() as stack:
        slack = stack.enter_context(run_slack(*(urls if request.param == "http" else ())))
        slack.control("limits", {"ack_timeout_s": 3, "retry_delays_s": [0.2, 0.5, 1, 2, 4, 8, 16, 32]})
        made = stack.enter_context(team(slack, module_home))
        if request.param == "http":
            web = build_web(made.settings, made.ledger, made.app, ready=lambda: THREE_PARTS, metrics=made.metrics)
            stack.enter_context(served(web, port))
        else:
            stack.callback(start_socket_mode(made.app, made.settings, metrics=made.metrics).close)
        yield made


@pytest.fixture
def made(connected: Team) -> Team:
    """A team that has heard nothing yet, with a channel that nobody wrote in."""
    name = f"place-{next(connected.numbers)}"
    connected.place = str(
        connected.slack.control("channel", {"name": name, "user": "maya", "guests": ["oracle"]})["channel"]
    )
    wait_for(lambda: not connected.unacknowledged())
    delete_rows(connected.database, events)  # a delivery that comes late is still known
    connected.rung.clear()
    return connected


@contextmanager
def broken(database: Database) -> Iterator[None]:
    """A database that refuses every statement on events."""
    path = str(database.engine.url.database)

    def rename(old: str, new: str) -> None:
        with sqlite3.connect(path, timeout=10) as connection:
            connection.execute(f"alter table {old} rename to {new}")
        connection.close()

    rename("events", "events_away")
    try:
        yield
    finally:
        rename("events_away", "events")


def test_a_mention_delivered_three_times_is_one_request(made: Team) -> None:
    ts = made.slack.ask(made.place, "@oracle why is search slow?", deliveries=3)
    wait_for(lambda: made.rung)
    wait_for(lambda: not made.unacknowledged())
    assert made.ledger.counts() == {"plan": 1}
    job = made.ledger.claim(made.rung[0])
    assert job is not None
    assert (job.question.text, job.question.ts, job.question.thread_ts) == ("why is search slow?", ts, ts)
    assert len(made.rung) == 1


def test_many_mentions_at_once_each_become_one_request(made: Team) -> None:
    for number in range(30):
        made.slack.ask(made.place, f"@oracle question {number}?", deliveries=3)
    wait_for(lambda: made.count("plan") == 30)
    wait_for(lambda: not made.unacknowledged())
    assert made.ledger.counts() == {"plan": 30}
    assert wait_for(lambda: len(made.rung) == 30)
    assert len(set(made.rung)) == 30


def test_what_a_broken_database_did_not_take_comes_again(made: Team) -> None:
    with broken(made.database):
        made.slack.ask(made.place, "@oracle why is search slow?")
        wait_for(lambda: b'refused_total{reason="store_unavailable"}' in made.metrics.render())
        assert made.unacknowledged()
    wait_for(lambda: made.rung)
    wait_for(lambda: not made.unacknowledged())
    assert made.ledger.counts() == {"plan": 1}


def test_a_command_and_its_help(made: Team) -> None:
    made.slack.control("command", {"channel": made.place, "text": "/oracle why is search slow?", "user": "you"})
    assert wait_for(lambda: made.notes(made.place))[0]["text"].startswith("Looking into it")
    assert made.ledger.counts() == {"open": 1}
    made.slack.control("command", {"channel": made.place, "text": "/oracle help", "user": "you"})
    note = wait_for(lambda: made.notes(made.place)[1:])[0]
    assert note["text"].startswith("I answer engineering questions")
    assert note["blocks"]
    assert made.ledger.counts() == {"open": 1}


def test_a_window_from_the_command_alone(made: Team) -> None:
    made.slack.control("command", {"channel": made.place, "text": "/oracle", "user": "you"})
    too_long = made.submit("x" * 4_001)
    assert too_long["response_action"] == "errors"
    assert "4,001 characters" in too_long["errors"]["question"]
    assert made.submit("why is search slow?") == {"ok": True}
    wait_for(lambda: made.rung)
    assert made.ledger.counts() == {"open": 1}


def test_a_question_about_a_message(made: Team) -> None:
    ts = made.slack.ask(made.place, "p95 of <b> is > 2 s")
    made.slack.control("shortcut", {"callback_id": "ask_about", "channel": made.place, "message_ts": ts, "user": "you"})
    assert made.submit("why?") == {"ok": True}
    (request_id,) = wait_for(lambda: made.rung)
    job = made.ledger.claim(request_id)
    assert job is not None
    assert (job.question.text, job.question.thread_ts, job.question.context) == ("why?", ts, ("p95 of <b> is > 2 s",))
    (shown,) = wait_for(lambda: made.slack.thread(made.place, ts))
    assert shown["text"].endswith("asked: why?")


def test_a_question_about_anything(made: Team) -> None:
    made.slack.control("shortcut", {"callback_id": "ask_anything", "channel": "search", "user": "you"})
    assert made.submit("why is search slow?") == {"ok": True}
    (request_id,) = wait_for(lambda: made.rung)
    job = made.ledger.claim(request_id)
    assert job is not None
    assert (job.question.channel, job.question.thread_ts, job.stage) == (made.channel("search"), "", "open")


def test_an_edited_question_is_asked_again(made: Team) -> None:
    ts = made.slack.ask(made.place, "@oracle why is search slow?")
    (first,) = wait_for(lambda: made.rung)
    made.slack.control(
        "edit", {"channel": made.place, "ts": ts, "text": "@oracle why is checkout slow?", "user": "you"}
    )
    second = wait_for(lambda: made.rung[1:])[0]
    job = made.ledger.claim(second)
    assert job is not None
    assert (job.question.text, job.question.edits, job.question.thread_ts) == ("why is checkout slow?", ts, ts)
    assert first != second


def test_stop_is_heard(made: Team) -> None:
    ts = made.slack.ask(made.place, "@oracle why is search slow?")
    (request_id,) = wait_for(lambda: made.rung)
    place = {"channel_id": made.place, "thread_ts": ts}
    made.client.api_call("agents.sessions.setStatus", json={**place, "status": "processing"})
    assert made.slack.control("stop", {"channel": made.place, "thread_ts": ts, "user": "you"})["ok"]
    assert wait_for(lambda: made.rung[1:]) == [request_id]
    assert made.ledger.counts() == {"stop": 1}


def test_questions_are_suggested_in_a_direct_message(made: Team) -> None:
    made.slack.control("open", {"tab": "messages", "user": "you"})
    calls = wait_for(lambda: made.slack.get("calls", method="assistant.threads.setSuggestedPrompts")["calls"])
    assert "/api/zones" in str(calls)
    assert "Zones runbook" in str(calls)


def test_what_is_too_long_is_said(made: Team) -> None:
    made.slack.ask(made.place, f"@oracle {'why? ' * 1_000}")
    assert "4,999 characters, and I read at most 4,000" in wait_for(lambda: made.notes(made.place))[0]["text"]
    made.slack.control("command", {"channel": made.place, "text": f"/oracle {'x' * 4_001}", "user": "you"})
    assert "4,001 characters" in wait_for(lambda: made.notes(made.place)[1:])[0]["text"]
    assert made.ledger.counts() == {}


def test_a_button_then_the_same_button_again(made: Team) -> None:
    ts = made.slack.ask(made.place, "@oracle why is it slow?")
    (request_id,) = wait_for(lambda: made.rung)
    message_ts = made.let_it_ask(request_id, made.place, ts)
    made.press(made.place, message_ts, request_id)
    wait_for(lambda: len(made.rung) == 2)
    job = made.ledger.claim(request_id)
    assert job is not None
    assert job.reply is not None
    assert (job.reply.text, job.reply.thread_ts, job.turn) == ("/api/search", ts, 1)
    made.press(made.place, message_ts, request_id, place=1)
    (note,) = wait_for(lambda: made.notes(made.place))
    assert "answered already" in note["text"]
    assert note["thread_ts"] == ts


@pytest.mark.parametrize("text", ["the search one", "@oracle the search one"])
def test_a_reply_in_the_thread_goes_on_with_the_request(made: Team, text: str) -> None:
    ts = made.slack.ask(made.place, "@oracle why is it slow?")
    (request_id,) = wait_for(lambda: made.rung)
    made.let_it_ask(request_id, made.place, ts)
    made.slack.ask(made.place, text, thread_ts=ts, deliveries=2)
    wait_for(lambda: len(made.rung) == 2)
    wait_for(lambda: not made.unacknowledged())
    job = made.ledger.claim(request_id)
    assert job is not None
    assert job.reply is not None
    assert (job.reply.text, job.turn, made.rung) == ("the search one", 1, [request_id] * 2)


def test_talk_that_is_not_for_it_leaves_no_trace(made: Team) -> None:
    ts = made.slack.ask(made.place, "good morning")
    made.slack.ask(made.place, "good morning to you", thread_ts=ts)
    made.client.chat_postMessage(channel=made.place, text="I am the app itself")
    wait_for(lambda: not made.unacknowledged())
    assert made.ledger.counts() == {}
    assert made.notes(made.place) == []


def test_a_connection_that_slack_renews_or_drops_is_opened_again(prepared_home: Path) -> None:
    def ask(made: Team, number: int) -> Callable[[], bool]:
        made.slack.ask("general", f"@oracle question {number}?")
        return lambda: made.count("plan") == number

    with run_slack() as slack, team(slack, prepared_home) as made:
        slack.control("limits", {"ack_timeout_s": 1, "retry_delays_s": [0.2, 0.5, 1, 2, 4, 8]})
        sockets = start_socket_mode(made.app, made.settings)
        try:
            wait_for(lambda: slack.get("state")["connections"] == 2)
            slack.control("disconnect", {})
            wait_for(ask(made, 1))
            slack.control("faults", {"method": "*", "action": "down"})
            wait_for(lambda: not sockets.connected)
            slack.http.delete("/control/faults").raise_for_status()
            wait_for(lambda: sockets.connected)
            wait_for(ask(made, 2))
        finally:
            sockets.close()
    assert not sockets.connected
