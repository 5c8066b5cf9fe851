"""The facts that health is judged by: counted over every row, and what was filtered by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.context.parts import HOUR, NOW, add, make, reading, request, sqlite_address
from workers.context import evidence_now
from workers.context.deployments import get_deployment_status
from workers.context.evidence import DESCRIBE
from workers.context.facts import MOST
from workers.context.recent import get_recent_requests
from workers.context.trends import get_latency_trends
from workers.contracts import Evidence
from workers.engine import health
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


def test_the_rates_that_count_as_failing_are_those_of_health() -> None:
    assert (evidence_now.ERRORS_HIGH, evidence_now.TIMEOUTS_HIGH) == (health.ERRORS_HIGH, health.TIMEOUTS_HIGH)


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
