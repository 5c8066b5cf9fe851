"""Counters of requests and tool calls, in Prometheus' text format."""

from __future__ import annotations

import threading

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics, generate_latest

from workers.contracts import RequestLog

FAILED = frozenset({"error", "timeout"})


class AgentMetrics:
    """The counters of one process, in a registry of their own."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = registry or CollectorRegistry()
        self.lock = threading.Lock()
        self.total = 0
        self.grounded = 0
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
        self.rate = Gauge("agent_grounding_rate", "Grounded responses / requests, 0 to 1.", registry=self.registry)

    def record(self, log: RequestLog) -> None:
        """Count one finished request."""
        self.requests.labels(question_type=log.intent.question_type if log.intent else "unknown").inc()
        for call in log.tool_calls:
            self.calls.labels(tool=call.name).inc()
            if call.status in FAILED:
                self.errors.labels(tool=call.name).inc()
        with self.lock:
            self.total += 1
            if log.grounded:
                self.grounded += 1
                self.grounded_responses.inc()
            self.rate.set(self.grounded / self.total)

    def render(self) -> bytes:
        """All of them in Prometheus' text format."""
        return generate_latest(self.registry)
