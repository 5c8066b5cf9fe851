"""Counters of requests and tool calls, in Prometheus' text format.

With ``PROMETHEUS_MULTIPROC_DIR`` set before Python starts, every process counts into that folder, and whoever renders
reads the sum of all of them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from workers.contracts import ModelCall, RequestLog
from workers.telemetry.turn_line import agent_label, outcome_of

FAILED = frozenset({"error", "timeout"})
SECONDS = (0.01, 0.03, 0.1, 0.3, 0.8, 1.2, 2, 5, 15, 60)
SORTS = ("input", "output", "cache_read", "cache_write")


class AgentMetrics:
    """The counters of one process, in a registry of their own.

    ``question_types``: those that there are; any other counts as ``other``. None: each counts as itself.
    """

    def __init__(
        self, registry: CollectorRegistry | None = None, question_types: Collection[str] | None = None
    ) -> None:
        self.question_types = question_types
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

        self.turns = Counter(
            "agent_turns_total",
            "Turns by agent and how they ended: answered, asked_back, refused, failed.",
            ["agent", "outcome"],
            registry=self.registry,
        )
        self.turn_seconds = Histogram(
            "agent_turn_seconds", "Seconds of a turn by agent.", ["agent"], buckets=SECONDS, registry=self.registry
        )
        self.tool_seconds = Histogram(
            "agent_tool_seconds", "Seconds of a tool call by tool.", ["tool"], buckets=SECONDS, registry=self.registry
        )
        self.tokens = Counter(
            "agent_tokens_total", "Tokens of language models by agent.", ["agent"], registry=self.registry
        )
        self.model_calls = Counter(
            "agent_model_calls_total",
            "Calls of a language model by role and how they ended.",
            ["role", "status"],
            registry=self.registry,
        )
        self.model_tokens = Counter(
            "agent_model_tokens_total",
            "Tokens of language models by role and sort: input, output, cache_read, cache_write.",
            ["role", "sort"],
            registry=self.registry,
        )
        self.model_cost = Counter(
            "agent_model_cost_usd_total", "What language models cost, in US dollars.", ["role"], registry=self.registry
        )
        self.model_seconds = Histogram(
            "agent_model_call_seconds",
            "Seconds a call of a language model took.",
            ["role"],
            buckets=(0.5, 1, 2, 4, 8, 15, 30, 60, 120),
            registry=self.registry,
        )

    def record(self, log: RequestLog) -> None:
        """Count one finished request."""
        self.requests.labels(question_type=self.type_of(log)).inc()
        agent = agent_label(log)
        self.turns.labels(agent=agent, outcome=outcome_of(log)).inc()
        self.tokens.labels(agent=agent).inc(log.usage.tokens)
        if "total" in log.timings_ms:
            self.turn_seconds.labels(agent=agent).observe(log.timings_ms["total"] / 1000)
        for call in log.tool_calls:
            self.calls.labels(tool=call.name).inc()
            self.tool_seconds.labels(tool=call.name).observe((call.end_ms - call.start_ms) / 1000)
            if call.status in FAILED:
                self.errors.labels(tool=call.name).inc()
        if log.grounded:
            self.grounded_responses.inc()
        for asked in log.model_calls:
            self.record_model(asked)

    def type_of(self, log: RequestLog) -> str:
        """The type of a question as a label, of which there are few."""
        if log.intent is None:
            return "unknown"
        known = self.question_types is None or log.intent.question_type in self.question_types
        return log.intent.question_type if known else "other"

    def record_model(self, call: ModelCall) -> None:
        """Count one call of a language model."""
        self.model_calls.labels(role=call.role, status=call.status).inc()
        for sort in SORTS:
            self.model_tokens.labels(role=call.role, sort=sort).inc(getattr(call.usage, f"{sort}_tokens"))
        self.model_cost.labels(role=call.role).inc(call.usage.cost_usd)
        if call.ms:
            self.model_seconds.labels(role=call.role).observe(call.ms / 1000)

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
    shown.register(Family((*families, grounding_rate(families), cache_hit_ratio(families))))
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


def cache_hit_ratio(families: Iterable[Metric]) -> GaugeMetricFamily:
    """``agent_prompt_cache_hit_ratio``: prompt tokens that the cache served / all prompt tokens; 0 before the first."""
    sums = dict.fromkeys(("input", "cache_read", "cache_write"), 0.0)
    for sample in (s for family in families for s in family.samples):
        if sample.name == "agent_model_tokens_total" and sample.labels.get("sort") in sums:
            sums[sample.labels["sort"]] += sample.value
    whole = sum(sums.values())
    ratio = sums["cache_read"] / whole if whole else 0.0
    return GaugeMetricFamily(
        "agent_prompt_cache_hit_ratio", "Prompt tokens served by the prompt cache / all of them, 0 to 1.", value=ratio
    )
