"""Ask over HTTP: ``POST /api/ask`` accepts a question and streams what is looked at, then the checked answer.

Server-sent events: ``thinking``, ``tool_call``, ``tool_result``, ``content`` (one a claim, after it was checked),
``source``, ``done``, ``error``. Each has its number as ``id``, so that a stream that was cut goes on where it was.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, FastAPI, Header, HTTPException, Security
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from bot.transport.api_replies import RESPONSES, Failure, bearer, checked_route, tell_methods
from workers.access.doors import Doors
from workers.access.views import readable
from workers.contracts import Question, Reply, name_proposal, split_name
from workers.errors import AskedTooOften, ChatError, RequestNotFound
from workers.requests.ledger import Ledger
from workers.settings.load import Settings, is_zone
from workers.store.request_events import LAST, RequestEvent, count_events, events_after
from workers.store.request_logs import SqlStore

NO_CHANGE = "no change of that name waits for you"
CHANNEL = "api"
"""Where requests over HTTP stand in the ledger."""
EVERY_S, LONGEST_S, PING_S = 0.15, 900.0, 15
Ring = Callable[[str], None]
Said = Annotated[str, Field(max_length=20_000)]
PLACE = re.compile(r"[0-9]{1,9}")


class Ask(BaseModel):
    """A question; or what is said to one that asked back (``request``), or a change that is confirmed."""

    model_config = ConfigDict(extra="forbid")

    question: Said = ""
    context: list[Said] = Field(default_factory=list, max_length=50, description="earlier messages, oldest first")
    agent: str = Field("", max_length=64)
    timezone: str = Field("UTC", max_length=64)
    project: str = Field(
        "", max_length=64, pattern=r"^[^\x00]*$", description="what the conversation is about that this belongs to"
    )
    request: str = Field("", max_length=64, description="the request that asked back")
    turn: int = Field(0, ge=0, le=20, description="which of its questions back is answered, from 0")
    confirms: str = Field("", max_length=80, description="REQUEST:PLACE of a proposed change")


def add_ask(
    web: FastAPI,
    settings: Settings,
    ledger: Ledger,
    store: SqlStore,
    ring: Ring,
    user_of: Callable[[str], str],
    doors: Doors,
) -> None:
    """Serve ``POST /api/ask`` and ``GET /api/ask/{request_id}/events``.

    Args:
        web: the server's application.
        settings: the agents that may be named, and the limit of a question.
        ledger: where questions are committed.
        store: whose database holds the events.
        ring: publishes a request to the workers.
        user_of: whose token an ``Authorization`` header holds. Raises: Unauthorized: nobody's.
        doors: say what may be shown to whom.
    """
    responses = {
        **RESPONSES,
        200: {
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
            "description": "What happens, as events.",
        },
        429: {"model": Failure, "description": "You asked too often."},
    }
    router = APIRouter(
        prefix="/api", route_class=checked_route(user_of), responses=responses, dependencies=[Security(bearer)]
    )

    @router.post("/ask", response_class=EventSourceResponse, summary="Ask, and read what happens")
    async def ask(asked: Ask, authorization: Annotated[str, Header()] = "") -> Response:
        """Ask, and read what happens."""
        user = await asyncio.to_thread(user_of, authorization)
        request_id, after = await asyncio.to_thread(accept, settings, ledger, store, doors, user, asked)
        await asyncio.to_thread(ring, request_id)
        return stream(store, request_id, after)

    @router.get("/ask/{request_id}/events", response_class=EventSourceResponse, summary="Go on reading")
    async def events(
        request_id: str, authorization: Annotated[str, Header()] = "", last_event_id: Annotated[str, Header()] = "0"
    ) -> Response:
        """Go on reading where a stream was cut."""
        user = await asyncio.to_thread(user_of, authorization)
        await asyncio.to_thread(check_theirs, ledger, user, request_id)
        await asyncio.to_thread(check_readable, store, doors, user, request_id)
        return stream(store, request_id, int(last_event_id) if PLACE.fullmatch(last_event_id) else 0)

    tell_methods(router)
    web.include_router(router)


def accept(settings: Settings, ledger: Ledger, store: SqlStore, doors: Doors, user: str, asked: Ask) -> tuple[str, int]:
    """Commit what was asked. Returns: the request that goes on, and the number of its last event so far.

    Raises: HTTPException: 400, 404, 409 or 429 with a sentence. StoreUnavailable.
    """
    now, most = datetime.now(UTC), settings.core.limits.question_chars
    if bool(asked.question.strip()) == bool(asked.confirms) or (asked.confirms and asked.request):
        raise HTTPException(400, "give what you ask or answer, or the change that you confirm")
    if len(asked.question) > most:
        raise HTTPException(400, f"a question has at most {most:,} characters")
    if not is_zone(asked.timezone):
        raise HTTPException(400, f"timezone: {asked.timezone!r} is not an IANA name such as Europe/Berlin")
    if asked.request:
        return answer_back(ledger, store, user, asked, now)
    agents = agents_for(settings, doors, user)
    if asked.agent and asked.agent not in agents:
        known = f"; there are {', '.join(agents)}" if agents else ""
        raise HTTPException(400, f"there is no agent {asked.agent!r}{known}")
    request_id = uuid.uuid4().hex[:16]
    confirms, title = read_change(store, user, asked.confirms) if asked.confirms else ("", "")
    question = Question(
        request_id=request_id,
        text=asked.question.strip() or title,
        asker=user,
        channel=CHANNEL,
        thread_ts=request_id,
        event_id=f"decision:{confirms}" if confirms else f"api:{request_id}",
        confirms=confirms,
        source="http",
        received_at=now,
        timezone=asked.timezone,
        agent=asked.agent or None,
        project=asked.project,
        context=tuple(asked.context),
    )
    try:
        accepted = ledger.accept(question)
    except AskedTooOften as error:
        raise HTTPException(429, str(error)) from error
    if accepted is None:
        raise HTTPException(409, "that change has been decided already")
    return accepted, 0


def agents_for(settings: Settings, doors: Doors, user: str) -> list[str]:
    """The agents that there are for whose token it is. Raises: HTTPException: 503, nobody says who that is."""
    try:
        allowed = doors.allowed_program(user)
    except ChatError as error:
        raise HTTPException(503, "Slack does not say who you are; try again in a minute") from error
    return [name for name in settings.tree.agents if allowed is None or name in allowed.agents]


def check_readable(store: SqlStore, doors: Doors, user: str, request_id: str) -> None:
    """Raises: HTTPException: 404, what the request found may not be shown to its asker any more; 503."""
    try:
        log, allowed = store.load(request_id), doors.allowed_program(user)
    except RequestNotFound:
        return  # nothing was found yet
    except ChatError as error:
        raise HTTPException(503, "Slack does not say who you are; try again in a minute") from error
    if not readable(log, allowed):
        raise HTTPException(404, "you have no request of that id")


def read_change(store: SqlStore, user: str, confirms: str) -> tuple[str, str]:
    """The name of a change that waits for a user, and what it does. Raises: HTTPException: there is no such change."""
    request_id, place = split_name(confirms)
    try:
        log = store.load(request_id)
    except RequestNotFound as error:
        raise HTTPException(404, NO_CHANGE) from error
    if log.question.user != user or not 0 <= place < len(log.proposals):
        raise HTTPException(404, NO_CHANGE)
    return name_proposal(log.request_id, place), log.proposals[place].title


def check_theirs(ledger: Ledger, user: str, request_id: str) -> None:
    """Raises: HTTPException: a user has no such request."""
    if ledger.asker_of(request_id, "", CHANNEL) != user:
        raise HTTPException(404, "you have no request of that id")


def answer_back(ledger: Ledger, store: SqlStore, user: str, asked: Ask, now: datetime) -> tuple[str, int]:
    """Commit what was said to a question back. As `accept`."""
    check_theirs(ledger, user, asked.request)
    reply = Reply(
        text=asked.question.strip(),
        asker=user,
        team="",
        channel=CHANNEL,
        thread_ts=asked.request,
        event_id=f"api:{asked.request}:{asked.turn}",
        request_id=asked.request,
        turn=asked.turn,
        received_at=now,
    )
    after = count_events(store.database, asked.request)
    accepted = ledger.accept_reply(reply)
    if accepted is None:
        raise HTTPException(409, "that request does not wait for an answer of yours")
    return accepted, after


def stream(store: SqlStore, request_id: str, after: int) -> EventSourceResponse:
    """The events of a request as a response."""
    return EventSourceResponse(read_events(store, request_id, after), ping=PING_S)


async def read_events(store: SqlStore, request_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
    """Events as they come, up to the last one of the request."""
    ends_at, number = time.monotonic() + LONGEST_S, after
    while time.monotonic() < ends_at:
        found: tuple[RequestEvent, ...] = await asyncio.to_thread(events_after, store.database, request_id, number)
        for event in found:
            number = event.number
            yield ServerSentEvent(json.dumps(event.data, ensure_ascii=False), event=event.name, id=str(number))
            if event.name in LAST:
                return
        await asyncio.sleep(EVERY_S)
