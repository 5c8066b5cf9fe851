"""Counters, read as Prometheus reads them."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.store.parts import make_log
from workers.contracts import Intent, ToolCall
from workers.telemetry.metrics import AgentMetrics


def call(name: str, status: str) -> ToolCall:
    return ToolCall.model_validate({"name": name, "args": {}, "start_ms": 0, "end_ms": 1, "status": status})


def samples(metrics: AgentMetrics) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(metrics.render().decode())
    return {(s.name, *map("=".join, s.labels.items())): s.value for f in families for s in f.samples}


def test_names_labels_and_values() -> None:
    metrics = AgentMetrics()
    calls = (call("a", "ok"), call("a", "error"), call("b", "timeout"), call("b", "empty"), call("b", "denied"))
    metrics.record(make_log(tool_calls=calls))
    metrics.record(make_log(kind="clarify", tool_calls=()))
    metrics.record(make_log(kind="refusal", intent=None, tool_calls=()))
    metrics.record(make_log(intent=Intent(question_type="conceptual"), tool_calls=()))
    assert samples(metrics) == {
        ("agent_requests_total", "question_type=debug_incident"): 2,
        ("agent_requests_total", "question_type=unknown"): 1,
        ("agent_requests_total", "question_type=conceptual"): 1,
        ("agent_tool_calls_total", "tool=a"): 2,
        ("agent_tool_calls_total", "tool=b"): 3,
        ("agent_tool_error_total", "tool=a"): 1,
        ("agent_tool_error_total", "tool=b"): 1,
        ("agent_grounded_responses_total",): 2,
        ("agent_grounding_rate",): 0.5,
    }


def test_before_the_first_request() -> None:
    assert samples(AgentMetrics()) == {("agent_grounded_responses_total",): 0, ("agent_grounding_rate",): 0}


def test_every_set_of_counters_is_its_own() -> None:
    first, second = AgentMetrics(), AgentMetrics()
    first.record(make_log())
    assert ("agent_requests_total", "question_type=debug_incident") not in samples(second)
