"""The alerts that Alertmanager told of, from their start to their end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, and_, bindparam, or_, select, update

from workers.contracts import AlertEvent
from workers.store.database import Database
from workers.store.request_logs import insert, storable
from workers.store.tables import alerts

MOST = 1_000
UNKNOWN_AFTER = timedelta(hours=24)
"""An alert that fires is told of again and again (Alertmanager's ``repeat_interval``, 4 h); after so long without that
nobody knows whether it still does."""


def put_alerts(connection: Connection, told: Iterable[AlertEvent], at: datetime) -> int:
    """Record alerts, each once by its fingerprint and start. A firing one may be resolved later, and then stays so.

    Args:
        connection: within a transaction that holds the write lock.
        told: what was told.
        at: when, aware.

    Returns: how many were told of for the first time, or were resolved by this.
    """
    rows = [{**row, "last_told": at} for row in once(map(to_row, told))]
    if not rows:
        return 0
    statement = insert(connection, alerts)
    ended = statement.on_conflict_do_update(
        index_elements=["fingerprint", "starts_at"],
        set_={"state": statement.excluded.state, "ends_at": statement.excluded.ends_at},
        where=and_(alerts.c.state == "firing", statement.excluded.state == "resolved"),
    )
    new = len(connection.execute(ended.returning(alerts.c.fingerprint), rows).all())
    same = and_(alerts.c.fingerprint == bindparam("told"), alerts.c.starts_at == bindparam("since"))
    again = update(alerts).where(same, alerts.c.last_told < at).values(last_told=at)
    connection.execute(again, [{"told": row["fingerprint"], "since": row["starts_at"]} for row in rows])
    return new


def open_ones(connection: Connection, told: Iterable[AlertEvent]) -> Iterator[AlertEvent]:
    """Each alert with the start of the one of its fingerprint that is open, if any. What ends where nothing is open is
    no news.
    """
    for alert in told:
        known = select(alerts.c.starts_at, alerts.c.state).where(
            alerts.c.fingerprint == alert.fingerprint, alerts.c.starts_at <= (alert.ends_at or alerts.c.starts_at)
        )
        newest = connection.execute(known.order_by(alerts.c.starts_at.desc()).limit(1)).first()
        if newest and (newest.state == "firing" or alert.state == "resolved"):
            yield alert.model_copy(update={"starts_at": newest.starts_at})
        elif alert.state == "firing":
            yield alert


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
        "generator_url": storable(alert.generator_url),
        "source": alert.source,
        "environment": storable(alert.environment),
    }


def list_alerts(
    database: Database,
    start: datetime,
    end: datetime,
    state: Literal["firing", "resolved"] | None = None,
    now: datetime | None = None,
) -> tuple[AlertEvent, ...]:
    """Alerts that fired at some moment from ``start`` to ``end``, both included, oldest first.

    One that was never resolved, and not told of for `UNKNOWN_AFTER` before the span's end, is left out: whether it
    fired then is not known.

    Args:
        database: with tables of today's version.
        start: aware.
        end: aware; later than now is now.
        state: only those that are in it by now; any when None.
        now: aware; the machine's when None.

    Returns: the newest `MOST` of them.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    now = now or datetime.now(UTC)
    heard = alerts.c.last_told >= (now if state == "firing" else min(end, now)) - UNKNOWN_AFTER
    fired = or_(and_(alerts.c.ends_at.is_(None), heard), alerts.c.ends_at >= start)
    query = select(*(alerts.c[name] for name in AlertEvent.model_fields)).where(alerts.c.starts_at <= end, fired)
    if state is not None:
        query = query.where(alerts.c.state == state)
    newest = query.order_by(alerts.c.starts_at.desc(), alerts.c.name.desc(), alerts.c.fingerprint.desc()).limit(MOST)
    with database.begin() as connection:
        rows = connection.execute(newest).mappings().all()
    return tuple(AlertEvent(**row) for row in reversed(rows))
