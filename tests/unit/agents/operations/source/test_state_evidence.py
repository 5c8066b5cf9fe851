"""The facts that health is judged by: counted over every row, and what was filtered by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.operations_databases import HOUR, NOW, add, make, reading, request, sqlite_address
from workers.agents.operations.source.deployments import get_deployment_status
from workers.agents.operations.source.evidence import DESCRIBE
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.agents.operations.source.latency_trends import get_latency_trends
from workers.agents.operations.source.recent_requests import get_recent_requests
from workers.agents.operations.source.row_facts import MOST
from workers.contracts import Evidence, Step, ToolOutput
from workers.engine.execute import StepResult, number_evidence
from workers.grounding import health
from workers.store.database import Database

QUERIES = {q.__name__: q for q in (get_deployment_status, get_recent_requests, get_latency_trends)}


@pytest.fixture
def address(tmp_path: Path) -> str:
    return sqlite_address(tmp_path)


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    made = make(address)
    yield made
    made.close()


def told(address: str, name: str, **args: Any) -> tuple[Evidence, ...]:
    """What a tool says of the database."""
    with reading(address) as reader:
        return DESCRIBE[name](QUERIES[name](reader, **args), NOW, args)


def filters(item: Evidence) -> dict[str, Any]:
    names = ("deployment", "model", "backend", "status_filter")
    return {name: item.facts[name].value for name in names if name in item.facts}


def report(database: Database, deployment: str, **changes: Any) -> None:
    """A healthy deployment's state, with changes."""
    calm = {"window_sec": 300, "sample_count": 40, "updated_at": NOW, "error_rate": 0.0, "timeout_rate": 0.0}
    add(database, "deployment_state_current", {"deployment_id": deployment, "status": "healthy", **calm, **changes})


def test_a_rate_over_few_samples_does_not_count(database: Database, address: str) -> None:
    report(database, "owl/north", error_rate=0.25, sample_count=4)
    assert told(address, "get_deployment_status")[0].facts["failing"].value == 0


def test_deployments_that_fail_are_counted(database: Database, address: str) -> None:
    report(database, "owl/north", error_rate=0.05)
    report(database, "owl/south", timeout_rate=0.02)
    report(database, "finch/north", error_rate=0.049, timeout_rate=0.019)
    assert told(address, "get_deployment_status")[0].facts["failing"].value == 2


def test_one_that_is_not_listed_still_fails(database: Database, address: str) -> None:
    names = [f"owl{i:02}" for i in range(MOST)]
    flags = {"supports_streaming": True, "supports_tools": True, "supports_json_mode": False}
    add(database, "models", *({"id": n, "provider": "p", "max_context_tokens": 9, **flags} for n in names))
    more = {"backend_id": "north", "enabled": True, "weight": 1.0, "created_at": NOW}
    add(database, "deployments", *({"id": f"{n}/north", "model_id": n, **more} for n in names))
    for name in [*(f"{n}/north" for n in names), "owl/south", "finch/north"]:
        report(database, name, latency_p95_ms=500.0)
    report(database, "owl/north", latency_p95_ms=1.0, error_rate=0.9)
    evidence = told(address, "get_deployment_status")
    assert "deployments/owl/north" not in {e.locator.removeprefix("context://") for e in evidence}
    assert evidence[0].facts["healthy"].value == evidence[0].facts["total"].value
    assert not health.all_healthy(evidence)


@pytest.mark.parametrize(
    ("args", "known"),
    [
        ({}, {}),
        ({"model_id": "owl"}, {"model": "owl"}),
        ({"backend_id": "north", "status": "healthy"}, {"backend": "north", "status_filter": "healthy"}),
    ],
)
def test_health_names_its_filters(database: Database, address: str, args: Any, known: dict[str, str]) -> None:
    for name in ("owl/north", "owl/south", "finch/north"):
        report(database, name)
    evidence = told(address, "get_deployment_status", **args)
    assert filters(evidence[0]) == known
    assert health.all_healthy(evidence) is (not known)


@pytest.mark.parametrize("args", [{}, {"status": "error"}, {"status": "timeout"}])
def test_requests_name_the_status_that_was_asked_for(database: Database, address: str, args: Any) -> None:
    for number, status in enumerate(("error", "timeout", "success")):
        add(database, "requests", request(number, NOW - HOUR, status=status))
    summary = told(address, "get_recent_requests", **args)[0]
    assert filters(summary) == ({"status_filter": args["status"]} if args else {})


def totals(item: Evidence) -> dict[str, Any]:
    names = ("request_count", "all_error_count", "all_timeout_count", "error_rate", "timeout_rate")
    return {name: item.facts[name].value for name in names if name in item.facts}


