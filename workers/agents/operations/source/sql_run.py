"""Guarded queries on the database, which enforces each limit once more itself."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from workers.agents.operations.source import sql_subprocess
from workers.agents.operations.source.database import open_reading
from workers.agents.operations.source.sql_allowlist import SQLITE_FUNCTIONS, TABLES, Dialect
from workers.agents.operations.source.tables import metadata
from workers.contracts import rfc3339
from workers.errors import ConfigError, ToolArgumentError, ToolUnavailable
from workers.store.database import Database, reason

if TYPE_CHECKING:
    from workers.agents.operations.source.sql_guard import Guarded

TIMEOUT_S = 5.0
GRACE_S = 3.0
"""Its process has so much longer to start; the time of the query is the process' own to watch."""
LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All that the process of a query has of the environment: no secret, no setting of Python."""

STORED = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.\d{6}")
"""How SQLite keeps a moment, in UTC."""

SETTINGS = f"""
set transaction isolation level repeatable read, read only;
set local statement_timeout = {TIMEOUT_S * 1000:.0f};
set local lock_timeout = 1000;
set local idle_in_transaction_session_timeout = 10000;
set local search_path = pg_catalog, public, pg_temp;
set local work_mem = '32MB';
set local timezone = 'UTC';
set local standard_conforming_strings = on;
"""

MAY_WRITE = """
select c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
  and n.nspname !~ '^pg_toast' and pg_catalog.has_table_privilege(c.oid, 'insert, update, delete, truncate')
order by 1
"""


class QueryTooSlow(Exception):
    """The query was stopped when its time was up."""


@dataclass(frozen=True)
class Rows:
    """A result: values are JSON scalars or None. ``has_more``: rows were left out, for their number or size."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    has_more: bool


def schema() -> dict[str, tuple[str, ...]]:
    """The tables that may be read, with their columns."""
    return {name: tuple(metadata.tables[name].columns.keys()) for name in TABLES}


def dialect_of(address: str) -> Dialect:
    """Raises: ConfigError: neither SQLite nor PostgreSQL."""
    try:
        kind = make_url(address).drivername.partition("+")[0]
    except (ArgumentError, ValueError) as error:
        raise ConfigError("context.sql_url: not a database address (sqlite:///PATH or postgresql://…)") from error
    if kind == "sqlite":
        return "sqlite"
    if kind in {"postgres", "postgresql"}:
        return "postgres"
    raise ConfigError(f"context.sql_url: {kind!r} is not supported; sqlite and postgresql are")


def run_query(address: str, query: Guarded) -> Rows:
    """Run it.

    Raises:
        ToolArgumentError: the database refuses the statement.
        ToolUnavailable: it cannot be reached.
        QueryTooSlow: it did not end within `TIMEOUT_S`, and was stopped.
    """
    run = run_sqlite if dialect_of(address) == "sqlite" else run_postgresql
    columns, rows, more = run(address, query)
    names = distinct_names(columns)
    shown = tuple(dict(zip(names, map(plain, row), strict=True)) for row in rows)
    return Rows(names, shown, more)


def run_sqlite(address: str, query: Guarded) -> tuple[Sequence[str], Sequence[Sequence[Any]], bool]:
    """In a process of its own, killed when it is late. Raises: as `run_query`."""
    path = Path(make_url(address).database or "")
    if not path.is_file():
        raise ToolUnavailable(f"there is no database at {path}: run oracle load")
    job = {
        "path": str(path.resolve()),
        "sql": query.sql,
        "tables": schema(),
        "withs": query.withs,
        "functions": sorted(SQLITE_FUNCTIONS),
        "max_rows": query.limit,
        "seconds": TIMEOUT_S,
    }
    environment = {name: os.environ[name] for name in LIBRARIES if name in os.environ}
    command = [sys.executable, "-I", "-S", sql_subprocess.__file__]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(job).encode(),
            capture_output=True,
            timeout=TIMEOUT_S + GRACE_S,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired as error:
        raise QueryTooSlow from error
    except OSError as error:
        raise ToolUnavailable(f"no process could be started for the query: {error.strerror}") from error
    if done.returncode > 0:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ToolUnavailable(f"the process of the query failed: {''.join(last)[:200]}")
    if done.returncode < 0:
        raise ToolArgumentError("the query was stopped: it needs more memory or processor time than one query may have")
    return read_child(json.loads(done.stdout))


