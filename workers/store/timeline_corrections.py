"""What people changed in the timeline of an incident, and when they last looked at a channel."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import select

from workers.contracts import Correction
from workers.store.database import Database
from workers.store.request_logs import insert, storable
from workers.store.tables import channel_looks, incident_corrections

LONGEST = 1_000


def correct(database: Database, incident_id: int, correction: Correction) -> None:
    """Keep a correction. Raises: StoreUnavailable."""
    words = {key: storable(getattr(correction, key))[:LONGEST] for key in ("was", "text")}
    row = correction.model_dump() | {"incident_id": incident_id, **words}
    with database.begin(exclusive=True) as connection:
        connection.execute(incident_corrections.insert().values(row))


def corrections_of(database: Database, incident_id: int) -> tuple[Correction, ...]:
    """The corrections of an incident's timeline, oldest first. Raises: StoreUnavailable."""
    columns = [incident_corrections.c[name] for name in Correction.model_fields]
    mine = incident_corrections.c.incident_id == incident_id
    with database.begin() as connection:
        rows = connection.execute(select(*columns).where(mine).order_by(incident_corrections.c.id)).mappings().all()
    return tuple(Correction(**row) for row in rows)


def note_look(database: Database, team: str, channel: str, user: str, at: datetime | None = None) -> datetime | None:
    """Someone is told what went on in a channel. Returns: when they were last told before. Raises: StoreUnavailable."""
    here = {"team": team, "channel": channel, "user": user}
    keys = channel_looks.c
    with database.begin(exclusive=True) as connection:
        query = select(keys.at).where(keys.team == team, keys.channel == channel, keys.user == user)
        before = connection.execute(query).scalar()
        statement = insert(connection, channel_looks).values({**here, "at": at or datetime.now(UTC)})
        fresh = {"at": statement.excluded.at}
        connection.execute(statement.on_conflict_do_update(index_elements=list(here), set_=fresh))
    return before
