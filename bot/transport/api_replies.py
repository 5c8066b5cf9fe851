"""What the HTTP API answers: objects, and for every failure a status and one sentence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import AwareDatetime, BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from bot.transport.web import read_body
from workers.errors import MemoryConflict, MemoryNotFound, OracleError, StoreUnavailable
from workers.memory.threads.seek import Hit
from workers.store.memories import Memory
from workers.store.threads import Entry, Thread

MOST_BYTES = 8_000_000
LONGEST_SENTENCE = 300
log = logging.getLogger(__name__)


class Unauthorized(OracleError):
    """No living token was sent."""


STATUSES: dict[type[OracleError], int] = {
    Unauthorized: 401,
    MemoryNotFound: 404,
    MemoryConflict: 409,
    StoreUnavailable: 503,
}


class ApiRoute(APIRoute):
    """A route whose body is bounded and whose failures are one sentence. ``allowed``: the methods of its address."""

    allowed = ""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of FastAPI, within these bounds."""
        handle = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            body = await read_body(request, MOST_BYTES)
            if body is None:
                return fail(413, f"larger than {MOST_BYTES:,} bytes")
            try:
                return await handle(Request(request.scope, replay(body, request)))
            except RequestValidationError as error:
                return fail(422, sentence(error))
            except HTTPException as error:
                return fail(error.status_code, str(error.detail))
            except StoreUnavailable as error:
                log.error("%s: %s", request.url.path, error)  # noqa: TRY400 - the sentence says it all
                return fail(503, "the database does not answer; try again")
            except tuple(STATUSES) as error:
                return fail(STATUSES[type(error)], str(error))

        return bounded

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a method that the address has not, naming all that it has, also those of other routes."""
        if scope["method"] not in (self.methods or ()):
            refusal = fail(405, f"{scope['method']} is not for this address, which has {self.allowed}")
            refusal.headers["Allow"] = self.allowed
            await refusal(scope, receive, send)
            return
        await super().handle(scope, receive, send)


def tell_methods(router: APIRouter) -> None:
    """Tell every route which methods its address has, also those of other routes."""
    routes = [route for route in router.routes if isinstance(route, ApiRoute)]
    for route in routes:
        there = (one.methods or () for one in routes if one.path == route.path)
        route.allowed = ", ".join(sorted(method for methods in there for method in methods))


def replay(body: bytes, request: Request) -> Callable[[], Coroutine[Any, Any, Any]]:
    """What gives a body that was read already."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return left.pop() if left else await request.receive()

    return receive


def fail(status: int, text: str) -> JSONResponse:
    """Why a request was not answered."""
    challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": text}, status_code=status, headers=challenge)


def sentence(error: RequestValidationError) -> str:
    """The first mistake, with its place."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in {"body", "query", "path"}) or "the body"
    return f"{place}: {first['msg']}"[:LONGEST_SENTENCE].encode("utf-8", "replace").decode()


# --- answers ----------------------------------------------------------------------------------------------------


class Reply(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Failure(Reply):
    """A failure, in one sentence."""

    error: str


class ThreadReply(Reply):
    """A thread; ``entries``: how many it has."""

    thread_id: str
    project_id: str
    name: str
    status: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    edited_at: AwareDatetime
    sequence_id: int
    entries: int

    @classmethod
    def of(cls, thread: Thread) -> ThreadReply:
        """As it is shown."""
        return cls(**{name: getattr(thread, name) for name in cls.model_fields})


class EntryReply(Reply):
    """An entry."""

    entry_id: str
    thread_id: str
    sequence_id: int
    content: str
    author: str
    type: str
    timestamp: AwareDatetime
    edited_at: AwareDatetime
    deleted: bool
    speaker: str
    url: str

    @classmethod
    def of(cls, entry: Entry) -> EntryReply:
        """As it is shown."""
        return cls(**{name: getattr(entry, name) for name in cls.model_fields})


class ThreadsReply(Reply):
    """Threads."""

    threads: tuple[ThreadReply, ...]


class ThreadWithEntries(Reply):
    """A thread with its last entries, oldest first."""

    thread: ThreadReply
    entries: tuple[EntryReply, ...]


class SyncReply(Reply):
    """What a client lacks; ``last_synced_sequence`` is what it sends next time, at once when there is ``more``.

    ``accepted``: so many of its entries are new here; ``beaten``: those of its own that a later version beats.
    """

    last_synced_sequence: int
    more: bool
    accepted: int
    beaten: tuple[str, ...]
    threads: tuple[ThreadReply, ...]
    entries: tuple[EntryReply, ...]


class HitReply(Reply):
    """An entry that was found, with what was said right before and after it."""

    score: float
    entry: EntryReply
    before: EntryReply | None
    after: EntryReply | None

    @classmethod
    def of(cls, hit: Hit) -> HitReply:
        """As it is shown."""
        before, after = (EntryReply.of(one) if one else None for one in (hit.before, hit.after))
        return cls(score=hit.score, entry=EntryReply.of(hit.entry), before=before, after=after)


class SeekReply(Reply):
    """What was found, best first."""

    hits: tuple[HitReply, ...]


class SummaryReply(Reply):
    """What a thread established. ``by``: ``model`` or ``sentences``; ``entries``: of so many, the newest."""

    thread_id: str
    summary: str
    decisions: tuple[str, ...]
    by: str
    entries: int


class MemoryReply(Reply):
    """Something that is remembered."""

    id: int
    text: str
    created_at: AwareDatetime
    url: str

    @classmethod
    def of(cls, memory: Memory) -> MemoryReply:
        """As it is shown."""
        return cls(id=memory.id, text=memory.text, created_at=memory.created_at, url=memory.url)


class MemoriesReply(Reply):
    """What is remembered, newest first."""

    memories: tuple[MemoryReply, ...]
