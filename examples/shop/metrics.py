"""The shop's metrics: from levels (`examples.shop.signals`) to counters, histograms and gauges.

All series come from the same draws: a histogram's count is the number of requests, which is the sum of the
requests by status, and so on down to the queries and the waits for a connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from examples.shop import signals as s
from examples.shop.openmetrics import Family, Sample
from examples.shop.signals import Series, Signals

HTTP_BOUNDS = (0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0)
QUERY_BOUNDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
WAIT_BOUNDS = (0.01, 0.05, 0.25, 1.0, 2.0)
CALL_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0)
SHAPE = 3.4  # of the log-logistic distribution of latencies: p99 is 1.6 times p95

REFUSED = {"/api/products": "404", "/api/users": "404", "/api/checkout": "402"}
FAILED = {"/api/checkout": "502", "/api/users": "503"}
BUSY = {"payments": "429", "recommender": "503"}

Counts = NDArray[np.int64]
Labels = Mapping[str, str]


def make_families(signals: Signals, rng: np.random.Generator) -> Iterator[Family]:
    """All families but the alerts."""
    requests = {e: rng.poisson(signals.level("traffic", e) * s.STEP_S) for e in s.ENDPOINTS}
    yield from http(signals, requests, rng)
    queries = {e: rng.poisson(requests[e] * signals.level("db_queries", e)) for e in s.ENDPOINTS}
    yield from database(signals, queries, rng)
    yield cache(signals, requests, rng)
    yield from pools(signals, queries, rng)
    yield from outbound(signals, requests, rng)
    memory = signals.level("memory", "").astype(np.int64)
    yield gauges("process_resident_memory_bytes", "Resident memory.", {(): memory})


def continue_family(before: Family, after: Family) -> Family:
    """The same family later on: counters go on from where they stood at the end of ``before``."""
    if before.kind == "gauge":
        return after
    groups = [
        [continue_counter(last, later) for last, later in zip(lasts, laters, strict=True)]
        for lasts, laters in zip(before.groups, after.groups, strict=True)
    ]
    return Family(after.name, after.kind, after.help, groups)


def continue_counter(before: Sample, after: Sample) -> Sample:
    """One counter later on; values have two decimals at most."""
    stands = before.values[-1] or 0
    return Sample(after.name, after.labels, [round(stands + (value or 0), 2) for value in after.values])


def http(signals: Signals, requests: Mapping[str, Counts], rng: np.random.Generator) -> Iterator[Family]:
    """Requests by duration and by status."""
    name, groups = "http_request_duration_seconds", []
    by_status: dict[tuple[str, ...], Counts] = {}
    for endpoint, count in requests.items():
        labels = shop(endpoint=endpoint)
        groups.append(histogram(name, labels, count, signals.level("latency", endpoint), HTTP_BOUNDS, rng))
        failed = rng.binomial(count, share(signals, "errors", endpoint))
        refused = rng.binomial(count - failed, share(signals, "refused", endpoint))
        good = "201" if endpoint == "/api/checkout" else "200"
        by_status["endpoint", endpoint, "status", good] = count - failed - refused
        by_status["endpoint", endpoint, "status", REFUSED.get(endpoint, "400")] = refused
        by_status["endpoint", endpoint, "status", FAILED.get(endpoint, "500")] = failed
    yield Family(name, "histogram", "Time to answer a request.", groups)
    yield counters("http_requests", "Requests answered.", by_status)


def database(signals: Signals, queries: Mapping[str, Counts], rng: np.random.Generator) -> Iterator[Family]:
    """Queries by duration and by endpoint."""
    name = "db_query_duration_seconds"
    groups = [
        histogram(name, shop(endpoint=e, table=s.TABLES[e]), count, signals.level("db_latency", e), QUERY_BOUNDS, rng)
        for e, count in queries.items()
    ]
    yield Family(name, "histogram", "Time of one query.", groups)
    yield counters("db_queries", "Queries run.", {("endpoint", e): count for e, count in queries.items()})


def cache(signals: Signals, requests: Mapping[str, Counts], rng: np.random.Generator) -> Family:
    """Cache lookups that hit and missed."""
    found: dict[tuple[str, ...], Counts] = {}
    for endpoint in s.BASE["cache_hit"]:
        lookups = rng.poisson(requests[endpoint] * signals.level("cache_lookups", endpoint))
        hits = rng.binomial(lookups, share(signals, "cache_hit", endpoint))
        found["endpoint", endpoint, "result", "hit"] = hits
        found["endpoint", endpoint, "result", "miss"] = lookups - hits
    return counters("cache_requests", "Cache lookups.", found)


def pools(signals: Signals, queries: Mapping[str, Counts], rng: np.random.Generator) -> Iterator[Family]:
    """Connections by state, and waits for one."""
    states: dict[tuple[str, ...], Counts] = {}
    name, groups = "db_pool_wait_seconds", []
    for pool, size in s.POOL_SIZES.items():
        level = signals.level("pool_in_use", pool)
        in_use = np.minimum(np.where(level > size * 0.6, size, rng.poisson(level)), size)
        states["pool", pool, "state", "in_use"] = in_use
        states["pool", pool, "state", "idle"] = size - in_use
        states["pool", pool, "state", "max"] = np.full(len(signals.times), size)
        taken = sum(count for e, count in queries.items() if (e == "/api/users") == (pool == "accounts"))
        wait = signals.level("pool_wait", pool)
        groups.append(histogram(name, shop(pool=pool), np.asarray(taken), wait, WAIT_BOUNDS, rng))
    yield gauges("db_pool_connections", "Connections of a pool by state.", states)
    yield Family(name, "histogram", "Time spent waiting for a connection.", groups)


def outbound(signals: Signals, requests: Mapping[str, Counts], rng: np.random.Generator) -> Iterator[Family]:
    """Calls to other services: duration, outcome, repeats, breakers."""
    name, groups = "outbound_request_duration_seconds", []
    outcomes: dict[tuple[str, ...], Counts] = {}
    retries: dict[tuple[str, ...], Counts] = {}
    for target, endpoint in s.TARGETS.items():
        wanted = signals.level("outbound_calls", target)
        first = rng.poisson(requests[endpoint] * np.minimum(wanted, 1.0))
        again = rng.poisson(requests[endpoint] * np.maximum(wanted - 1.0, 0.0))
        calls, keys = first + again, ("target", target, "endpoint", endpoint)
        latency = signals.level("outbound_latency", target)
        groups.append(histogram(name, shop(target=target, endpoint=endpoint), calls, latency, CALL_BOUNDS, rng))
        busy = rng.binomial(calls, share(signals, "outbound_busy", target))
        late = rng.binomial(calls - busy, share(signals, "outbound_timeout", target))
        outcomes[*keys, "status", "201" if target == "payments" else "200"] = calls - busy - late
        outcomes[*keys, "status", BUSY[target]] = busy
        outcomes[*keys, "status", "timeout"] = late
        if target == "payments":
            retries[keys] = again
    yield Family(name, "histogram", "Time of one call.", groups)
    yield counters("outbound_requests", "Calls by outcome.", outcomes)
    yield counters("outbound_retries", "Calls repeated.", retries)
    closed = np.zeros(len(signals.times), dtype=np.int64)
    yield gauges(
        "circuit_breaker_open", "1 while a circuit breaker is open.", {("target", t): closed for t in s.TARGETS}
    )


def alerts(
    times: NDArray[np.int64], firing: Mapping[tuple[tuple[str, str], ...], tuple[datetime, datetime]]
) -> Iterator[Family]:
    """What Prometheus itself writes of active alerts.

    Args:
        times: epoch seconds of the samples.
        firing: the alert's labels -> since when it is active, since when it fires.
    """
    states, since = [], []
    for labels, (active, fires) in firing.items():
        pending_at = (times >= active.timestamp()) & (times < fires.timestamp())
        states.append([sample("ALERTS", {**dict(labels), "alertstate": "pending"}, pending_at, 1)])
        states.append([sample("ALERTS", {**dict(labels), "alertstate": "firing"}, times >= fires.timestamp(), 1)])
        value = int(active.timestamp())
        since.append([sample("ALERTS_FOR_STATE", dict(labels), times >= active.timestamp(), value)])
    yield Family("ALERTS", "gauge", "Active alerts by state.", states)
    yield Family("ALERTS_FOR_STATE", "gauge", "Since when an alert is active.", since)


def sample(name: str, labels: Labels, where: NDArray[np.bool_], value: int) -> Sample:
    """A series that exists only at some times."""
    return Sample(name, labels, [value if here else None for here in where.tolist()])


def shop(**labels: str) -> dict[str, str]:
    """Labels of one series of the service."""
    return {"service": "shop", **labels}


def pairs(flat: tuple[str, ...]) -> dict[str, str]:
    """Labels from ``(name, value, name, value, …)``."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def counters(name: str, help_text: str, increments: Mapping[tuple[str, ...], Counts]) -> Family:
    """A family of counters from what they grew by each minute."""
    groups = [
        [Sample(f"{name}_total", shop(**pairs(labels)), np.cumsum(grown).tolist())]
        for labels, grown in increments.items()
    ]
    return Family(name, "counter", help_text, groups)


