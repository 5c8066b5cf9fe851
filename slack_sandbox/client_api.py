"""What the page in the browser uses: `/client/*`, as the person named by `?as=`, or as "you"."""

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse
from starlette import status
from starlette.responses import Response

from slack_sandbox.api_objects import message_shape, user_shape
from slack_sandbox.channels import client_channel
from slack_sandbox.errors import Refused
from slack_sandbox.methods_agent_sessions import session_shape
from slack_sandbox.methods_assistant import status_of
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json
from slack_sandbox.user_actions import act

_PAGE = Path(__file__).parent / "page"
_As = Annotated[str, Query(alias="as")]


def client_api(sandbox: Sandbox) -> APIRouter:
    """Returns: the routes of the page and its API."""
    router = APIRouter()
    _add_page(router)
    _add_lists(router, sandbox)

    @router.get("/client/home")
    async def home(reader: _As = "") -> Json:
        return await act(sandbox, "open", _person(sandbox, reader), {"tab": "home"})

    @router.post("/client/{verb}")
    async def post(verb: str, body: dict[str, Any], reader: _As = "") -> Json:
        me = _person(sandbox, reader)
        if body.get("channel"):
            _place(sandbox, me, str(body["channel"]))
        return await act(sandbox, verb, me, body)

    @router.websocket("/client/stream")
    async def stream(socket: WebSocket, reader: _As = "") -> None:
        origin = socket.headers.get("origin")
        if origin and urlsplit(origin).netloc != socket.headers["host"]:
            await socket.close(status.WS_1008_POLICY_VIOLATION)
            return
        queue = sandbox.page.open(_person(sandbox, reader))  # the page may rely on it from the moment it is accepted
        try:
            await socket.accept()
            await _serve_page(socket, queue)
        finally:
            sandbox.page.close(queue)

    return router


def _person(sandbox: Sandbox, reader: str) -> str:
    user = sandbox.state.user_named(reader) if reader else sandbox.state.users[sandbox.state.me]
    if user is None or user.is_bot:
        raise Refused("user_not_found")
    return user.id


def _place(sandbox: Sandbox, me: str, name: str) -> Channel:
    channel = sandbox.channel(name)
    if me not in channel.members:
        raise Refused("channel_not_found")
    return channel


async def _serve_page(socket: WebSocket, queue: "asyncio.Queue[Json]") -> None:
    sending = asyncio.create_task(_send_updates(socket, queue))
    try:
        while True:
            await socket.receive()
    except RuntimeError:
        return  # starlette raises it for a read after the page has gone
    finally:
        sending.cancel()


async def _send_updates(socket: WebSocket, queue: "asyncio.Queue[Json]") -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the page has gone; the reader sees it, too
        while True:
            await socket.send_json(await queue.get())


def _add_page(router: APIRouter) -> None:
    @router.get("/")
    async def index() -> Response:
        return FileResponse(_PAGE / "index.html", headers={"Cache-Control": "no-store"})

    @router.get("/archives/{channel}/{message}")
    async def permalink(channel: str, message: str) -> Response:  # noqa: ARG001
        return FileResponse(_PAGE / "index.html", headers={"Cache-Control": "no-store"})


def _add_lists(router: APIRouter, sandbox: Sandbox) -> None:
    state = sandbox.state

    @router.get("/client/boot")
    async def boot(tz: str = "", reader: _As = "") -> Json:
        me = _person(sandbox, reader)
        _set_zone(sandbox, me, tz)
        return _boot(sandbox, me)

    @router.get("/client/history")
    async def history(channel: str, reader: _As = "") -> Json:
        me = _person(sandbox, reader)
        place = _place(sandbox, me, channel)
        place.unread[me] = 0
        extras = {"prompts": state.prompts.get((place.id, ""))}
        return {"messages": _shapes(place, place.top, me, thread=""), **extras}

    @router.get("/client/thread")
    async def thread(channel: str, ts: str, reader: _As = "") -> Json:
        me = _person(sandbox, reader)
        place = _place(sandbox, me, channel)
        root = str(place.messages.get(ts, {}).get("thread_ts", ts))
        stamps = [root, *place.threads.get(root, [])]
        return {"messages": _shapes(place, stamps, me, thread=root), **_thread_extras(sandbox, place, root)}


def _boot(sandbox: Sandbox, me: str) -> Json:
    state = sandbox.state
    state.im_with(me)
    bot = state.users[state.bot_user]
    return {
        "team": {"id": state.team_id, "name": state.team_name, "domain": state.team_domain},
        "me": me,
        "users": [user_shape(state, user) for user in state.users.values()],
        "channels": [
            client_channel(sandbox, channel, me) for channel in state.channels.values() if me in channel.members
        ],
        "app": {"name": bot.real_name, "user_id": bot.id, "handle": bot.name},
        "commands": [
            {"command": command.name, "description": command.description, "usage_hint": command.usage_hint}
            for command in sandbox.config.commands
        ],
        "shortcuts": [
            {"callback_id": item.callback_id, "title": item.title, "of_message": item.of_message}
            for item in sandbox.config.shortcuts
        ],
    }


def _set_zone(sandbox: Sandbox, user: str, name: str) -> None:
    with contextlib.suppress(ZoneInfoNotFoundError, ValueError, OSError):  # an unknown zone leaves UTC
        ZoneInfo(name)
        sandbox.state.users[user].tz = name


def _shapes(channel: Channel, stamps: list[str], me: str, *, thread: str) -> list[Json]:
    shapes = [message_shape(channel.messages[ts]) for ts in stamps if ts in channel.messages]
    shapes += [
        ephemeral.message
        for ephemeral in channel.ephemerals.values()
        if ephemeral.user == me and ephemeral.message.get("thread_ts", "") == thread
    ]
    return sorted(shapes, key=lambda message: str(message["ts"]))


def _thread_extras(sandbox: Sandbox, channel: Channel, root: str) -> Json:
    key = (channel.id, root)
    return {
        "status": status_of(sandbox.state, channel, root),
        "session": session_shape(sandbox.state.sessions.get(key)),
        "prompts": sandbox.state.prompts.get(key),
    }
