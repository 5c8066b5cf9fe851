"""Brings the sums of hours up to date: those hours only whose raw rows have changed since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection, delete, insert, select

from workers.agents.operations.source.bulk_insert import make_tables
from workers.agents.operations.source.hourly_sums import (
    LATENCY,
    SUMS,
    deployment_hours,
    hours,
    quality_hours,
    user_hours,
)
from workers.agents.operations.source.period_hours import HOUR
from workers.agents.operations.source.quality_scores import read_scores
from workers.agents.operations.source.tables import requests
from workers.store.database import Database


@dataclass
class Sum:
    """What is summed up of the requests of a deployment or a user."""

    count: int = 0
    errors: int = 0
    timeouts: int = 0
    cost_usd: float = 0.0
    latencies: list[float] = field(default_factory=list)


def refresh_hours(database: Database, progress: Callable[[int], None] = lambda _: None) -> int:
    """Sum up every hour that needs it, in one transaction; nobody writes meanwhile.

    Args:
        database: opened for writing.
        progress: called with 1 after each hour.

    Returns: how many hours were summed up.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    done = 0
    with database.begin(exclusive=True) as connection:
        make_tables(connection)
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("set local statement_timeout = 0")
            connection.exec_driver_sql("lock table requests, quality_scores in share mode")
        fresh = set(connection.execute(select(hours.c.hour)).scalars())
        hour = next_hour(connection, None)
        while hour is not None:
            if hour not in fresh:
                sum_hour(connection, hour)
                done += 1
                progress(1)
            hour = next_hour(connection, hour + HOUR)
    return done


def next_hour(connection: Connection, start: datetime | None) -> datetime | None:
    """The first hour with requests from ``start``."""
    query = select(requests.c.created_at).order_by(requests.c.created_at).limit(1)
    if start is not None:
        query = query.where(requests.c.created_at >= start)
    first = connection.execute(query).scalar()
    return first.replace(minute=0, second=0, microsecond=0) if first else None


def sum_hour(connection: Connection, hour: datetime) -> None:
    """The sums of one hour, in place of those there were."""
    for table in SUMS:
        connection.execute(delete(table).where(table.c.hour == hour))
    by_deployment, by_user = sum_requests(connection, hour)
    rows = [
        {
            "hour": hour,
            "deployment_id": name,
            "request_count": found.count,
            "error_count": found.errors,
            "timeout_count": found.timeouts,
            "cost_usd": found.cost_usd,
            "latencies": np.sort(np.array(found.latencies, LATENCY)).tobytes(),
        }
        for name, found in by_deployment.items()
    ]
    connection.execute(insert(deployment_hours), rows)
    users = [
        {"hour": hour, "user_id": name, "request_count": found.count, "cost_usd": found.cost_usd}
        for name, found in by_user.items()
    ]
    connection.execute(insert(user_hours), users)
    if scores := sum_scores(connection, hour):
        connection.execute(insert(quality_hours), scores)
    connection.execute(insert(hours), {"hour": hour})


def sum_requests(connection: Connection, hour: datetime) -> tuple[dict[str, Sum], dict[str, Sum]]:
    """Requests of an hour by deployment and by user."""
    r = requests.c
    query = select(r.deployment_id, r.user_id, r.status, r.cost_usd, r.latency_ms)
    by_deployment: dict[str, Sum] = {}
    by_user: dict[str, Sum] = {}
    for deployment, user, status, cost, latency in connection.execute(query.where(within(hour))):
        found = by_deployment.setdefault(deployment, Sum())
        found.count += 1
        found.errors += status == "error"
        found.timeouts += status == "timeout"
        found.cost_usd += cost
        if latency is not None:
            found.latencies.append(latency)
        person = by_user.setdefault(user, Sum())
        person.count += 1
        person.cost_usd += cost
    return by_deployment, by_user


def sum_scores(connection: Connection, hour: datetime) -> list[dict[str, Any]]:
    """Scores of the requests of an hour by model and task."""
    return [
        {
            "hour": hour,
            "model_id": model,
            "task_type": task,
            "sample_count": scores.count,
            "score_sum": scores.total,
            "score_min": scores.low,
            "score_max": scores.high,
            "lowest_request_id": scores.lowest_request,
            "lowest_at": scores.lowest_at,
        }
        for (model, task), scores in read_scores(connection, hour, hour + HOUR).items()
    ]


def within(hour: datetime) -> Any:
    """The requests of an hour."""
    return (requests.c.created_at >= hour) & (requests.c.created_at < hour + HOUR)
