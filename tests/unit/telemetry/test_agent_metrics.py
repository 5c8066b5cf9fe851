"""Counters, read as Prometheus reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.request_logs import make_log
from workers.contracts import Intent, ModelCall, Role, Route, ToolCall, Usage
from workers.settings.load import ROOT
from workers.telemetry.agent_metrics import AgentMetrics

BY_AGENT = ("agent_turn", "agent_tool_seconds", "agent_tokens")
RATIO = ("agent_prompt_cache_hit_ratio",)


def call(name: str, status: str) -> ToolCall:
    return ToolCall.model_validate({"name": name, "args": {}, "start_ms": 0, "end_ms": 1, "status": status})


def asked(role: Role, status: str = "ok", ms: float = 0, **usage: float) -> ModelCall:
    return ModelCall.model_validate({"role": role, "model": "m", "status": status, "ms": ms, "usage": Usage(**usage)})  # type: ignore[arg-type]


def read(text: str) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(text)
    return {(s.name, *map("=".join, s.labels.items())): s.value for f in families for s in f.samples}


def samples(metrics: AgentMetrics) -> dict[tuple[str, ...], float]:
    return read(metrics.render().decode())


def test_names_labels_and_values() -> None:
    metrics = AgentMetrics()
    calls = (call("a", "ok"), call("a", "error"), call("b", "timeout"), call("b", "empty"), call("b", "denied"))
    metrics.record(make_log(tool_calls=calls))
    metrics.record(make_log(kind="clarify", tool_calls=()))
    metrics.record(make_log(kind="refusal", intent=None, tool_calls=()))
    metrics.record(make_log(intent=Intent(question_type="conceptual"), tool_calls=()))
    found = {key: value for key, value in samples(metrics).items() if not key[0].startswith(BY_AGENT)}
    assert found == {
        ("agent_requests_total", "question_type=debug_incident"): 2,
        ("agent_requests_total", "question_type=unknown"): 1,
        ("agent_requests_total", "question_type=conceptual"): 1,
        ("agent_tool_calls_total", "tool=a"): 2,
        ("agent_tool_calls_total", "tool=b"): 3,
        ("agent_tool_error_total", "tool=a"): 1,
        ("agent_tool_error_total", "tool=b"): 1,
        ("agent_grounded_responses_total",): 2,
        ("agent_grounding_rate",): 0.5,
        RATIO: 0,
    }


def test_turns_by_agent_with_their_time_tokens_and_failures() -> None:
    metrics = AgentMetrics()
    route = Route(task="network", confidence=1)
    metrics.record(make_log(route=route, usage=Usage(input_tokens=7)))
    metrics.record(make_log(route=route, tool_calls=(call("ids_alerts", "timeout"),)))
    metrics.record(make_log(kind="refusal", route=Route(task="none", confidence=1), tool_calls=()))
    found = samples(metrics)
    assert found["agent_turns_total", "agent=network", "outcome=answered"] == 1
    assert found["agent_turns_total", "agent=network", "outcome=failed"] == 1
    assert found["agent_turns_total", "agent=none", "outcome=refused"] == 1
    assert found["agent_turn_seconds_sum", "agent=network"] == pytest.approx(0.025)
    assert found["agent_tool_seconds_count", "tool=ids_alerts"] == 1
    assert found["agent_tokens_total", "agent=network"] == 7


def test_a_type_of_question_that_no_agent_has_is_counted_as_other() -> None:
    metrics = AgentMetrics(question_types={"traffic", "other"})
    for kind in ("traffic", "gossip", "other"):
        metrics.record(make_log(intent=Intent(question_type=kind), tool_calls=()))
    found = samples(metrics)
    assert found["agent_requests_total", "question_type=traffic"] == 1
    assert found["agent_requests_total", "question_type=other"] == 2


def test_calls_of_a_model_by_role_and_end_with_tokens_cost_and_time() -> None:
    metrics = AgentMetrics()
    calls = (
        asked("router", ms=700, input_tokens=10, output_tokens=5, cost_usd=0.25),
        asked("router", "busy", ms=3_000),
        asked("investigator", ms=20_000, input_tokens=90, cache_read_tokens=300, cache_write_tokens=100, cost_usd=1.0),
        asked("style", "budget"),
    )
    metrics.record(make_log(model_calls=calls))
    metrics.record(make_log(model_calls=calls[:1]))
    found = samples(metrics)
    assert {k: v for k, v in found.items() if k[0] == "agent_model_calls_total"} == {
        ("agent_model_calls_total", "role=router", "status=ok"): 2,
        ("agent_model_calls_total", "role=router", "status=busy"): 1,
        ("agent_model_calls_total", "role=investigator", "status=ok"): 1,
        ("agent_model_calls_total", "role=style", "status=budget"): 1,
    }
    assert {k[1:]: v for k, v in found.items() if k[0] == "agent_model_tokens_total" and v} == {
        ("role=router", "sort=input"): 20,
        ("role=router", "sort=output"): 10,
        ("role=investigator", "sort=input"): 90,
        ("role=investigator", "sort=cache_read"): 300,
        ("role=investigator", "sort=cache_write"): 100,
    }
    assert {k[1]: v for k, v in found.items() if k[0] == "agent_model_cost_usd_total" and v} == {
        "role=router": 0.5,
        "role=investigator": 1.0,
    }
    assert {k[1]: v for k, v in found.items() if k[0] == "agent_model_call_seconds_count"} == {
        "role=router": 3,
        "role=investigator": 1,
    }
    assert found["agent_model_call_seconds_sum", "role=investigator"] == 20
    assert found["agent_model_call_seconds_bucket", "le=1.0", "role=router"] == 2
    assert found[RATIO] == pytest.approx(300 / (20 + 90 + 300 + 100))


def test_output_is_no_part_of_the_ratio() -> None:
    metrics = AgentMetrics()
    metrics.record(make_log(model_calls=(asked("router", output_tokens=1_000),)))
    assert samples(metrics)[RATIO] == 0
    metrics.record(make_log(model_calls=(asked("router", cache_read_tokens=3, input_tokens=1, output_tokens=1_000),)))
    assert samples(metrics)[RATIO] == 0.75


def test_before_the_first_request() -> None:
    assert samples(AgentMetrics()) == {
        ("agent_grounded_responses_total",): 0,
        ("agent_grounding_rate",): 0,
        RATIO: 0,
    }


def test_every_set_of_counters_is_its_own() -> None:
    first, second = AgentMetrics(), AgentMetrics()
    first.record(make_log())
    assert ("agent_requests_total", "question_type=debug_incident") not in samples(second)


COUNTS = """
import sys
from tests.unit.telemetry.test_agent_metrics import asked
from tests.support.request_logs import make_log
from workers.telemetry.agent_metrics import AgentMetrics
metrics = AgentMetrics()
if sys.argv[1] != "0":
    metrics.record(make_log(model_calls=(asked("router", ms=500, input_tokens=1, cache_read_tokens=int(sys.argv[1])),)))
print(metrics.render().decode())
"""


def test_every_process_counts_into_one_folder(tmp_path: Path) -> None:
    def run(tokens: int) -> dict[tuple[str, ...], float]:
        environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", COUNTS, str(tokens)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return read(done.stdout)

    run(2)
    run(4)
    found = run(0)
    assert found["agent_model_calls_total", "role=router", "status=ok"] == 2
    assert found["agent_model_tokens_total", "role=router", "sort=cache_read"] == 6
    assert found["agent_model_call_seconds_count", "role=router"] == 2
    assert found[RATIO] == 0.75
    assert found["agent_grounding_rate",] == 1
