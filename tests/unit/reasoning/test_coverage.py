"""A plan answers what it covers: the kind is certain, and every word of meaning has an account."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW
from workers.contracts import Deploy, Evidence, Fact, Landscape, MetricInfo
from workers.language.question_kinds import weights_file
from workers.language.train_question_kinds import MODELS, fingerprint
from workers.reasoning.coverage import answers, aside, cover

SHOP = Landscape(
    labels={"endpoint": ("/api/search", "/api/checkout"), "service": ("shop", "storefront")},
    metrics=(
        MetricInfo(name="latency_p95", unit="s", role="latency", aliases=("latency", "p95")),
        MetricInfo(name="error_ratio", unit="ratio", role="errors", aliases=("error rate",)),
        MetricInfo(name="traffic", unit="1/s", role="traffic", aliases=("requests",)),
    ),
    alerts=("SearchLatencyHigh",),
    repositories=("shop",),
    deploys=(Deploy(service="shop", version="v1.42.0", commit="4f2c1ab", at=NOW),),
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Latency on /api/search has been spiky since yesterday's deploy. What's going on?", "debug_incident"),
        ("Why did latency spike on /api/search after the last deploy?", "debug_incident"),
        ("is everything healthy?", "operations_status"),
        ("how much traffic does /api/checkout get?", "traffic"),
        ("Where is the retry policy configured for our payment client?", "locate_code"),
        ("Summarize how the alerts are wired for the checkout flow.", "alerting"),
        ("when was the last deploy?", "deploys"),
        ("What is a circuit breaker?", "conceptual"),
    ],
)
def test_what_a_plan_is_meant_for_is_covered(text: str, kind: str) -> None:
    found = cover(text, SHOP)
    assert (found.kind, found.covered) == (kind, True)


@pytest.mark.parametrize(
    "text",
    [
        "Can two people buy the last item at the same time?",
        "should we roll back v1.42.0?",
        "is it safe to roll back v1.42.0?",
        "Why does importing a JSON file larger than 5.12 MB fail although the limit is 50?",
        "What happens to an order if the payment provider goes away?",
        "compare the staging and the production configuration",
        "how are product prices rounded?",
        "is the kestrel aviary warm?",
    ],
)
def test_what_no_plan_is_meant_for_is_not(text: str) -> None:
    assert not cover(text, SHOP).covered


def test_a_few_other_words_are_left_aside_where_something_measured_is_named_and_said() -> None:
    found = cover("why is /api/search slow for our walrus customers?", SHOP)
    assert found.covered
    assert [gap.text for gap in aside(found)] == ["Not taken into account: “walrus”."]
    assert not cover("why is it slow for walrus customers with purple umbrellas?", SHOP).covered


def test_a_passage_answers_when_it_holds_what_is_asked_about() -> None:
    found = cover("where is the refund window configured for gift cards?", SHOP)
    facts = {"path": Fact(value="pay/refunds.py", unit="path")}
    other = Evidence(kind="code", title="Refunds", locator="pay/refunds.py:3", excerpt="WINDOW = 3", facts=facts)
    assert not answers(found, other)
    right = other.model_copy(update={"excerpt": "# of gift cards\nREFUND_WINDOW = 30"})
    assert answers(found, right)


@pytest.mark.parametrize("name", MODELS)
def test_the_stored_weights_are_learnt_from_the_examples_as_they_stand(name: str) -> None:
    with np.load(weights_file(name), allow_pickle=False) as data:
        assert str(data["fingerprint"]) == fingerprint(name)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert cover(text, SHOP).kind
