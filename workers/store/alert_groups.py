"""Alertmanager's groups of alerts: one row and one thread, from the first alert that fires to the last that ends.

What is known of a group is what is known of its alerts, so that news that comes twice or late changes nothing. One that
fires again within `SAME_THREAD` of its end goes on in its thread; later it gets a new one. Moments are aware.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from sqlalchemy import Connection, RowMapping, func, select, text, update

from workers.contracts import AlertEvent, AlertNotification
from workers.store.alerts import UNKNOWN_AFTER, open_ones, put_alerts
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.leases import fresh_lease
from workers.store.request_logs import storable
from workers.store.tables import alert_groups as table
from workers.store.tables import alerts

SAME_THREAD = timedelta(hours=1)
MOST_MEMBERS = 500
Member = dict[str, str]
"""One alert of a group: its ``fingerprint``, since when it is (``starts_at``, RFC 3339) and its ``state``."""


@dataclass(frozen=True)
class AlertGroup:
    """One group, in one thread.

    ``ts``: its message, empty while there is none; ``url``: Alertmanager's own address; ``began_at`` to ``ended_at``:
    when alerts of it fired, and ``again_at``, since when they fire again; ``told_at``: when it was last told of;
    ``version`` counts changes, ``shown`` is the one that the message shows; ``looked``: the first look was asked for;
    ``fence``: of the lease, when one is held.
    """

    id: int
    key: str
    team: str
    channel: str
    ts: str
    url: str
    members: Sequence[Member]
    state: Literal["firing", "resolved"]
    began_at: datetime
    ended_at: datetime | None
    again_at: datetime | None
    told_at: datetime
    version: int
    shown: int
    looked: bool
    fence: int
    failures: int
    delays: int


# --- what is told ---------------------------------------------------------------------------------------------------


def record_notification(
    database: Database, told: AlertNotification, place: str = "", at: datetime | None = None, *, begins: bool = True
) -> tuple[int, int | None]:
    """Record the alerts of a notification, and the group they are of, all or nothing.

    Args:
        database: with tables of today's version.
        told: the notification.
        place: the channel that a new group is shown in, after its workspace's id and a slash where there are several;
            empty: in none.
        at: when, aware; now when None.
        begins: the alerts say when they began; else news of one is about the one of its fingerprint that is open.

    Returns: how many alerts were told of for the first time, or were resolved by this; and the group whose message is
        due, None when none is.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    at = at or datetime.now(UTC)
    if not told.alerts:
        return 0, None
    with database.begin(exclusive=True) as connection:
        if not begins:
            told = told.model_copy(update={"alerts": tuple(open_ones(connection, told.alerts))})
        new = put_alerts(connection, told.alerts, at)
        return new, keep_group(connection, told, place, at) if told.key else None


def keep_group(connection: Connection, told: AlertNotification, place: str, at: datetime) -> int | None:
    """The group as it is after a notification. Returns: its id when its message is due."""
    key = storable(told.key)
    lock_key(connection, key)
    newest = select(table).where(table.c.key == key).order_by(table.c.id.desc()).limit(1).with_for_update()
    row = connection.execute(newest).mappings().first()
    known = to_group(row) if row else None
    members = joined(connection, known.members if known else (), told.alerts)
    if known is None:
        return begin_group(connection, told, members, place, at)
    seen = update(table).where(table.c.id == known.id)
    connection.execute(seen.where(table.c.told_at < at).values(told_at=at))
    if members == list(known.members):
        unheard = known.state == "firing" and at - known.told_at >= UNKNOWN_AFTER
        if unheard:
            connection.execute(seen.values(version=known.version + 1, due_at=now_s(), published_at=now_s()))
        return known.id if unheard else None
    if all(alert.state == "resolved" for alert in told.alerts) and not (told.truncated or told.refused):
        here = {alert.fingerprint for alert in told.alerts}  # what is silenced by now is not told of again
        members = [m for m in members if m["state"] == "resolved" or m["fingerprint"] in here]
    firing = [m for m in members if m["state"] == "firing"]
    again = [datetime.fromisoformat(m["starts_at"]) for m in firing] if known.state == "resolved" else []
    if again and known.ended_at and min(again) - known.ended_at > SAME_THREAD:
        return begin_group(connection, told, firing, place, at)
    values: dict[str, Any] = {"members": members, "state": "firing" if firing else "resolved"}
    values["ended_at"] = None if firing else last_end(connection, members) or at
    if again:
        values["again_at"] = min(again)
    else:
        values["began_at"] = min([known.began_at, *(datetime.fromisoformat(m["starts_at"]) for m in members)])
    due = {"version": known.version + 1, "due_at": now_s(), "published_at": now_s()}
    connection.execute(seen.values(**values, **due))
    return known.id