def gauges(name: str, help_text: str, values: Mapping[tuple[str, ...], Counts]) -> Family:
    """A family of gauges."""
    groups = [[Sample(name, shop(**pairs(labels)), array.tolist())] for labels, array in values.items()]
    return Family(name, "gauge", help_text, groups)


def share(signals: Signals, signal: str, key: str) -> Series:
    """A level that is a probability."""
    return np.clip(signals.level(signal, key), 0.0, 1.0)


def histogram(
    name: str,
    labels: Labels,
    count: Counts,
    p95: Series,
    bounds: tuple[float, ...],
    rng: np.random.Generator,
) -> list[Sample]:
    """One histogram: ``count`` values a minute, log-logistic with this 95th percentile (seconds)."""
    median = p95 / 19.0 ** (1.0 / SHAPE)
    below = 1.0 / (1.0 + (np.array(bounds)[None, :] / median[:, None]) ** -SHAPE)
    edges = np.concatenate([np.zeros((len(p95), 1)), below, np.ones((len(p95), 1))], axis=1)
    buckets = np.cumsum(np.cumsum(rng.multinomial(count, np.diff(edges, axis=1)), axis=1), axis=0)
    mean = median * (np.pi / SHAPE) / np.sin(np.pi / SHAPE)
    seconds = np.cumsum(count * mean * np.exp(0.6 * rng.standard_normal(len(p95)) / np.sqrt(np.maximum(count, 1))))
    names = (*map(str, bounds), "+Inf")
    out = [Sample(f"{name}_bucket", {**labels, "le": le}, buckets[:, i].tolist()) for i, le in enumerate(names)]
    out.append(Sample(f"{name}_count", labels, buckets[:, -1].tolist()))
    out.append(Sample(f"{name}_sum", labels, np.round(seconds, 2).tolist()))
    return out
