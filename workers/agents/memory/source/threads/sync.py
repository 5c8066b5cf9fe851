"""Brings the threads of several clients together: whatever the order, and however often a change arrives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StrictBool

from workers.agents.memory.source.threads.sync_status import note_sync
from workers.conversations.entries import (
    LONGEST_CONTENT,
    LONGEST_NAME,
    LONGEST_URL,
    At,
    Author,
    Body,
    EntryId,
    EntryType,
    ProjectId,
    Status,
    ThreadId,
    need_room,
)
from workers.errors import MemoryConflict, OracleError, StoreUnavailable
from workers.store.database import Database
from workers.store.threads import Changes, Entry, Thread, changes_since, last_sequence, merge

MOST_SENT, MOST_RETURNED = 1_000, 1_000


def number(value: Any) -> Any:
    """A number as JSON has it. Raises: ValueError: it is a text, or true or false."""
    if isinstance(value, bool | str):
        raise ValueError("it has to be a number")  # noqa: TRY004 - pydantic reads ValueError
    return value


Sequence = Annotated[int, Field(ge=0, le=2**53), BeforeValidator(number)]


class ThreadChange(Body):
    """A thread as a client has it; ``edited_at``: since when its name, project and status are so."""

    thread_id: ThreadId
    name: str = Field("", max_length=LONGEST_NAME)
    project_id: ProjectId = ""
    status: Status = "active"
    created_at: At
    edited_at: At | None = None


class EntryChange(Body):
    """An entry as a client has it. ``edited_at``: since when it is so, its timestamp when not given; ``deleted``: it
    was, and has no content any more.
    """

    entry_id: EntryId
    thread_id: ThreadId
    content: str = Field("", max_length=LONGEST_CONTENT)
    author: Author = "user"
    type: EntryType = "thought"
    timestamp: At
    edited_at: At | None = None
    deleted: StrictBool = False
    speaker: str = Field("", max_length=LONGEST_NAME)
    url: str = Field("", max_length=LONGEST_URL)


class SyncRequest(Body):
    """What a client changed, and up to which sequence number it knows what others did."""

    client_id: EntryId
    last_synced_sequence: Sequence = 0
    threads: tuple[ThreadChange, ...] = Field((), max_length=MOST_SENT)
    entries: tuple[EntryChange, ...] = Field((), max_length=MOST_SENT)


@dataclass(frozen=True)
class Synced:
    """What a client lacks. ``changes.sequence`` is what it sends next time; ``accepted``: so many of its entries are
    new here; ``beaten``: entries of its own that a later version of somebody else's beats.
    """

    changes: Changes
    accepted: int
    beaten: tuple[str, ...]


def sync(database: Database, user_id: str, request: SyncRequest, *, now: datetime) -> Synced:
    """Take in what a client changed, and tell it what it lacks.

    Raises:
        MemoryConflict: the client knows a sequence number that does not exist here, or there is no room.
        StoreUnavailable: the database cannot be reached.
    """
    since = request.last_synced_sequence
    try:
        with database.begin() as connection:
            known = last_sequence(connection, user_id)
        need_room(database, user_id, len(request.entries))
        if since > known:
            raise MemoryConflict(f"there was no change {since:,} here, the last one is {known:,}: sync again from 0")
        done = merge(database, user_id, map(to_thread, request.threads), map(to_entry, request.entries))
        changes = without_own(changes_since(database, user_id, since, MOST_RETURNED), request, done.beaten)
    except StoreUnavailable:
        raise
    except OracleError as error:
        note_sync(database, user_id, request.client_id, since, str(error), at=now)
        raise
    note_sync(database, user_id, request.client_id, changes.sequence, at=now)
    return Synced(changes, len(done.changed), tuple(sorted(done.beaten)))


def without_own(changes: Changes, request: SyncRequest, beaten: frozenset[str]) -> Changes:
    """The changes without the entries that the client has just sent and that stand as it sent them."""
    own = {entry.entry_id for entry in request.entries} - beaten
    kept = tuple(entry for entry in changes.entries if entry.entry_id not in own)
    return Changes(changes.threads, kept, changes.sequence, changes.more)


def to_thread(change: ThreadChange) -> Thread:
    """What a client says of a thread."""
    edited = change.edited_at or change.created_at
    name = change.name.strip() or change.thread_id
    newest = max(change.created_at, edited)
    return Thread(change.thread_id, name, change.created_at, newest, edited, change.project_id, change.status)


def to_entry(change: EntryChange) -> Entry:
    """What a client says of an entry."""
    values = change.model_dump()
    return Entry(**{**values, "edited_at": change.edited_at or change.timestamp})
