"""Databases with today's tables. Migrating takes a hundred times as long as copying, so it is done once a run."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import text

from workers.store.database import Database, open_database
from workers.store.migrate import migrate
from workers.store.tables import metadata


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
    """Take all rows out of a PostgreSQL database, and begin its sequences again."""
    names = ", ".join(table.name for table in metadata.sorted_tables)
    with database.begin() as connection:
        connection.execute(text(f"truncate {names} restart identity cascade"))
