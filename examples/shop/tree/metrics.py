"""Counters, gauges and histograms, served in the Prometheus text format.

Names follow the Prometheus conventions: base units, ``_total`` for counters. Labels have few values:
never a user, an order or a query (docs/architecture.md).
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable

LATENCY = (0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0)
QUERY = (0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
WAIT = (0.01, 0.05, 0.25, 1.0, 2.0)
CALL = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0)

Labels = tuple[str, ...]


def text(labels: Iterable[tuple[str, str]]) -> str:
    return ",".join(f'{name}="{value}"' for name, value in labels)


class Counter:
    """Only ever goes up."""

    kind = "counter"

    def __init__(self, name: str, help_text: str, labels: Labels) -> None:
        self.name, self.help, self.labels = name, help_text, labels
        self._values: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def add(self, *labels: str, amount: float = 1.0) -> None:
        with self._lock:
            self._values[labels] = self._values.get(labels, 0.0) + amount

    def value(self, *labels: str) -> float:
        return self._values.get(labels, 0.0)

    def lines(self, constant: list[tuple[str, str]]) -> Iterable[str]:
        with self._lock:
            values = sorted(self._values.items())
        for labels, value in values:
            pairs = constant + list(zip(self.labels, labels, strict=True))
            yield f"{self.name}{{{text(pairs)}}} {value:g}"


class Gauge(Counter):
    """Goes up and down; ``watch`` reads a value when it is asked for."""

    kind = "gauge"

    def __init__(self, name: str, help_text: str, labels: Labels) -> None:
        super().__init__(name, help_text, labels)
        self._watched: dict[Labels, Callable[[], float]] = {}

    def set(self, *labels: str, value: float) -> None:
        with self._lock:
            self._values[labels] = value

    def watch(self, *labels: str, read: Callable[[], float]) -> None:
        self._watched[labels] = read

    def lines(self, constant: list[tuple[str, str]]) -> Iterable[str]:
        for labels, read in self._watched.items():
            self.set(*labels, value=read())
        return super().lines(constant)


class Histogram:
    """How values are spread over buckets."""

    kind = "histogram"

    def __init__(
        self, name: str, help_text: str, labels: Labels, bounds: tuple[float, ...] = LATENCY
    ) -> None:
        self.name, self.help, self.labels, self.bounds = name, help_text, labels, bounds
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}
        self._lock = threading.Lock()

    def observe(self, *labels: str, value: float) -> None:
        with self._lock:
            counts = self._counts.setdefault(labels, [0] * (len(self.bounds) + 1))
            counts[bisect_left(self.bounds, value)] += 1
            self._sums[labels] = self._sums.get(labels, 0.0) + value

    def lines(self, constant: list[tuple[str, str]]) -> Iterable[str]:
        with self._lock:
            counts = {labels: list(c) for labels, c in sorted(self._counts.items())}
            sums = dict(self._sums)
        for labels, buckets in counts.items():
            pairs = constant + list(zip(self.labels, labels, strict=True))
            running = 0
            for bound, count in zip((*map(str, self.bounds), "+Inf"), buckets, strict=True):
                running += count
                yield f"{self.name}_bucket{{{text([*pairs, ('le', bound)])}}} {running}"
            yield f"{self.name}_count{{{text(pairs)}}} {running}"
            yield f"{self.name}_sum{{{text(pairs)}}} {sums[labels]:.6f}"


class Instruments:
    """Everything this service measures. One object, handed to whatever measures."""

    def __init__(self, service: str) -> None:
        self.constant = [("service", service)]
        self.http_seconds = Histogram(
            "http_request_duration_seconds", "Time to answer a request.", ("endpoint",)
        )
        self.http_requests = Counter(
            "http_requests_total", "Requests answered.", ("endpoint", "status")
        )
        self.query_seconds = Histogram(
            "db_query_duration_seconds", "Time of one query.", ("endpoint", "table"), QUERY
        )
        self.queries = Counter("db_queries_total", "Queries run.", ("endpoint",))
        self.cache_requests = Counter(
            "cache_requests_total", "Cache lookups.", ("endpoint", "result")
        )
        self.pool_connections = Gauge(
            "db_pool_connections", "Connections of a pool by state.", ("pool", "state")
        )
        self.pool_wait = Histogram(
            "db_pool_wait_seconds", "Time spent waiting for a connection.", ("pool",), WAIT
        )
        self.outbound_seconds = Histogram(
            "outbound_request_duration_seconds", "Time of one call.", ("target", "endpoint"), CALL
        )
        self.outbound_requests = Counter(
            "outbound_requests_total", "Calls by outcome.", ("target", "endpoint", "status")
        )
        self.outbound_retries = Counter(
            "outbound_retries_total", "Calls repeated.", ("target", "endpoint")
        )
        self.breaker_open = Gauge(
            "circuit_breaker_open", "1 while a circuit breaker is open.", ("target",)
        )
        self.memory = Gauge("process_resident_memory_bytes", "Resident memory.", ())
        self.memory.watch(read=resident_bytes)

    def render(self) -> str:
        out: list[str] = []
        for family in vars(self).values():
            if isinstance(family, Counter | Histogram):
                out.append(f"# HELP {family.name} {family.help}")
                out.append(f"# TYPE {family.name} {family.kind}")
                out.extend(family.lines(self.constant))
        return "\n".join(out) + "\n"


def resident_bytes() -> float:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096.0
    except OSError:
        return 0.0
