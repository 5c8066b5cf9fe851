"""A connection to SQLite or PostgreSQL. The one boundary where SQLAlchemy's errors become Oracle's."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from workers.errors import ConfigError, StoreUnavailable

BUSY_MS = 5_000
WIPE_MS, WIPES = 200, 5
"""So long, and so often, emptying SQLite's log waits for whoever reads: writers wait meanwhile."""
CONNECT_S = 3
PROBE = (
    "insert into write_probes (id, at, filler) values (1, :at, :filler) "
    "on conflict (id) do update set at = excluded.at, filler = excluded.filler"
)
PROBE_CHARS = 16_000
"""As much as a long question takes: a database that has room for a few bytes only is full."""


class Database:
    """An engine whose errors are Oracle's."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def begin(self, *, exclusive: bool = False) -> Iterator[Connection]:
        """One transaction, committed at the end.

        Args:
            exclusive: take SQLite's write lock at once, so that what is read first still holds when it is written.

        Raises:
            StoreUnavailable: the database cannot be reached, is locked, or refuses the statement.
        """
        try:
            with self.engine.connect().execution_options(sqlite_immediate=exclusive) as connection, connection.begin():
                yield connection
        except SQLAlchemyError as error:
            raise StoreUnavailable(f"the database at {self.address} failed: {reason(error)}") from error

    @property
    def address(self) -> str:
        """Where it is, without the password."""
        return self.engine.url.render_as_string(hide_password=True)

    def ping(self) -> str:
        """One line on its health. Raises: StoreUnavailable."""
        with self.begin() as connection:
            connection.execute(text("select 1"))
        return f"{self.engine.dialect.name} at {self.address}"

    def probe(self) -> str:
        """One line on its health, after something was really written. Raises: StoreUnavailable."""
        with self.begin(exclusive=True) as connection:
            connection.execute(text(PROBE), {"at": time.time(), "filler": "x" * PROBE_CHARS})
        return f"{self.engine.dialect.name} at {self.address}"

    def wipe(self) -> bool:
        """Leave nothing in SQLite's write-ahead log of what was deleted or replaced: there it stands as it came until
        the log is emptied. PostgreSQL sees to its own. Returns: whether nothing is left.

        Raises: StoreUnavailable.
        """
        if self.engine.dialect.name != "sqlite":
            return True
        try:
            return any(self.empty_log() for _ in range(WIPES))
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise StoreUnavailable(f"the log of the database at {self.address} was not emptied: {error}") from error

    def empty_log(self) -> bool:
        """Move the log into the file and cut it to nothing. Returns: whether nobody was reading in it."""
        pooled = self.engine.raw_connection()  # outside a transaction, which would be in the way
        try:
            cursor = pooled.cursor()
            cursor.execute(f"pragma busy_timeout={WIPE_MS}")
            try:
                row = cursor.execute("pragma wal_checkpoint(truncate)").fetchone()
            finally:
                cursor.execute(f"pragma busy_timeout={BUSY_MS}")
            return not row[0]
        finally:
            pooled.close()

    def close(self) -> None:
        """Close all connections; one that a late call still holds is closed when it is given back."""
        event.listen(self.engine.pool, "checkin", lambda _, record: record.invalidate())
        self.engine.dispose()


def reason(error: SQLAlchemyError) -> str:
    """The driver's own sentence on one line, without the statement and its values."""
    cause = getattr(error, "orig", None) or error
    lines = str(cause).strip().splitlines()
    return lines[0][:300] if lines else type(cause).__name__


def open_database(address: str) -> Database:
    """Open without connecting yet; an SQLite file and its folders are created on first use.

    Args:
        address: ``sqlite:///PATH``, ``postgresql://…`` or ``postgres://…``.

    Raises:
        ConfigError: the address is none of these, or the driver is not installed.
        StoreUnavailable: the folder of an SQLite file cannot be created.
    """
    try:
        url = make_url(address)
    except (ArgumentError, ValueError) as error:
        raise ConfigError("database_url: not a database address (sqlite:///PATH or postgresql://…)") from error
    kind = url.drivername.partition("+")[0]
    if kind == "sqlite":
        return Database(open_sqlite(url))
    if kind in {"postgresql", "postgres"}:
        return Database(open_postgresql(url.set(drivername="postgresql+psycopg")))
    raise ConfigError(f"database_url: {kind!r} is not supported; sqlite and postgresql are")


def open_sqlite(url: URL) -> Engine:
    """SQLite in write-ahead mode, with transactions that begin when SQLAlchemy says so, on disk when they end."""
    if url.database and url.database != ":memory:":
        try:
            Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"the folder of {url.database} cannot be created: {error.strerror}") from error
    engine = create_engine(url, connect_args={"timeout": BUSY_MS / 1000})

    @event.listens_for(engine, "do_connect")
    def create(*_: Any) -> None:
        create_private(url.database or "")

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver's own BEGIN comes too late for DDL
        switch_to_wal(connection)
        connection.execute("pragma synchronous=full")
        connection.execute("pragma foreign_keys=on")
        connection.execute("pragma secure_delete=on")  # what is deleted or replaced may hold a secret

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("sqlite_immediate")
        connection.exec_driver_sql("begin immediate" if immediate else "begin")

    return engine


def create_private(path: str) -> None:
    """Make a new file that its owner alone reads; SQLite gives the files beside it the same mode."""
    if path and path != ":memory:":
        with suppress(OSError):  # it exists, or SQLite says better what is wrong
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def switch_to_wal(connection: Any) -> None:
    """Write-ahead mode. The first switch of a new file fails at once when another process is making it too."""
    end = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("pragma journal_mode=wal")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def open_postgresql(url: URL) -> Engine:
    """PostgreSQL through psycopg; a connection that died is replaced before use."""
    try:
        return create_engine(
            url,
            pool_pre_ping=True,
            pool_size=5,
            max_overflow=5,
            pool_timeout=CONNECT_S,
            connect_args={"connect_timeout": CONNECT_S, "options": f"-c statement_timeout={BUSY_MS}"},
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise ConfigError(
            "database_url: PostgreSQL needs the extra: pip install 'oracle-on-call[postgresql]'"
        ) from error
