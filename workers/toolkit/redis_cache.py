"""Results kept in Redis for all processes. It fails open: without Redis every process keeps its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable

import structlog
from pydantic import ValidationError
from redis import Redis
from redis.exceptions import LockError, RedisError
from redis.lock import Lock

from workers.contracts import ToolOutput
from workers.toolkit.cache import Cache

LOG = structlog.get_logger(__name__)
ANSWER_S = 0.25
"""How long Redis may take for one command; a tool's own answer is seldom slower."""
REST_MS = 5_000
"""How long Redis is left alone after it failed."""
DEAD_S = 1.0
"""How much longer than a tool may run its lock lives; a process that died in flight holds it to its end."""
LOOK_S = 0.02


class SharedCache(Cache[ToolOutput]):
    """A `Cache` whose values other processes can take from Redis, with a single flight over all of them.

    Args:
        url: Redis; its certificates and credentials stand in it.
        space: keeps deployments apart that share one Redis.
        keep: which values are worth keeping.
        monotonic_ms: the clock.
    """

    def __init__(
        self, url: str, space: str, keep: Callable[[ToolOutput], bool], monotonic_ms: Callable[[], float]
    ) -> None:
        super().__init__(keep, monotonic_ms)
        self.redis = Redis.from_url(url, socket_timeout=ANSWER_S, socket_connect_timeout=ANSWER_S)
        self.space = space
        self.rests_until_ms = 0.0

    def fetch(
        self, key: Hashable, ttl_s: float, make: Callable[[], ToolOutput], wait_ms: float
    ) -> tuple[ToolOutput, bool]:
        """The value of this process, of another one, or a new one; see `Cache.fetch`."""
        taken: list[bool] = []
        until_ms = self.monotonic_ms() + wait_ms

        def shared() -> ToolOutput:
            value, from_others = self.share(key, ttl_s, make, wait_ms, until_ms)
            taken.append(from_others)
            return value

        value, own = super().fetch(key, ttl_s, shared, wait_ms)
        return value, own or any(taken)

    def share(
        self, key: Hashable, ttl_s: float, make: Callable[[], ToolOutput], wait_ms: float, until_ms: float
    ) -> tuple[ToolOutput, bool]:
        """A value of Redis, or a new one that goes there; one of its own when who is making it did not end in time."""
        name = f"oracle:tool:{self.space}:{hashlib.sha256(repr(key).encode()).hexdigest()}"
        if (kept := self.read(name)) is not None:
            return kept, True
        lives_s = wait_ms / 1000 + DEAD_S
        lock = self.redis.lock(f"{name}:flight", timeout=lives_s, sleep=LOOK_S, thread_local=False)
        if not self.board(lock, until_ms):
            return make(), False
        try:
            if (kept := self.read(name)) is not None:
                return kept, True
            return self.write(name, ttl_s, make()), False
        finally:
            self.release(lock)

    def board(self, lock: Lock, until_ms: float) -> bool:
        """Whether the flight is this process' own; False when another one holds it too long, or Redis cannot tell."""
        if self.monotonic_ms() < self.rests_until_ms:
            return False
        try:
            return bool(lock.acquire(blocking_timeout=max(until_ms - self.monotonic_ms(), 0) / 1000))
        except RedisError as error:
            self.rest(error)
            return False

    def read(self, name: str) -> ToolOutput | None:
        """A kept value; one of another version of the program is none."""
        if self.monotonic_ms() < self.rests_until_ms:
            return None
        try:
            raw = self.redis.get(name)
            return ToolOutput.model_validate_json(raw) if isinstance(raw, bytes) else None
        except RedisError as error:
            self.rest(error)
        except ValidationError:
            return None
        return None

    def write(self, name: str, ttl_s: float, value: ToolOutput) -> ToolOutput:
        """Keep a value for the others, if it is worth it."""
        if self.keep(value):
            try:
                self.redis.set(name, value.model_dump_json(), px=int(ttl_s * 1000))
            except RedisError as error:
                self.rest(error)
        return value

    def release(self, lock: Lock) -> None:
        """End this process' own flight."""
        try:
            lock.release()
        except LockError:
            return  # it took longer than the lock lives
        except RedisError as error:
            self.rest(error)

    def rest(self, error: RedisError) -> None:
        """Leave Redis alone for a while."""
        self.rests_until_ms = self.monotonic_ms() + REST_MS
        LOG.warning("shared_cache_failed", reason=str(error))
