"""What a server holds of its services at one time, each metric by service: what else moved, and where."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from workers.sources.metrics.backend import Floats, Grid
from workers.sources.metrics.deadline_pool import DeadlinePool, Job
from workers.sources.metrics.family_ranking import affinity
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.inventory_cache import holding
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.metric_roles import raw_of
from workers.sources.metrics.name_words import MONITORING, has

MOST_METRICS = 40
FINEST_S, POINTS = 30, 480
"""Seconds between two points at least, and how many there are of each series at most."""


@dataclass(frozen=True)
class ServiceSeries:
    """A metric of a service. ``times``: epoch seconds; missing values are NaN."""

    service: str
    metric: str
    times: Floats
    values: Floats


def service_series(
    server: Server, service: str, start: float, end: float, budget_s: float
) -> tuple[ServiceSeries, ...]:
    """Every metric that tells services apart, of each service; those of one first, of very many metrics the likeliest.

    Args:
        service: whose metrics come first; empty when none is known.
        start, end: epoch seconds.
        budget_s: what is not read within so many seconds is left out.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    families = [f for f in server.holdings.inventory(end).values() if f.alive and f.label_of("service")]
    families = [f for f in families if not has(f.words, MONITORING) and not f.steady]
    own = {f.name for f in families if service and holding(f, "service", service)}
    families.sort(key=lambda f: (f.name not in own, -affinity(f), f.name))
    jobs: list[Job[list[ServiceSeries]]] = [
        (f.name, partial(read_family, server, f, start, end)) for f in families[:MOST_METRICS]
    ]
    pool = DeadlinePool[list[ServiceSeries]](server.backend.parallel, time.monotonic() + budget_s)
    return tuple(one for found in pool.run(jobs) for one in found or ())


def read_family(server: Server, family: Family, start: float, end: float) -> list[ServiceSeries]:
    """The series of a metric, one a service. Raises: ToolUnavailable."""
    resolved = server.resolve(raw_of(family, server.bounds), (), start, end)
    label = server.grouping(resolved, "service") if resolved else None
    if resolved is None or label is None:
        return []
    interval = server.interval(resolved, start, end)
    step = int(max(interval, FINEST_S, (end - start) / POINTS))
    width = step if family.kind == "gauge" else max(step, 4 * interval)
    frame = server.backend.query_range(resolved.promql(width, (label,)), Grid(int(start), int(end), step))
    found = ((series.labels.get(label, ""), series.values) for series in frame.series)
    return [ServiceSeries(name, family.name, frame.times, values) for name, values in found if name]
