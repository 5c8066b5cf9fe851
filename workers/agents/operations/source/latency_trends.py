"""get_latency_trends: p50, p95 and errors of each deployment over time. Percentiles are exact, also of a million."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from workers.agents.operations.source.hourly_sums import LATENCY, deployment_hours
from workers.agents.operations.source.period_hours import GRANULARITIES, Cover, Period, covers, periods
from workers.agents.operations.source.reader import Found, Reader, choose, number, stamp
from workers.agents.operations.source.recent_requests import check_names, chosen_deployments
from workers.agents.operations.source.tables import requests

Floats = NDArray[np.float64]


@dataclass
class Bucket:
    """The requests of a deployment in a period."""

    count: int = 0
    errors: int = 0
    timeouts: int = 0
    parts: list[Floats] = field(default_factory=list)

    def add(self, other: Bucket) -> None:
        """Take the other's requests in."""
        self.count += other.count
        self.errors += other.errors
        self.timeouts += other.timeouts
        self.parts.extend(other.parts)

    @property
    def latencies(self) -> Floats:
        """All of them, shortest first."""
        if len(self.parts) == 1:
            return self.parts[0]  # of one hour, and in order already
        return np.sort(np.concatenate(self.parts)) if self.parts else np.empty(0)


@dataclass(frozen=True)
class Point:
    """What is said of a period; latencies in milliseconds, None where no request has one."""

    period: Period
    count: int
    p50: float | None
    p95: float | None
    error_rate: float
    timeout_rate: float


@dataclass(frozen=True)
class Line:
    """A deployment, or all, over time: a point for each period with requests, and one for all periods together."""

    points: tuple[Point, ...]
    whole: Point | None


def percentile(ordered: Floats, share: float) -> float | None:
    """Between the two nearest values, as PostgreSQL's percentile_cont and numpy have it."""
    if not len(ordered):
        return None
    place = share * (len(ordered) - 1)
    below = int(place)
    low = float(ordered[below])
    if place == below:
        return low
    return low + (float(ordered[below + 1]) - low) * (place - below)


def get_latency_trends(
    reader: Reader,
    deployment_id: str = "",
    model_id: str = "",
    backend_id: str = "",
    since: str = "24 hours ago",
    until: str = "",
    granularity: str = "hour",
) -> Found:
    """Latency of each deployment by hour (of UTC) or day (of the asker's zone).

    Returns: ``{data[{period, deployment_id, request_count, latency_p50_ms, latency_p95_ms, error_rate}],
    summary{total_requests, avg_latency_p50_ms, avg_latency_p95_ms}}``. The error rate is the share of requests with
    status error; averages are plain ones over the rows of ``data``; the first and the last period may be cut.

    Raises:
        ToolArgumentError: a parameter is wrong.
        StoreUnavailable: the database cannot be read.
    """
    unit = choose("granularity", granularity or "hour", GRANULARITIES)
    start, end = reader.window(since, until)
    cut = periods(start, end, unit, reader.zone)
    with reader.connect() as connection:
        check_names(connection, "", deployment_id, model_id, backend_id)
        chosen = chosen_deployments(connection, deployment_id, model_id, backend_id)
        buckets = read_buckets(connection, covers(connection, cut), chosen)
    names = sorted({name for found in buckets for name in found})
    lines = {name: line([(p, b[name]) for p, b in zip(cut, buckets, strict=True) if name in b]) for name in names}
    rows = [
        row(name, point)
        for _, name, point in sorted(
            ((point.period.name, name, point) for name in names for point in lines[name].points), key=lambda r: r[:2]
        )
    ]
    overall = line([(p, together(b.values())) for p, b in zip(cut, buckets, strict=True) if b])
    summary = {
        "total_requests": sum(r["request_count"] for r in rows),
        "avg_latency_p50_ms": mean([r["latency_p50_ms"] for r in rows]),
        "avg_latency_p95_ms": mean([r["latency_p95_ms"] for r in rows]),
    }
    more = {"window": (start, end), "granularity": unit, "overall": overall, "lines": lines}
    return Found({"data": rows, "summary": summary}, more)


def read_buckets(
    connection: Connection, plan: Sequence[Cover], chosen: tuple[str, ...] | None
) -> list[dict[str, Bucket]]:
    """For each period the requests of each deployment: summed hours, and raw rows for the rest."""
    found: list[dict[str, Bucket]] = [{} for _ in plan]
    place = {hour: i for i, part in enumerate(plan) for hour in part.hours}
    d = deployment_hours.c
    if place:
        inside = [d.hour >= min(place), d.hour <= max(place)]
        if chosen is not None:
            inside.append(d.deployment_id.in_(chosen))
        query = select(d.hour, d.deployment_id, d.request_count, d.error_count, d.timeout_count, d.latencies)
        for hour, name, count, errors, timeouts, packed in connection.execute(query.where(*inside)):
            if hour in place:
                summed = Bucket(count, errors, timeouts, [np.frombuffer(packed, LATENCY)])
                found[place[hour]].setdefault(name, Bucket()).add(summed)
    for i, part in enumerate(plan):
        for start, end in part.raw:
            for name, bucket in raw_buckets(connection, start, end, chosen).items():
                found[i].setdefault(name, Bucket()).add(bucket)
    return found


def raw_buckets(connection: Connection, start: Any, end: Any, chosen: tuple[str, ...] | None) -> dict[str, Bucket]:
    """The requests of a span by deployment, from the rows themselves."""
    r = requests.c
    inside = [r.created_at >= start, r.created_at < end]
    if chosen is not None:
        inside.append(r.deployment_id.in_(chosen))
    found: dict[str, Bucket] = {}
    latencies: dict[str, list[float]] = {}
    for name, status, latency in connection.execute(select(r.deployment_id, r.status, r.latency_ms).where(*inside)):
        bucket = found.setdefault(name, Bucket())
        bucket.count += 1
        bucket.errors += status == "error"
        bucket.timeouts += status == "timeout"
        if latency is not None:
            latencies.setdefault(name, []).append(latency)
    for name, values in latencies.items():
        found[name].parts.append(np.sort(np.array(values, float)))
    return found


def together(buckets: Iterable[Bucket]) -> Bucket:
    """All as one."""
    whole = Bucket()
    for bucket in buckets:
        whole.add(bucket)
    return whole


def line(found: Sequence[tuple[Period, Bucket]]) -> Line:
    """A point for each period, and one for all."""
    points = tuple(point(period, bucket) for period, bucket in found)
    whole = point(found[0][0], together(bucket for _, bucket in found)) if found else None
    return Line(points, whole)


def point(period: Period, bucket: Bucket) -> Point:
    """What is said of the requests of a period; there is at least one."""
    ordered = bucket.latencies
    return Point(
        period,
        bucket.count,
        percentile(ordered, 0.5),
        percentile(ordered, 0.95),
        bucket.errors / bucket.count,
        bucket.timeouts / bucket.count,
    )


def row(name: str, found: Point) -> dict[str, Any]:
    """One row of the documented JSON."""
    return {
        "period": stamp(found.period.name),
        "deployment_id": name,
        "request_count": found.count,
        "latency_p50_ms": number(found.p50),
        "latency_p95_ms": number(found.p95),
        "error_rate": number(found.error_rate),
    }


def mean(values: Sequence[float | None]) -> float | None:
    """The plain average of those that are known."""
    there = [value for value in values if value is not None]
    return number(sum(there) / len(there)) if there else None
