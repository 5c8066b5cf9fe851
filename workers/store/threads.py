"""Threads of a person and their entries, merged so that the order in which changes arrive makes no difference.

Of two versions of one entry the greater one by `version_of` stays, wherever they meet; of a thread so does its name,
project and status, and its first and last moments only ever widen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, Table, func, select, update

from workers.store.database import Database
from workers.store.request_logs import insert, storable
from workers.store.tables import thread_entries, thread_sequences, threads

ONCE = 500
"""So many values stand in one statement."""
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""When a thread was named that is known by its entries only."""


@dataclass(frozen=True)
class Thread:
    """One thread. ``edited_at``: since when its name, project and status are these; ``entries``: how many it has."""

    thread_id: str
    name: str
    created_at: datetime
    updated_at: datetime
    edited_at: datetime
    project_id: str = ""
    status: str = "active"
    sequence_id: int = 0
    entries: int = 0


@dataclass(frozen=True)
class Entry:
    """One thing said. ``speaker``: the name of who said it; ``url``: where; ``edited_at``: since when it is so."""

    entry_id: str
    thread_id: str
    content: str
    author: str
    type: str
    timestamp: datetime
    edited_at: datetime
    deleted: bool = False
    speaker: str = ""
    url: str = ""
    sequence_id: int = 0


@dataclass(frozen=True)
class Merge:
    """What came of a merge: ``changed`` and ``kept`` entries by id, those whose version stays or was there, and those
    that a greater version beats; ``sequence``: of the last change.
    """

    sequence: int
    changed: frozenset[str]
    beaten: frozenset[str]


@dataclass(frozen=True)
class Changes:
    """What changed after a sequence number: up to ``sequence``, and whether there is ``more``."""

    threads: tuple[Thread, ...]
    entries: tuple[Entry, ...]
    sequence: int
    more: bool


def message_entry_id(channel: str, ts: str) -> str:
    """The id of a Slack message as an entry of its thread."""
    return f"{channel}-{ts}"[:64]


def version_of(entry: Entry) -> tuple[datetime, bool, str]:
    """What decides between versions of one entry: the later edit, then that it was deleted, then its digest."""
    said = (entry.thread_id, entry.content, entry.author, entry.type, entry.timestamp, entry.speaker, entry.url)
    return entry.edited_at, entry.deleted, digest(said)


def digest(values: tuple[Any, ...]) -> str:
    """A hash of values."""
    same = [value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value for value in values]
    return hashlib.sha256(repr(same).encode()).hexdigest()


def clean_entry(entry: Entry) -> Entry:
    """As it can be stored; of a deleted one nothing that was said."""
    if entry.deleted:
        return replace(entry, content="", speaker="", url="")
    return replace(entry, content=storable(entry.content), speaker=storable(entry.speaker), url=storable(entry.url))


def merge(database: Database, user_id: str, changed: Iterable[Thread], said: Iterable[Entry]) -> Merge:
    """Take in threads and entries; what is known already, or older, changes nothing. Raises: StoreUnavailable."""
    entries = greatest(map(clean_entry, said))
    named = [replace(one, name=storable(one.name), project_id=storable(one.project_id)) for one in changed]
    with database.begin(exclusive=True) as connection:
        sequence = lock_sequence(connection, user_id)
        known = entries_by_id(connection, user_id, list(entries))
        won = [e for e in entries.values() if e.entry_id not in known or version_of(e) > version_of(known[e.entry_id])]
        beaten = {i for i, e in entries.items() if i in known and version_of(e) < version_of(known[i])}
        renewed = merge_threads(connection, user_id, [*named, *implied(entries.values())])
        won.sort(key=lambda e: (e.timestamp, e.entry_id))
        for number, one in enumerate(renewed, sequence + 1):
            write_thread(connection, user_id, replace(one, sequence_id=number))
        sequence += len(renewed)
        rows = [entry_row(user_id, replace(e, sequence_id=n)) for n, e in enumerate(won, sequence + 1)]
        upsert(connection, thread_entries, rows, ["user_id", "entry_id"])
        sequence += len(won)
        if won or renewed:
            here = thread_sequences.c.user_id == user_id
            connection.execute(update(thread_sequences).where(here).values(last_sequence=sequence))
    return Merge(sequence, frozenset(e.entry_id for e in won), frozenset(beaten))


