"""The service's counters, read as Prometheus reads them, also over several processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.request_logs import make_log
from workers.errors import StoreUnavailable
from workers.settings.load import ROOT
from workers.telemetry.agent_metrics import AgentMetrics
from workers.telemetry.service_metrics import LedgerState, ServiceMetrics

COUNT = """
import os, sys
from tests.support.request_logs import make_log
from workers.telemetry.agent_metrics import AgentMetrics
from workers.telemetry.service_metrics import ServiceMetrics

agents = AgentMetrics()
metrics = ServiceMetrics(agents)
def work():
    for grounded in (True, sys.argv[1] == "all"):
        agents.record(make_log(grounded=grounded))
    metrics.posted("ok")
    metrics.stage_done("plan", 0.02)
work()
if os.fork() == 0:
    work()
    os._exit(0)
os.wait()
"""
SHOW = """
from workers.telemetry.service_metrics import LedgerState, ServiceMetrics
metrics = ServiceMetrics()
metrics.received("mention")
metrics.watch(lambda: LedgerState({"plan": 1}, 1, 3.0))
print(metrics.render().decode())
"""


def samples(text: str) -> dict[str, float]:
    families = text_string_to_metric_families(text)
    return {
        s.name + "".join(f"|{v}" for _, v in sorted(s.labels.items())): s.value for f in families for s in f.samples
    }


def test_every_counter_has_its_name() -> None:
    metrics = ServiceMetrics()
    metrics.received("mention")
    metrics.accepted("mention")
    metrics.repeated()
    metrics.refused("too_long")
    metrics.acked("http", 0.004)
    metrics.queue_waited(0.2)
    metrics.stage_done("execute", 0.3)
    metrics.failed("execute")
    metrics.lease_lost()
    metrics.posted("ambiguous")
    metrics.finished("done")
    shown = samples(metrics.render().decode())
    assert {name for name, value in shown.items() if value and "_bucket" not in name and "_sum" not in name} == {
        "oracle_events_total|mention",
        "oracle_questions_accepted_total|mention",
        "oracle_events_repeated_total",
        "oracle_events_refused_total|too_long",
        "oracle_ack_seconds_count|http",
        "oracle_queue_wait_seconds_count",
        "oracle_stage_seconds_count|execute",
        "oracle_stage_failures_total|execute",
        "oracle_leases_lost_total",
        "oracle_posts_total|ambiguous",
        "oracle_requests_finished_total|done",
    }
    assert shown["oracle_ack_seconds_bucket|0.005|http"] == 1
    assert shown["oracle_stage_seconds_sum|execute"] == pytest.approx(0.3)


def test_the_agents_counters_are_shown_with_these() -> None:
    agents = AgentMetrics()
    metrics = ServiceMetrics(agents)
    agents.record(make_log(grounded=True))
    agents.record(make_log(grounded=False))
    shown = samples(metrics.render().decode())
    assert shown["agent_requests_total|debug_incident"] == 2
    assert shown["agent_grounding_rate"] == 0.5


def test_the_inbox_is_read_at_each_scrape() -> None:
    metrics = ServiceMetrics()
    assert "oracle_inbox" not in metrics.render().decode()
    state = [LedgerState({"plan": 2, "done": 5}, 2, 7.5)]
    metrics.watch(lambda: state[-1])
    shown = samples(metrics.render().decode())
    assert shown["oracle_inbox_oldest_unanswered_seconds"] == 7.5
    assert (shown["oracle_inbox_open"], shown["oracle_inbox_requests|done"], shown["oracle_inbox_up"]) == (2, 5, 1)
    state.append(LedgerState({}, 0, 0.0))
    assert samples(metrics.render().decode())["oracle_inbox_open"] == 0


def test_a_broken_database_hides_the_inbox_and_nothing_else() -> None:
    metrics = ServiceMetrics()
    metrics.lease_lost()

    def broken() -> LedgerState:
        raise StoreUnavailable("gone")

    metrics.watch(broken)
    shown = samples(metrics.render().decode())
    assert shown["oracle_inbox_up"] == 0
    assert shown["oracle_leases_lost_total"] == 1
    assert "oracle_inbox_open" not in shown


def test_processes_that_share_a_folder_are_summed(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}

    def run(code: str, *args: str) -> str:
        command = [sys.executable, "-c", code, *args]
        return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout

    for which in ("all", "half"):
        run(COUNT, which)
    shown = samples(run(SHOW))
    assert shown["agent_requests_total|debug_incident"] == 8
    assert shown["agent_grounded_responses_total"] == 6
    assert shown["agent_grounding_rate"] == 0.75
    assert shown["oracle_posts_total|ok"] == 4
    assert shown["oracle_stage_seconds_count|plan"] == 4
    assert shown["oracle_stage_seconds_bucket|0.025|plan"] == 4
    assert shown["oracle_events_total|mention"] == 1
    assert shown["oracle_inbox_oldest_unanswered_seconds"] == 3
    assert not any("pid" in name for name in shown)
