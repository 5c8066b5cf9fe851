"""Installations of several workspaces, in SQLite and in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.installation_store.sqlalchemy import SQLAlchemyInstallationStore
from slack_sdk.oauth.state_store.sqlalchemy import SQLAlchemyOAuthStateStore
from sqlalchemy import Column, MetaData, Table, select, update

from workers.delivery import installations as module
from workers.delivery.installations import Installations, OAuthStates, installations_of, open_chats
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatRefused, ConfigError, StoreUnavailable
from workers.settings.load import load_settings
from workers.store.database import Database, open_database
from workers.store.tables import slack_bots, slack_installations, slack_oauth_states

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLIENT = "111.222"
SEVERAL = {
    "client_id": CLIENT,
    "client_secret": "c0ffee",
    "signing_secret": "5ec2e7",
    "public_url": "https://oracle.example.com",
    "teams": "any",
}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


@pytest.fixture
def stored(database: Database) -> Installations:
    return Installations(database, CLIENT)


@pytest.fixture
def gone(tmp_path: Path) -> Database:
    """A database whose tables were never made."""
    return open_database(f"sqlite:///{tmp_path / 'empty.db'}")


def installation(team: str | None = "T1", token: str = "xoxb-1", *, at: datetime = NOON, **more: Any) -> Installation:
    values: dict[str, Any] = {"app_id": "A1", "team_id": team, "user_id": "U1", "bot_token": token, "bot_id": "B1"}
    return Installation(**(values | {"bot_user_id": "U0APP", "installed_at": at.timestamp()} | more))


def shape(table: Table) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What a table is made of; defaults apart, which slack_sdk fills in itself."""

    def column(c: Column[Any]) -> tuple[Any, ...]:
        return c.name, type(c.type), getattr(c.type, "length", None), c.nullable, c.primary_key

    return [column(c) for c in table.c], sorted((i.name, [c.name for c in i.columns]) for i in table.indexes)


def test_tables_are_those_of_slack_sdk() -> None:
    theirs = SQLAlchemyInstallationStore
    assert shape(slack_bots) == shape(theirs.build_bots_table(MetaData(), theirs.default_bots_table_name))
    name = theirs.default_installations_table_name
    assert shape(slack_installations) == shape(theirs.build_installations_table(MetaData(), name))
    states = SQLAlchemyOAuthStateStore
    assert shape(slack_oauth_states) == shape(states.build_oauth_states_table(MetaData(), states.default_table_name))


# --- who is installed -----------------------------------------------------------------------------------------


def test_each_workspace_has_its_own_token(stored: Installations) -> None:
    stored.save(installation("T1", "xoxb-1"))
    stored.save(installation("T2", "xoxb-2", bot_user_id="U2APP"))
    assert (stored.bot_token("T1"), stored.bot_token("T2")) == ("xoxb-1", "xoxb-2")
    found = stored.find("T2")
    assert found
    assert (found.team_id, found.bot_id, found.bot_user_id) == ("T2", "B1", "U2APP")


@pytest.mark.parametrize("team", ["T9", ""])
def test_workspace_that_is_unknown(stored: Installations, team: str) -> None:
    stored.save(installation())
    assert stored.find(team) is None
    with pytest.raises(ChatRefused, match="not installed") as caught:
        stored.bot_token(team)
    assert caught.value.code == "not_installed"


def test_another_app_in_the_same_database(stored: Installations, database: Database) -> None:
    Installations(database, "333.444").save(installation(token="xoxb-other"))
    assert stored.find("T1") is None
    stored.save(installation())
    stored.delete("T1", NOON + timedelta(days=1))
    assert Installations(database, "333.444").bot_token("T1") == "xoxb-other"


def test_newest_installation_counts(stored: Installations) -> None:
    stored.save(installation(token="xoxb-new", at=NOON + timedelta(hours=1), user_id="U2"))
    stored.save(installation(token="xoxb-old"))
    assert stored.bot_token("T1") == "xoxb-new"


def test_organisation_as_a_whole_and_a_workspace_in_it(stored: Installations) -> None:
    stored.save(installation(None, "xoxb-org", enterprise_id="E1", is_enterprise_install=True))
    stored.save(installation("T1", "xoxb-team", enterprise_id="E1"))
    assert (stored.bot_token("E1"), stored.bot_token("T1")) == ("xoxb-org", "xoxb-team")
    assert stored.delete("T1", NOON)
    assert stored.bot_token("E1") == "xoxb-org"
    assert stored.find("T1") is None


# --- uninstalled ----------------------------------------------------------------------------------------------


