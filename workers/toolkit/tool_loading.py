"""Loading what a tool works with: its modules, indexes and connections. That is no part of the time of its calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from workers.toolkit.deadlines import begin
from workers.toolkit.error_guard import guarded
from workers.toolkit.tool import Tool

PREPARE_MS = 60_000.0
"""How long a load is waited for from its beginning: a large repository that was never indexed takes longer."""


@dataclass(frozen=True)
class Load:
    """A load that is under way: when it began, and the future of its end."""

    began_ms: float
    ended: Future[None] = field(default_factory=Future)


LOCK = threading.Lock()
LOADS: dict[Callable[[], None], Load] = {}
"""The loads under way, by the tools' `prepare`: one of each, which all callers of this process wait for."""


def prepare(tool: Tool, monotonic_ms: Callable[[], float]) -> str:
    """Load what a tool needs for its calls, or join the load of it that runs; when all is loaded this takes
    milliseconds.

    Returns: why it cannot be called yet. Empty when it can, and when loading failed: the call itself tells of that.
    """
    if tool.prepare is None:
        return ""
    try:
        load = join_or_begin(tool.name, tool.prepare, monotonic_ms)
        left_ms = load.began_ms + PREPARE_MS - monotonic_ms()
        load.ended.result(timeout=max(left_ms, 0) / 1000)
    except TimeoutError:
        return f"{tool.name} was not loaded within {PREPARE_MS / 1000:.0f} s; loading goes on, so ask again later"
    return ""


def join_or_begin(name: str, work: Callable[[], None], monotonic_ms: Callable[[], float]) -> Load:
    """The load that runs, or a new one. Raises: TimeoutError: there was no thread for it in time."""
    with LOCK:
        running = LOADS.get(work)
        if running is not None:
            return running
        load = LOADS[work] = Load(monotonic_ms())

    def whole() -> None:
        try:
            guarded(name, work)
        finally:
            forget(work)
            load.ended.set_result(None)

    try:
        begin(whole, PREPARE_MS)
    except (TimeoutError, RuntimeError) as error:  # no slot, or the system has no thread left
        forget(work)
        load.ended.set_exception(TimeoutError())  # for those who joined it
        raise TimeoutError from error
    return load


def forget(work: Callable[[], None]) -> None:
    """A load has ended; the next call begins one of its own."""
    with LOCK:
        del LOADS[work]
