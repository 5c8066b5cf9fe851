"""Which workspaces the app is installed in, their tokens, and the chat of each.

One workspace needs nothing of this: its token stands in the settings. Several install the app by themselves (OAuth);
their tokens lie in the database, in the tables of slack_sdk's own stores.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from slack_sdk.oauth.installation_store import Bot, Installation
from slack_sdk.oauth.installation_store.sqlalchemy import SQLAlchemyInstallationStore
from slack_sdk.oauth.state_store.sqlalchemy import SQLAlchemyOAuthStateStore
from sqlalchemy import ColumnElement, Engine, Table, and_, delete, func, or_, select
from sqlalchemy.exc import SQLAlchemyError

from workers.delivery.slack_chat import SlackChat, as_given, no_pace
from workers.errors import ChatRefused, StoreUnavailable
from workers.ports import Chats
from workers.settings.load import Settings
from workers.settings.schema import ANY_TEAM
from workers.store.database import Database, reason
from workers.store.tables import slack_bots, slack_installations, slack_oauth_states

STATE_S = 600
"""How long a person may take between opening the install page and Slack's redirect."""
OPEN_CHATS = 200
"""Chats kept open, the least recently used is let go."""
NOT_INSTALLED = "not_installed"

quiet = logging.getLogger(f"{__name__}.sdk")
quiet.setLevel(logging.CRITICAL)  # its lines hold states and rows; errors are raised and logged where they matter


class Installations:
    """The installations of one app, by client id. Threads and processes may share the database.

    Args:
        database: with tables of today's version.
        client_id: the app's.
        teams: ids of the workspaces and organisations that may install it; those of others count for nothing.
    """

    def __init__(self, database: Database, client_id: str, teams: Collection[str] = (ANY_TEAM,)) -> None:
        self.database = database
        self.client_id = client_id
        self.teams = frozenset(teams)
        self.store = SQLAlchemyInstallationStore(client_id, writing(database), logger=quiet)

    def save(self, installation: Installation) -> None:
        """Remember an installation; the newest of a workspace counts. Raises: StoreUnavailable."""
        with translated(self.database):
            self.store.save(installation)

    def allows(self, team: str | None, enterprise: str | None) -> bool:
        """Whether a workspace, or any of its organisation, may install the app."""
        return not self.teams.isdisjoint({ANY_TEAM, team, enterprise})

    def find(self, team: str) -> Bot | None:
        """The newest installation, where the app may be installed.

        Args:
            team: a workspace, or an organisation that installed the app for all of its workspaces.

        Raises:
            StoreUnavailable: the database cannot be reached.
        """
        query = (
            select(slack_bots)
            .where(self.is_of(slack_bots, team), slack_bots.c.bot_token.is_not(None))
            .order_by(slack_bots.c.installed_at.desc(), slack_bots.c.id.desc())
            .limit(1)
        )
        with self.database.begin() as connection:
            row = connection.execute(query).mappings().first()
        if row is None or not self.allows(row["team_id"], row["enterprise_id"]):
            return None
        return self.store.build_bot_entity(row)

    def teams_installed(self) -> tuple[str, ...]:
        """The workspaces, and organisations as a whole, that installed the app and may. Raises: StoreUnavailable."""
        c = slack_bots.c
        query = select(func.coalesce(c.team_id, c.enterprise_id)).where(c.client_id == self.client_id).distinct()
        with self.database.begin() as connection:
            teams = [team for team in connection.execute(query).scalars() if team]
        return tuple(team for team in sorted(teams) if self.find(team))

    def bot_token(self, team: str) -> str:
        """The token of a workspace or organisation.

        Raises:
            ChatRefused: the app is not installed there (code ``not_installed``).
            StoreUnavailable: the database cannot be reached.
        """
        found = self.find(team)
        if found is None:
            raise ChatRefused(f"the app is not installed in {team or 'a workspace without a name'}", NOT_INSTALLED)
        return found.bot_token

    def delete(self, team: str, until: datetime) -> bool:
        """Forget the installations of a workspace or organisation that were made until a moment (aware).

        Returns: whether the app is installed there no more; False when it was installed again since.

        Raises:
            StoreUnavailable: the database cannot be reached.
        """
        moment = until.astimezone(UTC).replace(tzinfo=None)
        with self.database.begin(exclusive=True) as connection:
            for table in (slack_bots, slack_installations):
                connection.execute(delete(table).where(self.is_of(table, team), table.c.installed_at <= moment))
        return self.find(team) is None

    def is_of(self, table: Table, team: str) -> ColumnElement[bool]:
        """The rows of this app in a workspace, or in an organisation as a whole."""
        c = table.c
        org_wide = and_(c.team_id.is_(None), c.enterprise_id == team)
        return and_(c.client_id == self.client_id, or_(c.team_id == team, org_wide))


