"""How Oracle behaves in each channel. Read for every message, so that what was read is kept for a moment."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Literal, cast
from weakref import WeakKeyDictionary

from sqlalchemy import delete, select

from workers.store.database import Database
from workers.store.request_logs import insert
from workers.store.tables import channel_settings as table

Mode = Literal["mentions", "threads", "questions", "off"]
Verbosity = Literal["full", "short"]
KEPT_S = 20.0
"""How long another process may not notice a change."""
KEPT_MOST = 2_000


@dataclass(frozen=True)
class ChannelSettings:
    """Of one channel.

    ``mode``: what is answered: ``mentions`` alone; ``threads``: also every message in a thread where something was
    asked; ``questions``: also every message that ends in a question mark; ``off``: nothing. ``agent``: a name in
    ``config/agents.yaml``, empty for the default one. ``verbosity``: of answers.
    """

    mode: Mode = "mentions"
    agent: str = ""
    verbosity: Verbosity = "short"


DEFAULT = ChannelSettings()


@dataclass(frozen=True)
class ChangedChannel:
    """A channel that behaves otherwise than `DEFAULT`, who changed it last, and when."""

    channel: str
    settings: ChannelSettings
    changed_by: str
    changed_at: datetime


class Remembered:
    """The settings that were read from one database a moment ago, at most `KEPT_MOST` of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows: dict[tuple[str, str], tuple[float, ChannelSettings]] = {}
        self.writes = 0

    def get(self, key: tuple[str, str]) -> tuple[ChannelSettings | None, int]:
        """What is remembered and young enough, and the number of writes so far."""
        with self.lock:
            at, known = self.rows.get(key, (0.0, None))
            return (known if known and monotonic() - at < KEPT_S else None), self.writes

    def put(self, key: tuple[str, str], settings: ChannelSettings, writes: int) -> None:
        """Remember what was read, unless something was written meanwhile."""
        with self.lock:
            if writes != self.writes:
                return
            self.rows.pop(key, None)
            while len(self.rows) >= KEPT_MOST:
                del self.rows[next(iter(self.rows))]
            self.rows[key] = (monotonic(), settings)

    def forget(self) -> None:
        """Something was written."""
        with self.lock:
            self.writes += 1
            self.rows.clear()


known_lock = threading.Lock()
known: WeakKeyDictionary[Database, Remembered] = WeakKeyDictionary()


def remembered(database: Database) -> Remembered:
    """What this process remembers of a database."""
    with known_lock:
        return known.setdefault(database, Remembered())


def channel_settings(database: Database, team: str, channel: str) -> ChannelSettings:
    """How Oracle behaves in a channel; at most `KEPT_S` old, never older than this process's own changes.

    Raises:
        StoreUnavailable: the database cannot be reached, and nothing is remembered.
    """
    memory = remembered(database)
    found, writes = memory.get((team, channel))
    if found is not None:
        return found
    with database.begin() as connection:
        query = select(table).where(table.c.team == team, table.c.channel == channel)
        row = connection.execute(query).mappings().first()
    settings = to_settings(row["mode"], row["agent"], row["verbosity"]) if row else DEFAULT
    memory.put((team, channel), settings, writes)
    return settings


def change_channel(database: Database, team: str, channel: str, settings: ChannelSettings, by: str) -> None:
    """Set how Oracle behaves in a channel. Raises: StoreUnavailable."""
    row = {
        "team": team,
        "channel": channel,
        "mode": settings.mode,
        "agent": settings.agent,
        "verbosity": settings.verbosity,
        "changed_by": by,
        "changed_at": datetime.now(UTC),
    }
    with database.begin(exclusive=True) as connection:
        statement = insert(connection, table).values(row)
        changed = {name: statement.excluded[name] for name in row if name not in {"team", "channel"}}
        connection.execute(statement.on_conflict_do_update(index_elements=["team", "channel"], set_=changed))
    remembered(database).forget()


def changed_channels(database: Database, team: str) -> tuple[ChangedChannel, ...]:
    """The channels of a workspace that behave otherwise than `DEFAULT`, the newest change first.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    query = select(table).where(table.c.team == team).order_by(table.c.changed_at.desc(), table.c.channel)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
    found = (
        ChangedChannel(
            channel=row["channel"],
            settings=to_settings(row["mode"], row["agent"], row["verbosity"]),
            changed_by=row["changed_by"],
            changed_at=row["changed_at"],
        )
        for row in rows
    )
    return tuple(changed for changed in found if changed.settings != DEFAULT)


def forget_channels(database: Database, team: str) -> int:
    """Remove all settings of a workspace. Returns: how many there were. Raises: StoreUnavailable."""
    with database.begin(exclusive=True) as connection:
        gone = connection.execute(delete(table).where(table.c.team == team)).rowcount
    remembered(database).forget()
    return gone


def to_settings(mode: str, agent: str, verbosity: str) -> ChannelSettings:
    """A row's values."""
    return ChannelSettings(cast("Mode", mode), agent, cast("Verbosity", verbosity))
