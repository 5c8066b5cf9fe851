"""The HTTP API of a person's threads and memories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from workers.agents.memory.replies import (
    EntryReply,
    HitReply,
    MemoriesReply,
    MemoryReply,
    SeekReply,
    SummaryReply,
    SyncReply,
    ThreadReply,
    ThreadsReply,
    ThreadWithEntries,
)
from workers.agents.memory.source.threads.seek import seek
from workers.agents.memory.source.threads.summary import summarize_thread
from workers.agents.memory.source.threads.sync import SyncRequest, sync
from workers.conversations.entries import NewEntry, NewThread, Status, ThreadId, begin_thread, push, read_thread
from workers.errors import MemoryNotFound
from workers.ports import Compressor
from workers.store.database import Database
from workers.store.memories import forget_memory, list_memories
from workers.store.threads import list_threads
from workers.toolkit.serving import Serving

LARGEST_ID = 2**31 - 1
Id = Annotated[ThreadId, Path(description="id of a thread")]
Limit = Annotated[int, Query(ge=1, le=50)]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="so many of the newest are left out")]


async def caller(request: Request) -> str:
    """Whose token was sent."""
    user_id: str = request.state.user
    return user_id


User = Annotated[str, Depends(caller)]


def add_routes(router: APIRouter, serving: Serving) -> None:
    """Serve ``/threads`` and ``/memories``."""
    add_threads(router, serving.database)
    add_thread(router, serving.database, serving.compressor)
    add_memories(router, serving.database)


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)


def add_threads(router: APIRouter, database: Database) -> None:
    """What concerns all threads of a person."""

    @router.post("/threads/sync", summary="Exchange changes with other clients")
    def sync_threads(user_id: User, request: SyncRequest) -> SyncReply:
        done = sync(database, user_id, request, now=now())
        return SyncReply(
            last_synced_sequence=done.changes.sequence,
            more=done.changes.more,
            accepted=done.accepted,
            beaten=done.beaten,
            threads=tuple(ThreadReply.of(thread) for thread in done.changes.threads),
            entries=tuple(EntryReply.of(entry) for entry in done.changes.entries),
        )

    @router.get("/threads", summary="List threads, the last changed first")
    def threads(
        user_id: User,
        status: Annotated[Status | None, Query(description="only such; all when left out")] = None,
        project_id: Annotated[str, Query(max_length=128)] = "",
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> ThreadsReply:
        found = list_threads(database, user_id, status or "", project_id.replace("\x00", "\ufffd"), limit, offset)
        return ThreadsReply(threads=tuple(ThreadReply.of(thread) for thread in found))

    @router.post("/threads", status_code=201, summary="Begin a thread")
    def new_thread(user_id: User, wanted: NewThread) -> ThreadReply:
        return ThreadReply.of(begin_thread(database, user_id, wanted, now=now()))

    @router.get("/threads/seek", summary="Find what was said")
    def seek_entries(
        user_id: User,
        q: Annotated[str, Query(min_length=1, max_length=256, description="a question or words")],
        limit: Limit = 10,
        thread_id: Annotated[ThreadId | None, Query(description="only in this thread")] = None,
    ) -> SeekReply:
        hits = seek(database, user_id, q, limit, now=now(), thread_id=thread_id or "")
        return SeekReply(hits=tuple(HitReply.of(hit) for hit in hits))


def add_thread(router: APIRouter, database: Database, compressor: Callable[[str], Compressor | None]) -> None:
    """What concerns one thread."""

    @router.get("/threads/{thread_id}", summary="Read a thread")
    def thread(user_id: User, thread_id: Id, limit: Limit = 10, offset: Offset = 0) -> ThreadWithEntries:
        found, entries = read_thread(database, user_id, thread_id, limit, offset)
        shown = tuple(EntryReply.of(entry) for entry in entries)
        return ThreadWithEntries(thread=ThreadReply.of(found), entries=shown)

    @router.post("/threads/{thread_id}/summarize", summary="Sum up a thread")
    def summarize(user_id: User, thread_id: Id) -> SummaryReply:
        return SummaryReply(**asdict(summarize_thread(database, user_id, thread_id, compressor(user_id))))

    @router.post(
        "/threads/{thread_id}/entries",
        status_code=201,
        summary="Keep an entry",
        responses={200: {"model": EntryReply, "description": "It was there already."}},
    )
    def new_entry(user_id: User, thread_id: Id, wanted: NewEntry, response: Response) -> EntryReply:
        entry, is_new = push(database, user_id, thread_id, wanted, now=now(), begins=False)
        response.status_code = 201 if is_new else 200
        return EntryReply.of(entry)


def add_memories(router: APIRouter, database: Database) -> None:
    """What a person asked to remember."""

    @router.get("/memories", summary="List what is remembered of you")
    def memories(user_id: User) -> MemoriesReply:
        return MemoriesReply(memories=tuple(MemoryReply.of(one) for one in list_memories(database, user_id)))

    @router.delete("/memories/{memory_id}", status_code=204, summary="Forget a memory")
    def forget(user_id: User, memory_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]) -> None:
        if not forget_memory(database, user_id, memory_id):
            raise MemoryNotFound(f"you have no memory {memory_id}")
