"""The HTTP API under ``/api``: a bearer token says who calls. What it offers are the routes that families bring."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request, Security
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPAuthorizationCredentials

from bot.transport.api_replies import RESPONSES, Unauthorized, bearer, checked_route, tell_methods
from workers.settings.contributions import find_contributions, load_usable
from workers.store.api_tokens import user_of
from workers.store.database import Database
from workers.toolkit.serving import Serving

OPENAPI, VERSION = "/api/openapi.json", "1.0"


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
    """Serve what families bring, and under ``/api/openapi.json`` the description of all that ``web`` has of the API.

    What waits for the database runs in threads of its own.
    """

    def identify(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]) -> None:
        request.state.user = owner_of(serving.database, given.credentials if given else "")

    router = APIRouter(
        prefix="/api",
        route_class=checked_route(partial(caller, serving.database)),
        responses=RESPONSES,
        dependencies=[Depends(identify)],
    )
    brought = list(load_usable(find_contributions("routes")))
    for _, add in brought:
        add(router, serving)
    tell_methods(router)
    web.include_router(router)
    title = f"Oracle: {', '.join(one.name for one, _ in brought)}"

    @web.get(OPENAPI, include_in_schema=False)
    def openapi() -> dict[str, Any]:
        described = get_openapi(title=title, version=VERSION, routes=web.routes)
        return described | {
            "paths": {path: ways for path, ways in described["paths"].items() if path.startswith("/api/")}
        }
