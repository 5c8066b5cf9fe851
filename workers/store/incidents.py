"""Incidents that people declared in a channel: at most one at a time is active there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, delete, or_, select, text, update

from workers.store.database import Database
from workers.store.request_logs import storable
from workers.store.tables import incident_channels as table

LONGEST_TITLE = 300
LONGEST_NOTE = 3_000


@dataclass(frozen=True)
class Incident:
    """One incident. ``ts``: the message that opened it, empty while there is none. ``note``: what whoever ended it said
    of that.
    """

    id: int
    team: str
    channel: str
    title: str
    status: Literal["active", "resolved"]
    ts: str
    opened_by: str
    opened_at: datetime
    resolved_by: str = ""
    resolved_at: datetime | None = None
    note: str = ""

    def began(self, first_sign: datetime | None) -> datetime:
        """Since when it counts: its first sign where messages tell one, else when it was opened; before its end.

        Args:
            first_sign: aware, `Summary.since`; None when nothing is known of it.
        """
        since = first_sign or self.opened_at
        return min(since, self.resolved_at) if self.resolved_at else since


def key_of(incident_id: int, part: str) -> str:
    """What marks a message of an incident: its ``root``, which opened it, or the word of its ``end``."""
    return f"incident-{incident_id}:{part}"


def open_incident(
    database: Database, team: str, channel: str, title: str, by: str, ts: str = "", *, at: datetime | None = None
) -> int | None:
    """Declare an incident in a channel.

    Args:
        database: with tables of today's version.
        team: the workspace.
        channel: where it is.
        title: what happens; cut at `LONGEST_TITLE` characters.
        by: who declares it.
        ts: the message that opens it; `place_incident` tells it later.
        at: aware; since when; now when not given.

    Returns: its id; None when one is active there.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    row = {
        "team": team,
        "channel": channel,
        "title": storable(title)[:LONGEST_TITLE],
        "status": "active",
        "ts": ts,
        "opened_by": by,
        "opened_at": at or datetime.now(UTC),
        "resolved_by": "",
    }
    with database.begin(exclusive=True) as connection:
        lock_channel(connection, team, channel)
        if connection.execute(select(table.c.id).where(active_in(team, channel))).first() is not None:
            return None
        return int(connection.execute(table.insert().values(row).returning(table.c.id)).scalar_one())


def place_incident(database: Database, incident_id: int, ts: str) -> None:
    """The message that opened it stands. Raises: StoreUnavailable."""
    with database.begin(exclusive=True) as connection:
        connection.execute(update(table).where(table.c.id == incident_id).values(ts=ts))


def withdraw_incident(database: Database, incident_id: int) -> None:
    """The message that should have opened it was refused: nobody knows of it. Raises: StoreUnavailable."""
    with database.begin(exclusive=True) as connection:
        connection.execute(delete(table).where(table.c.id == incident_id))


def resolve_incident(
    database: Database,
    team: str,
    channel: str,
    by: str,
    *,
    at: datetime | None = None,
    note: str = "",
    incident_id: int | None = None,
) -> Incident | None:
    """End what is active in a channel. Raises: StoreUnavailable.

    Args:
        database: with tables of today's version.
        team: the workspace.
        channel: where it is.
        by: who ends it; empty when its channel does.
        at: aware; now when not given.
        note: what they say of that; cut at `LONGEST_NOTE` characters.
        incident_id: the one that is meant; whichever is active when not given.

    Returns: the incident, resolved; None when it was not active.
    """
    ended = {
        "status": "resolved",
        "resolved_by": by,
        "resolved_at": at or datetime.now(UTC),
        "note": storable(note)[:LONGEST_NOTE],
    }
    meant = (
        active_in(team, channel) if incident_id is None else and_(active_in(team, channel), table.c.id == incident_id)
    )
    statement = update(table).where(meant).values(ended).returning(table)
    with database.begin(exclusive=True) as connection:
        row = connection.execute(statement).mappings().first()
    return to_incident(row) if row else None