def greatest(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The greatest version of each entry, by id."""
    found: dict[str, Entry] = {}
    for entry in entries:
        known = found.get(entry.entry_id)
        if known is None or version_of(entry) > version_of(known):
            found[entry.entry_id] = entry
    return found


def lock_sequence(connection: Connection, user_id: str) -> int:
    """The number of a person's last change; nobody else writes a next one until the transaction ends."""
    first = insert(connection, thread_sequences).values(user_id=user_id, last_sequence=0)
    connection.execute(first.on_conflict_do_nothing())
    query = select(thread_sequences.c.last_sequence).where(thread_sequences.c.user_id == user_id).with_for_update()
    return int(connection.execute(query).scalar_one())


def last_sequence(connection: Connection, user_id: str) -> int:
    """The number of a person's last change; 0 when there was none."""
    query = select(thread_sequences.c.last_sequence).where(thread_sequences.c.user_id == user_id)
    return int(connection.execute(query).scalar() or 0)


def entries_by_id(connection: Connection, user_id: str, ids: Sequence[str]) -> dict[str, Entry]:
    """Those that exist, deleted ones too."""
    found: dict[str, Entry] = {}
    for start in range(0, len(ids), ONCE):
        some = thread_entries.c.entry_id.in_(ids[start : start + ONCE])
        rows = connection.execute(select(thread_entries).where(thread_entries.c.user_id == user_id, some))
        found.update((row["entry_id"], to_entry(row)) for row in rows.mappings())
    return found


def implied(entries: Iterable[Entry]) -> list[Thread]:
    """The threads that entries tell of, without a name of their own, and the moments they tell of."""
    spans: dict[str, tuple[datetime, datetime]] = {}
    for entry in entries:
        first, last = spans.get(entry.thread_id, (entry.timestamp, entry.timestamp))
        spans[entry.thread_id] = min(first, entry.timestamp), max(last, entry.timestamp, entry.edited_at)
    return [Thread(i, i, first, last, NEVER) for i, (first, last) in spans.items()]


def merge_threads(connection: Connection, user_id: str, told: Sequence[Thread]) -> list[Thread]:
    """Threads as they are after what is told of them. Returns: those that change, by id."""
    ids = sorted({one.thread_id for one in told})
    known: dict[str, Thread] = {}
    for start in range(0, len(ids), ONCE):
        some = threads.c.thread_id.in_(ids[start : start + ONCE])
        rows = connection.execute(select(threads).where(threads.c.user_id == user_id, some)).mappings()
        known.update((row["thread_id"], to_thread(row)) for row in rows)
    merged = dict(known)
    for one in told:
        before = merged.get(one.thread_id)
        merged[one.thread_id] = one if before is None else joined(before, one)
    return [merged[i] for i in ids if merged[i] != known.get(i)]


def joined(one: Thread, other: Thread) -> Thread:
    """What both tell of a thread, whichever came first."""
    last = max(one, other, key=lambda t: (t.edited_at, digest((t.name, t.project_id, t.status))))
    created, updated = min(one.created_at, other.created_at), max(one.updated_at, other.updated_at)
    return replace(last, created_at=created, updated_at=updated, sequence_id=one.sequence_id, entries=0)


def write_thread(connection: Connection, user_id: str, thread: Thread) -> None:
    """Insert or replace its row."""
    row = {"user_id": user_id, **asdict(thread)}
    del row["entries"]
    upsert(connection, threads, [row], ["user_id", "thread_id"])


def upsert(connection: Connection, table: Table, rows: list[dict[str, Any]], key: list[str]) -> None:
    """Insert rows, or replace those with the same key."""
    if not rows:
        return
    statement = insert(connection, table)
    newer = {name: statement.excluded[name] for name in rows[0] if name not in key}
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=newer), rows)


