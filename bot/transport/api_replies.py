"""How the HTTP API answers: within bounds, and for every failure with a status and one sentence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from bot.transport.web import read_body
from workers.errors import MemoryConflict, MemoryNotFound, OracleError, StoreUnavailable

MOST_BYTES = 8_000_000
LONGEST_SENTENCE = 300
log = logging.getLogger(__name__)


class Failure(BaseModel):
    """A failure, in one sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    error: str


bearer = HTTPBearer(auto_error=False, description="a token by `oracle token create USER`")
RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"model": Failure, "description": text}
    for code, text in (
        (400, "The body is no JSON."),
        (401, "The token is missing, unknown or revoked."),
        (404, "You have no such thing."),
        (409, "It is there already and differs, or there is no room."),
        (413, "The body is too large."),
        (422, "A value is wrong; the sentence names it."),
        (503, "The database does not answer; try again."),
    )
}


class Unauthorized(OracleError):
    """No living token was sent."""


STATUSES: dict[type[OracleError], int] = {
    Unauthorized: 401,
    MemoryNotFound: 404,
    MemoryConflict: 409,
    StoreUnavailable: 503,
}


class ApiRoute(APIRoute):
    """A route whose body is bounded and whose failures are one sentence. ``allowed``: the methods of its address.

    ``check_caller``: raises Unauthorized over an ``Authorization`` header that lets nobody in; before the body is read.
    """

    allowed = ""
    check_caller: Callable[[str], object] = staticmethod(lambda _: None)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of FastAPI, within these bounds."""
        handle = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            try:
                await asyncio.to_thread(self.check_caller, request.headers.get("authorization", ""))
            except Unauthorized as error:
                return fail(401, str(error))
            except StoreUnavailable as error:
                log.error("%s: %s", request.url.path, error)  # noqa: TRY400 - the sentence says it all
                return fail(503, "the database does not answer; try again")
            body = await read_body(request, MOST_BYTES)
            if body is None:
                return fail(413, f"larger than {MOST_BYTES:,} bytes")
            try:
                return await handle(Request(request.scope, replay(body, request)))
            except RequestValidationError as error:
                return fail(400 if is_no_json(error) else 422, sentence(error))
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


def checked_route(check_caller: Callable[[str], object]) -> type[ApiRoute]:
    """The route that lets only those in whom a function does not refuse."""
    return type("CheckedRoute", (ApiRoute,), {"check_caller": staticmethod(check_caller)})


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


def is_no_json(error: RequestValidationError) -> bool:
    """Whether a body could not be read at all."""
    return any(one["type"] == "json_invalid" for one in error.errors())


def sentence(error: RequestValidationError) -> str:
    """The first mistake, with its place."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in {"body", "query", "path"}) or "the body"
    return f"{place}: {first['msg']}"[:LONGEST_SENTENCE].encode("utf-8", "replace").decode()
