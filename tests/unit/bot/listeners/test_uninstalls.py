"""The app is removed from a workspace: what is kept of it goes, what is kept of others stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_bolt import App, BoltRequest, BoltResponse
from slack_sdk.oauth.installation_store import Installation

from bot.app import build_app
from bot.transport.oauth import REMOVED
from tests.support.slack_payloads import SECRET, as_form, as_json, command, event_body, mention, signed
from workers.contracts import Question
from workers.delivery.installations import Installations, installations_of
from workers.errors import StoreUnavailable
from workers.requests.ledger import Ledger
from workers.settings.load import load_settings
from workers.store.channels import ChannelSettings, change_channel, channel_settings
from workers.store.database import Database, open_database
from workers.store.request_logs import SqlStore

NOW = datetime.now(UTC).replace(microsecond=0)
ONE = {"bot_token": "xoxb-all", "signing_secret": SECRET}
SEVERAL = {
    "client_id": "111.222",
    "client_secret": "c0ffee",
    "signing_secret": SECRET,
    "public_url": "https://oracle.example.com",
    "api_url": "http://127.0.0.1:1/api/",
    "teams": "any",
}
OFF = ChannelSettings(mode="off")


@dataclass
class Bot:
    """The app on a real ledger."""

    app: App
    ledger: Ledger
    database: Database
    stored: Installations | None

    def hear(self, body: dict[str, Any], *, form: bool = False) -> BoltResponse:
        raw, kind = as_form(body) if form else as_json(body)
        return self.app.dispatch(BoltRequest(body=raw, headers=signed(raw, kind)))

    def install(
        self, team: str | None, token: str = "xoxb-1", at: datetime = NOW, enterprise: str | None = None
    ) -> None:
        assert self.stored
        shared: dict[str, Any] = {"app_id": "A1", "user_id": "U1", "installed_at": at.timestamp()}
        org = team is None
        self.stored.save(
            Installation(team_id=team, enterprise_id=enterprise, bot_token=token, is_enterprise_install=org, **shared)
        )

    def ask(self, team: str) -> None:
        place = {"team": team, "channel": f"C{team}", "thread_ts": f"1.{team[1:]}", "ts": f"1.{team[1:]}"}
        ids = {"request_id": f"r-{team}", "event_id": f"Ev-{team}"}
        asked = Question(text="why?", asker="U1", source="slack", received_at=NOW, **ids, **place)
        assert self.ledger.accept(asked)
        change_channel(self.database, team, f"C{team}", OFF, "U1")

    def kept(self, team: str) -> tuple[bool, bool, bool]:
        """Whether a token, an open request and a channel's settings are there."""
        token = bool(self.stored and self.stored.find(team))
        settings = channel_settings(self.database, team, f"C{team}") == OFF
        return token, bool(self.ledger.open_of(team, "U1")), settings


def make(database: Database, slack: dict[str, str]) -> Bot:
    settings = load_settings({f"oracle.slack.{key}": value for key, value in slack.items()})
    ledger = Ledger(database, settings.core.worker)
    stored = installations_of(settings, database)
    store = SqlStore(database, lambda log: log)
    app = build_app(settings, ledger, store, lambda _: None, installations=stored)
    return Bot(app, ledger, database, stored)


@pytest.fixture
def database(sqlite_store: str) -> Iterator[Database]:
    opened = open_database(sqlite_store)
    yield opened
    opened.close()


@pytest.fixture
def bot(database: Database) -> Bot:
    made = make(database, SEVERAL)
    for team in ("T1", "T2"):
        made.install(team, f"xoxb-{team}")
        made.ask(team)
    return made


def uninstalled(at: datetime = NOW, **outer: Any) -> dict[str, Any]:
    return event_body({"type": "app_uninstalled"}, event_time=int(at.timestamp()), **outer)


