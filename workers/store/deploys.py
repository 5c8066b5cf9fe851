"""The deploys that were recorded."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select
from sqlalchemy.sql.dml import ReturningInsert

from workers.contracts import Deploy
from workers.store.database import Database
from workers.store.requests import insert
from workers.store.tables import deploys

PRODUCTION = "production"


def record_deploys(database: Database, new: Iterable[Deploy], environment: str = PRODUCTION) -> int:
    """Record deploys; one that is already known (service, version, moment) stays as it is.

    Returns: how many were new.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    rows = [
        {
            "service": d.service,
            "version": d.version,
            "commit": d.commit,
            "at": d.at,
            "environment": environment,
            "source": d.source,
        }
        for d in new
    ]
    with database.begin() as connection:
        return sum(len(connection.execute(insert_new(connection, row)).all()) for row in rows)


def insert_new(connection: Connection, row: dict[str, Any]) -> ReturningInsert[Any]:
    """Returns a row only when the deploy is new."""
    return insert(connection, deploys).values(row).on_conflict_do_nothing().returning(deploys.c.id)


def list_deploys(
    database: Database, start: datetime, end: datetime, environment: str = PRODUCTION
) -> tuple[Deploy, ...]:
    """Deploys to an environment from ``start`` to ``end``, both included, oldest first. Raises: StoreUnavailable."""
    inside = deploys.c.at.between(start, end) & (deploys.c.environment == environment)
    query = select(deploys).where(inside).order_by(deploys.c.at, deploys.c.service)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
    return tuple(
        Deploy(service=r["service"], version=r["version"], commit=r["commit"], at=r["at"], source=r["source"])
        for r in rows
    )


def forget_deploys(database: Database, environment: str) -> int:
    """Remove the deploys of one environment, such as a demo's. Raises: StoreUnavailable.

    Returns: how many there were.
    """
    with database.begin() as connection:
        return connection.execute(delete(deploys).where(deploys.c.environment == environment)).rowcount
