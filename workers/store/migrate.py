"""Brings the tables to the version this code knows. Alembic is loaded only when there is something to do."""

from __future__ import annotations

import io
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from workers.errors import StoreUnavailable
from workers.store.database import Database
from workers.store.tables import HEAD

SCRIPTS = Path(__file__).parent / "migrations"
LOCK = 7_204_519
"""Key of the advisory lock that keeps two processes from migrating at the same time (PostgreSQL)."""


def migrate(database: Database) -> bool:
    """Create or upgrade the tables, in one transaction.

    Returns: whether there was something to do.

    Raises:
        StoreUnavailable: the database cannot be reached, or a newer version of Oracle has been at it.
    """
    with database.begin() as connection:
        if current_version(connection) == HEAD:
            return False
    with database.begin(exclusive=True) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK})
        version = current_version(connection)
        if version == HEAD:
            return False
        upgrade(connection, version, database.address)
    return True


def current_version(connection: Connection) -> str | None:
    """The version the tables are at; None for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.execute(text("select version_num from alembic_version")).scalar()
    return version


def upgrade(connection: Connection, version: str | None, address: str) -> None:
    """Run the migrations that are missing. Raises: StoreUnavailable."""
    from alembic import command  # noqa: PLC0415 - 200 ms that a database of today's version does not need
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.util import CommandError  # noqa: PLC0415 - as above

    config = Config(stdout=io.StringIO())
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        message = f"the tables at {address} are of version {version}, this Oracle knows {HEAD}: use a newer Oracle"
        raise StoreUnavailable(message) from error
