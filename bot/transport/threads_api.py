"""The HTTP API of a person's threads and memories: a bearer token says whose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request, Response, Security
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from bot.transport.api_replies import (
    ApiRoute,
    EntryReply,
    Failure,
    HitReply,
    MemoriesReply,
    MemoryReply,
    SeekReply,
    SummaryReply,
    SyncReply,
    ThreadReply,
    ThreadsReply,
    ThreadWithEntries,
    Unauthorized,
    tell_methods,
)
from workers.conversations.compress import Compressor
from workers.conversations.entries import NewEntry, NewThread, Status, ThreadId, begin_thread, push, read_thread
from workers.errors import MemoryNotFound
from workers.memory.threads.seek import seek
from workers.memory.threads.summary import summarize_thread
from workers.memory.threads.sync import SyncRequest, sync
from workers.store.api_tokens import user_of
from workers.store.database import Database
from workers.store.memories import forget_memory, list_memories
from workers.store.threads import list_threads

OPENAPI, VERSION = "/api/openapi.json", "1.0"
LARGEST_ID = 2**31 - 1
Compressors = Callable[[str], Compressor | None]
"""A compressor for a person, whose budget it uses; None where no language model is connected."""
bearer = HTTPBearer(auto_error=False, description="a token by `oracle token create USER`")
RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"model": Failure, "description": text}
    for code, text in (
        (400, "The body is no JSON."),
        (401, "The token is missing, unknown or revoked."),
        (404, "You have no such thread, entry or memory."),
        (409, "It is there already and differs, or there is no room."),
        (413, "The body is too large."),
        (422, "A value is wrong; the sentence names it."),
        (503, "The database does not answer; try again."),
    )
}
Id = Annotated[ThreadId, Path(description="id of a thread")]
Limit = Annotated[int, Query(ge=1, le=50)]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="so many of the newest are left out")]


def person(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]) -> str:
    """Whose token was sent. Raises: Unauthorized; StoreUnavailable."""
    return owner_of(request.app.state.tokens, given.credentials if given else "")


User = Annotated[str, Depends(person)]


def caller(database: Database, authorization: str) -> str:
    """Whose token an ``Authorization`` header holds. Raises: Unauthorized; StoreUnavailable."""
    scheme, _, token = authorization.partition(" ")
    return owner_of(database, token.strip() if scheme.lower() == "bearer" else "")


def owner_of(database: Database, token: str) -> str:
    """Whose token this is. Raises: Unauthorized: nobody's. StoreUnavailable."""
    user_id = user_of(database, token)
    if not user_id:
        raise Unauthorized("the token is missing, unknown or revoked: `oracle token create` makes one")
    return user_id


def no_model(user_id: str) -> Compressor | None:
    """No language model is connected."""
    del user_id
    return None


def add_threads_api(web: FastAPI, database: Database, compressors: Compressors = no_model) -> APIRouter:
    """Serve ``/api/threads``, ``/api/memories`` and their description under ``/api/openapi.json``.

    What waits for the database runs in threads of its own. Returns: the router, which may be given more.
    """

    web.state.tokens = database
    router = APIRouter(prefix="/api", route_class=ApiRoute, responses=RESPONSES)
    add_threads(router, database)
    add_thread(router, database, compressors)
    add_memories(router, database)
    tell_methods(router)
    web.include_router(router)

    @web.get(OPENAPI, include_in_schema=False)
    def openapi() -> dict[str, Any]:
        return get_openapi(title="Oracle: threads and memories", version=VERSION, routes=router.routes)

    return router


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


def add_thread(router: APIRouter, database: Database, compressors: Compressors) -> None:
    """What concerns one thread."""

    @router.get("/threads/{thread_id}", summary="Read a thread")
    def thread(user_id: User, thread_id: Id, limit: Limit = 10, offset: Offset = 0) -> ThreadWithEntries:
        found, entries = read_thread(database, user_id, thread_id, limit, offset)
        shown = tuple(EntryReply.of(entry) for entry in entries)
        return ThreadWithEntries(thread=ThreadReply.of(found), entries=shown)

    @router.post("/threads/{thread_id}/summarize", summary="Sum up a thread")
    def summarize(user_id: User, thread_id: Id) -> SummaryReply:
        return SummaryReply(**asdict(summarize_thread(database, user_id, thread_id, compressors(user_id))))

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
