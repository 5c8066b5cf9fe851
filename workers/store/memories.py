"""What people asked to remember. Of what they forget the text is gone at once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import RowMapping, Select, func, select, update

from workers.store.database import Database
from workers.store.request_logs import storable
from workers.store.tables import memories


@dataclass(frozen=True)
class Memory:
    """One thing to remember. ``url``: where it was asked for; empty when that has no address."""

    id: int
    text: str
    created_at: datetime
    url: str = ""


def add_memory(database: Database, user_id: str, text: str, url: str = "", *, at: datetime | None = None) -> Memory:
    """Remember something; the same text again is the memory that is there. Raises: StoreUnavailable."""
    row = {"user_id": user_id, "text": storable(text), "url": storable(url), "created_at": at or datetime.now(UTC)}
    known = living(user_id).where(memories.c.text == row["text"])
    with database.begin(exclusive=True) as connection:
        found = connection.execute(known).mappings().first()
        if found is None:
            found = connection.execute(memories.insert().values(row).returning(memories)).mappings().one()
    return to_memory(found)


def list_memories(database: Database, user_id: str, most: int = 200) -> tuple[Memory, ...]:
    """What is remembered of a person, newest first. Raises: StoreUnavailable."""
    query = living(user_id).order_by(memories.c.created_at.desc(), memories.c.id.desc()).limit(most)
    with database.begin() as connection:
        return tuple(to_memory(row) for row in connection.execute(query).mappings())


def count_memories(database: Database, user_id: str) -> int:
    """How many things are remembered of a person. Raises: StoreUnavailable."""
    query = select(func.count()).where(memories.c.user_id == user_id, memories.c.forgotten_at.is_(None))
    with database.begin() as connection:
        return int(connection.execute(query).scalar_one())


def forget_memory(database: Database, user_id: str, memory_id: int, *, at: datetime | None = None) -> bool:
    """Forget one memory of a person: its text is gone. Raises: StoreUnavailable. Returns: whether it was there."""
    here = (memories.c.id == memory_id) & (memories.c.user_id == user_id) & memories.c.forgotten_at.is_(None)
    gone = {"text": "", "url": "", "forgotten_at": at or datetime.now(UTC)}
    with database.begin(exclusive=True) as connection:
        return connection.execute(update(memories).where(here).values(gone)).rowcount > 0


def living(user_id: str) -> Select[Any]:
    """A person's memories that are not forgotten."""
    return select(memories).where(memories.c.user_id == user_id, memories.c.forgotten_at.is_(None))


def to_memory(row: RowMapping) -> Memory:
    """A row as a memory."""
    return Memory(id=row["id"], text=row["text"], created_at=row["created_at"], url=row["url"])
