"""Queries, timed by endpoint and table."""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from db.pool import ConnectionPool
from metrics import Instruments
from settings import Settings
from web import context

Row = dict[str, Any]


class Database:
    def __init__(self, pool: ConnectionPool, instruments: Instruments) -> None:
        self.pool, self._instruments = pool, instruments

    def rows(self, sql: str, params: Sequence[Any] = (), *, table: str) -> list[Row]:
        """Run one query on a connection of its own."""
        with self.pool.connection() as connection:
            return self.run(connection, sql, params, table=table)

    def one(self, sql: str, params: Sequence[Any] = (), *, table: str) -> Row | None:
        found = self.rows(sql, params, table=table)
        return found[0] if found else None

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Several statements that hold together or not at all."""
        with self.pool.connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def run(
        self, connection: sqlite3.Connection, sql: str, params: Sequence[Any] = (), *, table: str
    ) -> list[Row]:
        endpoint = context.endpoint.get()
        started = time.perf_counter()
        try:
            return [dict(row) for row in connection.execute(sql, params).fetchall()]
        finally:
            seconds = time.perf_counter() - started
            self._instruments.query_seconds.observe(endpoint, table, value=seconds)
            self._instruments.queries.add(endpoint)


def open_database(settings: Settings, section: str, instruments: Instruments) -> Database:
    """Open the database that ``section`` of the configuration describes, with its pool."""
    path = str(settings.get(f"{section}.path"))
    if path == ":memory:":  # one database for all connections of the pool
        path = f"file:{uuid.uuid4().hex}?mode=memory&cache=shared"
    else:
        Path(path).parent.mkdir(parents=True, exist_ok=True)

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            path, uri=path.startswith("file:"), check_same_thread=False, isolation_level=None
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA busy_timeout = 3000")
        return connection

    pool = ConnectionPool(
        "main" if section == "database" else section,
        connect,
        instruments,
        size=settings.get(f"{section}.pool.size"),
        wait_seconds=settings.get(f"{section}.pool.wait_seconds"),
        lease_seconds=settings.get(f"{section}.pool.lease_seconds"),
    )
    return Database(pool, instruments)
