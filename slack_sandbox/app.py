"""The application: every route of a sandbox, and its connections' ends."""

import asyncio
import json
import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from fastapi import FastAPI, Header, Request, Response, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

import slack_limits as limits
from slack_sandbox.arguments import Arguments
from slack_sandbox.authorize import authorize_pages
from slack_sandbox.client_api import client_api
from slack_sandbox.config import SandboxConfig
from slack_sandbox.control_api import control_api
from slack_sandbox.errors import ConnectionDropped, Refused
from slack_sandbox.interactions import show_answer
from slack_sandbox.messages import change_ephemeral, delete_message, edit_message
from slack_sandbox.methods_chat import read_content
from slack_sandbox.methods_files import file_for_app, receive_upload
from slack_sandbox.sandbox import Sandbox, make_sandbox
from slack_sandbox.state import File, Json
from slack_sandbox.web_api import web_api

_SLACK = ("/api/", "/oauth/", "/link", "/upload/", "/response/", "/files/")
_PAGE = Path(__file__).parent / "page"


class Outage:
    """Closes every connection to Slack's own addresses while a `down` fault is in force."""

    def __init__(self, app: ASGIApp, sandbox: Sandbox) -> None:
        self.app = app
        self.sandbox = sandbox

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or closes its connection."""
        if self.sandbox.faults.is_down and scope["type"] != "lifespan" and scope["path"].startswith(_SLACK):
            await abort(scope)
            return
        await self.app(scope, receive, send)


async def abort(scope: Scope) -> None:
    """Closes the connection that a request came over, without a response.

    Raises:
        ConnectionDropped: when the server gives no transport (`slack_sandbox.server` does).
    """
    transport = scope.get("state", {}).get("transport")
    if transport is None:
        raise ConnectionDropped
    transport.abort()
    await asyncio.sleep(0)  # the server notes the loss before it could answer


def build_sandbox(config: SandboxConfig) -> FastAPI:
    """Returns: a fresh sandbox as an application; `app.state.sandbox` is its inside.

    `slack_sandbox.server.make_server` serves it; another server works too, but can't drop connections.
    """
    sandbox = make_sandbox(config)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await sandbox.deliveries.stop()
        await sandbox.http.stop()

    app = FastAPI(title="sandbox", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.sandbox = sandbox
    app.add_middleware(Outage, sandbox=sandbox)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[config.host, "localhost", "127.0.0.1"])
    app.include_router(web_api(sandbox, lambda request: abort(request.scope)))
    app.include_router(control_api(sandbox, lambda: _abort_sockets(sandbox)))
    app.include_router(authorize_pages(sandbox))
    _add_files(app, sandbox)
    _add_links(app, sandbox)
    app.mount("/page", StaticFiles(directory=_PAGE), name="page")
    app.include_router(client_api(sandbox))

    @app.exception_handler(Refused)
    async def refused(_: Request, refusal: Refused) -> Response:
        return JSONResponse({"ok": False, "error": refusal.code, **refusal.extra}, status_code=404)

    return app


def _abort_sockets(sandbox: Sandbox) -> None:
    for socket in list(sandbox.socket.connections):
        sandbox.socket.forget(socket)
        transport = socket.scope.get("state", {}).get("transport")
        if transport is not None:
            transport.close()


def _add_files(app: FastAPI, sandbox: Sandbox) -> None:
    @app.post("/upload/v1/{ticket}")
    async def upload(ticket: str, request: Request) -> Response:
        data = await request.body()
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            form = await request.form()
            parts = [value for value in form.values() if not isinstance(value, str)]
            data = await parts[0].read() if parts else b""
        if receive_upload(sandbox, ticket, data):
            return PlainTextResponse(f"OK - {len(data)}")
        return PlainTextResponse("the upload is unknown, or its length is not the one announced", status_code=400)

    @app.get("/files/{file_id}/{name}")
    async def download(file_id: str, name: str, authorization: Annotated[str, Header()] = "") -> Response:
        file = file_for_app(sandbox, file_id, authorization)
        if file is None:  # without a token that may read it, Slack shows a page to log in, too
            return RedirectResponse(f"/?{urlencode({'redir': f'/files/{file_id}/{name}'})}", status_code=302)
        return _file_response(file)

    @app.get("/client/files/{file_id}/{name}")
    async def show(file_id: str, name: str) -> Response:  # noqa: ARG001
        file = sandbox.state.files.get(file_id)
        return _file_response(file) if file else PlainTextResponse("no such file", status_code=404)


def _file_response(file: File) -> Response:
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    safe = media_type if media_type.startswith("image/") and "svg" not in media_type else "text/plain"
    return Response(file.data, media_type=safe, headers={"X-Content-Type-Options": "nosniff"})


def _add_links(app: FastAPI, sandbox: Sandbox) -> None:
    @app.websocket("/link/")
    async def link(socket: WebSocket, ticket: str = "") -> None:
        await sandbox.socket.serve(socket, ticket)

    @app.post("/response/{token}")
    async def respond(token: str, request: Request) -> Response:
        try:
            answer = json.loads(await request.body())
        except ValueError:
            return PlainTextResponse("invalid_payload", status_code=400)
        if not isinstance(answer, dict):
            return PlainTextResponse("invalid_payload", status_code=400)
        try:
            _answer(sandbox, token, answer)
        except Refused as refusal:
            gone = refusal.code in {"invalid_url", "expired_url", "used_url"}
            return JSONResponse({"ok": False, "error": refusal.code}, status_code=404 if gone else 400)
        return PlainTextResponse("ok")


def _answer(sandbox: Sandbox, token: str, answer: Json) -> None:
    """Does what was posted to a response URL."""
    delete, replace = bool(answer.get("delete_original")), bool(answer.get("replace_original"))
    fields = {} if delete else read_content(sandbox, Arguments(answer), most=limits.MESSAGE_TEXT_CHARS)
    grant = sandbox.triggers.use_response(token)
    channel = sandbox.state.channels[grant.channel]
    ephemeral = channel.ephemerals.get(grant.message_ts)
    message = channel.messages.get(grant.message_ts)
    if delete and ephemeral:
        del channel.ephemerals[grant.message_ts]
        sandbox.page.send("deleted", [grant.user], channel=channel.id, ts=grant.message_ts, thread_ts=grant.thread_ts)
    elif delete and message:
        delete_message(sandbox, channel, message)
    elif replace and ephemeral:
        change_ephemeral(sandbox, channel, grant.message_ts, fields)
    elif replace and message:
        fields = {"blocks": None, "attachments": None} | fields
        edit_message(sandbox, channel, message, fields, by=sandbox.state.bot_user)
    elif not delete:
        show_answer(sandbox, channel, grant.user, answer, thread_ts=str(answer.get("thread_ts") or ""))