def revoked(at: datetime = NOW, **tokens: list[str]) -> dict[str, Any]:
    return event_body({"type": "tokens_revoked", "tokens": tokens}, event_time=int(at.timestamp()))


ALL, NONE = (True, True, True), (False, False, False)


@pytest.mark.parametrize("body", [uninstalled(), revoked(oauth=["U1"], bot=["U0APP"])])
def test_removed_from_one_workspace_of_two(bot: Bot, body: dict[str, Any]) -> None:
    assert (bot.kept("T1"), bot.kept("T2")) == (ALL, ALL)
    assert bot.hear(body).status == 200
    assert (bot.kept("T1"), bot.kept("T2")) == (NONE, ALL)
    assert bot.hear(body).status == 200


def test_what_happens_after_it_was_removed(bot: Bot) -> None:
    bot.hear(uninstalled())
    answer = bot.hear(mention(event_id="Ev-late"))
    assert (answer.status, answer.body) == (200, REMOVED)
    assert bot.kept("T1") == NONE
    told = bot.hear(command(), form=True)
    assert (told.status, told.body) == (200, REMOVED)


@pytest.mark.parametrize("tokens", [{"oauth": ["U1"]}, {"oauth": ["U1"], "bot": []}, {}])
def test_tokens_of_people_are_none_of_ours(bot: Bot, tokens: dict[str, list[str]]) -> None:
    assert bot.hear(revoked(**tokens)).status == 200
    assert bot.kept("T1") == ALL


def test_event_that_comes_after_the_next_installation(bot: Bot) -> None:
    bot.install("T1", "xoxb-new", NOW + timedelta(minutes=2))
    assert bot.hear(uninstalled(NOW + timedelta(minutes=1))).status == 200
    assert bot.kept("T1") == ALL
    assert bot.stored
    assert bot.stored.bot_token("T1") == "xoxb-new"


def test_organisation_as_a_whole(bot: Bot) -> None:
    bot.install(None, "xoxb-org", enterprise="E1")
    bot.ask("E1")
    org = [{"enterprise_id": "E1", "team_id": None, "user_id": "U0APP", "is_bot": True, "is_enterprise_install": True}]
    assert bot.hear(uninstalled(authorizations=org, enterprise_id="E1")).status == 200
    assert (bot.kept("E1"), bot.kept("T1")) == (NONE, ALL)


def test_database_that_does_not_answer_gets_the_event_again(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(team: str) -> int:
        raise StoreUnavailable("the database at memory failed: gone")

    with monkeypatch.context() as broken:
        broken.setattr(bot.ledger, "end_team", fail)
        assert bot.hear(uninstalled()).status == 503
    assert bot.kept("T1")[1]
    assert bot.hear(uninstalled()).status == 200
    assert bot.kept("T1") == NONE


@pytest.mark.parametrize("at", [None, "x", -1, 1 << 40, True])
def test_event_without_a_time(bot: Bot, at: Any) -> None:
    assert bot.hear(uninstalled() | {"event_time": at}).status == 200
    assert bot.kept("T1") in {NONE, ALL}


def test_one_workspace_by_its_token(database: Database) -> None:
    bot = make(database, ONE)
    bot.ask("T1")
    assert bot.hear(uninstalled()).status == 200
    assert bot.kept("T1") == NONE


def test_bolts_own_installations_are_left_aside(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bolt reads the same variables as our settings, and would look for installations in the home folder."""
    home = tmp_path / "person"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SLACK_CLIENT_ID", SEVERAL["client_id"])
    monkeypatch.setenv("SLACK_CLIENT_SECRET", SEVERAL["client_secret"])
    bot = make(database, SEVERAL)
    assert bot.hear(mention()).body == REMOVED
    bot.install("T1")
    assert bot.hear(mention(event_id="Ev-2")).body != REMOVED
    assert [asked.text for asked in bot.ledger.open_of("T1", "U1")] == ["why is search slow?"]
    assert not home.exists()