class OAuthStates(SQLAlchemyOAuthStateStore):
    """Installations under way. Those that nobody finished are removed when the next one begins."""

    def __init__(self, database: Database) -> None:
        super().__init__(STATE_S, writing(database), logger=quiet)
        self.database = database

    def issue(self, *args: object, **kwargs: object) -> str:
        """A new state, to be used once within 10 minutes. Raises: StoreUnavailable."""
        now = datetime.now(UTC).replace(tzinfo=None)
        with self.database.begin(exclusive=True) as connection:
            connection.execute(delete(slack_oauth_states).where(slack_oauth_states.c.expire_at < now))
        with translated(self.database):
            return super().issue(*args, **kwargs)


class TeamChats:
    """The chat of each workspace, by the token that is stored for it at that moment.

    The token is read at every call: a workspace that installed the app anew, or removed it, is noticed at once in every
    process, so that no chat outlives the token it was opened with.
    """

    def __init__(self, installations: Installations, open_chat: Callable[[str], SlackChat]) -> None:
        self.installations = installations
        self.open_chat = open_chat
        self.open: OrderedDict[str, tuple[str, SlackChat]] = OrderedDict()
        self.lock = threading.Lock()

    def __call__(self, team: str) -> SlackChat:
        """Raises: ChatRefused: the app is not installed there. StoreUnavailable."""
        try:
            token = self.installations.bot_token(team)
        except ChatRefused:
            with self.lock:
                self.open.pop(team, None)
            raise
        with self.lock:
            known = self.open.get(team)
            if known is None or known[0] != token:
                known = self.open[team] = token, self.open_chat(token)
            self.open.move_to_end(team)
            while len(self.open) > OPEN_CHATS:
                self.open.popitem(last=False)
        return known[1]


def installations_of(settings: Settings, database: Database) -> Installations | None:
    """Where workspaces are stored; None when the one workspace's token stands in the settings."""
    slack = settings.core.slack
    return Installations(database, slack.client_id, slack.teams) if slack.client_id and not slack.bot_token else None


def open_chats(
    settings: Settings,
    database: Database,
    pace: Callable[[str, bool], float] = no_pace,
    clean: Callable[[Any], Any] = as_given,
) -> Chats:
    """The chats of all workspaces: one for everybody with a bot token in the settings, else each by its own token.

    Args:
        settings: the Slack section.
        database: where installations are stored.
        pace, clean: as `workers.delivery.slack_chat.SlackChat` takes them.

    Raises:
        ConfigError: neither a bot token nor a client id, or Slack's address is none.
    """
    slack = settings.core.slack
    installations = installations_of(settings, database)
    if installations is not None:
        return TeamChats(installations, lambda token: SlackChat(token, slack.api_url, pace, clean=clean))
    only = SlackChat(slack.bot_token, slack.api_url, pace, clean=clean)
    return lambda _: only


def writing(database: Database) -> Engine:
    """The engine for slack_sdk, which reads before it writes: SQLite's write lock is taken at once."""
    return database.engine.execution_options(sqlite_immediate=True)


@contextmanager
def translated(database: Database) -> Iterator[None]:
    """Around slack_sdk's own use of the engine. Raises: StoreUnavailable."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreUnavailable(f"the database at {database.address} failed: {reason(error)}") from error
