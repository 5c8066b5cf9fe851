"""What happens to a request that was asked over HTTP, in order: read as a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, func, select

from workers.store.database import Database
from workers.store.request_logs import insert
from workers.store.tables import request_events

EventName = Literal["thinking", "tool_call", "tool_result", "content", "source", "done", "error"]
LAST: frozenset[str] = frozenset({"done", "error"})
"""Nothing comes after one of these, until its asker says more."""
MOST_READ = 500


@dataclass(frozen=True)
class RequestEvent:
    """One event. ``number``: its place among those of its request, from 1."""

    number: int
    name: EventName
    data: dict[str, Any]


def add_events(database: Database, request_id: str, events: Sequence[tuple[EventName, dict[str, Any]]]) -> None:
    """Write events after those that are there. Raises: StoreUnavailable."""
    if not events:
        return
    with database.begin(exclusive=True) as connection:
        last = last_number(connection, request_id)
        rows = [
            {"request_id": request_id, "number": last + i, "name": name, "data": data}
            for i, (name, data) in enumerate(events, 1)
        ]
        connection.execute(insert(connection, request_events).values(rows).on_conflict_do_nothing())


def last_number(connection: Connection, request_id: str) -> int:
    """The place of the last event of a request; 0 when there is none."""
    mine = request_events.c.request_id == request_id
    return int(connection.execute(select(func.max(request_events.c.number)).where(mine)).scalar() or 0)


def count_events(database: Database, request_id: str) -> int:
    """How many events a request has so far. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return last_number(connection, request_id)


def events_after(database: Database, request_id: str, number: int) -> tuple[RequestEvent, ...]:
    """The events of a request after a place, at most `MOST_READ`. Raises: StoreUnavailable."""
    table = request_events.c
    query = select(table.number, table.name, table.data).where(table.request_id == request_id, table.number > number)
    with database.begin() as connection:
        rows = connection.execute(query.order_by(table.number).limit(MOST_READ)).all()
    return tuple(RequestEvent(row.number, row.name, row.data) for row in rows)
