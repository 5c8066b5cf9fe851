"""Spans in which the app heard or kept nothing, so that what was said to it meanwhile is read once it is back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.leases import Leases, fresh_lease
from workers.store.request_logs import insert_into
from workers.store.tables import absences as table

MARGIN_S = 60.0
"""So much earlier is read: what came last before the end may have been lost too. What is known is not asked twice."""


@dataclass(frozen=True)
class Absence:
    """One span, in seconds since the epoch, as its lease holder sees it. ``read``: channels that are done."""

    id: int
    since: float
    until: float
    read: tuple[str, ...]
    fence: int
    failures: int
    delays: int


def to_absence(row: RowMapping) -> Absence:
    """A row as what it says."""
    return Absence(**{name: row[name] for name in Absence.__dataclass_fields__} | {"read": tuple(row["read"])})


ABSENCES = Leases(table, ("id",), to_absence, "absence", first_pause_s=10.0, longest_pause_s=300.0)


def note_absence(connection: Connection, since_s: Any) -> None:
    """Nothing was heard, or kept, since a moment until now."""
    row = {"since": since_s - MARGIN_S, "until": now_s(), "read": [], **fresh_lease()}
    connection.execute(insert_into(connection.dialect.name, table).values(row))


def due_absence(database: Database) -> int | None:
    """The oldest span that is to be read now. Raises: StoreUnavailable."""
    query = select(table.c.id).where(ABSENCES.is_due(), ABSENCES.is_free()).order_by(table.c.since).limit(1)
    with database.begin() as connection:
        return connection.execute(query).scalar()


def keep_read(database: Database, held: Absence, channel: str, lease_s: float) -> Absence:
    """A channel is done; the lease is renewed. Raises: LeaseLost, StoreUnavailable."""
    read = (*held.read, channel)
    ABSENCES.write(database, held, read=list(read), lease_until=now_s() + lease_s)
    return replace(held, read=read)


def end_absence(database: Database, held: Absence) -> None:
    """All of it is read. Raises: LeaseLost, StoreUnavailable."""
    ABSENCES.write(database, held, **ABSENCES.done(), due_at=None)
