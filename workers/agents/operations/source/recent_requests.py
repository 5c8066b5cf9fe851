"""get_recent_requests: single requests, newest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, func, select

from workers.agents.operations.source.hourly_sums import deployment_hours
from workers.agents.operations.source.period_hours import Span, whole_window
from workers.agents.operations.source.reader import Found, Reader, choose, known, number, only, stamp
from workers.agents.operations.source.tables import OUTCOMES, TIERS, backends, deployments, models, requests, users
from workers.errors import ToolArgumentError

MOST = 500
FIELDS = (
    "id",
    "created_at",
    "user_id",
    "user_tier",
    "deployment_id",
    "model_id",
    "backend_id",
    "task_type",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "ttft_ms",
    "decode_toks_per_sec",
    "cost_usd",
    "status",
    "error_code",
)


def get_recent_requests(
    reader: Reader,
    user_id: str = "",
    user_tier: str = "",
    deployment_id: str = "",
    model_id: str = "",
    backend_id: str = "",
    status: str = "",
    since: str = "24 hours ago",
    until: str = "",
    limit: int = 50,
) -> Found:
    """Requests of a window, newest first.

    Returns: ``{requests[{id, created_at, user_id, user_tier, deployment_id, model_id, backend_id, task_type,
    input_tokens, output_tokens, latency_ms, ttft_ms, decode_toks_per_sec, cost_usd, status, error_code}], count,
    has_more}``.

    Raises:
        ToolArgumentError: a parameter is wrong.
        StoreUnavailable: the database cannot be read.
    """
    choose("user_tier", user_tier, TIERS)
    choose("status", status, OUTCOMES)
    if not 1 <= limit <= MOST:
        raise ToolArgumentError(f"limit: {limit} is not from 1 to {MOST}", ("50", str(MOST)))
    start, end = reader.window(since, until)
    r = requests.c
    with reader.connect() as connection:
        check_names(connection, user_id, deployment_id, model_id, backend_id)
        wanted = only([(r.user_id, user_id)])
        chosen = chosen_deployments(connection, deployment_id, model_id, backend_id)
        if user_tier:
            wanted.append(r.user_id.in_(select(users.c.id).where(users.c.tier_id == user_tier)))
        outcomes = count_outcomes(connection, start, end, chosen, wanted)
        wanted.extend(only([(r.status, status)]))
        if chosen is not None:
            wanted.append(r.deployment_id.in_(chosen))  # which the index of the window holds
        columns = [r[name] if name != "user_tier" else users.c.tier_id.label(name) for name in FIELDS]
        query = (
            select(*columns)
            .join_from(requests, users, users.c.id == r.user_id)
            .where(r.created_at >= start, r.created_at < end, *wanted)
            .order_by(r.created_at.desc(), r.id.desc())
            .limit(limit + 1)
        )
        rows = connection.execute(query).mappings().all()
    listed = [request(row) for row in rows[:limit]]
    data = {"requests": listed, "count": len(listed), "has_more": len(rows) > limit}
    return Found(data, {"window": (start, end), "limit": limit, "outcomes": outcomes})


def chosen_deployments(
    connection: Connection, deployment_id: str, model_id: str, backend_id: str
) -> tuple[str, ...] | None:
    """The deployments that fit the filters; None: all."""
    d = deployments.c
    wanted = only([(d.id, deployment_id), (d.model_id, model_id), (d.backend_id, backend_id)])
    return tuple(connection.execute(select(d.id).where(*wanted)).scalars()) if wanted else None


def check_names(
    connection: Connection, user_id: str = "", deployment_id: str = "", model_id: str = "", backend_id: str = ""
) -> None:
    """Raises: ToolArgumentError: one of them does not exist."""
    known(connection, "user_id", user_id, users.c.id)
    known(connection, "deployment_id", deployment_id, deployments.c.id)
    known(connection, "model_id", model_id, models.c.id)
    known(connection, "backend_id", backend_id, backends.c.id)


def request(row: RowMapping) -> dict[str, Any]:
    """One request as JSON."""
    return {name: plain(row[name]) for name in FIELDS} | {"created_at": stamp(row["created_at"])}


def plain(value: Any) -> Any:
    """A value as it stands in JSON."""
    return number(value) if isinstance(value, float) else value


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
