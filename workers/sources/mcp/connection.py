"""A connection to one MCP server: opened when it is needed, kept while it is used, given up when it misbehaves.

The one place where what the SDK raises becomes `ToolUnavailable`. A server is asked for its tools and to call them;
what it asks of us (a model's answer, a person's, our folders) is not offered to it.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from anyio import BrokenResourceError, ClosedResourceError
from mcp import Client, MCPError
from mcp.client._transport import TransportStreams  # the SDK names the type nowhere else
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    InputRequiredResult,
    PaginatedRequestParams,
    Tool,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from workers.errors import ToolUnavailable
from workers.sources.mcp.event_loop import run
from workers.sources.mcp.http_transport import open_client
from workers.sources.mcp.process_transport import Flood, last_line, process_transport, size_of
from workers.sources.mcp.server_options import ServerOptions

T = TypeVar("T")
MOST_PAGES, MOST_TOOLS = 20, 1_000
IDLE_S = 600
"""So long a connection that nobody uses stays open."""
REST_S = 15.0
"""So long after a failed attempt to connect the next one is not made."""
GRACE_S = 5.0
ANSWERS = frozenset({INVALID_PARAMS, METHOD_NOT_FOUND})
"""Errors that are answers. Others may mean that a server of before 2026-07-28 was started anew and no longer knows the
session; each says so in its own way."""
REASON_CHARS = 300
ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)
OPEN: weakref.WeakSet[Connection] = weakref.WeakSet()


class AsksBack(Exception):
    """A server wants something of the person who waits."""

    def __str__(self) -> str:
        """The end of a sentence."""
        return "asks something back, which is not passed on to anyone"


FAILURES = (
    AsksBack,
    BrokenResourceError,
    ClosedResourceError,
    ExceptionGroup,
    Flood,
    MCPError,
    OSError,  # TimeoutError too
    RuntimeError,
    ValueError,  # pydantic's
    httpx2.HTTPError,
    httpx2.InvalidURL,
)
"""All that connecting and calling may raise."""


@dataclass(frozen=True)
class Listing:
    """What a server says of itself and its tools; ``protocol``: the revision that is spoken with it."""

    server: str
    protocol: str
    tools: tuple[Tool, ...]


@dataclass(eq=False)
class Connection:
    """The way to one server. Any number of threads may call at once."""

    name: str
    options: ServerOptions
    log: Path
    lock: threading.Lock = field(default_factory=threading.Lock)
    client: Client | None = None
    listing: Listing | None = None
    stop: asyncio.Event | None = None
    ended: asyncio.Future[None] | None = None
    lost: Exception | None = None
    failure: str = ""
    failed_at: float = -REST_S
    used_at: float = 0.0

    def open(self) -> Listing:
        """Connect, unless that is done, and read which tools there are.

        Raises:
            ToolUnavailable: it cannot be reached, or speaks nonsense.
        """
        with self.lock:
            self.used_at = time.monotonic()
            if self.client is not None and self.listing is not None:
                return self.listing
            if time.monotonic() - self.failed_at < REST_S:
                raise ToolUnavailable(self.failure)
            began = size_of(self.log)
            try:
                self.listing = self.within(self.connect(), self.options.connect_s + GRACE_S)
            except ToolUnavailable as error:
                said = last_line(self.log, began) if self.options.command else ""
                self.failure = f"{error}; its last line: {said[:REASON_CHARS]}" if said else str(error)
                self.failed_at = time.monotonic()
                raise ToolUnavailable(self.failure) from error
            OPEN.add(self)
            return self.listing

    def call(self, tool: str, arguments: Mapping[str, Any], timeout_s: float) -> CallToolResult:
        """Call a tool. A connection that was lost since it was last used is opened once more, before anything is sent.

        Raises:
            ToolUnavailable: there was no answer in time, or none that can be read.
        """
        self.open()
        return self.within(self.ask(tool, arguments, timeout_s), timeout_s + GRACE_S)

    def close(self) -> None:
        """End the connection, and the process behind it."""
        with self.lock, suppress(ToolUnavailable):
            self.within(self.disconnect(), 4 * GRACE_S)

    def within(self, work: Coroutine[Any, Any, T], timeout_s: float) -> T:
        """Run on the loop. Raises: ToolUnavailable: with a sentence on what went wrong."""
        try:
            return run(work, timeout_s)
        except FAILURES as error:
            raise ToolUnavailable(f"the MCP server {self.name} {tell(error)}") from error

    # --- on the loop ------------------------------------------------------------------------------------------

    async def connect(self) -> Listing:
        """Open the connection in a task of its own, which also closes it."""
        await self.disconnect()
        opened: asyncio.Future[Listing] = asyncio.get_running_loop().create_future()
        self.stop, self.lost = asyncio.Event(), None
        self.ended = asyncio.ensure_future(self.hold(opened, self.stop))
        try:
            async with asyncio.timeout(self.options.connect_s):
                return await asyncio.shield(opened)
        except TimeoutError:
            self.ended.cancel()
            await self.disconnect()
            raise

    async def hold(self, opened: asyncio.Future[Listing], stop: asyncio.Event) -> None:
        """Keep the connection open until it is closed, idle, or lost."""
        try:
            async with (
                self.transport(stop) as streams,
                Client(
                    fixed(streams),
                    client_info=Implementation(name="oracle", version="1"),
                    read_timeout_seconds=self.options.connect_s,
                    cache=None,
                ) as client,
            ):
                listing = await read_listing(client)
                self.client = client
                opened.set_result(listing)
                while not stop.is_set() and time.monotonic() - self.used_at < IDLE_S:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(stop.wait(), IDLE_S / 10)
                self.client = None
        except FAILURES as error:
            self.lost = error
            if not opened.done():
                opened.set_exception(error)
                opened.exception()  # whoever waited may be gone
        finally:
            self.client = None
            opened.cancel()

    @asynccontextmanager
    async def transport(self, stop: asyncio.Event) -> AsyncGenerator[TransportStreams, None]:
        """The command's, which sets ``stop`` when its process ends, or the address's."""
        if self.options.command:
            async with process_transport(self.options, self.log, stop.set) as streams:
                yield streams
            return
        async with (
            open_client(self.options, read_s=300) as http,
            streamable_http_client(self.options.url, http_client=http) as streams,
        ):
            yield streams

    async def disconnect(self) -> None:
        """End the task that holds the connection, and wait for it."""
        if self.stop is not None:
            self.stop.set()
        if self.ended is not None and not self.ended.done():
            done, _ = await asyncio.wait([self.ended], timeout=GRACE_S)
            if not done:
                self.ended.cancel()
                await asyncio.wait([self.ended], timeout=2 * GRACE_S)
        self.stop = self.ended = self.client = None

    async def ask(self, tool: str, arguments: Mapping[str, Any], timeout_s: float) -> CallToolResult:
        """One call. The SDK's `call_tool` is passed by: it runs the server's own schema, patterns included, on the
        result, and a pattern can take for ever."""
        client = self.client
        if client is None:
            raise ClosedResourceError
        self.used_at = time.monotonic()
        params = CallToolRequestParams(name=tool, arguments=dict(arguments))
        try:
            result = await client.session.send_request(CallToolRequest(params=params), ANSWER, timeout_s)
        except MCPError as error:
            if error.code == CONNECTION_CLOSED or (has_session(client) and error.code not in ANSWERS):
                await self.disconnect()
                if self.lost is not None:
                    raise self.lost from error
            raise
        if isinstance(result, InputRequiredResult):
            raise AsksBack
        return result


@asynccontextmanager
async def fixed(streams: TransportStreams) -> AsyncGenerator[TransportStreams, None]:
    """Streams that are open already, as the transport that the SDK wants."""
    yield streams


async def read_listing(client: Client) -> Listing:
    """All tools, page by page. Raises: ValueError: there is no end to them."""
    tools: list[Tool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        tools += page.tools
        cursor = page.next_cursor
        if not cursor or len(tools) > MOST_TOOLS:
            break
    if cursor or len(tools) > MOST_TOOLS:
        raise ValueError(f"lists more than {MOST_TOOLS} tools, or never ends its list")
    info = client.server_info
    name = " ".join(f"{info.name} {info.version}".split())[:80] if info else ""
    return Listing(name, client.protocol_version, tuple(tools))


def has_session(client: Client) -> bool:
    """Whether the server keeps something of this connection, which it may lose."""
    return client.protocol_version not in MODERN_PROTOCOL_VERSIONS


def tell(error: BaseException) -> str:
    """What went wrong, as the end of a sentence whose subject is the server."""
    while isinstance(error, BaseExceptionGroup):
        error = next((e for e in error.exceptions if isinstance(e, Flood)), error.exceptions[0])
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"answers something that is not its protocol ({'.'.join(map(str, first['loc']))}: {first['msg']})"
    said = " ".join(str(error).split())[:REASON_CHARS]
    if isinstance(error, FileNotFoundError):
        return f"cannot be started: there is no program {error.filename}"
    if isinstance(error, httpx2.ConnectError | ConnectionError | BrokenResourceError | ClosedResourceError):
        return f"cannot be reached{f' ({said})' if said else ''}"
    if isinstance(error, TimeoutError | httpx2.TimeoutException) or "timed out" in said.lower():
        return "did not answer in time"
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return "ended the connection"
    if isinstance(error, MCPError):
        return f"refuses: {said}"
    if type(error) is ValueError or isinstance(error, AsksBack | Flood):
        return said
    return f"answers something that is not its protocol ({said or type(error).__name__})"


@atexit.register
def close_all() -> None:
    """End every connection of this process."""
    for connection in list(OPEN):
        connection.close()
