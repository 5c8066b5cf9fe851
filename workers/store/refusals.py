"""What was not taken in: how often, where it came in and why, by day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from workers.store.database import Database
from workers.store.request_logs import insert
from workers.store.tables import refusals as table

DAY = "%Y-%m-%d"
Refused = tuple[str, str]
"""Where something came in, ``Slack`` or the name of a hook, and why it was not taken, such as ``wrong token``."""


@dataclass(frozen=True)
class Refusals:
    """How often something was refused at a door for one reason; ``last_at``: aware."""

    door: str
    reason: str
    count: int
    last_at: datetime


def add_refusals(database: Database, counts: Mapping[Refused, int], at: datetime) -> None:
    """Count what was refused since the last time. ``at``: aware. Raises: StoreUnavailable."""
    day = at.astimezone(UTC).strftime(DAY)
    with database.begin(exclusive=True) as connection:
        for (door, reason), count in counts.items():
            row = {"day": day, "door": door[:64], "reason": reason[:32], "count": count, "last_at": at}
            first = insert(connection, table).values(row)
            more = {"count": table.c.count + count, "last_at": at}
            connection.execute(first.on_conflict_do_update(index_elements=["day", "door", "reason"], set_=more))


def list_refusals(database: Database, days: int) -> tuple[Refusals, ...]:
    """What was refused in so many days, the most frequent first. Raises: StoreUnavailable."""
    since = (datetime.now(UTC) - timedelta(days=days)).strftime(DAY)
    count = func.sum(table.c.count)
    query = select(table.c.door, table.c.reason, count, func.max(table.c.last_at)).where(table.c.day > since)
    query = query.group_by(table.c.door, table.c.reason).order_by(count.desc(), table.c.door, table.c.reason)
    with database.begin() as connection:
        return tuple(Refusals(door, reason, int(number), at) for door, reason, number, at in connection.execute(query))
