"""When a request came: the age of its signature is measured then, however long it waits for a thread afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from slack_sdk.signature import Clock

_arrived_s: ContextVar[float | None] = ContextVar("arrived_s", default=None)


@contextmanager
def arrived(moment_s: float) -> Iterator[None]:
    """What this thread does meanwhile is about a request that came at a moment, in seconds since the epoch."""
    token = _arrived_s.set(moment_s)
    try:
        yield
    finally:
        _arrived_s.reset(token)


class ArrivalClock(Clock):
    """A clock for signatures: it stands at the moment at which the request came; where nobody noted it, it is now."""

    def now(self) -> int:
        """Seconds since the epoch."""
        moment_s = _arrived_s.get()
        return int(super().now() if moment_s is None else moment_s)
