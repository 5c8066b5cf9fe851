"""How many requests a window holds by how they ended: the whole that a page of the newest ones is a part of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from workers.sources.operations.hourly_sums import deployment_hours
from workers.sources.operations.period_hours import Span, whole_window
from workers.sources.operations.tables import requests


def count_outcomes(
    connection: Connection,
    start: datetime,
    end: datetime,
    chosen: tuple[str, ...] | None,
    wanted: Sequence[ColumnElement[bool]] = (),
) -> dict[str, int]:
    """Requests by status.

    Args:
        connection: reads the database.
        start: included.
        end: not included.
        chosen: deployments; None for all.
        wanted: further conditions on requests, which sums of hours cannot tell: then the rows are counted.

    Returns: ``{success, error, timeout}``.
    """
    found = Counter(success=0, error=0, timeout=0)
    raw: tuple[Span, ...] = ((start, end),)
    if not wanted:
        cover = whole_window(connection, start, end)
        raw = cover.raw
        for count, errors, timeouts in summed(connection, cover.spans, chosen):
            found.update(success=count - errors - timeouts, error=errors, timeout=timeouts)
    r = requests.c
    for first, last in raw:
        inside = [r.created_at >= first, r.created_at < last, *wanted]
        if chosen is not None:
            inside.append(r.deployment_id.in_(chosen))
        query = select(r.status, func.count()).where(*inside).group_by(r.status)
        for status, count in connection.execute(query):
            found[status] += count
    return dict(found)


def summed(connection: Connection, spans: Sequence[Span], chosen: tuple[str, ...] | None) -> list[Any]:
    """Requests, errors and timeouts of whole hours."""
    d = deployment_hours.c
    rows = []
    for first, last in spans:
        inside = [d.hour >= first, d.hour < last]
        if chosen is not None:
            inside.append(d.deployment_id.in_(chosen))
        columns = (func.coalesce(func.sum(c), 0) for c in (d.request_count, d.error_count, d.timeout_count))
        rows.append(tuple(int(value) for value in connection.execute(select(*columns).where(*inside)).one()))
    return rows
