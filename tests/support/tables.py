"""Databases with today's tables. Migrating takes a hundred times as long as copying, so it is done once a run."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import Table, text

from workers.store.all_tables import load_all_tables
from workers.store.database import Database, open_database
from workers.store.migrate import migrate


@cache
def _template() -> bytes:
    """An empty SQLite database of today's version, as a file's content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "oracle.db"
        database = open_database(f"sqlite:///{path}")
        migrate(database)
        database.close()
        return path.read_bytes()


def sqlite_tables(path: Path) -> str:
    """Write a new SQLite database. Returns: its address."""
    path.write_bytes(_template())
    return f"sqlite:///{path}"


def empty_tables(database: Database) -> None:
    """Take all rows out of a database, and begin its numbers again."""
    names = [table.name for table in load_all_tables().sorted_tables]
    with database.begin(exclusive=True) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"truncate {', '.join(names)} restart identity cascade"))
            return
        for name in reversed(names):
            connection.exec_driver_sql(f"delete from {name}")


def delete_rows(database: Database, *kept: Table) -> None:
    """Take all rows out of an SQLite database, but those of some tables."""
    with database.begin(exclusive=True) as connection:
        for table in reversed(load_all_tables().sorted_tables):
            if table not in kept:
                connection.execute(table.delete())
