"""The changes of feature flags and settings that were told of."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select

from workers.contracts import FlagChange
from workers.store.database import Database
from workers.store.kept_answers import forget_all
from workers.store.request_logs import insert, storable
from workers.store.tables import flag_changes as table

MOST = 5_000


def record_flag_changes(database: Database, told: Iterable[FlagChange]) -> int:
    """Record changes; one of the same flag, environment, moment and words is known already, and stays as it is.

    Args:
        database: with tables of today's version.
        told: in any order.

    Returns: how many were new.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    rows = [{name: storable(v) if isinstance(v, str) else v for name, v in dict(one).items()} for one in told]
    with database.begin(exclusive=True) as connection:
        new = 0
        for row in sorted(rows, key=lambda r: (r["flag"], r["environment"], r["at"], r["change"])):
            statement = insert(connection, table).values(**row).on_conflict_do_nothing()
            new += len(connection.execute(statement.returning(table.c.id)).all())
        if new:
            forget_all(connection)
    return new


def list_flag_changes(database: Database, start: datetime, end: datetime) -> tuple[FlagChange, ...]:
    """Changes from ``start`` to ``end``, both included, in any environment, oldest first; of very many the last.

    Raises: StoreUnavailable.
    """
    inside = select(table).where(table.c.at.between(start, end))
    query = inside.order_by(table.c.at.desc(), table.c.id.desc()).limit(MOST)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
    return tuple(FlagChange(**{name: row[name] for name in FlagChange.model_fields}) for row in reversed(rows))


def has_flag_changes(database: Database) -> bool:
    """Whether any change was ever told of. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return connection.execute(select(table.c.id).limit(1)).first() is not None
