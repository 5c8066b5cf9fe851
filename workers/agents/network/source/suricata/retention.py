"""What is too old goes, a part at a time, so that nobody waits long for the database."""

from __future__ import annotations

import time

from sqlalchemy import Table, delete, select

from workers.agents.network.sections import SuricataSection
from workers.agents.network.tables import ids_alerts, ids_connections, ids_first_seen, ids_logs, ids_sensors
from workers.store.database import Database

PART = 10_000
DAY_S = 86_400


def forget_old(database: Database, section: SuricataSection, now_s: float, within_s: float = 30) -> int:
    """Remove what is older than configured, as far as the time allows; the rest goes next time.

    Returns: how many rows that were.

    Raises: StoreUnavailable.
    """
    end, gone = time.monotonic() + within_s, 0
    for table, days in ((ids_alerts, section.alert_days), (ids_connections, section.connection_days)):
        while time.monotonic() < end and (part := forget_part(database, table, now_s - days * DAY_S)):
            gone += part
    with database.begin() as connection:
        before = now_s - section.first_seen_days * DAY_S
        gone += connection.execute(delete(ids_first_seen).where(ids_first_seen.c.last_at < before)).rowcount
    return gone


def forget_part(database: Database, table: Table, before: float) -> int:
    """Remove some of the oldest rows. Returns: how many."""
    oldest = select(table.c.id).where(table.c.at < before).order_by(table.c.at).limit(PART)
    with database.begin() as connection:
        return connection.execute(delete(table).where(table.c.id.in_(oldest))).rowcount


def forget_all(database: Database) -> None:
    """Remove all that was read from logs, so that they are read anew. Raises: StoreUnavailable."""
    with database.begin() as connection:
        for table in (ids_alerts, ids_connections, ids_first_seen, ids_sensors, ids_logs):
            connection.execute(delete(table))
