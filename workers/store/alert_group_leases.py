"""One worker at a time shows a group of alerts."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import case

from workers.store.alert_groups import AlertGroup, to_group
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.leases import Leases
from workers.store.tables import alert_groups as table

GROUPS = Leases(table, ("id",), to_group, "alert group", first_pause_s=30.0, longest_pause_s=1_800.0)
write_group = GROUPS.write


def release_group(database: Database, held: AlertGroup, *, again_at: datetime | None = None) -> None:
    """Give the lease back; what was told since the claim is due still. Raises: LeaseLost, StoreUnavailable.

    Args:
        database: with tables of today's version.
        held: the group as it was claimed.
        again_at: aware; when to look at it once more though nothing was told.
    """
    later = None if again_at is None else again_at.timestamp()
    due = case((table.c.version == held.version, later), else_=now_s())
    write_group(database, held, **GROUPS.done(), due_at=due, published_at=0.0)
