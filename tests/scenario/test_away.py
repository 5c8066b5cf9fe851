"""The app was away longer than Slack tries: what people said to it meanwhile is read in Slack and answered, late."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from bot.app import build_app, build_entrance
from bot.middleware.losses import FULL, LOST, Losses
from bot.transport.connection_heartbeat import note_connected
from bot.transport.missed_messages import MissedMessages
from bot.transport.socket_mode import start_socket_mode
from tests.support.bolt_with_ledger import LANDSCAPE, all_words
from tests.support.deployment import Slack, is_answer, run_slack
from tests.support.slack_payloads import wait_for
from workers.bootstrap import build_engine
from workers.entrypoints.tasks import build_worker_context, take
from workers.requests.worker_context import WorkerContext
from workers.settings.load import Settings, load_settings
from workers.store.connection_heartbeat import note_connection
from workers.store.tables import absences, hearing, jobs
from workers.telemetry.service_metrics import ServiceMetrics

AWAY_S = 900.0


@dataclass
class Away:
    """A local Slack that nobody listens to, and what the bot and a worker have to catch up with it."""

    slack: Slack
    settings: Settings
    worker: WorkerContext
    rung: list[str]
    losses: Losses
    stack: ExitStack

    @property
    def missed(self) -> MissedMessages:
        worker = self.worker
        entrance = build_entrance(self.settings, worker.ledger, worker.oracle.store, ServiceMetrics())
        database = worker.ledger.database
        return MissedMessages(
            database,
            entrance,
            worker.ledger,
            worker.chats,
            self.rung.append,
            86_400,
            wait=lambda seconds: self.slack.control("pass", {"seconds": seconds}),
        )

    def connect(self) -> None:
        """The bot is there."""
        worker = self.worker
        app = build_app(
            self.settings,
            worker.ledger,
            worker.oracle.store,
            self.rung.append,
            landscape=lambda: LANDSCAPE,
            chats=worker.chats,
            losses=self.losses,
        )
        self.stack.callback(start_socket_mode(app, self.settings, metrics=ServiceMetrics()).close)
        wait_for(lambda: self.slack.get("deliveries")["connections"] == 2)

    def was_away(self) -> None:
        """The app last heard Slack some time ago, and does again."""
        database = self.worker.ledger.database
        note_connection(database)
        with database.begin(exclusive=True) as connection:
            connection.execute(update(hearing).values(at=time.time() - AWAY_S))
        note_connection(database)

    def wrote(self, channel: str, ago_s: float, user: str, text: str, **more: Any) -> str:
        """Someone wrote something while nobody listened. Returns: its ts."""
        people = {one["name"]: one["id"] for one in self.slack.get("state")["users"]}
        ts = f"{time.time() - ago_s:.6f}"
        message = {"type": "message", "ts": ts, "user": people[user], "text": text, **more}
        assert self.slack.control("pasts", {"channel": channel, "messages": [message]})["ok"]
        return ts

    def catch_up(self) -> None:
        """Read what is due, and answer it."""
        self.missed.look()
        for request_id in self.rung:
            take(self.worker, request_id)

    def answers(self, channel: str, ts: str) -> list[str]:
        (found,) = self.slack.get("state", channel=channel)["channels"]
        return [all_words(m) for m in found["messages"] if m.get("thread_ts") == ts and is_answer(m)]

    def asked(self) -> int:
        with self.worker.ledger.database.begin() as connection:
            return connection.execute(select(func.count()).select_from(jobs)).scalar() or 0

    def refused_calls(self) -> list[str]:
        return [call["method"] for call in self.slack.get("calls")["calls"] if call["status"] == 429]


@pytest.fixture
def away(tmp_path: Path) -> Iterator[Away]:
    with ExitStack() as stack:
        slack = stack.enter_context(run_slack())
        keys = ("bot_token", "app_token", "signing_secret", "api_url")
        tokens: dict[str, Any] = {f"oracle.slack.{key}": slack.address[key] for key in keys}
        settings = load_settings(tokens, home=tmp_path)
        oracle = build_engine(settings)
        stack.callback(oracle.close)
        worker = build_worker_context(oracle, ServiceMetrics(oracle.metrics))
        stack.callback(worker.board.close)
        yield Away(slack, settings, worker, [], Losses(), stack)


def bot_of(slack: Slack) -> str:
    return str(slack.http.get("/client/boot").json()["app"]["user_id"])


def direct_of(slack: Slack, user: str) -> str:
    """The direct messages of someone with the app."""
    state = slack.get("state")
    person = next(one["id"] for one in state["users"] if one["name"] == user)
    answer = slack.http.post(
        f"{slack.address['api_url']}conversations.open",
        data={"users": person},
        headers={"authorization": f"Bearer {slack.address['bot_token']}"},
    )
    return str(answer.json()["channel"]["id"])


def test_what_was_said_meanwhile_is_answered_once_and_late(away: Away) -> None:
    slack, bot = away.slack, bot_of(away.slack)
    direct = direct_of(slack, "priya")
    root = away.wrote("search", 3_000, "maya", "the search team will look at slow pages today")
    away.wrote("search", 800, "priya", "thanks, nothing for the app in here")
    mention = away.wrote("search", 600, "maya", f"<@{bot}> what changed since yesterday?")
    private = away.wrote(direct, 500, "priya", "what changed since yesterday?")
    reply = away.wrote("search", 400, "priya", f"<@{bot}> what changed since yesterday?", thread_ts=root)
    before = away.wrote("payments", AWAY_S + 600, "maya", f"<@{bot}> this was asked before the app went away")
    away.was_away()
    away.catch_up()
    assert len(away.rung) == 3
    for channel, thread, minutes in (("search", mention, 10), (direct, private, 8), ("search", root, 7)):
        (answer,) = away.answers(channel, thread)
        assert "comes late" in answer
        assert f"{minutes} minutes ago" in answer
    assert away.answers("payments", before) == []
    assert away.refused_calls() == []
    assert reply not in {root, mention}
    away.was_away()
    away.missed.look()
    assert away.asked() == 3, "what is known is asked once"


def test_what_slack_delivers_after_all_is_not_answered_twice(away: Away) -> None:
    bot = bot_of(away.slack)
    away.connect()
    ts = away.slack.ask("search", f"<@{bot}> what changed since yesterday?", user="maya")
    wait_for(lambda: away.asked() == 1)
    away.was_away()
    away.missed.look()
    assert away.asked() == 1
    assert len(set(away.rung)) == 1
    take(away.worker, away.rung[0])
    (answer,) = away.answers("search", ts)
    assert "comes late" not in answer


def test_reading_goes_on_where_slack_or_the_process_stopped_it(away: Away) -> None:
    bot = bot_of(away.slack)
    away.wrote("search", 600, "maya", f"<@{bot}> what changed since yesterday?")
    away.was_away()
    away.slack.control("faults", {"method": "conversations.history", "action": "error", "status": 500, "times": 2})
    away.missed.look()
    assert away.asked() == 0
    with away.worker.ledger.database.begin(exclusive=True) as connection:
        connection.execute(update(absences).values(wait_until=0.0))
    away.slack.http.delete("/control/faults").raise_for_status()
    away.catch_up()
    assert away.asked() == 1
    with away.worker.ledger.database.begin() as connection:
        row = connection.execute(select(absences)).mappings().one()
    assert row["due_at"] is None
    assert len(row["read"]) > 1


@pytest.mark.parametrize(("full", "words"), [(True, FULL), (False, LOST)])
def test_who_asks_while_nothing_can_be_kept_is_told_so_and_answered_later(away: Away, full: bool, words: str) -> None:
    database, slack, bot = away.worker.ledger.database, away.slack, bot_of(away.slack)
    slack.control("limits", {"unlimited": True, "ack_timeout_s": 5, "retry_delays_s": [0.2]})
    away.connect()
    note_connected(database, lambda: True, away.losses)
    with database.begin() as connection:
        pages = connection.exec_driver_sql("pragma page_count").scalar()
    broken = f"pragma max_page_count={pages}" if full else "alter table jobs rename to gone"
    fill(database, broken, full=full)
    ts = slack.ask("search", f"<@{bot}> what changed since yesterday?" + " évité" * 400, user="maya")
    told = wait_for(lambda: [m for m in slack.thread("search", ts) if m["text"] == words])
    wait_for(lambda: len(slack.get("deliveries", type="app_mention")["deliveries"][0]["attempts"]) == 2)
    time.sleep(0.5)
    assert len([m for m in slack.thread("search", ts) if m["text"] == words]) == len(told) == 1
    assert away.losses.since_s is not None
    mend(database, full=full)
    note_connected(database, lambda: True, away.losses)
    assert away.losses.since_s is None
    away.missed.look()
    assert away.asked() == 1
    take(away.worker, away.rung[0])
    assert len(away.answers("search", ts)) == 1


def fill(database: Any, statement: str, *, full: bool) -> None:
    """Nothing can be kept any more: the file may not grow, or a table is away."""
    if full:
        from sqlalchemy import event

        event.listen(database.engine, "begin", lambda connection: connection.exec_driver_sql(statement))
        return
    with database.begin() as connection:
        connection.exec_driver_sql(statement)


def mend(database: Any, *, full: bool) -> None:
    """It can be kept again."""
    if full:
        from sqlalchemy import event

        event.listen(
            database.engine, "begin", lambda connection: connection.exec_driver_sql("pragma max_page_count=1000000")
        )
        return
    with database.begin() as connection:
        connection.exec_driver_sql("alter table gone rename to jobs")
