"""The transport to a server that is started here: JSON lines over its standard input and output, bounded.

The SDK's own (`mcp.client.stdio`) reads a line of any length; a server that never ends one would fill the memory.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import anyio
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectSendStream
from mcp.client._transport import TransportStreams  # the SDK names the type nowhere else
from mcp.client.stdio import get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from workers.sources.mcp.server_options import ServerOptions

MOST_BYTES = 8_000_000
"""That a server may send between two messages to it, the length of its longest line."""
LOG_BYTES = 1_000_000
LINE_BYTES = 4_000
STOP_S = 1.0
"""How long a server may take to end by itself, and then to obey a signal."""

Incoming = MemoryObjectSendStream[SessionMessage | Exception]


class Flood(Exception):
    """A server sent more than `MOST_BYTES` without being asked."""


class Allowance:
    """How many bytes a server may still send; every message to it renews it."""

    def __init__(self) -> None:
        self.left = MOST_BYTES

    def renew(self) -> None:
        """Something was asked."""
        self.left = MOST_BYTES

    def spend(self, count: int) -> None:
        """Something came. Raises: Flood: too much."""
        self.left -= count
        if self.left < 0:
            raise Flood(f"sent more than {MOST_BYTES // 1_000_000} MB at once")


@asynccontextmanager
async def process_transport(
    options: ServerOptions, log: Path, ended: Callable[[], None]
) -> AsyncGenerator[TransportStreams, None]:
    """Start the command, with `ServerOptions.env` and little else around it, and end it on the way out.

    Args:
        options: of the entry.
        log: the file that takes what it writes to standard error; begun anew when it has grown.
        ended: called when it says no more.

    Raises:
        OSError: there is no such program.
        Flood: within a group, when it sent too much.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    mode = "ab" if log.exists() and log.stat().st_size < LOG_BYTES else "wb"
    with log.open(mode) as errors:
        process = await anyio.open_process(
            list(options.command),
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
            env=get_default_environment() | {k: v for k, v in options.env.items() if v},
            cwd=options.cwd or None,
            start_new_session=True,
        )
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    allowance = Allowance()

    async def read_lines() -> None:
        async with incoming:
            await pump_lines(process, incoming, allowance)
        ended()

    async def write_lines() -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async with outgoing:
                async for message in outgoing:
                    allowance.renew()
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.stdin.send(f"{text}\n".encode())  # type: ignore[union-attr]
        await incoming.aclose()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(read_lines)
            group.start_soon(write_lines)
            try:
                yield read, write
            finally:
                group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await end_process(process)
            for stream in (incoming, read, write, outgoing):
                await stream.aclose()


def size_of(log: Path) -> int:
    """How much was written to standard error so far, in bytes."""
    return log.stat().st_size if log.exists() else 0


def last_line(log: Path, start: int) -> str:
    """The last line that was written to standard error since it had ``start`` bytes; empty when there is none."""
    size = size_of(log)
    if not size:
        return ""
    with log.open("rb") as opened:
        opened.seek(max(start if start <= size else 0, size - LINE_BYTES))
        lines = opened.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


async def pump_lines(process: Process, incoming: Incoming, allowance: Allowance) -> None:
    """Every line that the server writes as a message, until it ends. Raises: Flood."""
    rest = bytearray()
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
        while True:
            chunk = await process.stdout.receive()  # type: ignore[union-attr]
            allowance.spend(len(chunk))
            *lines, last = chunk.split(b"\n")
            for line in lines:
                await incoming.send(read_line(bytes(rest + line)))
                rest.clear()
            rest += last


def read_line(line: bytes) -> SessionMessage | Exception:
    """A line as a message; one that is none as its mistake, which the session passes over."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def end_process(process: Process) -> None:
    """Close its input, give it a moment, and end it with all that it started."""
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.aclose()  # type: ignore[union-attr]
    with anyio.move_on_after(STOP_S):
        while process.returncode is None:
            await anyio.sleep(0.01)
    if process.returncode is None:
        await terminate_posix_process_tree(process, STOP_S)
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdout.aclose()  # type: ignore[union-attr]
    # anyio closes the pipes only once both ends are read; what asyncio holds of them has to be let go by hand.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        transport.close()
        await anyio.sleep(0)
