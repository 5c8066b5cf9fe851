"""What the page in the browser uses: `/client/*`, as the person "you"."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse
from starlette.responses import Response

from bot.sandbox.acts import act
from bot.sandbox.membership import client_channel
from bot.sandbox.sandbox import Sandbox
from bot.sandbox.shapes import message_shape, user_shape
from bot.sandbox.state import Channel, Json

_PAGE = Path(__file__).parent / "page"


def client_api(sandbox: Sandbox) -> APIRouter:
    """Returns: the routes of the page and its API."""
    router = APIRouter()
    _add_page(router)
    _add_lists(router, sandbox)
    _add_home(router, sandbox)

    @router.post("/client/{verb}")
    async def post(verb: str, body: dict[str, Any]) -> Json:
        return await act(sandbox, verb, sandbox.state.me, body)

    @router.websocket("/client/stream")
    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        queue = sandbox.page.open()
        sending = asyncio.create_task(_send_updates(socket, queue))
        try:
            while True:
                await socket.receive()
        except RuntimeError:
            return  # starlette raises it for a read after the page has gone
        finally:
            sending.cancel()
            sandbox.page.close(queue)

    return router


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
    async def boot(tz: str = "") -> Json:
        _set_zone(sandbox, tz)
        bot = state.users[state.bot_user]
        return {
            "team": {"id": state.team_id, "name": state.team_name, "domain": state.team_domain},
            "me": state.me,
            "users": [user_shape(state, user) for user in state.users.values()],
            "channels": [client_channel(sandbox, channel) for channel in _mine(sandbox)],
            "app": {"name": bot.real_name, "user_id": bot.id, "handle": bot.name},
            "commands": [
                {"command": command.name, "description": command.description, "usage_hint": command.usage_hint}
                for command in sandbox.config.commands
            ],
        }

    @router.get("/client/history")
    async def history(channel: str) -> Json:
        place = sandbox.channel(channel)
        place.unread = 0
        return {"messages": _shapes(sandbox, place, place.top, thread="")}

    @router.get("/client/thread")
    async def thread(channel: str, ts: str) -> Json:
        place = sandbox.channel(channel)
        root = str(place.messages.get(ts, {}).get("thread_ts", ts))
        stamps = [root, *place.threads.get(root, [])]
        return {"messages": _shapes(sandbox, place, stamps, thread=root), **_thread_extras(sandbox, place, root)}


def _add_home(router: APIRouter, sandbox: Sandbox) -> None:
    state = sandbox.state

    @router.get("/client/home")
    async def home() -> Json:
        channel = state.im_with(state.me)
        event: Json = {"type": "app_home_opened", "user": state.me, "channel": channel.id, "tab": "home"}
        if state.me in state.homes:
            event["view"] = state.homes[state.me]
        sandbox.deliveries.emit(event | {"event_ts": state.next_ts()})
        return {"view": state.homes.get(state.me)}


def _set_zone(sandbox: Sandbox, name: str) -> None:
    with contextlib.suppress(ZoneInfoNotFoundError, ValueError, OSError):  # an unknown zone leaves UTC
        ZoneInfo(name)
        sandbox.state.users[sandbox.state.me].tz = name


def _mine(sandbox: Sandbox) -> list[Channel]:
    return [channel for channel in sandbox.state.channels.values() if sandbox.state.me in channel.members]


def _shapes(sandbox: Sandbox, channel: Channel, stamps: list[str], *, thread: str) -> list[Json]:
    shapes = [message_shape(channel.messages[ts]) for ts in stamps if ts in channel.messages]
    shapes += [
        ephemeral.message
        for ephemeral in channel.ephemerals.values()
        if ephemeral.user == sandbox.state.me and ephemeral.message.get("thread_ts", "") == thread
    ]
    return sorted(shapes, key=lambda message: str(message["ts"]))


def _thread_extras(sandbox: Sandbox, channel: Channel, root: str) -> Json:
    key = (channel.id, root)
    return {"status": sandbox.state.statuses.get(key), "title": sandbox.state.titles.get(key, "")}
