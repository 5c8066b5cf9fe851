"""`/api/{method}`: authentication, faults, rate limits, the method itself, and the log of calls."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from slack_sandbox import (
    methods_agent_sessions,
    methods_assistant,
    methods_auth,
    methods_bookmarks,
    methods_channels,
    methods_chat,
    methods_conversations,
    methods_files,
    methods_reactions_and_pins,
    methods_streams,
    methods_team,
    methods_views,
)
from slack_sandbox.arguments import Arguments, read_arguments
from slack_sandbox.errors import Refused
from slack_sandbox.faults import Fault
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.scopes import missing_scopes
from slack_sandbox.state import Json
from slack_sandbox.tokens import Grant

_Outcome = tuple[Response, str]
Method = Callable[[Sandbox, Arguments], Awaitable[Json]]

METHODS: dict[str, Method] = {
    **methods_team.METHODS,
    **methods_auth.METHODS,
    **methods_chat.METHODS,
    **methods_streams.METHODS,
    **methods_conversations.METHODS,
    **methods_channels.METHODS,
    **methods_bookmarks.METHODS,
    **methods_files.METHODS,
    **methods_reactions_and_pins.METHODS,
    **methods_views.METHODS,
    **methods_assistant.METHODS,
    **methods_agent_sessions.METHODS,
}
_FOR_THE_APP = {"apps.connections.open"}
_OPEN_TO_ALL = {"api.test", "oauth.v2.access"}


def web_api(sandbox: Sandbox, drop: Callable[[Request], Awaitable[None]]) -> APIRouter:
    """Returns: the routes of the Web API; `drop` closes a request's connection without a response."""
    router = APIRouter()

    @router.api_route("/api/{method}", methods=["GET", "POST"])
    async def call(method: str, request: Request) -> Response:
        at, started = time.time(), time.perf_counter()
        fault: Fault | None = None
        args = Arguments({})
        try:
            args, token = await read_arguments(request)
            fault = sandbox.faults.take(method, args)
            response, error = await _respond(sandbox, method, args, token, fault)
        except ClientDisconnect:
            return Response(status_code=400)  # the caller died while it spoke; nobody reads this
        except Refused as refusal:
            error = refusal.code
            response = JSONResponse({"ok": False, "error": refusal.code, **refusal.extra})
        if args.grant:
            response.headers["x-oauth-scopes"] = ",".join(args.grant.scopes)
        action = fault.action if fault else ""
        sandbox.calls.note(
            method, args.values, status=response.status_code, error=error, fault=action, at=at, started=started
        )
        if fault and fault.action in {"drop_after", "down"}:
            await drop(request)
        if fault and fault.action == "hold":
            await sandbox.faults.hold()
        return response

    return router


async def _respond(sandbox: Sandbox, method: str, args: Arguments, token: str, fault: Fault | None) -> _Outcome:
    if fault and fault.action == "ratelimit":
        return _limited(max(1, round(fault.seconds)))
    if fault and fault.action in {"error", "down"}:
        return Response(status_code=fault.status), "fault"
    if fault and fault.action == "slow":
        await asyncio.sleep(fault.seconds)
    handler = METHODS.get(method)
    if handler is None:
        raise Refused("unknown_method", req_method=method)
    args.grant = _authenticate(sandbox, method, token)
    if args.grant:
        _check_scopes(sandbox, method, args, args.grant)
    channel = sandbox.state.channel_named(args.text("channel"))
    wait_s = sandbox.rates.take(method, channel.id if channel else args.text("channel"))
    if wait_s:
        return _limited(wait_s)
    return JSONResponse({"ok": True, **await handler(sandbox, args)}), ""


def _authenticate(sandbox: Sandbox, method: str, token: str) -> Grant | None:
    """Returns: what a bot token grants; None where none is needed."""
    if method in _OPEN_TO_ALL:
        return None
    if not token:
        raise Refused("not_authed")
    if (token == sandbox.config.app_token) != (method in _FOR_THE_APP):
        if token != sandbox.config.app_token:
            sandbox.grants.use(token)
        raise Refused("not_allowed_token_type")
    return None if method in _FOR_THE_APP else sandbox.grants.use(token)


def _check_scopes(sandbox: Sandbox, method: str, args: Arguments, grant: Grant) -> None:
    needed = missing_scopes(sandbox.state, method, args, grant.scopes)
    if needed:
        raise Refused("missing_scope", needed=",".join(needed), provided=",".join(grant.scopes))


def _limited(seconds: int) -> _Outcome:
    body = {"ok": False, "error": "ratelimited"}
    return JSONResponse(body, status_code=429, headers={"Retry-After": str(seconds)}), "ratelimited"