@pytest.mark.parametrize("summed", [False, True])
@pytest.mark.parametrize(
    ("args", "counts"),
    [
        ({}, (90, 6, 3)),
        ({"status": "error"}, (90, 6, 3)),
        ({"model_id": "owl", "status": "timeout"}, (60, 6, 0)),
        ({"backend_id": "north"}, (90, 6, 3)),
        ({"user_id": "bob"}, (30, 0, 3)),
        ({"user_tier": "premium", "status": "error"}, (60, 6, 0)),
        ({"since": "2026-05-04T11:15:00Z"}, (30, 3, 0)),
    ],
)
def test_all_requests_of_the_window_are_counted(
    database: Database, address: str, args: Any, counts: tuple[int, int, int], summed: bool
) -> None:
    rows = [request(n, NOW - (n % 2 + 1) * HOUR, status="error" if n < 6 else "success") for n in range(60)]
    finch = {"user_id": "bob", "deployment_id": "finch/north"}
    rows += [request(100 + n, NOW - 5 * HOUR, status="timeout" if n < 3 else "success", **finch) for n in range(30)]
    add(database, "requests", *rows)
    if summed:
        refresh_hours(database)
    item = told(address, "get_recent_requests", **args)[0]
    every, errors, timeouts = counts
    assert totals(item) == {
        "request_count": every,
        "all_error_count": errors,
        "all_timeout_count": timeouts,
        "error_rate": pytest.approx(errors / every, rel=1e-3),
        "timeout_rate": pytest.approx(timeouts / every, rel=1e-3),
    }


def test_no_failure_among_requests_is_found_and_nothing_at_all_is_not(database: Database, address: str) -> None:
    assert told(address, "get_recent_requests", status="error") == ()
    add(database, "requests", request(1, NOW - HOUR))
    (item,) = told(address, "get_recent_requests", status="error")
    assert (totals(item)["request_count"], item.facts["error_count"].value) == (1, 0)
    assert "failed_request" not in item.facts
    assert told(address, "get_recent_requests", user_id="bob") == ()
    assert told(address, "get_recent_requests", user_id="bob", status="error") == ()
    assert told(address, "get_recent_requests", status="success", model_id="finch") == ()


CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("get_deployment_status", {}, "deployments"),
    ("get_deployment_status", {"model_id": "owl"}, "deployments?model_id=owl"),
    ("get_recent_requests", {"since": "24 hours ago", "limit": 50}, "requests"),
    ("get_recent_requests", {"status": "error", "user_id": "ann"}, "requests?user_id=ann&status=error"),
    ("get_latency_trends", {"granularity": "hour", "until": ""}, "trends/latency"),
    ("get_latency_trends", {"since": "7 days ago"}, "trends/latency?since=7+days+ago"),
)


@pytest.mark.parametrize(("name", "args", "place"), CALLS)
def test_a_locator_tells_what_was_asked_for(
    database: Database, address: str, name: str, args: dict[str, Any], place: str
) -> None:
    report(database, "owl/north")
    add(database, "requests", *(request(n, NOW - HOUR, status="error") for n in range(12)))
    summary, item, *_ = told(address, name, **args)
    assert summary.locator == f"context://{place}"
    assert item.locator.startswith(f"context://{place.partition('?')[0]}/")
    locator = f"context://{place.partition('?')[0]}"
    assert health.summary_of([item, summary], locator) == summary
    assert health.items_of([summary, item], locator) == [item]


def test_two_looks_at_the_same_are_both_kept(database: Database, address: str) -> None:
    report(database, "owl/north")
    report(database, "finch/north", status="down")
    results = [
        StepResult(
            Step(id=f"s{i}", tool="get_deployment_status", args=args, purpose="look"),
            (),
            ToolOutput(evidence=told(address, "get_deployment_status", **args)),
            (),
        )
        for i, args in enumerate(({"model_id": "owl"}, {}))
    ]
    kept = number_evidence(results)
    assert [e.step for e in health.summaries_of(kept, health.DEPLOYMENTS)] == ["s0", "s1"]
    assert len(health.items_of(kept, health.DEPLOYMENTS)) == 3  # each deployment once


def test_a_level_says_when_it_was_and_of_how_many_requests(database: Database, address: str) -> None:
    for hours, count in ((3, 30), (2, 12), (1, 4)):
        rows = (request(100 * hours + n, NOW.replace(minute=0) - hours * HOUR) for n in range(count))
        add(database, "requests", *rows)
    facts = told(address, "get_latency_trends")[0].facts
    assert facts["window_last"].value == "2026-05-04T10:00:00Z"
    assert facts["current_count"].value == 12


@pytest.mark.parametrize(
    ("args", "known"),
    [
        ({}, {}),
        ({"model_id": "owl"}, {"model": "owl"}),
        ({"backend_id": "north"}, {"backend": "north"}),
        ({"deployment_id": "owl/north"}, {"deployment": "owl/north"}),
    ],
)
def test_trends_name_whose_they_are(database: Database, address: str, args: Any, known: dict[str, str]) -> None:
    add(database, "requests", *(request(n, NOW - HOUR) for n in range(12)))
    assert filters(told(address, "get_latency_trends", **args)[0]) == known
