"""An in-process cache whose entries expire.

Every user of it names how long an entry may live and builds its own keys. Keys must repeat, or the
cache only costs memory: leave out whatever differs from one request to the next.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from metrics import Instruments
from web import context

V = TypeVar("V")

# A page of results shows prices, so it may be this old and no older.
TTL_SECONDS = 1


class TTLCache(Generic[V]):
    """Least recently used entries go first when it is full."""

    def __init__(
        self,
        ttl_seconds: float,
        max_entries: int,
        instruments: Instruments,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ttl_seconds, self._max_entries = ttl_seconds, max_entries
        self._instruments, self._clock = instruments, clock
        self._entries: OrderedDict[Hashable, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get_or_load(self, key: Hashable, load: Callable[[], V]) -> V:
        """The cached value, or the loaded one, which is kept."""
        with self._lock:
            entry = self._entries.get(key)
            if entry and self._clock() < entry[0]:
                self._entries.move_to_end(key)
                self._instruments.cache_requests.add(context.endpoint.get(), "hit")
                return entry[1]
        self._instruments.cache_requests.add(context.endpoint.get(), "miss")
        value = load()
        with self._lock:
            self._entries[key] = (self._clock() + self._ttl_seconds, value)
            self._entries.move_to_end(key)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)
        return value

    def forget(self, key: Hashable) -> None:
        with self._lock:
            self._entries.pop(key, None)

    def __len__(self) -> int:
        return len(self._entries)
