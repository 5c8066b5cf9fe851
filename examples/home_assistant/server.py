"""The small home behind the REST and WebSocket APIs of Home Assistant. Its state is a file, which tests may change.

Another home is served when its file holds ``lists``: what WebSocket commands return by their types, as
`small_home.registry`; ``named``: as `small_home.named_entries`; ``scenes``: scene -> what it sets, by entity.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from examples.home_assistant.services import after, scene_changes
from examples.home_assistant.small_home import first_state, named_entries, registry

VERSION = "2026.11.0"
STARTS_S = 10.0


class SmallHome:
    """States and history in a file, read again for every request."""

    def __init__(self, file: Path) -> None:
        self.file, self.lock = file, threading.Lock()
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            self.save(first_state(datetime.now(UTC)))

    def load(self) -> dict[str, Any]:
        """All of it, as `small_home.first_state` describes."""
        return dict(json.loads(self.file.read_text(encoding="utf-8")))

    def save(self, held: dict[str, Any]) -> None:
        """Replace the file whole."""
        fresh = self.file.with_suffix(f".{os.getpid()}.new")
        fresh.write_text(json.dumps(held, indent=1), encoding="utf-8")
        fresh.replace(self.file)

    def states(self) -> list[dict[str, Any]]:
        """As ``/api/states`` gives them."""
        return [{"entity_id": entity, **state} for entity, state in self.load()["states"].items()]

    def history(self, entities: list[str], start: datetime, end: datetime) -> list[list[dict[str, Any]]]:
        """As ``/api/history/period`` gives it, minimal: the state at the start first."""
        found = []
        rows = self.load()["history"]
        for entity in entities:
            own = [r for r in rows if r["entity_id"] == entity and datetime.fromisoformat(r["last_changed"]) <= end]
            before = [r for r in own if datetime.fromisoformat(r["last_changed"]) <= start][-1:]
            series = [{**r, "last_changed": start.isoformat()} for r in before]
            series += [r for r in own if datetime.fromisoformat(r["last_changed"]) > start]
            if series:
                found.append([series[0], *({k: r[k] for k in ("state", "last_changed")} for r in series[1:])])
        return found

    @staticmethod
    def scene(held: dict[str, Any], scene: str) -> dict[str, Any]:
        """What a scene sets, by entity."""
        return dict(held["scenes"].get(scene, {})) if "scenes" in held else scene_changes(scene)

    def call(self, domain: str, service: str, data: dict[str, Any]) -> list[dict[str, Any]]:
        """Do what a service does. Returns: the states that changed. Raises: LookupError, ValueError."""
        named = data.pop("entity_id", [])
        targets = [named] if isinstance(named, str) else list(named)
        with self.lock:
            held = self.load()
            changes: dict[str, tuple[str, dict[str, Any]]] = {}
            for entity in targets:
                if entity not in held["states"] or entity.partition(".")[0] not in {domain, "homeassistant"}:
                    continue
                if domain == "scene":
                    changes |= self.scene(held, entity)
                elif held["states"][entity]["state"] != "unavailable":
                    changes[entity] = after(domain, service, data, held["states"][entity])
            if held["faults"].get("ignore"):
                return []
            for entity, change in changes.items():
                put(held, entity, change)
            self.save(held)
        return [{"entity_id": entity, **held["states"][entity]} for entity in changes]


def put(held: dict[str, Any], entity: str, change: tuple[str, dict[str, Any]]) -> None:
    """Give an entity a state; its history goes on."""
    now, state = datetime.now(UTC).isoformat(), held["states"][entity]
    if state["state"] != change[0]:
        state["last_changed"] = now
        held["history"].append({"entity_id": entity, "state": change[0], "last_changed": now})
    state.update(state=change[0], attributes={**state["attributes"], **change[1]}, last_updated=now)


@dataclass(frozen=True)
class Api:
    """The two APIs. ``faults`` in the file: ``delay_ms`` before answers, ``ignore``: services change nothing."""

    home: SmallHome
    token: str

    async def refusal(self, request: Request) -> Response | None:
        """The answer to a wrong token, after the delay that the faults ask for."""
        await asyncio.sleep(self.home.load()["faults"].get("delay_ms", 0) / 1000)
        refused = request.headers.get("authorization") != f"Bearer {self.token}"
        return Response("401: Unauthorized", 401) if refused else None

    async def config(self, request: Request) -> Response:
        """``GET /api/config``."""
        said = {"version": VERSION, "location_name": "Home", "state": "RUNNING"}
        return await self.refusal(request) or JSONResponse(said)

    async def states(self, request: Request) -> Response:
        """``GET /api/states``."""
        return await self.refusal(request) or JSONResponse(self.home.states())

    async def history(self, request: Request) -> Response:
        """``GET /api/history/period/START``."""
        if refusal := await self.refusal(request):
            return refusal
        asked = request.query_params
        start = datetime.fromisoformat(request.path_params["start"].replace(" ", "+"))
        end = datetime.fromisoformat(asked.get("end_time", datetime.now(UTC).isoformat()).replace(" ", "+"))
        return JSONResponse(self.home.history(asked.get("filter_entity_id", "").split(","), start, end))

    async def service(self, request: Request) -> Response:
        """``POST /api/services/DOMAIN/SERVICE``."""
        if refusal := await self.refusal(request):
            return refusal
        called = request.path_params
        try:
            return JSONResponse(self.home.call(called["domain"], called["service"], await request.json()))
        except (LookupError, ValueError) as error:
            return Response(f"400: Bad Request ({error})", 400)

    async def socket(self, connection: WebSocket) -> None:
        """``/api/websocket``."""
        await connection.accept()
        await connection.send_json({"type": "auth_required", "ha_version": VERSION})
        try:
            signed = (await connection.receive_json()).get("access_token") == self.token
            await connection.send_json({"type": "auth_ok" if signed else "auth_invalid", "ha_version": VERSION})
            while signed:
                await connection.send_json(result_of(self.home, await connection.receive_json()))
        except WebSocketDisconnect:
            return
        await connection.close()

    def app(self) -> Starlette:
        """All of it as an ASGI application."""
        return Starlette(
            routes=[
                Route("/api/config", self.config),
                Route("/api/states", self.states),
                Route("/api/history/period/{start}", self.history),
                Route("/api/services/{domain}/{service}", self.service, methods=["POST"]),
                WebSocketRoute("/api/websocket", self.socket),
            ]
        )


def result_of(home: SmallHome, command: dict[str, Any]) -> dict[str, Any]:
    """What a WebSocket command returns."""
    held, kind = home.load(), command.get("type")
    answer: Any = (held.get("lists") or registry()).get(str(kind))
    if kind == "get_states":
        answer = home.states()
    elif kind == "config/entity_registry/get_entries":
        named = held.get("named") or named_entries()
        answer = {e: entry for e, entry in named.items() if e in command["entity_ids"]}
    elif kind == "search/related":
        answer = {"entity": list(home.scene(held, command["item_id"]))}
    elif kind == "script/config":
        answer = held.get("scripts", {}).get(command["entity_id"])
    if answer is None:
        error = {"code": "unknown_command", "message": "Unknown command."}
        return {"id": command["id"], "type": "result", "success": False, "error": error}
    return {"id": command["id"], "type": "result", "success": True, "result": answer}


@contextmanager
def serve_home(state_file: Path, port: int = 0, token: str = "small-home") -> Iterator[str]:  # noqa: S107 - a stand-in
    """Serve the small home on this machine until the block ends.

    Args:
        state_file: holds the home; it is made when there is none, and can be changed while the home is served.
        port: 0: a free one.
        token: the access token that clients have to send.

    Yields: the base URL, ``http://127.0.0.1:PORT``.
    """
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    config = uvicorn.Config(
        Api(SmallHome(state_file), token).app(), log_level="error", lifespan="off", access_log=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), name="small-home", daemon=True)
    thread.start()
    end = time.monotonic() + STARTS_S
    while not server.started and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(STARTS_S)
        listening.close()
