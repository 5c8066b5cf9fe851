"""``python -m bench served_tools [--server 'NAME|COMMAND or URL|TOOL|JSON']… [--calls 50]``: tools of MCP servers.

Each call is made by Oracle's source (`workers.sources.mcp`) and by the SDK's own `Client`, in the same run, against the
same kind of server: how long it takes when the server behaves, and what becomes of the caller when it does not. Each
caller is a process of its own, killed after `--patience` seconds or when it holds `MOST_MB`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.support.mcp_toolbox import BEHAVED, call, misbehaved, served_toolbox
from workers.sources.mcp.connection import close_all

ROLES = ("hangs", "silent", "floods", "noisy", "lies", "garbage", "dies", "endless")
PATIENCE_S, MOST_MB, CALL_S = 20.0, 600, 3.0
BEHAVING = f"behaved|{shlex.join(BEHAVED)}|stock_of|{json.dumps({'part': 'P-100'})}"
Caller = Callable[[str, str, dict[str, Any], int], list[float]]


def main(args: Sequence[str]) -> None:
    """Print a table of servers that behave, and one of those that do not."""
    parser = argparse.ArgumentParser(prog="bench served_tools")
    parser.add_argument("--server", action="append", default=[])
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--one", nargs=5, metavar="", help=argparse.SUPPRESS)
    chosen = parser.parse_args(args)
    if chosen.one:
        caller, way, tool, arguments, calls = chosen.one
        print(json.dumps(CALLERS[caller](way, tool, json.loads(arguments), int(calls))))
        return
    print("| server | caller | connect and first call ms | a call p50 / p95 ms | held MB |\n|---|---|---|---|---|")
    for line in [BEHAVING, *chosen.server]:
        name, way, tool, arguments = line.split("|")
        for caller in CALLERS:
            told, seconds, held = watched(caller, way, tool, arguments, chosen.calls)
            print(f"| {name} | {caller} | {row_of(told, seconds)} | {held:.0f} |", flush=True)
    print("\n| a server that | caller | what the call came to | after s | held MB |\n|---|---|---|---|---|")
    for role in ROLES:
        for caller in CALLERS:
            way = shlex.join(misbehaved(role))
            told, seconds, held = watched(caller, way, "look", json.dumps({"text": "a" * 60}), 1)
            print(f"| {role} | {caller} | {told[-110:]} | {seconds:.1f} | {held:.0f} |", flush=True)


def row_of(told: str, seconds: float) -> str:
    """The times of a caller that came to its end, else what it said."""
    try:
        times = json.loads(told)
    except json.JSONDecodeError:
        return f"{told[-80:]} | after {seconds:.1f} s"
    rest = sorted(times[1:]) or times
    return f"{times[0]:.0f} | {statistics.median(rest):.1f} / {rest[int(len(rest) * 0.95) - 1]:.1f}"


def watched(caller: str, way: str, tool: str, arguments: str, calls: int) -> tuple[str, float, float]:
    """Run a caller in a process. Returns: the last line it printed, or why it was ended; seconds; its greatest size."""
    command = [sys.executable, "-m", "bench", "served_tools", "--one", caller, way, tool, arguments, str(calls)]
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        seen, begun, held, ended = psutil.Process(process.pid), time.monotonic(), 0.0, ""
        while process.poll() is None and not ended:
            try:
                held = max(held, seen.memory_info().rss / 1e6)
            except psutil.Error:
                break
            if time.monotonic() - begun > PATIENCE_S:
                ended = f"still running after {PATIENCE_S:.0f} s, ended"
            elif held > MOST_MB:
                ended = f"held more than {MOST_MB} MB, ended"
            time.sleep(0.02)
        seconds = time.monotonic() - begun
        if ended:
            for child in seen.children(recursive=True):
                child.kill()
            process.kill()
        process.wait()
        out.seek(0)
        lines = out.read().strip().splitlines() or ["nothing"]
    return ended or lines[-1], seconds, held


def by_oracle(way: str, tool: str, arguments: dict[str, Any], calls: int) -> list[float]:
    """Milliseconds of each call through the wrappers. Raises: SystemExit: the reason of one that failed."""
    options = {"url": way} if way.startswith("http") else {"command": tuple(shlex.split(way))}
    home = Path(tempfile.mkdtemp())
    toolbox = served_toolbox(home, options | {"connect_s": CALL_S}, (tool,), timeout_ms=int(1000 * CALL_S))
    (name,) = toolbox.tools
    times = []
    for _ in range(calls):
        begun = time.monotonic()
        output = call(toolbox, name, arguments)
        times.append(1000 * (time.monotonic() - begun))
        if output.status not in {"ok", "empty"}:
            close_all()
            sys.exit(f"{output.status}: {output.reason}")
    close_all()
    return times


def by_the_sdk(way: str, tool: str, arguments: dict[str, Any], calls: int) -> list[float]:
    """Milliseconds of each call by the SDK's client with its own timeout. Raises: SystemExit: as `by_oracle`."""

    async def run() -> list[float]:
        program, *rest = shlex.split(way)
        server = way if way.startswith("http") else StdioServerParameters(command=program, args=rest)
        times, begun = [], time.monotonic()
        async with Client(server, read_timeout_seconds=CALL_S) as client:
            for _ in range(calls):
                await client.call_tool(tool, arguments)
                times.append(1000 * (time.monotonic() - begun))
                begun = time.monotonic()
        return times

    try:
        return asyncio.run(run())
    except BaseException as error:  # noqa: BLE001 - whatever the SDK lets through is the finding
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())[:90]}")


CALLERS: dict[str, Caller] = {"oracle": by_oracle, "the SDK's client": by_the_sdk}
