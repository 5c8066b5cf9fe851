"""What is wrong in operations data, and when it may be said that nothing is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.each_row import each_row
from tests.support.reasoner_inputs import INTENT, LANDSCAPE, LIMITS, RULES
from workers.agents.operations.validators import OPS_SIGNALS, is_ops_like
from workers.contracts import Claim, Evidence, Fact, Plan, Step
from workers.grounding.ground import check_claim
from workers.grounding.health import all_clear, all_healthy, find_trouble, no_incident
from workers.grounding.value_format import Voice
from workers.ports import Asked

NOW = datetime(2026, 11, 21, 11, tzinfo=UTC)
COUNTS = frozenset(
    """sample_count count total healthy degraded down unknown stale failing success_count error_count
    timeout_count""".split()
)


def item(name: str, locator: str, kind: Any = "row", **values: Any) -> Evidence:
    """Evidence with plain facts."""
    units = {n: "count" if n in COUNTS else "ratio" if n.endswith("rate") else "text" for n in values}
    units |= {n: "percent" for n in values if n.endswith("pct")}
    facts = {n: Fact(value=v, unit=units[n], entity="all") for n, v in values.items()}
    return Evidence(id=name, kind=kind, title=locator.rpartition("/")[2], locator=f"context://{locator}", facts=facts)


def incidents(count: int = 0, **more: Any) -> Evidence:
    return item("E1", "incidents", "incident", count=count, **more)


def health(healthy: int = 3, total: int = 3, **more: Any) -> Evidence:
    return item("E2", "deployments", healthy=healthy, total=total, **({"stale": 0, "failing": 0} | more))


def deployment(**values: Any) -> Evidence:
    return item("E3", "deployments/a/b", **({"deployment": "a/b", "status": "healthy", "stale": "no"} | values))


def test_all_is_clear_when_both_checks_ran_and_found_nothing() -> None:
    assert all_clear([incidents(), health(), deployment()])


@each_row(
    "evidence",
    [
        [],
        [incidents()],
        [health()],
        [incidents(1), health()],
        [incidents(target="a/b"), health()],
        [incidents(target_type="backend"), health()],
        [incidents(), health(failing=1)],
        [incidents(), health(model="a")],
        [incidents(), health(backend="b")],
        [incidents(), health(status_filter="healthy")],
        [incidents(), item("E2", "deployments", healthy=3, total=3, stale=0)],  # nobody counted those that fail
        [incidents(), health(2, 3, degraded=1)],
        [incidents(), health(0, 0)],
        [incidents(), health(stale=1)],
        [incidents(), health(), deployment(error_rate=0.2)],
        [incidents(), health(), item("E4", "trends/latency", "metric", direction="rose", change_pct=300.0)],
    ],
)
def test_it_is_not_clear_otherwise(evidence: list[Evidence]) -> None:
    assert not all_clear(evidence)


@each_row(
    "found, kind",
    [
        (item("E5", "incidents/I1", "incident", status="active", incident="I1"), "incident"),
        (deployment(status="down"), "down"),
        (deployment(status="degraded"), "degraded"),
        (deployment(status="unknown"), "unknown"),
        (deployment(error_rate=0.08), "failing"),
        (deployment(timeout_rate=0.03), "failing"),
        (deployment(stale="yes"), "stale"),
        (item("E4", "trends/latency/a/b", "metric", direction="rose", change_pct=80.0), "slower"),
        (item("E6", "requests", count=50, success_count=40, error_count=6, timeout_count=4), "failing"),
        (item("E6", "requests", count=50, success_count=0, error_count=50, timeout_count=0), "failing"),
    ],
)
def test_trouble_is_found(found: Evidence, kind: str) -> None:
    assert [t.kind for t in find_trouble([found])] == [kind]


@each_row(
    "found",
    [
        item("E5", "incidents/I1", "incident", status="resolved", incident="I1"),
        deployment(error_rate=0.01),
        item("E4", "trends/latency", "metric", direction="steady", change_pct=3.0),
        item("E6", "requests", count=50, success_count=0, error_count=50, timeout_count=0, status_filter="error"),
        item("E6", "requests", count=3, success_count=2, error_count=1, timeout_count=0),
    ],
)
def test_what_is_usual_is_no_trouble(found: Evidence) -> None:
    assert not find_trouble([found])


def test_an_active_incident_counts_without_its_item_and_comes_first() -> None:
    found = find_trouble([deployment(status="down"), incidents(2)])
    assert [t.kind for t in found] == ["incident", "down"]


def test_both_checks_are_told_apart() -> None:
    assert no_incident([incidents()])
    assert not no_incident([health()])
    assert all_healthy([health()])
    assert not all_healthy([incidents()])
    assert not no_incident([incidents(target_type="model")])


def test_a_look_at_a_part_beside_the_whole_changes_nothing() -> None:
    part = item("E7", "deployments?model_id=a", healthy=1, total=1, stale=0, failing=0, model="a")
    own = item("E8", "incidents?target_id=a", "incident", count=0, target="a")
    assert not all_clear([own, part])
    assert all_clear([own, part, incidents(), health()])
    assert not all_clear([own, part, incidents(), health(2, 3, degraded=1)])


@pytest.mark.parametrize("place", ["requests", "requests?user_id=ann"])
def test_requests_of_one_user_that_fail_are_trouble(place: str) -> None:
    calm = item("E6", "requests?model_id=a", count=50, success_count=50, error_count=0, timeout_count=0)
    bad = item("E7", place, count=50, success_count=40, error_count=6, timeout_count=4)
    assert [t.at.id for t in find_trouble([calm, bad])] == ["E7"]


# --- what may be said -----------------------------------------------------------------------------------------


def verdict(text: str, *evidence: Evidence) -> str:
    claim = Claim(template=text, evidence=tuple(e.id for e in evidence))
    return check_claim(claim, {e.id: e for e in evidence}, Voice(NOW)).verdict.verdict


@each_row(
    "text, evidence, shown",
    [
        ("All is well: {E2.healthy} of {E2.total} healthy, {E1.count} incidents.", (incidents(), health()), True),
        ("All is well.", (incidents(), health()), False),
        ("All is well.", (incidents(),), False),
        ("All is well.", (health(),), False),
        ("All is well.", (incidents(), health(2, 3, degraded=1)), False),
        ("There are no active incidents: {E1.count} found.", (incidents(),), True),
        ("There are no active incidents.", (health(),), False),
    ],
)
def test_calm_is_said_only_when_it_was_checked(text: str, evidence: tuple[Evidence, ...], shown: bool) -> None:
    assert (verdict(text, *evidence) != "struck") is shown


# --- the rule of the agent ------------------------------------------------------------------------------------


def checked(text: str, *tools: str, intent: str = "other", pattern: str = "NOVEL") -> str:
    steps = tuple(Step(id=f"s{i}", tool=tool, args={}, purpose="look") for i, tool in enumerate(tools))
    plan = Plan(pattern=pattern, query_intent=intent, steps=steps)
    asked = Asked(text, INTENT, LANDSCAPE, replace(LIMITS, validators=("ops_first",)), rules=RULES)
    return RULES["ops_first"](plan, asked)


BOTH = ("get_active_incidents", "get_deployment_status")


@each_row("signal", OPS_SIGNALS)
def test_every_signal_makes_a_question_ops_like(signal: str) -> None:
    text = f"give me THE {signal.upper()}, please"
    assert is_ops_like(text, "other")
    assert "get_active_incidents must be among the first 3 steps" in checked(text, "get_request_volume")
    assert not checked(text, *BOTH)


def test_the_intent_makes_it_so_too() -> None:
    assert checked("hello", "get_request_volume", intent="ops_investigation")
    assert not checked("hello", "get_request_volume")


def test_both_have_to_stand_within_the_first_three_steps() -> None:
    assert not checked("errors", "get_request_volume", *BOTH)
    assert checked("errors", "get_request_volume", "get_latency_trends", *BOTH)
    assert "get_deployment_status" in checked("errors", "get_active_incidents")


def test_a_known_pattern_has_its_own_steps() -> None:
    assert not checked("traffic yesterday", "get_request_volume", pattern="TRAFFIC_ANALYSIS")


def test_a_rate_over_few_samples_is_no_trouble_by_itself() -> None:
    few = item("E3", "deployments/owl", status="healthy", error_rate=0.25, sample_count=4, stale="yes")
    assert [t.kind for t in find_trouble((few,))] == ["stale"]
    enough = item("E3", "deployments/owl", status="healthy", error_rate=0.25, sample_count=10)
    assert [t.kind for t in find_trouble((enough,))] == ["failing"]
