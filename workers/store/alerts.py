"""The alerts that Alertmanager told of, from their start to their end."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import and_, or_, select

from workers.contracts import AlertEvent
from workers.store.database import Database
from workers.store.requests import insert, storable
from workers.store.tables import alerts

MOST = 1_000


def record_alerts(database: Database, told: Iterable[AlertEvent]) -> int:
    """Record alerts, each once by its fingerprint and start. A firing one may be resolved later, and then stays so.

    Returns: how many were told of for the first time, or were resolved by this.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    rows = once(map(to_row, told))
    if not rows:
        return 0
    with database.begin(exclusive=True) as connection:
        statement = insert(connection, alerts)
        ended = statement.on_conflict_do_update(
            index_elements=["fingerprint", "starts_at"],
            set_={"state": statement.excluded.state, "ends_at": statement.excluded.ends_at},
            where=and_(alerts.c.state == "firing", statement.excluded.state == "resolved"),
        )
        return len(connection.execute(ended.returning(alerts.c.fingerprint), rows).all())


def once(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each alert as it is after the last news of it, in one order, so that two writers never block each other."""
    found: dict[tuple[str, datetime], dict[str, Any]] = {}
    for row in rows:
        first = found.setdefault((row["fingerprint"], row["starts_at"]), row)
        if first["state"] == "firing":
            first.update(state=row["state"], ends_at=row["ends_at"])
    return [found[key] for key in sorted(found)]


def to_row(alert: AlertEvent) -> dict[str, Any]:
    """An alert as its row."""
    return {
        "fingerprint": alert.fingerprint,
        "starts_at": alert.starts_at,
        "name": storable(alert.name),
        "state": alert.state,
        "ends_at": alert.ends_at,
        "labels": {storable(name): storable(value) for name, value in alert.labels.items()},
        "summary": storable(alert.summary),
        "runbook_url": storable(alert.runbook_url),
        "source": alert.source,
    }


def list_alerts(
    database: Database, start: datetime, end: datetime, state: Literal["firing", "resolved"] | None = None
) -> tuple[AlertEvent, ...]:
    """Alerts that fired at some moment from ``start`` to ``end``, both included, oldest first.

    Args:
        database: with tables of today's version.
        start: aware.
        end: aware.
        state: only those that are in it by now; any when None.

    Returns: the newest `MOST` of them.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    fired = and_(alerts.c.starts_at <= end, or_(alerts.c.ends_at.is_(None), alerts.c.ends_at >= start))
    query = select(alerts).where(fired)
    if state is not None:
        query = query.where(alerts.c.state == state)
    newest = query.order_by(alerts.c.starts_at.desc(), alerts.c.name.desc(), alerts.c.fingerprint.desc()).limit(MOST)
    with database.begin() as connection:
        rows = connection.execute(newest).mappings().all()
    return tuple(AlertEvent(**row) for row in reversed(rows))
