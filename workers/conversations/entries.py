"""A person's threads: what may be pushed, and pushing, reading and listing it."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, ConfigDict, Field, StringConstraints

from workers.contracts import Message
from workers.errors import MemoryConflict, MemoryNotFound
from workers.store.database import Database
from workers.store.threads import (
    Entry,
    Thread,
    clean_entry,
    count_entries,
    find_entries,
    find_thread,
    last_entries,
    merge,
    version_of,
)

Author = Literal["user", "claude", "oracle", "librarian"]
EntryType = Literal["thought", "decision", "research", "insight"]
Status = Literal["active", "archived", "blocked"]
LONGEST_CONTENT, LONGEST_NAME, LONGEST_URL = 100_000, 200, 2_000
MOST_ENTRIES = 200_000
"""A person keeps so many entries at most."""
FIRST_YEAR, LAST_YEAR = 1971, 2199
YEARS = r"^(197[1-9]|19[89]\d|2[01]\d\d)-"
THREAD_ID = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)


def possible(moment: datetime) -> datetime:
    """A moment of a time that a clock may show. Raises: ValueError: another one."""
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"the year has to lie between {FIRST_YEAR} and {LAST_YEAR}")
    return moment.astimezone(UTC)


At = Annotated[AwareDatetime, AfterValidator(possible), Field(json_schema_extra={"pattern": YEARS})]
ThreadId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$", min_length=1, max_length=64)]
EntryId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]+$", min_length=1, max_length=64)]
ProjectId = Annotated[str, StringConstraints(max_length=128)]
Content = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_CONTENT)]


class Body(Message):
    """Base of what comes in over HTTP."""

    model_config = ConfigDict(defer_build=False)  # FastAPI builds on it


class NewThread(Body):
    """A thread to begin. ``name``: what people call it; its id when empty."""

    thread_id: ThreadId
    name: str = Field("", max_length=LONGEST_NAME)
    project_id: ProjectId = ""
    status: Status = "active"


class NewEntry(Body):
    """Something to keep in a thread.

    ``entry_id``: a name of the sender's, so that sending it twice keeps it once; made when empty. ``speaker``: the name
    of who said it, where a thread has several; ``url``: where it was said.
    """

    content: Content
    entry_id: EntryId | None = None
    author: Author = "user"
    type: EntryType = "thought"
    timestamp: At | None = None
    speaker: str = Field("", max_length=LONGEST_NAME)
    url: str = Field("", max_length=LONGEST_URL)


def begin_thread(database: Database, user_id: str, wanted: NewThread, *, now: datetime) -> Thread:
    """Begin a thread.

    Raises:
        MemoryConflict: there is one with that id.
        StoreUnavailable: the database cannot be reached.
    """
    if find_thread(database, user_id, wanted.thread_id) is not None:
        raise MemoryConflict(f"there is a thread {wanted.thread_id} already")
    name = wanted.name.strip() or wanted.thread_id
    merge(database, user_id, [Thread(wanted.thread_id, name, now, now, now, wanted.project_id, wanted.status)], [])
    return need_thread(database, user_id, wanted.thread_id)


def push(
    database: Database, user_id: str, thread_id: str, wanted: NewEntry, *, now: datetime, begins: bool = True
) -> tuple[Entry, bool]:
    """Keep an entry in a thread of a person.

    Args:
        database: with tables of today's version.
        user_id: whose it is.
        thread_id: which one.
        wanted: what is kept.
        now: aware; when it was said, where the entry says nothing else.
        begins: a thread that does not exist is begun.

    Returns: the entry, and whether it is new.

    Raises:
        MemoryNotFound: there is no such thread, and none is to be begun.
        MemoryConflict: the id is that of another entry, or there is no room.
        StoreUnavailable: the database cannot be reached.
    """
    if not begins:
        need_thread(database, user_id, thread_id)
    entry_id = wanted.entry_id or f"e-{secrets.token_hex(8)}"
    at = wanted.timestamp or now
    said = (wanted.content, wanted.author, wanted.type)
    entry = clean_entry(Entry(entry_id, thread_id, *said, at, at, speaker=wanted.speaker, url=wanted.url))
    known = find_entries(database, user_id, [entry_id]).get(entry_id)
    if known is not None:
        same = replace(entry, timestamp=known.timestamp) if wanted.timestamp is None else entry
        if version_of(replace(same, edited_at=known.edited_at)) != version_of(known):
            raise MemoryConflict(f"there is another entry {entry_id} already")
        return known, False
    need_room(database, user_id, 1)
    merge(database, user_id, [], [entry])
    return find_entries(database, user_id, [entry_id])[entry_id], True


def need_room(database: Database, user_id: str, more: int) -> None:
    """Raises: MemoryConflict: so many more entries are beyond what a person keeps at most."""
    if count_entries(database, user_id) + more > MOST_ENTRIES:
        raise MemoryConflict(f"you keep {MOST_ENTRIES:,} entries, and no more are taken")


def need_thread(database: Database, user_id: str, thread_id: str) -> Thread:
    """A thread of a person. Raises: MemoryNotFound; StoreUnavailable."""
    found = find_thread(database, user_id, thread_id) if THREAD_ID.fullmatch(thread_id) else None
    if found is None:
        raise MemoryNotFound(f"you have no thread {thread_id[:64]}")
    return found


def read_thread(
    database: Database, user_id: str, thread_id: str, most: int, skip: int = 0
) -> tuple[Thread, tuple[Entry, ...]]:
    """A thread and its last entries, oldest first, after leaving out the newest ``skip``.

    Raises: MemoryNotFound; StoreUnavailable.
    """
    thread = need_thread(database, user_id, thread_id)
    return thread, last_entries(database, user_id, thread_id, most, skip)


def thread_id_of(name: str) -> str:
    """An id for what people call a thread: ``Q3 plan`` → ``q3-plan``, with a hash where letters are lost."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower(), flags=re.ASCII).strip("-")
    if plain and len(plain) <= 64 and plain.replace("-", "") == re.sub(r"[\W_]+", "", name.lower()):
        return plain
    return f"{plain[:47]}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}".lstrip("-")
