"""Rows into the tables, many at once: the fastest way that each database has.

Rows are tuples in the order of the table's columns, as `row_parsing` makes them: moments are text in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Index, Table, delete, select, text
from sqlalchemy.schema import CreateIndex, DropIndex

from workers.agents.operations.source.hourly_sums import SUMS, create_sums, create_triggers, drop_triggers, hours, sums
from workers.agents.operations.source.tables import ORDER, create_tables, metadata, requests
from workers.errors import StoreUnavailable

Row = Sequence[Any]
BATCH = 5_000


def make_tables(connection: Connection) -> None:
    """Make the tables that are missing, with what keeps sums of hours."""
    create_tables(connection)
    create_sums(connection)


def clear(connection: Connection) -> None:
    """Remove every row."""
    if connection.dialect.name == "postgresql":
        names = ", ".join(table.name for table in (*ORDER, hours, *SUMS))
        connection.execute(text(f"truncate {names}"))
        return
    sums.drop_all(connection)
    metadata.drop_all(connection)
    make_tables(connection)


def begin_writing(connection: Connection) -> bool:
    """Prepare for many rows.

    Returns: whether there are no requests yet, and so their indexes and triggers were put aside for `end_writing`.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("set local statement_timeout = 0"))
        connection.execute(text("set local timezone = 'UTC'"))
    if connection.execute(select(requests.c.id).limit(1)).first() is not None:
        return False
    for index in indexes_of(requests):
        connection.execute(DropIndex(index))
    if connection.dialect.name == "sqlite":
        connection.execute(delete(hours))
        drop_triggers(connection)
    return True


def end_writing(connection: Connection, *, aside: bool) -> None:
    """Make again what `begin_writing` put aside, and let the database look at what it has now."""
    if aside:
        for index in indexes_of(requests):
            connection.execute(CreateIndex(index))
        if connection.dialect.name == "sqlite":
            create_triggers(connection)
    connection.execute(text("analyze"))


def indexes_of(table: Table) -> list[Index]:
    """In a fixed order."""
    return sorted(table.indexes, key=lambda index: str(index.name))


def write_rows(connection: Connection, table: Table, rows: Iterable[Row]) -> int:
    """Insert, or update those whose primary key is there already.

    Returns: how many rows are new or other than before.

    Raises:
        StoreUnavailable: the database refuses a row.
    """
    write = copy_rows if connection.dialect.name == "postgresql" else insert_rows
    return write(connection, table, rows)


def insert_rows(connection: Connection, table: Table, rows: Iterable[Row]) -> int:
    """SQLite."""
    names = [column.name for column in table.columns]
    places = ", ".join("?" * len(names))
    statement = f"insert into {table.name} ({', '.join(names)}) values ({places}) {on_conflict(table)}"  # noqa: S608 - names of our tables
    left, changed = iter(rows), 0
    while batch := list(islice(left, BATCH)):
        changed += connection.exec_driver_sql(statement, batch).rowcount
    return changed


def copy_rows(connection: Connection, table: Table, rows: Iterable[Row]) -> int:
    """PostgreSQL: COPY, straight into an empty table, else through a temporary one."""
    import psycopg  # noqa: PLC0415 - only where PostgreSQL is used

    names = ", ".join(column.name for column in table.columns)
    empty = connection.execute(select(table).limit(1)).first() is None
    into = table.name if empty else f"new_{table.name}"
    if not empty:
        connection.execute(text(f"create temp table {into} (like {table.name} including defaults) on commit drop"))
    count = 0
    try:
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f"copy {into} ({names}) from stdin") as copy:
            for row in rows:
                copy.write_row(row)
                count += 1
    except psycopg.Error as error:
        raise StoreUnavailable(f"the database refuses a row of {table.name}: {str(error).splitlines()[0]}") from error
    if empty:
        return count
    merge = f"insert into {table.name} ({names}) select {names} from {into} {on_conflict(table)}"  # noqa: S608 - as above
    changed = connection.execute(text(merge)).rowcount
    connection.execute(text(f"drop table {into}"))
    return changed


def on_conflict(table: Table) -> str:
    """The clause that updates a row that is there, only when it differs."""
    primary = [column.name for column in table.primary_key]
    others = [column.name for column in table.columns if column.name not in primary]
    update = ", ".join(f"{name} = excluded.{name}" for name in others)
    differs = " or ".join(f"{table.name}.{name} is distinct from excluded.{name}" for name in others)
    return f"on conflict ({', '.join(primary)}) do update set {update} where {differs}"
