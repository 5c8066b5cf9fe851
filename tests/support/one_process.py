"""A local Slack, and in one process the app beside it and a worker that works when it is told to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import update

from bot.app import build_app
from bot.transport.socket_mode import start_socket_mode
from tests.support.bolt_with_ledger import LANDSCAPE, all_words
from tests.support.deployment import Slack, run_slack
from tests.support.slack_payloads import wait_for
from tests.support.tables import delete_rows
from workers.bootstrap import build_engine
from workers.contracts import ChannelMessage
from workers.entrypoints.tasks import build_worker_context
from workers.incidents.channel.channel_inbox import INBOX_WORK, tend_channel
from workers.requests.lease_runner import work_on
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.channel_messages import load_messages
from workers.store.database import Database
from workers.store.followed_channels import FollowedChannel, followed
from workers.store.tables import events, followed_channels
from workers.telemetry.service_metrics import ServiceMetrics

BROKEN = "SEV2: checkout error rate is 5%, investigating. Customers see 502."
ROLLED_BACK = "rollback done, no effect, still 5% of checkouts fail with 502"


@dataclass(frozen=True)
class House:
    """A local Slack, the app beside it, and a worker that works when it is told to."""

    slack: Slack
    worker: WorkerContext
    team: str
    me: str
    rung: list[tuple[str, str]]
    asked: list[str]
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(42))

    @property
    def database(self) -> Database:
        return self.worker.ledger.database

    def make(self, name: str = "", **more: Any) -> str:
        """Someone makes a channel, of a new incident with checkout if it has no name, and invites the app."""
        body = {"name": name or f"inc-{next(self.numbers)}-checkout", "user": "maya", "guests": ["oracle"], **more}
        channel = str(self.slack.control("channel", body)["channel"])
        if body["guests"]:
            wait_for(lambda: self.state(channel))
        return channel

    def say(self, channel: str, text: str, user: str = "maya", **more: Any) -> str:
        return self.slack.ask(channel, text, user=user, **more)

    def forget(self) -> None:
        """As if nothing had been asked, kept or refused; what stands in Slack stays."""
        self.slack.http.delete("/control/faults").raise_for_status()
        wait_for(lambda: all(event["acknowledged"] for event in self.slack.get("deliveries")["deliveries"]))
        delete_rows(self.database, events)  # a delivery that comes late is still known
        self.asked.clear()
        self.rung.clear()

    def state(self, channel: str) -> FollowedChannel | None:
        return followed(self.database, self.team, channel)

    def kept(self, channel: str) -> tuple[ChannelMessage, ...]:
        """The messages of a channel, after a worker has cleaned what came."""
        work_on(self.worker, INBOX_WORK, (self.team, channel))
        return load_messages(self.database, self.team, channel)

    def heard(self, channel: str) -> list[str]:
        """What people said in a channel."""
        return [message.text for message in self.kept(channel) if message.said]

    def work(self, channel: str) -> None:
        """The worker does all there is to do by now."""
        for _ in range(6):
            with self.database.begin(exclusive=True) as connection:
                waits = {"wait_until": 0.0, "due_at": 0.0}
                due = followed_channels.c.due_at.is_not(None)
                connection.execute(update(followed_channels).where(due).values(waits))
            tend_channel(self.worker, self.team, channel)

    def channel(self, channel: str) -> dict[str, Any]:
        (found,) = self.slack.get("state", channel=channel)["channels"]
        return dict(found)

    def ours(self, channel: str) -> list[dict[str, Any]]:
        """Our own messages in a channel."""
        bot = self.slack.get("state")["bot"]["user_id"]
        return [m for m in self.channel(channel)["messages"] if m.get("user") == bot]

    def shown(self, channel: str) -> str:
        """What the one pinned message says."""
        (message,) = self.ours(channel)
        return all_words(message)

    def followed_channel(self) -> str:
        """A channel of an incident, with its pinned summary."""
        channel = self.make()
        self.say(channel, BROKEN)
        wait_for(lambda: self.heard(channel) == [BROKEN])
        self.work(channel)
        return channel

    def type(self, channel: str, text: str, user: str = "you") -> str:
        """Type a subcommand. Returns: what that person is told."""
        before = len(self.channel(channel)["ephemerals"])
        self.slack.control("command", {"channel": channel, "text": f"/oracle {text}", "user": user})
        return self.told(channel, before)

    def told(self, channel: str, before: int) -> str:
        notes = wait_for(lambda: len(found := self.channel(channel)["ephemerals"]) > before and found)
        return all_words(notes[-1]["message"])

    def press(self, channel: str, action_id: str, user: str = "you") -> None:
        """Press a button of the pinned message."""
        (message,) = self.ours(channel)
        block = next(b for b in message["blocks"] if b["type"] == "actions")
        element = next(e for e in block["elements"] if e["action_id"] == action_id)
        body = {"channel": channel, "message_ts": message["ts"], "block_id": block["block_id"], "user": user}
        value = {"value": element["value"]} if "value" in element else {}
        answer = self.slack.control("action", {**body, "action_id": action_id, **value})
        assert answer["ok"], answer


@contextmanager
def run_house(home: Path, changed: Mapping[str, Any] | None = None) -> Iterator[House]:
    """All of it. ``changed``: settings by their dotted keys."""
    with ExitStack() as stack:
        slack = stack.enter_context(run_slack())
        slack.control("limits", {"unlimited": True})
        boot = slack.http.get("/client/boot").json()
        keys = ("bot_token", "app_token", "signing_secret", "api_url")
        tokens: dict[str, Any] = {f"oracle.slack.{key}": slack.address[key] for key in keys}
        settings = load_settings({**tokens, "oracle.incidents.settle_s": 0, **(changed or {})}, home=home)
        oracle = build_engine(settings)
        stack.callback(oracle.close)
        worker = build_worker_context(oracle, ServiceMetrics(oracle.metrics))
        stack.callback(worker.board.close)
        rung: list[tuple[str, str]] = []
        asked: list[str] = []
        app = build_app(
            settings,
            worker.ledger,
            oracle.store,
            asked.append,
            landscape=lambda: LANDSCAPE,
            chats=worker.chats,
            wake_channel=lambda team, channel: rung.append((team, channel)),
        )
        stack.callback(start_socket_mode(app, settings, metrics=ServiceMetrics()).close)
        yield House(slack, worker, boot["team"]["id"], boot["me"], rung, asked)
