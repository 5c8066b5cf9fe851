"""One worker at a time shows a group of alerts, under a lease with a fencing token, as requests are worked on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, case, or_, select, update

from workers.errors import LeaseLost
from workers.store.alert_groups import AlertGroup, to_group
from workers.store.clock import now_s
from workers.store.database import Database
from workers.store.tables import alert_groups as table

REPUBLISH_S = 10.0
SWEEP_ROWS = 200


def is_due() -> ColumnElement[bool]:
    """Something is to be shown, and nobody is at it."""
    free = or_(table.c.lease_until.is_(None), table.c.lease_until < now_s())
    return and_(table.c.due_at <= now_s(), table.c.wait_until <= now_s(), free)


def claim_group(database: Database, group_id: int, lease_s: float) -> AlertGroup | None:
    """Take the lease of a group that is due and free. Raises: StoreUnavailable.

    Returns: the group with its fencing token; None when there is nothing to do, or someone else does it.
    """
    taken = {"fence": table.c.fence + 1, "lease_until": now_s() + lease_s}
    statement = update(table).where(table.c.id == group_id, is_due()).values(taken).returning(table)
    with database.begin(exclusive=True) as connection:
        row = connection.execute(statement).mappings().first()
    return to_group(row) if row else None


def write_group(database: Database, held: AlertGroup, **values: Any) -> AlertGroup:
    """Write under the fencing token. Returns: the group as it is then. Raises: LeaseLost, StoreUnavailable."""
    mine = and_(table.c.id == held.id, table.c.fence == held.fence)
    with database.begin(exclusive=True) as connection:
        if connection.execute(update(table).where(mine).values(**values)).rowcount == 0:
            raise LeaseLost(f"alert group {held.id} is shown by another worker")
    return replace(held, **{key: value for key, value in values.items() if key in AlertGroup.__dataclass_fields__})


def renew_group(database: Database, held: AlertGroup, lease_s: float) -> None:
    """The heartbeat. Raises: LeaseLost, StoreUnavailable."""
    write_group(database, held, lease_until=now_s() + lease_s)


def release_group(database: Database, held: AlertGroup, *, again_at: datetime | None = None) -> None:
    """Give the lease back; what was told since the claim is due still. Raises: LeaseLost, StoreUnavailable.

    Args:
        database: with tables of today's version.
        held: the group as it was claimed.
        again_at: aware; when to look at it once more though nothing was told.
    """
    later = None if again_at is None else again_at.timestamp()
    due = case((table.c.version == held.version, later), else_=now_s())
    write_group(database, held, lease_until=None, failures=0, due_at=due, published_at=0.0)


def postpone_group(database: Database, held: AlertGroup, delay_s: float, *, failed: bool = False) -> None:
    """Give the lease back and try again later, whatever is told until then. Raises: LeaseLost, StoreUnavailable."""
    later = {"due_at": now_s(), "wait_until": now_s() + delay_s, "published_at": 0.0, "lease_until": None}
    write_group(database, held, **later, failures=held.failures + failed)


def due_groups(database: Database) -> tuple[int, ...]:
    """The groups that are due, free, and of which nobody was told for `REPUBLISH_S`, oldest first.

    Raises: StoreUnavailable.
    """
    untold = table.c.published_at < now_s() - REPUBLISH_S
    query = select(table.c.id).where(is_due(), untold).order_by(table.c.due_at).limit(SWEEP_ROWS)
    with database.begin() as connection:  # most of the time there are none: they take no lock
        found = tuple(connection.execute(query).scalars())
    if found:
        with database.begin(exclusive=True) as connection:
            connection.execute(update(table).where(table.c.id.in_(found)).values(published_at=now_s()))
    return found