def read_child(result: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[Sequence[Any]], bool]:
    """What the process wrote. Raises: as `run_query`."""
    error = result.get("error")
    if error is None:
        return result["columns"], result["rows"], result["more"]
    if result.get("late"):
        raise QueryTooSlow
    if "unable to open" in error or "disk I/O" in error or "locked" in error or "malformed" in error:
        raise ToolUnavailable(f"the database cannot be read: {error}")
    raise ToolArgumentError(f"SQLite refuses the query: {error}{hint(error)}")


def hint(error: str) -> str:
    """What to do about a driver's sentence."""
    if "no such column" in error:
        return " (text stands in single quotes; a column is that of a table in FROM)"
    if "out of memory" in error or "too big" in error:
        return " (group or filter more, so that less is kept at once)"
    return ""


def run_postgresql(address: str, query: Guarded) -> tuple[Sequence[str], Sequence[Sequence[Any]], bool]:
    """In a read-only transaction that is always rolled back. Raises: as `run_query`."""
    database = open_reading(address)
    from psycopg import Error, errors  # noqa: PLC0415 - an extra of its own

    try:
        with database.engine.connect() as connection:
            driver = connection.connection.driver_connection
            if driver is None:
                raise ToolUnavailable(f"the database at {database.address} is not connected")
            driver.rollback()
            try:
                with driver.cursor() as cursor:
                    cursor.execute(SETTINGS)
                    # a prepared statement is one statement: the server refuses a second
                    cursor.execute(query.sql, prepare=True)
                    found = cursor.fetchmany(query.limit + 1)
                    columns = [column.name for column in cursor.description or ()]
            except errors.QueryCanceled as error:
                raise QueryTooSlow from error
            except (errors.OperationalError, errors.InterfaceError) as error:
                raise ToolUnavailable(f"the database at {database.address} failed: {first_line(error)}") from error
            except Error as error:
                raise ToolArgumentError(f"PostgreSQL refuses the query: {first_line(error)}") from error
            finally:
                if not driver.closed:
                    driver.rollback()
    except SQLAlchemyError as error:
        raise ToolUnavailable(f"the database at {database.address} failed: {reason(error)}") from error
    rows = sql_subprocess.trim([[plain(cell) for cell in row] for row in found[: query.limit]])
    return columns, rows, len(found) > len(rows)


def first_line(error: BaseException) -> str:
    """The driver's sentence."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


def distinct_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names, later ones of the same name numbered."""
    names: list[str] = []
    for column in columns:
        name, n = column, 1
        while name in names:
            n += 1
            name = f"{column}_{n}"
        names.append(name)
    return tuple(names)


def plain(value: Any) -> str | int | float | bool | None:
    """A value of a driver as a JSON scalar; moments as RFC 3339, spans as seconds, lists and objects as JSON text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        stored = STORED.fullmatch(value)
        return f"{stored[1]}T{stored[2]}Z" if stored else value
    if isinstance(value, datetime):
        return rfc3339(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return json.dumps(value, default=str, ensure_ascii=False)


def writable_tables(address: str) -> tuple[str, ...]:
    """Tables that the role of a PostgreSQL address may change; it should be none.

    Raises:
        ToolUnavailable: the database cannot be reached.
    """
    database: Database = open_reading(address)
    try:
        with database.engine.connect() as connection:
            return tuple(connection.exec_driver_sql(MAY_WRITE).scalars())
    except SQLAlchemyError as error:
        raise ToolUnavailable(f"the database at {database.address} failed: {reason(error)}") from error