def test_removed_workspace_leaves_no_token_behind(stored: Installations, database: Database) -> None:
    stored.save(installation())
    stored.save(installation("T2", "xoxb-2"))
    assert stored.delete("T1", NOON) is True
    with database.begin() as connection:
        left = [connection.execute(select(t.c.bot_token)).scalars().all() for t in (slack_bots, slack_installations)]
    assert left == [["xoxb-2"], ["xoxb-2"]]
    assert stored.delete("T1", NOON) is True  # the second of the two events that Slack sends


def test_removal_that_is_told_late_spares_a_newer_installation(stored: Installations) -> None:
    stored.save(installation(token="xoxb-old"))
    stored.save(installation(token="xoxb-new", at=NOON + timedelta(minutes=5)))
    offset = NOON.astimezone().astimezone(None) + timedelta(minutes=1)
    assert stored.delete("T1", offset) is False
    assert stored.bot_token("T1") == "xoxb-new"


# --- the state between install page and redirect --------------------------------------------------------------


def test_state_works_once(database: Database) -> None:
    states = OAuthStates(database)
    state = states.issue()
    assert [states.consume(state), states.consume(state), states.consume("other")] == [True, False, False]


def test_state_that_is_too_old(database: Database) -> None:
    states = OAuthStates(database)
    old = states.issue()
    with database.begin() as connection:
        connection.execute(update(slack_oauth_states).values(expire_at=datetime(2020, 1, 1)))  # noqa: DTZ001
    assert not states.consume(old)
    new = states.issue()
    with database.begin() as connection:
        assert connection.execute(select(slack_oauth_states.c.state)).scalars().all() == [new]


def test_database_that_does_not_answer(gone: Database) -> None:
    stored = Installations(gone, CLIENT)
    calls: list[Callable[[], object]] = [
        lambda: stored.save(installation()),
        lambda: stored.find("T1"),
        lambda: stored.delete("T1", NOON),
        OAuthStates(gone).issue,
    ]
    for call in calls:
        with pytest.raises(StoreUnavailable, match="no such table"):
            call()


# --- chats ----------------------------------------------------------------------------------------------------


def chats_of(database: Database, **slack: str) -> Any:
    settings = load_settings({f"oracle.slack.{key}": value for key, value in slack.items()})
    return open_chats(settings, database)


def token_of(chat: Any) -> str:
    assert isinstance(chat, SlackChat)
    return str(chat.client.token)


def test_one_workspace_has_one_chat(database: Database) -> None:
    chats = chats_of(database, bot_token="xoxb-all")
    assert chats("T1") is chats("T2") is chats("")
    assert token_of(chats("T1")) == "xoxb-all"


def test_neither_token_nor_client(database: Database) -> None:
    with pytest.raises(ConfigError, match=r"slack\.bot_token"):
        chats_of(database)


def test_each_workspace_has_its_own_chat(database: Database, stored: Installations) -> None:
    stored.save(installation("T1", "xoxb-1"))
    stored.save(installation("T2", "xoxb-2"))
    chats = chats_of(database, **SEVERAL, api_url="http://127.0.0.1:1/api/")
    assert [token_of(chats(team)) for team in ("T1", "T2")] == ["xoxb-1", "xoxb-2"]
    assert chats("T1") is chats("T1")
    with pytest.raises(ChatRefused) as caught:
        chats("T3")
    assert caught.value.code == "not_installed"


def test_new_token_opens_a_new_chat_and_a_removed_app_has_none(database: Database, stored: Installations) -> None:
    stored.save(installation())
    chats = chats_of(database, **SEVERAL)
    first = chats("T1")
    stored.save(installation(token="xoxb-2", at=NOON + timedelta(hours=1)))
    assert token_of(chats("T1")) == "xoxb-2"
    assert chats("T1") is not first
    stored.delete("T1", NOON + timedelta(hours=2))
    with pytest.raises(ChatRefused):
        chats("T1")
    assert not chats.open


def test_chats_that_are_kept_open_are_few(
    database: Database, stored: Installations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OPEN_CHATS", 2)
    for team in ("T1", "T2", "T3"):
        stored.save(installation(team, f"xoxb-{team}"))
    chats = chats_of(database, **SEVERAL)
    first, second = chats("T1"), chats("T2")
    assert chats("T1") is first
    chats("T3")
    assert chats("T1") is first
    assert chats("T2") is not second


@pytest.mark.parametrize(
    ("slack", "several"),
    [({}, False), ({"bot_token": "xoxb-1"}, False), (SEVERAL, True)],
)
def test_who_reads_tokens_from_the_database(gone: Database, slack: dict[str, str], several: bool) -> None:
    settings = load_settings({f"oracle.slack.{key}": value for key, value in slack.items()})
    assert (installations_of(settings, gone) is not None) is several
