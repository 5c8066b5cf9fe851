"""Samples with a known fault, as OpenMetrics text and as plain series."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from workers.contracts import Deploy
from workers.settings.load import Settings
from workers.sources.metrics.backend import Alert, Described, Floats, Frame, Grid

END = 1_795_258_800  # 2026-11-21T11:00:00Z
BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)
LABELS = {
    "endpoint": ("endpoint", "handler", "route"),
    "service": ("service", "job"),
    "status": ("status", "code"),
    "table": ("table",),
}


def with_catalogue(settings: Settings, catalogue: dict[str, object]) -> Settings:
    """Settings whose catalogue of metrics is another one."""
    entry = settings.tree.tools["metrics_query"].model_copy(update={"options": catalogue})
    tools = {**settings.tree.tools, "metrics_query": entry}
    return replace(settings, tree=settings.tree.model_copy(update={"tools": tools}))


def options() -> dict[str, object]:
    """A small catalogue, and time enough on a busy machine for all that is looked at beside a metric."""
    bucket = (
        "histogram_quantile({quantile}, sum by (le,{by}) "
        "(rate({prefix}http_request_duration_seconds_bucket{{filter}}[{rate}])))"
    )
    errors = (
        '(sum by ({by}) (rate({prefix}http_requests_total{{status}=~"5.*",{filter}}[{rate}])) '
        "or 0 * sum by ({by}) (rate({prefix}http_requests_total{{filter}}[{rate}]))) "
        "/ sum by ({by}) (rate({prefix}http_requests_total{{filter}}[{rate}]))"
    )
    return {
        "budget_ms": 30_000,
        "labels": {k: list(v) for k, v in LABELS.items()},
        "infrastructure": ["prometheus_"],
        "metrics": {
            "latency_p95": {
                "title": "p95 latency",
                "unit": "s",
                "role": "latency",
                "quantile": 0.95,
                "aliases": ["latency", "slow"],
                "promql": [bucket],
                "related": ["db_latency_p95", "error_ratio", "pool", "traffic", "nowhere"],
                "group_by": ["endpoint", "service"],
            },
            "latency_p50": {"title": "median latency", "unit": "s", "quantile": 0.5, "like": "latency_p95"},
            "error_ratio": {
                "title": "error ratio",
                "unit": "ratio",
                "role": "errors",
                "floor": 0.002,
                "promql": [errors],
                "related": ["latency_p95"],
                "group_by": ["endpoint"],
            },
            "traffic": {
                "title": "requests per second",
                "unit": "/s",
                "role": "traffic",
                "promql": ["sum by ({by}) (rate({prefix}http_requests_total{{filter}}[{rate}]))"],
                "group_by": ["endpoint"],
            },
            "db_latency_p95": {
                "title": "p95 database latency",
                "unit": "s",
                "role": "dependency",
                "quantile": 0.95,
                "promql": [
                    "histogram_quantile({quantile}, sum by (le,{by}) (rate(db_seconds_bucket{{filter}}[{rate}])))"
                ],
                "group_by": ["table"],
            },
            "pool": {
                "title": "connections in use",
                "unit": "count",
                "role": "saturation",
                "promql": ["sum by ({by}) (avg_over_time(pool_in_use{{filter}}[{rate}]))"],
            },
            "nowhere": {"title": "nowhere", "unit": "count", "promql": ["sum(not_on_this_server{{filter}})"]},
        },
    }


@dataclass
class Text:
    """OpenMetrics text in the making."""

    lines: list[str] = field(default_factory=list)

    def add(self, name: str, labels: Mapping[str, str], times: Iterable[float], values: Iterable[float]) -> None:
        """One series."""
        inside = ",".join(f'{k}="{v}"' for k, v in labels.items())
        head = f"{name}{{{inside}}}" if inside else name
        moments = written(np.asarray(times, np.float64).tobytes())
        numbers = map(number, np.asarray(values).tolist())
        self.lines.extend([f"{head} {v} {t}" for t, v in zip(moments, numbers, strict=True)])

    def family(self, name: str, kind: str) -> None:
        """The head of a family."""
        self.lines.append(f"# TYPE {name} {kind}")

    def write(self, path: Path) -> Path:
        """All of it."""
        path.write_text("\n".join([*self.lines, "# EOF"]) + "\n", encoding="utf-8")
        return path


def number(value: float) -> str:
    """A value as OpenMetrics writes it."""
    if isinstance(value, int):
        return str(value)
    if math.isfinite(value):
        return str(int(value)) if value.is_integer() else repr(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


@lru_cache(maxsize=4)
def written(moments: bytes) -> list[str]:
    """Moments as OpenMetrics writes them; many series have the same."""
    return [number(t) for t in np.frombuffer(moments, np.float64).tolist()]


def times(hours: float, step: int = 60, end: int = END) -> Floats:
    """Moments up to the end."""
    return np.arange(end - int(hours * 3600), end + 1, step, dtype=np.float64)


def histogram(
    text: Text, name: str, labels: Mapping[str, str], t: Floats, rate: Floats, level: Floats, seed: int
) -> None:
    """A histogram of exponential-like durations whose p95 follows ``level``."""
    rng = np.random.default_rng(seed)
    left = rng.poisson(rate * np.gradient(t))
    cumulative = np.zeros(len(t))
    before = np.zeros(len(t))
    for bound in (*BOUNDS, np.inf):
        reach = 1 - np.exp(-3.0 * bound / level)
        share = np.clip((reach - before) / np.maximum(1 - before, 1e-9), 0, 1)
        here = left if np.isinf(bound) else rng.binomial(left, share)
        left, before = left - here, reach
        cumulative = cumulative + here
        text.add(
            f"{name}_bucket", {**labels, "le": "+Inf" if np.isinf(bound) else str(bound)}, t, np.cumsum(cumulative)
        )


def shop(path: Path, onset: float, hours: float = 30.0, recovered: float | None = None) -> Path:
    """A service of three endpoints; ``/pay`` gets slow and fails at ``onset``, its database a minute before.

    An alert fires five minutes after. Traffic has a daily season, the pool is steady.
    """
    t = times(hours)
    text = Text()
    bad = t > onset
    slow_db = t > onset - 60
    if recovered is not None:
        bad, slow_db = bad & (t <= recovered), slow_db & (t <= recovered)
    season = 1 + 0.4 * np.sin(2 * np.pi * t / 86_400)
    rates = {"/list": 9.0 * season, "/pay": 6.0 * season, "/healthz": 2.0 + 0 * t}
    text.family("http_request_duration_seconds", "histogram")
    for i, (endpoint, rate) in enumerate(rates.items()):
        level = np.where(bad & (endpoint == "/pay"), 1.8, 0.2)
        labels = {"service": "till", "endpoint": endpoint}
        histogram(text, "http_request_duration_seconds", labels, t, rate, level, i)
    rng = np.random.default_rng(9)
    text.family("http_requests", "counter")
    for endpoint, rate in rates.items():
        count = rng.poisson(rate * 60)
        failed = rng.binomial(count, np.where(bad & (endpoint == "/pay"), 0.08, 0.0005))
        for status, n in (("200", count - failed), ("503", failed)):
            labels = {"service": "till", "endpoint": endpoint, "status": status}
            text.add("http_requests_total", labels, t, np.cumsum(n))
    text.family("db_seconds", "histogram")
    for i, endpoint in enumerate(("/list", "/pay")):
        level = np.where(slow_db & (endpoint == "/pay"), 1.2, 0.06)
        histogram(text, "db_seconds", {"endpoint": endpoint, "table": "orders"}, t, rates[endpoint], level, 20 + i)
    text.family("pool_in_use", "gauge")
    text.add("pool_in_use", {"service": "till"}, t, np.round(rng.normal(8, 0.5, len(t))))
    alerts(text, t[bad & (t >= onset + 300)], onset)
    return text.write(path)


def alerts(text: Text, firing: Floats, onset: float) -> None:
    """The series of one alert."""
    labels = {"alertname": "PaySlow", "endpoint": "/pay", "service": "till", "severity": "page"}
    text.family("ALERTS", "gauge")
    text.add("ALERTS", {**labels, "alertstate": "firing"}, firing, np.ones(len(firing)))
    text.family("ALERTS_FOR_STATE", "gauge")
    text.add("ALERTS_FOR_STATE", labels, firing, np.full(len(firing), onset + 60))


def deploys_of(*known: Deploy):  # type: ignore[no-untyped-def]
    """A deploys function over a fixed list."""
    return lambda start, end: tuple(sorted((d for d in known if start <= d.at <= end), key=lambda d: d.at))


class FakeBackend:
    """A backend of fixed names and labels that answers every expression with nothing."""

    name = "fake"
    parallel = 1

    def __init__(self, metrics: Mapping[str, Mapping[str, tuple[str, ...]]]) -> None:
        self.metrics = metrics
        self.asked: list[str] = []

    def names(self) -> frozenset[str]:
        return frozenset(self.metrics)

    def label_names(self, metric: str) -> frozenset[str]:
        return frozenset(self.metrics.get(metric, {}))

    def label_values(self, label: str, metrics: tuple[str, ...], start: float, end: float) -> tuple[str, ...]:
        return tuple(sorted({v for m in metrics for v in self.metrics.get(m, {}).get(label, ())}))

    def query_range(self, promql: str, grid: Grid) -> Frame:
        self.asked.append(promql)
        return Frame(grid)

    def described(self) -> Mapping[str, Described]:
        return {}

    def recorded(self) -> frozenset[str]:
        return frozenset()

    def cadence(self, selector: str, start: float, end: float) -> tuple[float | None, float]:
        return end, 15.0

    def tells_alerts(self) -> bool:
        return True

    def lacks_alert_rules(self) -> bool:
        return False

    def live_alerts(self) -> tuple[Alert, ...]:
        return ()

    def graph_url(self, promql: str, start: float, end: float) -> str | None:
        return None

    def ping(self, now: float) -> str:
        return "fake"
