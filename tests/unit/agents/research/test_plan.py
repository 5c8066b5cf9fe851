"""Plans come from patterns.yaml: overlaying it changes the plan."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from workers.agents.registry import build_agents, playbook_of
from workers.agents.research import VALIDATORS
from workers.agents.research.intent import read_intent
from workers.agents.research.plan import make_plan
from workers.contracts import Landscape, MetricInfo, Plan, Question, Window
from workers.engine.validate import check_plan
from workers.errors import ConfigError, PlanRejected
from workers.ports import Asked
from workers.settings.load import Settings, load_settings

PATTERNS = Path("workers/agents/research/patterns.yaml")
NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
LANDSCAPE = Landscape(
    labels={"endpoint": ("/api/search", "/api/checkout"), "service": ("shop",)},
    metrics=(
        MetricInfo(name="latency_p95", unit="s", role="latency"),
        MetricInfo(name="error_ratio", unit="ratio", role="errors", aliases=("error rate",)),
    ),
)


def plan_for(settings: Settings, text: str) -> Plan:
    question = Question(request_id="r", text=text, received_at=NOW)
    intent = read_intent(question, LANDSCAPE, NOW)
    day = Window(start=NOW - timedelta(hours=24), end=NOW, why="last 24 h")
    intent = intent.model_copy(update={"window": intent.window or day})
    limits = build_agents(settings)["research"].limits
    plan = make_plan(question, intent, LANDSCAPE, playbook_of(settings, "research", limits))
    check_plan(plan, Asked(question.text, intent, LANDSCAPE, limits, rules=VALIDATORS))
    return plan


def test_the_plan_names_metric_window_and_filter(home: Path) -> None:
    plan = plan_for(load_settings(home=home), "Why is the error rate of checkout up in the last 2 hours?")
    assert plan.pattern == "debug_incident"
    query = plan.steps[0].args["query"]
    assert query == "metric=error_ratio window=2026-11-21T09:00:00Z/2026-11-21T11:00:00Z endpoint=/api/checkout"


def test_a_named_endpoint_brings_metrics_and_code_to_any_kind(home: Path) -> None:
    plan = plan_for(load_settings(home=home), "Where is /api/search implemented?")
    assert {"metrics_query", "repo_search"} <= {s.tool for s in plan.steps}
    plain = plan_for(load_settings(home=home), "Where is the retry policy configured for our payment client?")
    assert "metrics_query" not in {s.tool for s in plain.steps}


def test_editing_patterns_changes_the_plan(home: Path) -> None:
    patterns = yaml.safe_load(PATTERNS.read_text())
    steps = patterns["locate_code"]["steps"]
    steps[0]["args"]["query"] = "{subject} settings"
    (home / "config").mkdir()
    (home / "config" / "patterns.yaml").write_text(yaml.safe_dump({"locate_code": {"steps": steps[:1]}}))
    plan = plan_for(load_settings(home=home), "Where is the retry policy configured for our payment client?")
    assert (plan.steps[0].tool, plan.steps[0].args["query"]) == ("repo_search", "payment client settings")


def test_a_plan_that_skips_the_metrics_is_rejected(home: Path) -> None:
    patterns = yaml.safe_load(PATTERNS.read_text())
    (home / "config").mkdir()
    kept = [s for s in patterns["debug_incident"]["steps"] if s["id"] == "runbook"]
    kept[0] |= {"after": [], "args": {"query": "{question}"}}
    changed = {"debug_incident": {"steps": kept}, "wide": {"steps": []}}
    (home / "config" / "patterns.yaml").write_text(yaml.safe_dump(changed))
    with pytest.raises(PlanRejected, match="needs metrics_query"):
        plan_for(load_settings(home=home), "Why is /api/search slow?")


def test_a_step_that_waits_for_a_later_one_is_refused_with_file_and_key(home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "patterns.yaml").write_text(
        "conceptual:\n  steps:\n    - {id: a, tool: doc_search, args: {query: x}, purpose: p, after: [b]}\n"
    )
    with pytest.raises(ConfigError, match=r"patterns.yaml:3: conceptual.steps.0.after: no earlier step 'b'"):
        build_agents(load_settings(home=home))


LOOKS_AT_DEPLOYMENTS = {"get_active_incidents", "get_deployment_status"}


def whole_plan(home: Path, text: str, *, connected: bool = True) -> Plan:
    """The plan of the research agent with operations data connected, or without."""
    settings = load_settings({"oracle.context.url": "sqlite:////nowhere/context.db"} if connected else {}, home=home)
    limits = build_agents(settings)["research"].limits
    question = Question(request_id="r", text=text, received_at=NOW)
    intent = read_intent(question, LANDSCAPE, NOW)
    day = Window(start=NOW - timedelta(hours=24), end=NOW, why="last 24 h")
    intent = intent.model_copy(update={"window": intent.window or day})
    plan = make_plan(question, intent, LANDSCAPE, playbook_of(settings, "research", limits))
    check_plan(plan, Asked(question.text, intent, LANDSCAPE, limits, rules=VALIDATORS))
    return plan


@pytest.mark.parametrize(
    "text", ["is everything ok?", "anything on fire?", "status?", "how is production doing today?"]
)
def test_the_state_of_the_whole_takes_incidents_and_deployments_too(home: Path, text: str) -> None:
    plan = whole_plan(home, text)
    assert plan.pattern == "operations_status"
    assert {s.tool for s in plan.steps} > LOOKS_AT_DEPLOYMENTS
    assert plan.uncertainties == ()


@pytest.mark.parametrize("text", ["is /api/search ok?", "is shop healthy?", "why is /api/search slow?"])
def test_what_is_named_is_looked_at_alone(home: Path, text: str) -> None:
    plan = whole_plan(home, text)
    assert not LOOKS_AT_DEPLOYMENTS & {s.tool for s in plan.steps}
    assert plan.uncertainties == ()


def test_without_operations_data_no_step_looks_for_them(home: Path) -> None:
    plan = whole_plan(home, "is everything ok?", connected=False)
    assert not LOOKS_AT_DEPLOYMENTS & {s.tool for s in plan.steps}
    assert plan.uncertainties == ()


def test_a_time_that_is_over_is_not_answered_by_what_is_known_of_now(home: Path) -> None:
    plan = whole_plan(home, "was everything ok yesterday?")
    assert not LOOKS_AT_DEPLOYMENTS & {s.tool for s in plan.steps}
    assert any("deployments were not looked at" in text for text in plan.uncertainties)


def test_an_agent_has_no_tool_whose_data_are_not_there(home: Path) -> None:
    connected = load_settings({"oracle.context.url": "sqlite:////nowhere/context.db"}, home=home)
    assert set(build_agents(connected)["research"].limits.tools) > LOOKS_AT_DEPLOYMENTS
    dry = build_agents(load_settings(home=home))
    assert not LOOKS_AT_DEPLOYMENTS & set(dry["research"].limits.tools)
    assert dry["operations"].lacks


def test_flags_and_the_cluster_are_looked_at_only_where_they_are_connected(home: Path) -> None:
    text = "Why is the error rate of checkout up in the last 2 hours?"
    tools = {s.tool for s in plan_for(load_settings(home=home), text).steps}
    assert not tools & {"flag_changes", "cluster_events"}
    connected = load_settings({"oracle.hooks.token": "x", "oracle.cluster.url": "http://127.0.0.1:1"}, home=home)
    steps = {s.tool: s for s in plan_for(connected, text).steps}
    for tool in ("flag_changes", "cluster_events"):
        assert steps[tool].after == ("metric",)
