"""Sessions of the SDK's client with ``oracle mcp``, over both transports, and what a person answers in them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from tests.support.forked_programs import fork_oracle
from tests.support.mcp_toolbox import wait_for_port
from tests.support.real_servers import READY_S, free_port
from workers.settings.load import load_settings
from workers.store.api_tokens import create_token
from workers.store.database import open_database

Session = Callable[[Client], Awaitable[Any]]
JOIN = 'cat "$1" & exec cat > "$0"'
"""Makes two named pipes the standard input and output of a command."""


@dataclass
class Asked:
    """What the person was asked, and what they say each time."""

    replies: list[ElicitResult] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.messages.append(params.message)
        return self.replies.pop(0)


def says(choice: str) -> ElicitResult:
    """The person chooses."""
    return ElicitResult(action="accept", content={"choice": choice})


def over_stdio(home: Path, work: Session, mode: str = "auto", asked: Asked | None = None) -> Any:
    """A session over standard input and output; the program is forked."""
    number = len(list(home.glob("*.in")))
    pipes = home / f"{number}.in", home / f"{number}.out"
    for pipe in pipes:
        os.mkfifo(pipe)
    environment = {**get_default_environment(), "ORACLE_HOME": str(home)}
    process = fork_oracle(("mcp",), environment, home, home / "stderr", pipes)

    async def run() -> Any:
        server = StdioServerParameters(command="sh", args=["-c", JOIN, *map(str, pipes)])
        async with Client(stdio_client(server), mode=mode, elicitation_callback=asked) as client:
            return await asyncio.wait_for(work(client), READY_S)

    try:
        done = asyncio.run(run())
        assert process.wait() == 0, "it ends with its input"
        return done
    finally:
        process.kill_group()


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """``oracle mcp --http``. Yields: its address."""
    port = free_port()
    environment = {**os.environ, "ORACLE_HOME": str(home)}
    process = fork_oracle(("mcp", "--http", "--port", str(port)), environment, home, home / "stderr")
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


def over_http(url: str, token: str, work: Session, mode: str = "auto", asked: Asked | None = None) -> Any:
    """A session over streamable HTTP."""

    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=READY_S) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=asked) as client:
                return await asyncio.wait_for(work(client), READY_S)

    return asyncio.run(run())


def token_for(home: Path, user: str) -> tuple[str, str]:
    """A new token of a user, and its id."""
    database = open_database(load_settings(home=home).database_url)
    try:
        return create_token(database, user)
    finally:
        database.close()
