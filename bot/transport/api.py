"""The HTTP API under ``/api``: a bearer token says who calls. What it offers are the routes that families bring."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request, Security
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from bot.transport.api_replies import ApiRoute, Failure, Unauthorized, tell_methods
from workers.settings.contributions import load_usable
from workers.store.api_tokens import user_of
from workers.store.database import Database
from workers.toolkit.serving import Serving

OPENAPI, VERSION = "/api/openapi.json", "1.0"
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


def add_api(web: FastAPI, serving: Serving) -> None:
    """Serve what families bring, and its description under ``/api/openapi.json``.

    What waits for the database runs in threads of its own.
    """

    def identify(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]) -> None:
        request.state.user = owner_of(serving.database, given.credentials if given else "")

    router = APIRouter(prefix="/api", route_class=ApiRoute, responses=RESPONSES, dependencies=[Depends(identify)])
    brought = list(load_usable("routes"))
    for _, add in brought:
        add(router, serving)
    tell_methods(router)
    web.include_router(router)
    title = f"Oracle: {', '.join(one.name for one, _ in brought)}"

    @web.get(OPENAPI, include_in_schema=False)
    def openapi() -> dict[str, Any]:
        return get_openapi(title=title, version=VERSION, routes=router.routes)