def reopen_incident(database: Database, incident_id: int) -> bool:
    """Let one go on that had ended. Raises: StoreUnavailable. Returns: False when another one is active there."""
    with database.begin(exclusive=True) as connection:
        row = connection.execute(select(table).where(table.c.id == incident_id)).mappings().first()
        if row is None:
            return False
        lock_channel(connection, row["team"], row["channel"])
        if connection.execute(select(table.c.id).where(active_in(row["team"], row["channel"]))).first() is not None:
            return False
        values = {"status": "active", "resolved_by": "", "resolved_at": None, "note": ""}
        connection.execute(update(table).where(table.c.id == incident_id).values(values))
        return True


def active_incident(database: Database, team: str, channel: str) -> Incident | None:
    """What is active in a channel. Raises: StoreUnavailable."""
    found = read_incidents(database, active_in(team, channel))
    return found[0] if found else None


def incident_of(database: Database, incident_id: int) -> Incident | None:
    """An incident by its id. Raises: StoreUnavailable."""
    found = read_incidents(database, table.c.id == incident_id)
    return found[0] if found else None


def has_ended(database: Database, team: str, channel: str, ts: str) -> bool:
    """Whether a message opened an incident that has ended. Raises: StoreUnavailable."""
    here = and_(table.c.team == team, table.c.channel == channel, table.c.ts == ts)
    return any(incident.resolved_at for incident in read_incidents(database, here))


def incident_before(database: Database, incident: Incident) -> Incident | None:
    """The one before an incident in its channel. Raises: StoreUnavailable."""
    here = and_(table.c.team == incident.team, table.c.channel == incident.channel)
    return newest_of(database, and_(here, table.c.id < incident.id))


def newest_incident(database: Database, team: str, channel: str) -> Incident | None:
    """The newest one of a channel, active or over. Raises: StoreUnavailable."""
    return newest_of(database, and_(table.c.team == team, table.c.channel == channel))


def active_incidents(database: Database, team: str) -> tuple[Incident, ...]:
    """Every active incident of a workspace, oldest first. Raises: StoreUnavailable."""
    return read_incidents(database, and_(table.c.team == team, table.c.status == "active"))


def incidents_since(database: Database, team: str, channel: str, since: datetime) -> tuple[Incident, ...]:
    """What was opened, went on or was resolved in a channel since a moment, oldest first. Raises: StoreUnavailable."""
    during = or_(table.c.opened_at >= since, table.c.resolved_at >= since, table.c.status == "active")
    return read_incidents(database, and_(table.c.team == team, table.c.channel == channel, during))


def newest_of(database: Database, which: ColumnElement[bool]) -> Incident | None:
    """The newest of some incidents."""
    query = select(table).where(which).order_by(table.c.id.desc()).limit(1)
    with database.begin() as connection:
        row = connection.execute(query).mappings().first()
    return to_incident(row) if row else None


def read_incidents(database: Database, which: ColumnElement[bool]) -> tuple[Incident, ...]:
    """Some incidents, oldest first."""
    query = select(table).where(which).order_by(table.c.opened_at, table.c.id)
    with database.begin() as connection:
        return tuple(to_incident(row) for row in connection.execute(query).mappings())


def active_in(team: str, channel: str) -> ColumnElement[bool]:
    """Whether a row is the active incident of a channel."""
    return and_(table.c.team == team, table.c.channel == channel, table.c.status == "active")


def lock_channel(connection: Connection, team: str, channel: str) -> None:
    """Keep two people from opening one each at the same moment; SQLite's write lock is held already."""
    if connection.dialect.name == "postgresql":
        key = f"incident:{team}:{channel}"
        connection.execute(text("select pg_advisory_xact_lock(hashtextextended(:key, 0))"), {"key": key})


def to_incident(row: RowMapping) -> Incident:
    """A row as what it says."""
    status = cast("Literal['active', 'resolved']", row["status"])
    return Incident(**{**row, "status": status})
