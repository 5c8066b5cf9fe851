"""A pool of SQLite connections.

A connection is lent for the time of one unit of work. When all are lent, callers wait up to
``wait_seconds`` and then get `PoolExhausted`, which the web layer answers with 503. A connection that
is kept longer than ``lease_seconds`` is written off and replaced, so that a caller that never gives
one back slows us down instead of stopping us.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metrics import Instruments

log = logging.getLogger("shop.db")


class PoolExhausted(Exception):
    """No connection came free in time."""


class ConnectionPool:
    def __init__(
        self,
        name: str,
        connect: Callable[[], sqlite3.Connection],
        instruments: Instruments,
        *,
        size: int,
        wait_seconds: float,
        lease_seconds: float,
    ) -> None:
        self.name, self.size = name, size
        self._connect, self._instruments = connect, instruments
        self._wait_seconds, self._lease_seconds = wait_seconds, lease_seconds
        self._idle = [connect() for _ in range(size)]
        self._lent: dict[int, tuple[sqlite3.Connection, float]] = {}
        self._freed = threading.Condition()
        gauge = instruments.pool_connections
        gauge.watch(name, "in_use", read=lambda: float(len(self._lent)))
        gauge.watch(name, "idle", read=lambda: float(len(self._idle)))
        gauge.watch(name, "max", read=lambda: float(size))

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for the length of a ``with`` block."""
        connection = self.acquire()
        try:
            yield connection
        finally:
            self.release(connection)

    def acquire(self) -> sqlite3.Connection:
        """Take a connection. Whoever calls this must call `release`; prefer `connection`."""
        started = time.monotonic()
        with self._freed:
            while not self._idle:
                self._write_off_overdue()
                left = started + self._wait_seconds - time.monotonic()
                if not self._idle and left <= 0:
                    raise PoolExhausted(f"pool {self.name}: all {self.size} connections in use")
                if not self._idle:
                    self._freed.wait(min(left, 0.25))
            connection = self._idle.pop()
            self._lent[id(connection)] = (connection, time.monotonic())
        self._instruments.pool_wait.observe(self.name, value=time.monotonic() - started)
        return connection

    def release(self, connection: sqlite3.Connection) -> None:
        with self._freed:
            if self._lent.pop(id(connection), None) is None:
                connection.close()  # it had been written off and replaced
                return
            self._idle.append(connection)
            self._freed.notify()

    def _write_off_overdue(self) -> None:
        now = time.monotonic()
        for key, (_, since) in list(self._lent.items()):
            if now - since > self._lease_seconds:
                log.warning("pool %s: a connection was kept for %.0f s", self.name, now - since)
                del self._lent[key]
                self._idle.append(self._connect())
