"""A world's metrics and alerts as series, sample by sample. Noise is small and the same at every build."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from workers.evals.relative_times import moment_of
from workers.evals.world import Alert, Counter, Gauge, Latency, Span, World
from workers.sources.metrics.backend import Floats
from workers.sources.metrics.sample_store import Millis

Row = tuple[str, Mapping[str, str], Millis, Floats]
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
NEAR = (0.8, 0.95, 1.0, 1.05, 1.25)  # bounds around each level, so that a quantile is read back as it was written
WOBBLE_RATE, WOBBLE_LEVEL, GAUGE_NOISE = 0.01, 0.004, 0.01
DURATION, REQUESTS = "http_request_duration_seconds", "http_requests_total"


def make_series(world: World) -> Iterator[Row]:
    """All series of a world: name, labels, milliseconds, values."""
    last = int(world.now.timestamp()) // world.step_s * world.step_s
    count = world.hours * 3_600 // world.step_s + 1
    times = last - world.step_s * np.arange(count - 1, -1, -1, dtype=np.int64)
    seed = int.from_bytes(hashlib.sha256(world.name.encode()).digest()[:8], "big")
    rng = np.random.default_rng(seed)
    for metric in world.metrics:
        if isinstance(metric, Latency):
            rows = requests(metric, world, times, rng)
        elif isinstance(metric, Gauge):
            rows = gauge(metric, world, times, rng)
        else:
            rows = counter(metric, world, times, rng)
        for name, labels, values in rows:
            yield name, dict(sorted(labels.items())), times * 1000, values
    for alert in world.alerts:
        yield from alert_series(alert, world.now, times)


Named = tuple[str, Mapping[str, str], Floats]


def level(base: float, shifts: Sequence[Span], key: str, now: datetime, times: Millis) -> Floats:
    """One level at every time; a later shift covers an earlier one, with the base where it does not name the level."""
    out = np.full(len(times), base, dtype=np.float64)
    for shift in shifts:
        value = getattr(shift, key)
        begin = moment_of(shift.at, now).timestamp()
        end = moment_of(shift.until, now).timestamp() if shift.until is not None else np.inf
        out[(times >= begin) & (times < end)] = base if value is None else value
    return out


def wobble(spread: float, count: int, rng: np.random.Generator) -> Floats:
    """A factor around 1."""
    return np.exp(spread * rng.standard_normal(count))


def requests(metric: Latency, world: World, times: Millis, rng: np.random.Generator) -> Iterator[Named]:
    """A log-logistic histogram with these percentiles, and the requests by status."""

    def of(key: str) -> Floats:
        return level(getattr(metric, key), metric.shifts, key, world.now, times)

    count = of("rate") * world.step_s * wobble(WOBBLE_RATE, len(times), rng)
    both = wobble(WOBBLE_LEVEL, len(times), rng)
    p50, p95 = of("p50") * both, of("p95") * both
    shape = np.log(19.0) / np.log(p95 / p50)
    labels = metric.latency
    for bound in bounds_of(metric):
        below = 1.0 / (1.0 + (bound / p50) ** -shape)
        yield f"{DURATION}_bucket", {**labels, "le": f"{bound:g}"}, np.cumsum(count * below)
    yield f"{DURATION}_bucket", {**labels, "le": "+Inf"}, np.cumsum(count)
    yield f"{DURATION}_count", labels, np.cumsum(count)
    yield f"{DURATION}_sum", labels, np.cumsum(count * mean_of(p50, p95, shape))
    failed = count * of("errors")
    yield REQUESTS, {**labels, "status": "200"}, np.cumsum(count - failed)
    yield REQUESTS, {**labels, "status": "500"}, np.cumsum(failed)


def bounds_of(metric: Latency) -> list[float]:
    """Usual bounds, and some around every level: median, 95th and 99th percentile."""
    out = set(BOUNDS)
    for shift in (None, *metric.shifts):
        p50 = (shift and shift.p50) or metric.p50
        p95 = (shift and shift.p95) or metric.p95
        p99 = p50 * 99.0 ** (np.log(p95 / p50) / np.log(19.0))
        out |= {float(f"{quantile * near:.4g}") for quantile in (p50, p95, p99) for near in NEAR}
    return sorted(out)


def mean_of(p50: Floats, p95: Floats, shape: Floats) -> Floats:
    """The mean of a log-logistic distribution; it has none when it is very wide, then its 95th percentile."""
    angle = np.pi / np.maximum(shape, 1.05)
    return np.minimum(p50 * angle / np.sin(angle), p95)


def gauge(metric: Gauge, world: World, times: Millis, rng: np.random.Generator) -> Iterator[Named]:
    """Levels with noise; a ratio stays one, and what is never negative never is."""
    values = level(metric.value, metric.shifts, "value", world.now, times)
    own = level(np.nan if metric.noise is None else metric.noise, metric.shifts, "noise", world.now, times)
    noise = np.where(np.isnan(own), np.abs(values) * GAUGE_NOISE, own)
    lowest = 0.0 if values.min() >= 0 else -np.inf
    highest = 1.0 if metric.gauge.endswith("_ratio") and values.max() <= 1 else np.inf
    yield metric.gauge, metric.labels, np.clip(values + noise * rng.standard_normal(len(times)), lowest, highest)


def counter(metric: Counter, world: World, times: Millis, rng: np.random.Generator) -> Iterator[Named]:
    """What a counter has counted."""
    rate = level(metric.rate, metric.shifts, "rate", world.now, times)
    yield metric.counter, metric.labels, np.cumsum(rate * world.step_s * wobble(WOBBLE_RATE, len(times), rng))


def alert_series(alert: Alert, now: datetime, times: Millis) -> Iterator[Row]:
    """What Prometheus itself writes of an alert: its state, and since when its condition holds."""
    since = moment_of(alert.since, now)
    until = moment_of(alert.until, now) if alert.until is not None else now + timedelta(days=1)
    there: NDArray[np.bool_] = (times >= since.timestamp()) & (times < until.timestamp())
    if not there.any():
        return
    labels = {"alertname": alert.name, **alert.labels, **({"severity": alert.severity} if alert.severity else {})}
    state = "pending" if alert.state == "pending" else "firing"
    moments, ones = times[there] * 1000, np.ones(int(there.sum()))
    yield "ALERTS", dict(sorted({**labels, "alertstate": state}.items())), moments, ones
    yield "ALERTS_FOR_STATE", dict(sorted(labels.items())), moments, ones * float(int(since.timestamp()))
