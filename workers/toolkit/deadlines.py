"""Deadlines: one for each call, one for all calls of a request together."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

MAX_RUNNING = 64
SLOTS = threading.BoundedSemaphore(MAX_RUNNING)


def run_within(work: Callable[[], T], timeout_ms: float) -> T:
    """Run ``work`` in a thread and wait for its result. A late result is dropped.

    Args:
        work: must not raise.
        timeout_ms: how long to wait.

    Raises:
        TimeoutError: there was no result in time.
    """
    return begin(work, timeout_ms).result(timeout=max(timeout_ms, 0) / 1000)


def begin(work: Callable[[], T], timeout_ms: float) -> Future[T]:
    """Start ``work`` in a daemon thread, which never delays the end of the process.

    Args:
        work: must not raise; context variables are those of the caller.
        timeout_ms: how long to wait for one of the `MAX_RUNNING` slots, so that hung backends cannot pile up threads.

    Returns: the future of its result.

    Raises:
        TimeoutError: no slot became free in time.
    """
    slots = SLOTS  # the ones taken are the ones given back
    result: Future[T] = Future()
    context = contextvars.copy_context()

    def body() -> None:
        try:
            result.set_result(context.run(work))
        finally:
            slots.release()

    if not slots.acquire(timeout=max(timeout_ms, 0) / 1000):
        raise TimeoutError
    threading.Thread(target=body, name="tool", daemon=True).start()
    return result


class TimeBudget:
    """Milliseconds for all tools of one request: the time in which at least one of them runs.

    Tools that run side by side spend the same time once; what happens between calls costs nothing.
    """

    def __init__(self, total_ms: float, monotonic_ms: Callable[[], float]) -> None:
        self.total_ms = total_ms
        self.monotonic_ms = monotonic_ms
        self.lock = threading.Lock()
        self.spent_ms = 0.0
        self.active = 0
        self.since_ms = 0.0

    def left_ms(self) -> float:
        """What is left, never below 0."""
        with self.lock:
            running = self.monotonic_ms() - self.since_ms if self.active else 0.0
            return max(self.total_ms - self.spent_ms - running, 0.0)

    @contextmanager
    def running(self) -> Iterator[None]:
        """The span in which one tool runs."""
        with self.lock:
            if self.active == 0:
                self.since_ms = self.monotonic_ms()
            self.active += 1
        try:
            yield
        finally:
            with self.lock:
                self.active -= 1
                if self.active == 0:
                    self.spent_ms += self.monotonic_ms() - self.since_ms
