"""How far each client of a person has synced its threads."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select

from workers.store.database import Database
from workers.store.request_logs import storable
from workers.store.tables import thread_sync_status
from workers.store.threads import upsert

LONGEST_ERROR = 500


def note_sync(
    database: Database, user_id: str, client_id: str, sequence: int, error: str = "", *, at: datetime | None = None
) -> None:
    """Keep how far a client has synced, and why its last sync failed. Raises: StoreUnavailable."""
    row = {
        "user_id": user_id,
        "client_id": client_id,
        "last_synced_sequence": sequence,
        "last_sync_at": at or datetime.now(UTC),
        "sync_error": storable(error)[:LONGEST_ERROR],
    }
    with database.begin(exclusive=True) as connection:
        upsert(connection, thread_sync_status, [row], ["user_id", "client_id"])


def synced(database: Database, user_id: str) -> dict[str, tuple[int, datetime, str]]:
    """Client -> how far it has synced, when it last tried, and why that failed. Raises: StoreUnavailable."""
    c = thread_sync_status.c
    query = select(c.client_id, c.last_synced_sequence, c.last_sync_at, c.sync_error).where(c.user_id == user_id)
    with database.begin() as connection:
        return {row[0]: (row[1], row[2], row[3]) for row in connection.execute(query)}
