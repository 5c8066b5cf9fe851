"""The same numbers by SQL of their own over the raw rows; percentiles on SQLite by plain Python over sorted values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, text

from workers.agents.operations.source.database import open_reading

Rows = list[tuple[Any, ...]]
Call = Callable[[str, dict[str, Any]], Any]


def compare(call: Call, address: str, now: datetime) -> list[str]:
    """What differs, in words."""
    wrong: list[str] = []
    with open_reading(address).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("set local statement_timeout = 0"))
        for name, ours, theirs in pairs(call, connection, now):
            if not equal(ours, theirs):
                first = next((p for p in zip(ours, theirs, strict=False) if not equal([p[0]], [p[1]])), None)
                wrong.append(f"{name}: {len(ours)} rows against {len(theirs)}; first difference {first}")
    return wrong


def equal(ours: Rows, theirs: Rows) -> bool:
    """Text as it is, numbers to the sixth digit."""
    return len(ours) == len(theirs) and all(
        len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(sorted(ours, key=repr_key), sorted(theirs, key=repr_key), strict=True)
    )


def repr_key(row: tuple[Any, ...]) -> tuple[str, ...]:
    """Sorts by the words of a row."""
    return tuple(value for value in row if isinstance(value, str))


def same(a: Any, b: Any) -> bool:
    """Equal, numbers to the sixth digit."""
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return bool(a == b)
    return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=2e-6)


def stored(connection: Connection, moment: datetime) -> str:
    """A moment as this database compares it."""
    plain = moment.replace(tzinfo=None).isoformat(" ", "microseconds")
    return plain if connection.dialect.name == "sqlite" else f"{plain}+00"


def bucket(connection: Connection, unit: str) -> str:
    """SQL for the hour or the day of a request, as our JSON writes it."""
    form = {
        "hour": ("%Y-%m-%dT%H:00:00Z", 'YYYY-MM-DD"T"HH24":00:00Z"'),
        "day": ("%Y-%m-%dT00:00:00Z", 'YYYY-MM-DD"T00:00:00Z"'),
    }
    lite, postgresql = form[unit]
    if connection.dialect.name == "sqlite":
        return f"strftime('{lite}', created_at)"
    return f"to_char(created_at at time zone 'UTC', '{postgresql}')"


def query(connection: Connection, sql: str, **values: Any) -> Rows:
    """Rows as plain tuples; a colon within a pattern is no parameter."""
    return [tuple(row) for row in connection.execute(text(sql), values)]


def pairs(call: Call, connection: Connection, now: datetime) -> Iterator[tuple[str, Rows, Rows]]:
    """Name, our rows, and theirs."""
    end = stored(connection, now)
    week, day = (stored(connection, now - timedelta(days=n)) for n in (7, 1))
    yield from volumes(call, connection, week, end)
    yield from trends(call, connection, week, day, end)
    ours = call("get_quality_summary", {}).data["data"]
    theirs = query(
        connection,
        "select r.model_id, r.task_type, avg(q.score), min(q.score), max(q.score), count(*) from quality_scores q "
        "join requests r on r.id = q.request_id where r.created_at >= :a and r.created_at < :b group by 1, 2",
        a=week,
        b=end,
    )
    yield "quality", [tuple(row.values()) for row in ours], theirs
    user = call("get_user_context", {"user_id": "support-desk"}).data["user"]
    spent = query(
        connection,
        "select sum(cost_usd), count(*) from requests "
        "where user_id = 'support-desk' and created_at >= :a and created_at < :b",
        a=stored(connection, now.replace(hour=0, minute=0, second=0)),
        b=end,
    )
    yield "user", [(user["daily_budget_used_usd"], user["requests_today"])], spent
    recent = call("get_recent_requests", {"status": "error", "limit": 500}).data["requests"]
    errors = query(
        connection,
        "select id, latency_ms from requests where status = 'error' and created_at >= :a and created_at < :b "
        "order by created_at desc, id desc limit 500",
        a=day,
        b=end,
    )
    yield "recent", [(row["id"], row["latency_ms"]) for row in recent], errors
    active = query(connection, "select id from incidents where status = 'active'")
    yield "incidents", [(row["id"],) for row in call("get_active_incidents", {}).data["incidents"]], active
    states = query(connection, "select deployment_id, status, latency_p95_ms from deployment_state_current")
    listed = call("get_deployment_status", {}).data["deployments"]
    yield "deployments", [(r["deployment_id"], r["status"], r["latency_p95_ms"]) for r in listed], states


def volumes(call: Call, connection: Connection, week: str, end: str) -> Iterator[tuple[str, Rows, Rows]]:
    """By every group and granularity."""
    group = {
        "tier": "(select tier_id from users u where u.id = user_id)",
        "model": "model_id",
        "backend": "backend_id",
        "deployment": "deployment_id",
    }
    for name, sql in group.items():
        for unit in ("day", "hour"):
            data = call("get_request_volume", {"group_by": name, "granularity": unit}).data
            theirs = query(
                connection,
                f"select {literal(bucket(connection, unit))}, {sql}, count(*), sum(cost_usd) from requests "
                "where created_at >= :a and created_at < :b group by 1, 2",
                a=week,
                b=end,
            )
            yield f"volume by {name} and {unit}", [tuple(row.values()) for row in data["data"]], theirs
            totals = [(sum(r[2] for r in theirs), sum(r[3] for r in theirs))]
            yield f"volume by {name} and {unit}, totals", [tuple(data["totals"].values())], totals


def trends(call: Call, connection: Connection, week: str, day: str, end: str) -> Iterator[tuple[str, Rows, Rows]]:
    """By hour and by day."""
    for given, since, unit in (
        ({}, day, "hour"),
        ({"since": "7 days ago"}, week, "hour"),
        ({"since": "7 days ago", "granularity": "day"}, week, "day"),
    ):
        data = call("get_latency_trends", given).data
        yield (
            f"trends by {unit} since {since}",
            [tuple(row.values()) for row in data["data"]],
            percentiles(connection, unit, since, end),
        )


def percentiles(connection: Connection, unit: str, since: str, end: str) -> Rows:
    """Rows of get_latency_trends."""
    period = literal(bucket(connection, unit))
    if connection.dialect.name == "postgresql":
        return query(
            connection,
            f"select {period}, deployment_id, count(*), percentile_cont(0.5) within group (order by latency_ms), "
            "percentile_cont(0.95) within group (order by latency_ms), "
            "avg(case when status = 'error' then 1.0 else 0.0 end) from requests "
            "where created_at >= :a and created_at < :b group by 1, 2",
            a=since,
            b=end,
        )
    found: dict[tuple[str, str], list[tuple[float, bool]]] = {}
    sql = (
        f"select {period}, deployment_id, latency_ms, status = 'error' from requests "
        "where created_at >= :a and created_at < :b"
    )
    for name, deployment, latency, failed in query(connection, sql, a=since, b=end):
        found.setdefault((name, deployment), []).append((latency, failed))
    return [
        (*key, len(rows), between(rows, 50), between(rows, 95), sum(failed for _, failed in rows) / len(rows))
        for key, rows in found.items()
    ]


def between(rows: list[tuple[float, bool]], percent: int) -> float:
    """Linear interpolation between the closest ranks."""
    values = sorted(latency for latency, _ in rows)
    whole, rest = divmod(percent * (len(values) - 1), 100)
    upper = values[min(whole + 1, len(values) - 1)]
    return values[whole] + (upper - values[whole]) * rest / 100


def literal(sql: str) -> str:
    """Colons of a pattern are no parameters."""
    return sql.replace(":", "\\:")
