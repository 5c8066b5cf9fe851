"""What the ranking of entries is computed from: where they stand in their threads, and which hold a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    union_all,
)

from workers.store.database import Database
from workers.store.tables import thread_entries
from workers.store.threads import ONCE, Entry, to_entry

MOST_ENTRIES = 50_000
"""The newest so many entries of a person are looked through."""
Words = Sequence[str]
FULL_TEXT = table("thread_entries_fts", column("rowid"))
ENGLISH: ColumnElement[str] = literal_column("'english'")


@dataclass(frozen=True)
class Position:
    """An entry without its text: its row, and how many words it has."""

    id: int
    thread_id: str
    words: int
    speaker: str
    timestamp: datetime


def positions(
    connection: Connection, user_id: str, thread_id: str = "", most: int = MOST_ENTRIES
) -> tuple[Position, ...]:
    """A person's newest entries, of one thread or of all, in the order of their threads and times."""
    c = thread_entries.c
    query = select(c.id, c.thread_id, c.words, c.speaker, c.timestamp, c.entry_id).where(*own(user_id, thread_id))
    rows = connection.execute(query.order_by(c.timestamp.desc(), c.entry_id.desc()).limit(most)).all()
    ordered = sorted(rows, key=lambda row: (row.thread_id, row.timestamp, row.entry_id))
    return tuple(Position(*row[:5]) for row in ordered)


def newest_entries(database: Database, user_id: str, most: int) -> tuple[Entry, ...]:
    """A person's newest entries, the newest first. Raises: StoreUnavailable."""
    query = select(thread_entries).where(*own(user_id, "")).order_by(thread_entries.c.timestamp.desc()).limit(most)
    with database.begin() as connection:
        return tuple(to_entry(row) for row in connection.execute(query).mappings())


def matches(connection: Connection, user_id: str, wanted: Sequence[Words], thread_id: str = "") -> list[set[int]]:
    """For each group of words the rows of a person's entries that hold any of them, by their stems."""
    found: list[set[int]] = [set() for _ in wanted]
    asked = [(number, words) for number, words in enumerate(wanted) if words]
    if not asked:
        return found
    make = match_sqlite if connection.dialect.name == "sqlite" else match_postgresql
    query = union_all(*(make(number, words, user_id, thread_id) for number, words in asked))
    rows: Sequence[Any] = connection.execute(query).all()
    for number, row_id in rows:
        found[number].add(row_id)
    return found


def own(user_id: str, thread_id: str) -> list[ColumnElement[bool]]:
    """Conditions: the person's, and of the thread when one is named."""
    c = thread_entries.c
    return [c.user_id == user_id, ~c.deleted, *([c.thread_id == thread_id] if thread_id else [])]


def match_sqlite(number: int, words: Words, user_id: str, thread_id: str) -> Select[tuple[int, int]]:
    """A group's number with the rows of entries that hold any of its words."""
    wanted = " OR ".join('"' + word.replace('"', "") + '"' for word in words)
    rows = select(FULL_TEXT.c.rowid).where(literal_column(FULL_TEXT.name).op("match")(wanted))
    return select(literal(number), thread_entries.c.id).where(thread_entries.c.id.in_(rows), *own(user_id, thread_id))


def match_postgresql(number: int, words: Words, user_id: str, thread_id: str) -> Select[tuple[int, int]]:
    """As `match_sqlite`, on the index over ``to_tsvector('english', content)``."""
    wanted = func.websearch_to_tsquery(ENGLISH, " or ".join('"' + word.replace('"', "") + '"' for word in words))
    held = func.to_tsvector(ENGLISH, thread_entries.c.content).op("@@")(wanted)
    return select(literal(number), thread_entries.c.id).where(held, *own(user_id, thread_id))


def load_entries(connection: Connection, ids: Sequence[int]) -> dict[int, Entry]:
    """Entries by their rows."""
    found: dict[int, Entry] = {}
    for start in range(0, len(ids), ONCE):
        query = select(thread_entries).where(thread_entries.c.id.in_(ids[start : start + ONCE]))
        found.update((row["id"], to_entry(row)) for row in connection.execute(query).mappings())
    return found
