"""Which side a question is for: the operations data, or code, documents and metrics."""

from __future__ import annotations

import pytest

from tests.support.operations_agent import LANDSCAPE, question
from workers.agents.operations.inquiry import how_operational
from workers.contracts import Landscape, MetricInfo

NAMES = Landscape(
    labels={
        **LANDSCAPE.labels,
        "model": (*LANDSCAPE.labels["model"], "lumen-flash", "lumen-pro", "quartz-code"),
        "deployment": (*LANDSCAPE.labels["deployment"], "quartz-code/north-gpu"),
    },
    alerts=("SearchLatencyHigh",),
    metrics=(MetricInfo(name="latency_p95", unit="s"),),
)


@pytest.mark.parametrize(
    "text",
    [
        "how are our models doing?",
        "did anybody blow through their budget today?",
        "is lumen down?",
        "is norht-gpu slow",
        "who is hitting rate limits?",
        "did premium users get their SLA today?",
    ],
)
def test_operations_get_what_their_data_hold(text: str) -> None:
    assert how_operational(question(text), NAMES) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "is everything ok?",
        "how are refresh tokens validated?",
        "what is our error budget for checkout?",
        "explain the search ranking model",
        "how are token counts computed by the limiter?",
        "what does SearchLatencyHigh mean?",
    ],
)
def test_research_gets_the_rest(text: str) -> None:
    assert how_operational(question(text), NAMES) < 0.5


@pytest.mark.parametrize("text", ["requests per hour today", "is anything slow?", "how many errors today?"])
def test_where_nothing_else_measures_operations_tell_how_things_behave(text: str) -> None:
    alone = Landscape(labels={k: v for k, v in LANDSCAPE.labels.items() if k not in {"endpoint", "service"}})
    assert how_operational(question(text), alone) >= 0.5
    assert how_operational(question(text), NAMES) < 0.5
    assert how_operational(question(text), Landscape()) < 0.5


def test_a_service_called_like_a_model_is_no_sign_of_research() -> None:
    both = NAMES.model_copy(update={"labels": {**NAMES.labels, "service": ("shop", "heron-mini", "support-desk")}})
    assert how_operational(question("is heron-mini slow?"), both) >= 0.5
    assert how_operational(question("is support-desk slow?"), both) < 0.5


THREAD = ("why is heron-mini slow?", "p95 latency of heron-mini is steady.")


@pytest.mark.parametrize(
    ("text", "operational"),
    [
        ("how many requests failed?", True),
        ("show me the errors", True),
        ("how much traffic did we get yesterday?", True),
        ("what is a circuit breaker?", False),
        ("where is it configured?", False),
        ("and for /api/search?", False),
    ],
)
def test_a_thread_keeps_its_side_until_something_else_is_asked(text: str, operational: bool) -> None:
    assert (how_operational(question(text, *THREAD), NAMES) >= 0.5) is operational


def test_a_research_thread_stays_one() -> None:
    thread = ("why is /api/search slow?", "p95 latency of /api/search rose.")
    assert how_operational(question("show me the errors", *thread), NAMES) < 0.5
    assert how_operational(question("and yesterday?", *thread), NAMES) < 0.5
    assert how_operational(question("and lumen?", *thread), NAMES) >= 0.5
