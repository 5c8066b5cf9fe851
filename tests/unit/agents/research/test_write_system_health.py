"""How the whole stands: services and model deployments both, the half in trouble first, calm only by values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, brief
from tests.unit.agents.research.test_write_status import metric
from workers.agents.research.write_status import write_status
from workers.contracts import Answer, Evidence, Fact, Intent
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice

WELL = (metric("E1", "error ratio", "errors", "steady"), metric("E2", "p95 latency", "latency", "steady", "latency"))
SLOW = (WELL[0], metric("E2", "p95 latency", "latency", "rose", "latency"))


def row(key: str, kind: Any, locator: str, entity: str, **values: Any) -> Evidence:
    units = {"count": "count", "total": "count", "healthy": "count", "as_of": "time", "started_at": "time"}
    units |= {"degraded": "count", "down": "count", "failing": "count", "stale": "count", "unknown": "count"}
    facts = {name: Fact(value=value, unit=units.get(name, "text"), entity=entity) for name, value in values.items()}
    return Evidence(id=key, kind=kind, title=locator, locator=f"context://{locator}", facts=facts)


def deployments(*, degraded: int) -> tuple[Evidence, ...]:
    counts = {"total": 21, "healthy": 21 - degraded, "degraded": degraded, "down": 0, "unknown": 0, "stale": 0}
    whole = row("E7", "row", "deployments", "all", failing=0, as_of="2026-11-21T11:00:00Z", **counts)
    worst = row(
        "E8", "row", "deployments/lumen/east", "lumen/east", deployment="lumen/east", status="degraded", stale="no"
    )
    return (whole, worst) if degraded else (whole,)


NO_INCIDENT = row("E5", "incident", "incidents", "all", count=0, as_of="2026-11-21T11:00:00Z")
INCIDENTS = (
    row("E5", "incident", "incidents", "all", count=1, as_of="2026-11-21T11:00:00Z"),
    row(
        "E6",
        "incident",
        "incidents/INC-9",
        "lumen/east",
        incident="INC-9",
        title="Requests queue up",
        status="active",
        target="lumen/east",
        started_at="2026-11-21T10:00:00Z",
    ),
)


def answer(*evidence: Evidence) -> Answer:
    base = brief(evidence=evidence, gaps=())
    question = base.question.model_copy(update={"text": "is everything ok?", "context": ()})
    given = replace(
        base, question=question, intent=Intent(question_type="operations_status", window=base.intent.window)
    )
    written, struck = check_grounding(
        write_status(given), given.evidence, Voice(NOW, "UTC"), (), known=" ".join(LANDSCAPE.names), asked=question.text
    )
    assert not struck
    return written


def test_all_well_is_said_by_the_values_of_both_halves() -> None:
    said = answer(*WELL, NO_INCIDENT, *deployments(degraded=0)).headline
    assert "p95 latency of /api/checkout is steady at 200 ms" in said.text
    assert "No active incidents (0 found); 21 of 21 deployments" in said.text
    assert {"E1", "E2", "E5", "E7"} <= set(said.evidence)


def test_trouble_of_the_deployments_comes_before_services_that_are_well() -> None:
    said = answer(*WELL, *INCIDENTS, *deployments(degraded=1))
    text = said.headline.text
    assert text.startswith("Incident INC-9 “Requests queue up” on lumen/east is active since 10:00 UTC")
    assert "20 of 21 deployments" in text
    assert text.index("1 degraded") < text.index("p95 latency of /api/checkout is steady")
    assert any("lumen/east" in claim.text for claim in (*said.metrics, *said.next_steps))


def test_trouble_of_the_services_comes_before_that_of_the_deployments() -> None:
    text = answer(*SLOW, *INCIDENTS, *deployments(degraded=1)).headline.text
    assert text.startswith("p95 latency of /api/checkout rose from 100 ms to 400 ms")
    assert "Incident INC-9" in text


def test_a_half_that_nothing_tells_of_is_said_to_be_unknown() -> None:
    said = answer(*INCIDENTS, *deployments(degraded=1))
    assert said.headline.text.startswith("Incident INC-9")
    assert any("no metrics answered" in gap.text for gap in said.missing)
    alone = answer(*WELL, NO_INCIDENT)
    assert any("health of the deployments" in gap.text for gap in alone.missing)


@pytest.mark.parametrize("evidence", [WELL, SLOW])
def test_without_operations_data_nothing_is_said_of_deployments(evidence: tuple[Evidence, ...]) -> None:
    said = answer(*evidence)
    assert "deployments" not in " ".join((said.headline.text, *(gap.text for gap in said.missing)))
