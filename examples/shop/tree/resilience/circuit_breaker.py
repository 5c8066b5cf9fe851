"""Circuit breaker: stop calling what keeps failing, and ask again after a while.

Closed: calls pass. After ``failures`` failures within ``window_seconds`` it opens: calls fail at once with
`CircuitOpen`. After ``open_seconds`` one trial call passes (half-open): if it works the breaker closes,
if not it opens again. What to do while it is open is the caller's business (docs/design/resilience.md).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metrics import Instruments


class CircuitOpen(Exception):
    """The breaker is open; nothing was called."""


class CircuitBreaker:
    def __init__(
        self,
        target: str,
        instruments: Instruments,
        *,
        failures: int,
        window_seconds: float,
        open_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.target = target
        self._limit, self._window_seconds, self._open_seconds = (
            failures,
            window_seconds,
            open_seconds,
        )
        self._clock = clock
        self._failed_at: deque[float] = deque(maxlen=failures)
        self._opened_at: float | None = None
        self._trial = False
        self._lock = threading.Lock()
        instruments.breaker_open.watch(target, read=lambda: float(self._opened_at is not None))

    @property
    def state(self) -> str:
        if self._opened_at is None:
            return "closed"
        waited = self._clock() - self._opened_at
        return "half-open" if waited >= self._open_seconds else "open"

    @contextmanager
    def guard(self, *failures: type[Exception]) -> Iterator[None]:
        """Run a call; only these exceptions count as failures of the target."""
        self._enter()
        try:
            yield
        except failures:
            self._failed()
            raise
        else:
            self._worked()
        finally:
            self._trial = False

    def _enter(self) -> None:
        with self._lock:
            state = self.state
            if state == "open" or (state == "half-open" and self._trial):
                raise CircuitOpen(f"{self.target} failed {self._limit} times lately")
            self._trial = state == "half-open"

    def _failed(self) -> None:
        with self._lock:
            now = self._clock()
            self._failed_at.append(now)
            full = len(self._failed_at) == self._limit
            if self._trial or (full and now - self._failed_at[0] <= self._window_seconds):
                self._opened_at = now

    def _worked(self) -> None:
        with self._lock:
            if self._trial:
                self._opened_at = None
                self._failed_at.clear()
