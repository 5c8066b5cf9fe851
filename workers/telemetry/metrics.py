"""Counters of requests and tool calls, in Prometheus' text format.

With ``PROMETHEUS_MULTIPROC_DIR`` set before Python starts, every process counts into that folder, and whoever renders
reads the sum of all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from workers.contracts import RequestLog

FAILED = frozenset({"error", "timeout"})


class AgentMetrics:
    """The counters of one process, in a registry of their own."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = registry or CollectorRegistry()
        self.requests = Counter(
            "agent_requests_total", "Requests by question type.", ["question_type"], registry=self.registry
        )
        self.calls = Counter("agent_tool_calls_total", "Tool calls by tool.", ["tool"], registry=self.registry)
        self.errors = Counter(
            "agent_tool_error_total",
            "Tool calls that ended in an error or a timeout, by tool.",
            ["tool"],
            registry=self.registry,
        )
        self.grounded_responses = Counter(
            "agent_grounded_responses_total", "Responses whose every claim rests on evidence.", registry=self.registry
        )

    def record(self, log: RequestLog) -> None:
        """Count one finished request."""
        self.requests.labels(question_type=log.intent.question_type if log.intent else "unknown").inc()
        for call in log.tool_calls:
            self.calls.labels(tool=call.name).inc()
            if call.status in FAILED:
                self.errors.labels(tool=call.name).inc()
        if log.grounded:
            self.grounded_responses.inc()

    def render(self) -> bytes:
        """All of them in Prometheus' text format."""
        return render_with_rate(self.registry)


class Family(Collector):
    """Families that were read already, for one rendering."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self.families = tuple(families)

    def collect(self) -> Iterator[Metric]:
        """As they are."""
        yield from self.families


def render_with_rate(registry: CollectorRegistry, *more: Collector) -> bytes:
    """Every process' counters, the grounding rate over their sums, and what else is given, as text."""
    families = tuple(read_families(registry))
    shown = CollectorRegistry(auto_describe=False)
    shown.register(Family((*families, grounding_rate(families))))
    for collector in more:
        shown.register(collector)
    return generate_latest(shown)


def read_families(registry: CollectorRegistry) -> Iterable[Metric]:
    """This process' counters, or those of all processes when they count into one folder."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    if not folder:
        return registry.collect()
    families: Iterable[Metric] = MultiProcessCollector(None, folder).collect()  # type: ignore[no-untyped-call]
    return families


def grounding_rate(families: Iterable[Metric]) -> GaugeMetricFamily:
    """``agent_grounding_rate``: grounded responses / requests, from their sums; 0 before the first."""
    sums = {"agent_requests_total": 0.0, "agent_grounded_responses_total": 0.0}
    for sample in (s for family in families for s in family.samples):
        if sample.name in sums:
            sums[sample.name] += sample.value
    requests, grounded = sums.values()
    rate = grounded / requests if requests else 0.0
    return GaugeMetricFamily("agent_grounding_rate", "Grounded responses / requests, 0 to 1.", value=rate)