def joined(connection: Connection, known: Sequence[Member], told: Sequence[AlertEvent]) -> list[Member]:
    """The alerts of a group with those that are told, each as it is by now since its newest start."""
    names = {m["fingerprint"] for m in known} | {alert.fingerprint for alert in told}
    columns = (alerts.c.fingerprint, alerts.c.starts_at, alerts.c.state)
    query = select(*columns).where(alerts.c.fingerprint.in_(names)).order_by(alerts.c.starts_at)
    newest = {row.fingerprint: row for row in connection.execute(query)}
    found = [
        {"fingerprint": row.fingerprint, "starts_at": row.starts_at.isoformat(), "state": row.state}
        for row in newest.values()
    ]
    found.sort(key=lambda m: (m["state"], m["starts_at"], m["fingerprint"]))
    over = len(found) - MOST_MEMBERS
    gone = [m for m in found if m["state"] == "resolved"][: max(over, 0)]  # the longest ago
    return [m for m in found if m not in gone]


def begin_group(
    connection: Connection, told: AlertNotification, members: list[Member], place: str, at: datetime
) -> int | None:
    """A new thread, where there is a channel for it and something fires."""
    firing = [m for m in members if m["state"] == "firing"]
    if not place or not firing:
        return None
    team, _, channel = place.rpartition("/")
    row = {
        "key": storable(told.key),
        "team": team,
        "channel": channel,
        "ts": "",
        "url": storable(told.url),
        "members": members,
        "state": "firing",
        "began_at": min(datetime.fromisoformat(m["starts_at"]) for m in firing),
        "told_at": at,
        "version": 1,
        "shown": 0,
        "looked": False,
        **fresh_lease(),
    }
    return int(connection.execute(table.insert().values(row).returning(table.c.id)).scalar_one())


def last_end(connection: Connection, members: Sequence[Member]) -> datetime | None:
    """When the last of these alerts ended."""
    query = select(func.max(alerts.c.ends_at)).where(alerts.c.fingerprint.in_([m["fingerprint"] for m in members]))
    found: datetime | None = connection.execute(query).scalar()
    return found


def lock_key(connection: Connection, key: str) -> None:
    """Keep two notifications from beginning one thread each; SQLite's write lock is held already."""
    if connection.dialect.name == "postgresql":
        lock = text("select pg_advisory_xact_lock(hashtextextended(:key, 0))")
        connection.execute(lock, {"key": f"alerts:{key}"})


# --- looking --------------------------------------------------------------------------------------------------------


def group_of(database: Database, group_id: int) -> AlertGroup | None:
    """A group by its id. Raises: StoreUnavailable."""
    with database.begin() as connection:
        row = connection.execute(select(table).where(table.c.id == group_id)).mappings().first()
    return to_group(row) if row else None


def alerts_of(database: Database, group: AlertGroup) -> tuple[AlertEvent, ...]:
    """The alerts of a group, those that fire first, then the oldest first. Raises: StoreUnavailable."""
    place = {(m["fingerprint"], datetime.fromisoformat(m["starts_at"])): i for i, m in enumerate(group.members)}
    columns = (alerts.c[name] for name in AlertEvent.model_fields)
    query = select(*columns).where(alerts.c.fingerprint.in_({fingerprint for fingerprint, _ in place}))
    with database.begin() as connection:
        found = [AlertEvent(**row) for row in connection.execute(query).mappings()]
    mine = [alert for alert in found if (alert.fingerprint, alert.starts_at) in place]
    return tuple(sorted(mine, key=lambda alert: place[alert.fingerprint, alert.starts_at]))


def to_group(row: RowMapping) -> AlertGroup:
    """A row as what it says."""
    given: Mapping[str, Any] = {name: row[name] for name in AlertGroup.__dataclass_fields__}
    return AlertGroup(**{**given, "state": cast("Literal['firing', 'resolved']", row["state"])})
