"""Applies the migrations of one database, in order, each once."""

from __future__ import annotations

import logging
from pathlib import Path

from db.database import Database

FOLDER = Path(__file__).parent / "migrations"
log = logging.getLogger("shop.db")


def migrate(database: Database, name: str) -> list[str]:
    """Apply what is new under ``db/migrations/<name>`` and return the file names."""
    applied = []
    with database.pool.connection() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS migrations (file TEXT PRIMARY KEY)")
        done = {row["file"] for row in connection.execute("SELECT file FROM migrations")}
        for path in sorted((FOLDER / name).glob("*.sql")):
            if path.name in done:
                continue
            connection.executescript(path.read_text(encoding="utf-8"))
            connection.execute("INSERT INTO migrations (file) VALUES (?)", (path.name,))
            log.info("applied %s", path.name)
            applied.append(path.name)
    return applied
