"""One event loop in a thread of its own, on which this process's connections to MCP servers live."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


@cache
def loop_of(pid: int) -> asyncio.AbstractEventLoop:
    """The loop of a process; one that was forked has its own."""
    del pid
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="mcp", daemon=True).start()
    return loop


def run(work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """Run a coroutine on the loop and wait for its result; one that is late is cancelled.

    Raises:
        TimeoutError: there was none in time.
    """
    future = asyncio.run_coroutine_threadsafe(work, loop_of(os.getpid()))
    try:
        return future.result(timeout_s)
    except TimeoutError:
        future.cancel()
        raise
