"""The two ways into the context database: the loader writes, the tools only read."""

from __future__ import annotations

import re
import sqlite3
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, ExceptionContext, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError

from workers.agents.operations.source.hourly_sums import hours
from workers.agents.operations.source.tables import ORDER, metadata, requests
from workers.errors import StoreUnavailable
from workers.store.database import BUSY_MS, Database, open_database

READ_KIB = 65_536
WRITE_KIB = 524_288


def open_writing(address: str) -> Database:
    """Open for the loader. Nothing is connected yet.

    Raises:
        ConfigError: not an address of SQLite or PostgreSQL.
        StoreUnavailable: the folder of an SQLite file cannot be created.
    """
    database = open_database(address)
    if database.engine.dialect.name == "sqlite":
        event.listen(database.engine, "connect", prepare_writing)
    return database


def prepare_writing(connection: Any, _: Any) -> None:
    """Room for a million rows whose ids come in any order: what does not fit is written twice."""
    connection.execute(f"pragma cache_size=-{WRITE_KIB}")
    connection.execute("pragma temp_store=memory")


@lru_cache(maxsize=8)
def open_reading(address: str) -> Database:
    """Open for the tools: no statement on it can write, and each transaction sees one state of the data.

    One a process and address. Nothing is connected yet.

    Raises:
        ConfigError: not an address of SQLite or PostgreSQL.
    """
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        return open_database(address)  # which says what is wrong with it
    if url.drivername.partition("+")[0] == "sqlite" and url.database:
        return read_sqlite(url)
    database = open_database(address)
    options: dict[str, Any] = {"postgresql_readonly": True, "isolation_level": "REPEATABLE READ"}
    return Database(database.engine.execution_options(**options))


def read_sqlite(url: URL) -> Database:
    """An SQLite file, read only; it is not created."""
    file = Path(str(url.database)).resolve().as_uri()

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"{file}?mode=ro", uri=True, timeout=BUSY_MS / 1000, check_same_thread=False)

    engine = create_engine(url, creator=connect)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        connection.execute("pragma query_only=on")
        connection.execute(f"pragma cache_size=-{READ_KIB}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("begin")

    database = Database(engine)

    @event.listens_for(engine, "handle_error")
    def explain(context: ExceptionContext) -> None:
        found = re.fullmatch(r"no such table: (\w+)", str(context.original_exception))
        if found and found[1] in metadata.tables:
            raise lacks(database, found[1]) from context.original_exception

    return database


def lacks(database: Database, *tables: str) -> StoreUnavailable:
    """What is told when tables are missing."""
    return StoreUnavailable(f"the database at {database.address} has no table {', '.join(tables)}: run oracle load")


def check_tables(database: Database) -> None:
    """Raises: StoreUnavailable: it cannot be reached, or tables are missing."""
    with database.begin() as connection:
        present = set(inspect(connection).get_table_names())
    missing = [table.name for table in ORDER if table.name not in present]
    if missing:
        raise lacks(database, *missing)


def is_there(database: Database) -> bool:
    """Whether there are tables. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return inspect(connection).has_table(requests.name)


def has_sums(connection: Connection) -> bool:
    """Whether sums of hours are kept in this database."""
    return inspect(connection).has_table(hours.name)
