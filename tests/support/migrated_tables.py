"""What the migrations made, against the tables as the code has them."""

from __future__ import annotations

from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from workers.store.all_tables import load_all_tables

FULL_TEXT = ("thread_entries_fts", "ix_thread_entries_text")
"""Made by a migration alone: each database has its own way, which `MetaData` cannot say."""


def differences(connection: Connection) -> list[Any]:
    """What alembic would change."""

    def is_ours(name: str | None, *_: Any) -> bool:
        return not (name or "").startswith(FULL_TEXT)

    migrations = MigrationContext.configure(connection, opts={"include_name": is_ours})
    return list(compare_metadata(migrations, load_all_tables()))
