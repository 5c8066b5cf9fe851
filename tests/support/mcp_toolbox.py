"""A toolbox with the tools of one MCP server, and calls through its wrappers."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from tests.support.real_servers import READY_S, free_port
from tests.support.toolkit_parts import make_context, make_limits
from workers.contracts import ToolOutput
from workers.settings.load import load_settings
from workers.settings.schema import ToolEntry
from workers.toolkit.tool import Resources
from workers.toolkit.toolbox import WrappedToolbox, build_toolbox

SERVERS = Path(__file__).parent / "mcp_servers"
BEHAVED = (sys.executable, str(SERVERS / "behaved.py"))
ALL_READS = ("stock_of", "orders", "handbook", "environment", "broken")


def misbehaved(role: str, *more: str) -> tuple[str, ...]:
    return (sys.executable, str(SERVERS / "misbehaved.py"), role, *more)


def served_toolbox(
    home: Path, options: dict[str, Any], tools: tuple[str, ...] = ("look",), writes: tuple[str, ...] = (), **more: Any
) -> WrappedToolbox:
    """The toolbox of an entry named ``store``, which nobody waited for."""
    settings = load_settings(home=home)
    entry = ToolEntry(module="mcp", tools=tools, writes=writes, options=options, **more)
    tree = settings.tree.model_copy(update={"tools": {"store": entry}})
    return build_toolbox(Resources(replace(settings, tree=tree), lambda start, end: ()))


def call(toolbox: WrappedToolbox, name: str, args: dict[str, Any] | None = None) -> ToolOutput:
    session = toolbox.open(make_context(), make_limits(tools=tuple(toolbox.tools)))
    return session.call("s1", name, args or {})[1]


@contextmanager
def behaved_over_http(port: int = 0) -> Iterator[str]:
    """The server that behaves, over streamable HTTP. Yields: its address."""
    port = port or free_port()
    process = subprocess.Popen([*BEHAVED, "--http", str(port)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=READY_S)


def wait_for_port(port: int) -> None:
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        try:
            httpx.get(f"http://127.0.0.1:{port}/")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError
