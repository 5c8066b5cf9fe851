"""How things stand: what is asked leads, what got worse follows, and what got better is no news."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, brief
from workers.agents.research.write_status import is_better, write_status
from workers.contracts import Evidence, Fact, Gap, Intent
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice

MOVES = {"rose": (0.1, 0.4), "fell": (0.4, 0.1), "steady": (0.2, 0.2)}


def metric(key: str, title: str, role: str, direction: str, step: str = "errors") -> Evidence:
    before, now = MOVES[direction]
    facts = {
        "metric": Fact(value=title, entity="/api/checkout"),
        "role": Fact(value=role, entity="/api/checkout"),
        "endpoint": Fact(value="/api/checkout", entity="/api/checkout"),
        "baseline": Fact(value=before, unit="s", entity="/api/checkout"),
        "current": Fact(value=now, unit="s", entity="/api/checkout"),
        "direction": Fact(value=direction, entity="/api/checkout"),
    }
    title = f"{title} of /api/checkout"
    return Evidence(id=key, kind="metric", title=title, locator=key, excerpt=title, facts=facts, step=step)


def headline(*metrics: Evidence) -> str:
    base = brief(evidence=metrics, gaps=())
    question = base.question.model_copy(update={"text": "Is /api/checkout ok?", "context": ()})
    intent = Intent(question_type="operations_status", subjects=("/api/checkout",), window=base.intent.window)
    given = replace(base, question=question, intent=intent)
    answer, struck = check_grounding(
        write_status(given), given.evidence, Voice(NOW, "UTC"), (), known=" ".join(LANDSCAPE.names), asked=question.text
    )
    assert not struck
    return answer.headline.text


CALM = (metric("E1", "wait for a reply", "errors", "steady"), metric("E2", "p95 latency", "latency", "steady"))


def test_a_change_for_the_better_elsewhere_is_not_told_first() -> None:
    text = headline(metric("E3", "wait between retries", "dependency", "fell"), *CALM)
    assert text.startswith("Wait for a reply of /api/checkout is steady at")
    assert "p95 latency of /api/checkout is steady" in text
    assert "retries" not in text


def test_what_got_worse_leads_whatever_is_calm_beside_it() -> None:
    text = headline(metric("E3", "database time", "dependency", "rose"), *CALM)
    assert text.index("Database time of /api/checkout rose") < text.index("p95 latency")


def test_of_what_is_asked_the_worse_leads_and_the_better_is_a_value() -> None:
    worse = metric("E2", "p95 latency", "latency", "rose")
    text = headline(metric("E1", "wait for a reply", "errors", "fell"), worse)
    assert text.startswith("p95 latency of /api/checkout rose from")
    assert "Wait for a reply of /api/checkout is 100 ms, 400 ms before" in text


@pytest.mark.parametrize(
    ("title", "role", "direction", "better"),
    [
        ("error ratio", "errors", "fell", True),
        ("error ratio", "errors", "rose", False),
        ("cache hit ratio", "cache", "fell", False),
        ("requests per second", "traffic", "rose", True),
        ("success ratio", "dependency", "fell", False),
    ],
)
def test_which_way_is_better(title: str, role: str, direction: str, better: bool) -> None:
    assert is_better(metric("E1", title, role, direction)) is better


def alert(key: str, name: str, service: str, summary: str) -> Evidence:
    told = {"name": name, "state": "firing", "since": "2026-06-01T11:00:00Z", "summary": summary}
    facts = {n: Fact(value=v, entity=service) for n, v in {**told, "label_service": service}.items()}
    return Evidence(id=key, kind="alert", title=name, locator=name, excerpt=f"{name} {summary}", facts=facts)


@pytest.mark.parametrize(("service", "leads"), [("carts", False), ("payments", True), ("payments-api", True)])
def test_an_alert_of_another_service_that_names_the_subject_does_not_lead(service: str, leads: bool) -> None:
    firing = alert("E9", "CallsFail", service, "calls to payments fail")
    base = brief(evidence=(*CALM, firing), gaps=())
    landscape = LANDSCAPE.model_copy(update={"labels": {**LANDSCAPE.labels, "service": ("payments", "carts")}})
    question = base.question.model_copy(update={"text": "Are payments ok?", "context": ()})
    intent = Intent(question_type="operations_status", subjects=("payments",), window=base.intent.window)
    draft = write_status(replace(base, question=question, intent=intent, landscape=landscape))
    assert ("E9" in draft.headline.evidence) is leads
    assert any("E9" in c.evidence for c in (draft.headline, *draft.metrics))


def test_a_metric_that_does_not_exist_is_not_answered_by_another() -> None:
    text = "metrics_query failed: no metric is named 'cart_evictions' (nearest: cart_items)"
    base = brief(evidence=CALM, gaps=(Gap(text=text, tool="metrics_query"),))
    question = base.question.model_copy(update={"text": "How is cart_evictions?", "context": ()})
    intent = Intent(question_type="operations_status", window=base.intent.window)
    draft = write_status(replace(base, question=question, intent=intent))
    assert "cart_evictions" in draft.headline.template
    assert not draft.headline.evidence
    assert not draft.metrics
    assert any("nearest: cart_items" in gap.text for gap in draft.missing)


def test_the_metric_that_is_named_is_told_of_every_place() -> None:
    def of(key: str, place: str, step: str) -> Evidence:
        name = {"metric_name": Fact(value="latency_p95"), "metric": Fact(value="p95 latency", entity=place)}
        name |= {fact: Fact(value=value, entity=place) for fact, value in (("endpoint", place), ("role", "latency"))}
        name |= {
            "baseline": Fact(value=0.2, unit="s", entity=place),
            "current": Fact(value=0.2, unit="s", entity=place),
        }
        name |= {"direction": Fact(value="steady", entity=place)}
        title = f"p95 latency of {place}"
        return Evidence(id=key, kind="metric", title=title, locator=key, excerpt=title, facts=name, step=step)

    metrics = (of("E1", "/api/checkout", "latency"), of("E2", "/api/search", "errors_2"))
    base = brief(evidence=metrics, gaps=())
    asked = base.question.model_copy(update={"text": "p95 of /api/checkout and /api/search?", "context": ()})
    intent = Intent(
        question_type="operations_status", subjects=("/api/checkout", "/api/search"), window=base.intent.window
    )
    assert write_status(replace(base, question=asked, intent=intent)).headline.evidence == ("E1", "E2")
