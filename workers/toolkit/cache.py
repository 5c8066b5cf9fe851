"""Results kept for a short while; of several equal calls at the same time only one runs."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from workers.ports import ToolContext
from workers.toolkit.tool import ToolArgs

T = TypeVar("T")


def cache_key(name: str, args: ToolArgs, context: ToolContext, ttl_s: int) -> Hashable:
    """Tool, normalised arguments, time bucket of the moment asked about, the asker's zone, workspace and name."""
    bucket = int(context.now.timestamp() // ttl_s)
    return (
        name,
        json.dumps(args.model_dump(), sort_keys=True, default=repr),
        ttl_s,
        bucket,
        context.timezone,
        context.team,
        context.user,
        context.space,
    )


@dataclass(frozen=True)
class Entry(Generic[T]):
    """A kept value and when it ends, in monotonic milliseconds."""

    value: T
    until_ms: float


class Cache(Generic[T]):
    """A bounded cache, least recently used first out, with a single flight for each key.

    ``keep`` tells which values are worth keeping: failures are not.
    """

    def __init__(self, keep: Callable[[T], bool], monotonic_ms: Callable[[], float], max_entries: int = 128) -> None:
        self.keep = keep
        self.monotonic_ms = monotonic_ms
        self.max_entries = max_entries
        self.lock = threading.Lock()
        self.entries: OrderedDict[Hashable, Entry[T]] = OrderedDict()
        self.flights: dict[Hashable, Future[None]] = {}

    def fetch(self, key: Hashable, ttl_s: float, make: Callable[[], T], wait_ms: float) -> tuple[T, bool]:
        """The kept value, or a new one.

        Args:
            key: what makes results differ.
            ttl_s: how long a new value is kept.
            make: runs in this thread when nobody else is already making the value.
            wait_ms: how long to wait for somebody else's.

        Returns: the value and whether it was made by an earlier or another call.

        Raises:
            TimeoutError: the other call did not end in time.
        """
        until_ms = self.monotonic_ms() + wait_ms
        while True:
            with self.lock:
                entry = self.fresh(key)
                if entry is not None:
                    return entry.value, True
                flight = self.flights.get(key)
                if flight is None:
                    self.flights[key] = Future()
                    break
            # A flight that ends without a kept value leaves the next one to whoever wakes first.
            flight.result(timeout=max(until_ms - self.monotonic_ms(), 0) / 1000)
        return self.lead(key, ttl_s, make), False

    def fresh(self, key: Hashable) -> Entry[T] | None:
        """The entry when it has not ended. Called under the lock."""
        entry = self.entries.get(key)
        if entry is None:
            return None
        if entry.until_ms <= self.monotonic_ms():
            del self.entries[key]
            return None
        self.entries.move_to_end(key)
        return entry

    def lead(self, key: Hashable, ttl_s: float, make: Callable[[], T]) -> T:
        """Make the value for everybody who waits for it."""
        try:
            value = make()
            if self.keep(value):
                with self.lock:
                    self.entries[key] = Entry(value, self.monotonic_ms() + ttl_s * 1000)
                    while len(self.entries) > self.max_entries:
                        self.entries.popitem(last=False)
        finally:
            with self.lock:
                flight = self.flights.pop(key)
            flight.set_result(None)
        return value