def entry_row(user_id: str, entry: Entry) -> dict[str, Any]:
    """An entry as its row."""
    return {"user_id": user_id, **asdict(entry), "words": len(entry.content.split())}


def to_entry(row: RowMapping) -> Entry:
    """A row as an entry."""
    return Entry(**{name: row[name] for name in Entry.__dataclass_fields__})


def to_thread(row: RowMapping | Mapping[str, Any]) -> Thread:
    """A row as a thread; ``entries`` where it was counted."""
    fields = {name: row[name] for name in Thread.__dataclass_fields__ if name in row}
    return Thread(**fields)


# --- reading ----------------------------------------------------------------------------------------------------


def counted() -> Select[Any]:
    """Threads with how many entries each has."""
    there = (thread_entries.c.user_id == threads.c.user_id) & (thread_entries.c.thread_id == threads.c.thread_id)
    number = select(func.count()).where(there, ~thread_entries.c.deleted).scalar_subquery()
    return select(threads, number.label("entries"))


def list_threads(
    database: Database, user_id: str, status: str = "", project_id: str = "", most: int = 50, skip: int = 0
) -> tuple[Thread, ...]:
    """A person's threads, the last changed first; of any status or project when empty. Raises: StoreUnavailable."""
    query = counted().where(threads.c.user_id == user_id)
    if status:
        query = query.where(threads.c.status == status)
    if project_id:
        query = query.where(threads.c.project_id == project_id)
    query = query.order_by(threads.c.updated_at.desc(), threads.c.thread_id).limit(most).offset(skip)
    with database.begin() as connection:
        return tuple(to_thread(row) for row in connection.execute(query).mappings())


def find_thread(database: Database, user_id: str, thread_id: str) -> Thread | None:
    """One thread of a person; None when there is none. Raises: StoreUnavailable."""
    query = counted().where(threads.c.user_id == user_id, threads.c.thread_id == thread_id)
    with database.begin() as connection:
        row = connection.execute(query).mappings().first()
    return to_thread(row) if row else None


def last_entries(database: Database, user_id: str, thread_id: str, most: int, skip: int = 0) -> tuple[Entry, ...]:
    """The last entries of a thread, oldest first, after leaving out the newest ``skip``. Raises: StoreUnavailable."""
    c = thread_entries.c
    query = select(thread_entries).where(c.user_id == user_id, c.thread_id == thread_id, ~c.deleted)
    query = query.order_by(c.timestamp.desc(), c.entry_id.desc()).limit(most).offset(skip)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
    return tuple(to_entry(row) for row in reversed(rows))


def find_entries(database: Database, user_id: str, ids: Sequence[str]) -> dict[str, Entry]:
    """Entries of a person by id, deleted ones too. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return entries_by_id(connection, user_id, ids)


def count_entries(database: Database, user_id: str) -> int:
    """How many entries are kept of a person, deleted ones too. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return int(connection.execute(select(func.count()).where(thread_entries.c.user_id == user_id)).scalar_one())


def changes_since(database: Database, user_id: str, sequence: int, most: int) -> Changes:
    """What changed after a sequence number, in order, at most so many. Raises: StoreUnavailable."""

    def page(rows: Select[Any], table: Table) -> Select[Any]:
        newer = rows.where(table.c.user_id == user_id, table.c.sequence_id > sequence)
        return newer.order_by(table.c.sequence_id).limit(most + 1)

    with database.begin() as connection:
        last = last_sequence(connection, user_id)
        changed = [to_thread(row) for row in connection.execute(page(counted(), threads)).mappings()]
        said = [to_entry(row) for row in connection.execute(page(select(thread_entries), thread_entries)).mappings()]
    numbers = sorted([*(t.sequence_id for t in changed), *(e.sequence_id for e in said)])
    more = len(numbers) > most
    until = numbers[most - 1] if more else last
    return Changes(
        tuple(t for t in changed if t.sequence_id <= until),
        tuple(e for e in said if e.sequence_id <= until),
        until,
        more,
    )
