"""The two ways to the MCP server: standard input and output for one person, streamable HTTP with a token a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import anyio
import structlog
import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware

from workers.bootstrap import Oracle
from workers.entrypoints.mcp.callers import Tokens
from workers.entrypoints.mcp.resources import Texts, open_texts
from workers.entrypoints.mcp.server import build_server

LOG = structlog.get_logger(__name__)
PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MOST_BYTES = 4_000_000
IDLE_S, MOST_SESSIONS, STOP_S = 1_800.0, 200, 5


def serve_stdio(oracle: Oracle) -> None:
    """Serve whoever started this process, until its end of standard input closes."""
    with reading(oracle) as texts:
        anyio.run(run_stdio, build_server(oracle, texts))


@contextmanager
def reading(oracle: Oracle) -> Iterator[Texts]:
    """What is listed and read, while a thread keeps indexes up to date: where no deployment runs, nobody else does."""
    texts, stop = open_texts(oracle), Event()
    Thread(target=keep_fresh, args=(oracle, stop), name="refresh", daemon=True).start()
    try:
        yield texts
    finally:
        stop.set()
        for one in texts:
            one.close()


def keep_fresh(oracle: Oracle, stop: Event) -> None:
    """Bring every index up to date again and again."""
    while not stop.is_set():
        for name, line, ok in oracle.toolbox.refresh():
            if stop.is_set():
                return
            if not ok:
                LOG.warning("refresh_failed", tool=name, reason=line)
        stop.wait(oracle.settings.core.fetch.every_s)


async def run_stdio(server: Server[Any]) -> None:
    """Nothing but the protocol reaches standard output: the SDK turns what else is printed to standard error."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def serve_http(oracle: Oracle, host: str, port: int, names: Sequence[str] = ()) -> None:
    """Serve over HTTP until the process is stopped.

    Args:
        oracle: the deployment, whose tokens say who calls.
        host: the address that is listened on.
        port: its port.
        names: host names by which clients reach it, beside those of this machine: ``oracle.example.com``.
    """
    with reading(oracle) as texts:
        app = http_app(oracle, texts, names)
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", access_log=False, timeout_graceful_shutdown=STOP_S
        )
        uvicorn.Server(config).run()


def http_app(oracle: Oracle, texts: Texts, names: Sequence[str] = ()) -> Starlette:
    """The application: without a living token every request is a 401, from a foreign page a 403."""
    tokens = Tokens(oracle.store.database)
    app = build_server(oracle, texts).streamable_http_app(
        streamable_http_path=PATH,
        token_verifier=tokens,
        transport_security=security(names),
        max_request_body_size=MOST_BYTES,
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
    )
    app.add_middleware(AuthContextMiddleware)
    app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(tokens))
    return app


def security(names: Sequence[str]) -> TransportSecuritySettings:
    """By which names it may be called, and from pages of which origins: no page elsewhere calls a local server."""
    hosts = [*LOOPBACK, *names]
    return TransportSecuritySettings(
        allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
        allowed_origins=[
            form
            for host in hosts
            for form in (f"http://{host}", f"http://{host}:*", f"https://{host}", f"https://{host}:*")
        ],
    )
