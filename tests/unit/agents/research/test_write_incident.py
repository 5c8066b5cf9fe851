"""The headline of an incident: of the endpoint that is asked about, and with the answer to a question for yes or no."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.engine_fakes import NOW
from tests.support.latency_evidence import metric
from tests.support.reasoner_inputs import brief
from workers.agents.research.write_incident import write_incident
from workers.contracts import Draft, Evidence, Fact
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice


def of_role(item: Evidence, role: str, direction: str) -> Evidence:
    facts = {name: fact for name, fact in item.facts.items() if direction != "steady" or not name.startswith("onset")}
    told = {"role": Fact(value=role), "direction": Fact(value=direction)}
    return item.model_copy(update={"facts": {**facts, **told}})


SLOW = of_role(metric("E1", "p95 latency", "/api/search", 0.2, 1.9, 2.1, "14:05:00"), "latency", "rose")
CALM = of_role(metric("E1", "p95 latency", "/api/search", 0.2, 0.21, 0.3, "14:05:00"), "latency", "steady")
RETRIES = of_role(metric("E2", "retries per second", "/api/search", 2.0, 1.0, 2.0, "14:05:00"), "dependency", "fell")


def written(text: str, *evidence: Evidence) -> Draft:
    asked = brief(evidence=evidence, gaps=())
    asked = replace(asked, question=asked.question.model_copy(update={"text": text, "context": ()}))
    draft = write_incident(asked)
    _, struck = check_grounding(draft, evidence, Voice(NOW, "UTC"), (), known=text, asked=text)
    assert not struck
    return draft


def test_another_series_that_moved_stands_below_with_its_owner() -> None:
    draft = written("What is wrong with /api/search?", CALM, RETRIES)
    assert draft.headline.evidence == ("E1",)
    assert any(claim.template.startswith("Retries per second of /api/search") for claim in draft.metrics)


@pytest.mark.parametrize(
    ("text", "main", "lead"),
    [
        ("Is /api/search slow?", SLOW, "Yes: "),
        ("Is /api/search slow?", CALM, ""),
        ("Is /api/search failing?", CALM, ""),
        ("Is /api/search slow because of the deploy?", SLOW, ""),
        ("Why is /api/search slow?", SLOW, ""),
    ],
)
def test_what_measures_what_is_asked_decides_a_question_for_yes_or_no(text: str, main: Evidence, lead: str) -> None:
    head = written(text, main).headline.template
    assert head.startswith(lead)
    assert lead or not head.startswith(("Yes", "No"))
