"""Which side a question is for: the operations data, or code, documents and metrics."""

from __future__ import annotations

import pytest

from tests.unit.agents.operations.parts import LANDSCAPE
from workers.agents.operations.about import how_operational
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
        "any model misbehaving?",
        "are our llms alright?",
        "which users are over budget?",
        "did anybody blow through their budget today?",
        "who spends the most?",
        "how many tokens did we use today?",
        "token usage by user this week",
        "is lumen down?",
        "kestrel looks sluggish, is it?",
        "heron down again?",
        "latency of heron-lage",
        "is norht-gpu slow",
        "is quartz-code/north-gpu healthy?",  # "code" is part of a name here
        "how good are the answers of quartz-code?",
        "why are answers worse since Thursday?",
        "who is hitting rate limits?",
        "which task type fails most?",
        "when did the last incident end?",
        "INC-247",
        "did premium users get their SLA today?",
        "how much did support-desk cost us?",
        "SELECT count(*) FROM requests",
        "please run `select count(*) from requests`",
        "run this: select error_code, count(*) from requests where task_type = 'code' group by 1",
        "\nselect * from users",
        "is the model provider throttling us?",
        "average cost per request by tier",
        "compare premium and standard",
    ],
)
def test_operations_get_what_their_data_hold(text: str) -> None:
    assert how_operational(text, (), NAMES) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "is everything ok?",
        "is search down?",
        "which backend does the payment client talk to?",
        "is the payments backend down?",
        "how are refresh tokens validated?",
        "what happens when a user's token expires?",
        "where do we define the user model?",
        "how do we rate limit users?",
        "what is our error budget for checkout?",
        "how are deployments done here?",
        "did the last deployment break anything?",
        "list deployments since yesterday",
        "explain the search ranking model",
        "how do LLM tokens work, is one token one word?",
        "what fires if the llm cost per hour goes over budget",
        "which customers table column holds the email?",
        "how are token counts computed by the limiter?",
        "how are prompt tokens counted in our gateway?",
        "what did user 4711 order yesterday?",  # nobody that the data know
        "premium shipping is calculated where?",
        "what does SearchLatencyHigh mean?",
        "are customers seeing errors on /api/checkout?",
        "with our new deploy, what moved from requests last week",
        "where do we run `select * from users`?",
    ],
)
def test_research_gets_the_rest(text: str) -> None:
    assert how_operational(text, (), NAMES) < 0.5


@pytest.mark.parametrize("text", ["requests per hour today", "is anything slow?", "how many errors today?"])
def test_where_nothing_else_measures_operations_tell_how_things_behave(text: str) -> None:
    alone = Landscape(labels={k: v for k, v in LANDSCAPE.labels.items() if k not in {"endpoint", "service"}})
    assert how_operational(text, (), alone) >= 0.5
    assert how_operational(text, (), NAMES) < 0.5
    assert how_operational(text, (), Landscape()) < 0.5


def test_a_service_called_like_a_model_is_no_sign_of_research() -> None:
    both = NAMES.model_copy(update={"labels": {**NAMES.labels, "service": ("shop", "heron-mini", "support-desk")}})
    assert how_operational("is heron-mini slow?", (), both) >= 0.5
    assert how_operational("is support-desk slow?", (), both) < 0.5


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
    assert (how_operational(text, THREAD, NAMES) >= 0.5) is operational


def test_a_research_thread_stays_one() -> None:
    thread = ("why is /api/search slow?", "p95 latency of /api/search rose.")
    assert how_operational("show me the errors", thread, NAMES) < 0.5
    assert how_operational("and yesterday?", thread, NAMES) < 0.5
    assert how_operational("and lumen?", thread, NAMES) >= 0.5
