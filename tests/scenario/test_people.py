"""What people do beside asking, through the app and a local Slack that refuses what Slack refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.app import build_app
from bot.transport.socket_mode import start_socket_mode
from tests.support.bolt_with_ledger import LANDSCAPE, all_words
from tests.support.deployment import Slack, run_slack
from tests.support.request_logs import unchanged
from tests.support.slack_payloads import wait_for
from workers.delivery import action_ids
from workers.requests.ledger import Ledger
from workers.settings.load import load_settings
from workers.store.channels import ChannelSettings, channel_settings
from workers.store.incidents import active_incidents
from workers.store.request_logs import SqlStore, open_store
from workers.store.source_refreshes import record_sources
from workers.telemetry.service_metrics import ServiceMetrics


@dataclass(frozen=True)
class Team:
    """A local Slack, and the app beside it. ``me``: who types, in ``workspace``."""

    slack: Slack
    store: SqlStore
    me: str
    workspace: str

    def channel(self, name: str = "search") -> dict[str, Any]:
        """All that is in a channel."""
        (found,) = self.slack.get("state", channel=name)["channels"]
        return dict(found)

    def say(self, text: str) -> str:
        """Type a subcommand in a channel. Returns: all words of what one person is told."""
        before = len(self.channel()["ephemerals"])
        self.slack.control("command", {"channel": "search", "text": f"/oracle {text}", "user": "you"})
        notes = wait_for(lambda: len(found := self.channel()["ephemerals"]) > before and found)
        return all_words(notes[-1]["message"])

    def home(self) -> dict[str, Any]:
        """Open the Home tab. Returns: what is published."""
        published = len(self.calls("views.publish"))
        self.slack.control("open", {"tab": "home", "user": "you"})
        wait_for(lambda: len(self.calls("views.publish")) > published)
        return self.shown()

    def shown(self) -> dict[str, Any]:
        """What stands on the Home tab."""
        return dict(self.slack.http.get("/client/home", params={"as": "you"}).json()["view"])

    def calls(self, method: str) -> list[dict[str, Any]]:
        """The app's calls of a method that were answered."""
        return list(self.slack.get("calls", method=method)["calls"])

    def press(self, view: dict[str, Any], action_id: str) -> None:
        """Press a button of a view."""
        block = next(b for b in view["blocks"] if action_id in json.dumps(b))
        value = next(e.get("value", "") for e in elements(block) if e["action_id"] == action_id)
        where = {"view_id": view["id"], "block_id": block["block_id"]}
        self.slack.control("action", {**where, "action_id": action_id, "value": value, "user": "you"})

    def window(self) -> dict[str, Any]:
        """The window that is open."""
        found = wait_for(lambda: [v for v in self.slack.get("state")["views"] if v["type"] == "modal"])
        return dict(found[-1])


def elements(block: dict[str, Any]) -> list[dict[str, Any]]:
    """What can be pressed in a block."""
    return block["elements"] if block["type"] == "actions" else [block["accessory"]]


@pytest.fixture
def team(prepared_home: Path) -> Iterator[Team]:
    with ExitStack() as stack:
        slack = stack.enter_context(run_slack())
        boot = slack.http.get("/client/boot").json()
        me, workspace = boot["me"], boot["team"]["id"]
        keys = ("bot_token", "app_token", "signing_secret", "api_url")
        tokens: dict[str, Any] = {f"oracle.slack.{key}": slack.address[key] for key in keys}
        settings = load_settings({**tokens, "oracle.slack.admins": [me]}, home=prepared_home)
        store = open_store(settings.database_url, unchanged)
        stack.callback(store.database.close)
        ledger = Ledger(store.database, settings.core.worker)
        app = build_app(settings, ledger, store, lambda _: None, landscape=lambda: LANDSCAPE)
        stack.callback(start_socket_mode(app, settings, metrics=ServiceMetrics()).close)
        yield Team(slack, store, me, workspace)


def test_every_subcommand_is_answered_to_one_person(team: Team) -> None:
    record_sources(team.store.database, [("doc_search", "docs: 12 documents", True)])
    team.slack.ask("search", "@oracle why is search slow?")
    wait_for(lambda: "why is search slow?" in team.say("status"))
    assert "docs: 12 documents" in team.say("sources")
    assert "why is search slow?" in team.say("catchup 1h")
    assert "Commands" in team.say("help")
    assert "I have not answered" in team.say("feedback good")
    assert "I know no request abcdef0" in team.say("why abcdef0")
    assert "Stopped:" in team.say("cancel")
    assert all(m["user"] == team.me for m in team.channel()["messages"]), "nothing is said to everyone"


def test_an_incident_from_its_opening_to_its_end(team: Team) -> None:
    assert team.say('incident "Checkout fails"') == "Declared."
    (opening,) = team.channel()["messages"]
    assert team.channel()["pins"]
    assert "Incident: Checkout fails" in all_words(opening)
    assert "Checkout fails" in team.say('incident "Second"')
    assert [i.ts for i in active_incidents(team.store.database, team.workspace)] == [opening["ts"]]
    assert "Checkout fails" in all_words(team.home())
    assert "Resolved after" in team.say("resolve rolled back")
    state = team.channel()
    assert not state["pins"]
    assert "Resolved: Checkout fails" in all_words(state["messages"][0])
    assert "rolled back" in all_words(team.slack.thread(state["id"], opening["ts"])[0])
    assert active_incidents(team.store.database, team.workspace) == ()
    assert "Checkout fails" not in all_words(team.home())


def test_an_opening_whose_connection_is_cut_is_said_once(team: Team) -> None:
    team.slack.control("faults", {"method": "chat.postMessage", "action": "drop_after", "times": 1})
    assert "Slack did not confirm my message" in team.say('incident "Checkout fails"')
    assert len(team.channel()["messages"]) == 1
    assert [i.title for i in active_incidents(team.store.database, team.workspace)] == ["Checkout fails"]


def test_an_administrator_changes_a_channel(team: Team) -> None:
    team.press(team.home(), action_ids.HOME_SETTINGS)
    window = team.window()
    channel = team.channel("payments")["id"]
    values = {
        "channel": {"channel": {"type": "conversations_select", "selected_conversation": channel}},
        "mode": {"mode": {"type": "radio_buttons", "selected_option": {"value": "threads"}}},
    }
    answer = team.slack.control("view", {"view_id": window["id"], "state": {"values": values}, "user": "you"})
    assert answer["ok"]
    assert "errors" not in answer
    wait_for(lambda: "threads" in json.dumps(team.shown()))
    assert channel_settings(team.store.database, team.workspace, channel) == ChannelSettings("threads")


def test_the_window_to_ask_in(team: Team) -> None:
    team.slack.control("command", {"channel": "search", "text": "/oracle", "user": "you"})
    assert team.window()["callback_id"] == action_ids.ASK_VIEW
