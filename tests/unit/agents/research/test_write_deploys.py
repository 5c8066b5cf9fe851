"""Deploys, on-call and times without samples: what is written, and that it holds against the evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, brief
from workers.agents.research.missing_evidence import unsampled, write_unsampled
from workers.agents.research.write_alerting import write_alerting
from workers.agents.research.write_deploys import lists_deploys, write_deploys
from workers.contracts import Draft, Evidence, Fact, Gap, Intent, Window, rfc3339
from workers.grounding.ground import check_grounding
from workers.grounding.value_format import Voice
from workers.ports import Brief


def deploy(name: str, service: str, version: str, hours_ago: float) -> Evidence:
    at = rfc3339(NOW - timedelta(hours=hours_ago))
    facts = {
        "service": Fact(value=service, entity=service),
        "version": Fact(value=version, entity=service),
        "at": Fact(value=at, unit="time", entity=service),
    }
    title, excerpt = f"deploy {service} {version}", f"{service} {version}, deployed at {at}"
    return Evidence(id=name, kind="deploy", title=title, locator=f"{service}@{version}", excerpt=excerpt, facts=facts)


DEPLOYS = (
    deploy("E1", "shop", "v1.40.0", 60),
    deploy("E2", "storefront", "v3.8.1", 20),
    deploy("E3", "shop", "v1.42.0", 10),
)


def asked(text: str, *evidence: Evidence, hours: float = 24, kind: str = "operations_status") -> Brief:
    window = Window(start=NOW - timedelta(hours=hours), end=NOW, why="“yesterday”")
    base = brief(evidence=evidence, gaps=())
    intent = Intent.model_validate({"question_type": kind, "time_hints": ("yesterday",), "window": window})
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}), intent=intent)


def told(draft: Draft, given: Brief) -> str:
    """The answer's headline and changes, when nothing of it is struck."""
    known = " ".join((given.question.text, *LANDSCAPE.names))
    answer, struck = check_grounding(
        draft, given.evidence, Voice(NOW, "UTC"), (), known=known, asked=given.question.text
    )
    assert not struck
    return "\n".join(c.text for c in (answer.headline, *answer.what_changed, *answer.metrics))


def test_deploys_of_a_span_are_listed() -> None:
    given = asked("What was deployed since yesterday?", *DEPLOYS)
    assert lists_deploys(given)
    text = told(write_deploys(given), given)
    assert text.index("storefront v3.8.1") < text.index("shop v1.42.0")
    assert "v1.40.0" not in text


def test_no_deploy_in_a_span_names_the_one_before() -> None:
    given = asked("which releases went out today?", *DEPLOYS, hours=5)
    assert told(write_deploys(given), given).startswith(
        "No deploy is known in that time.\nLast before that: shop v1.42.0"
    )


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("when was the last deploy?", "v1.42.0"),
        ("when did we last deploy storefront?", "v3.8.1"),
        ("when was storefront deployed last?", "v3.8.1"),
        ("when was storefront deployed?", "v3.8.1"),
        ("when did storefront last go out?", "v3.8.1"),
        ("which version of storefront was released last?", "v3.8.1"),
    ],
)
def test_the_last_deploy_is_one(text: str, version: str) -> None:
    given = asked(text, *DEPLOYS, hours=1)
    assert lists_deploys(given)
    said = told(write_deploys(given), given)
    assert [v for v in ("v1.40.0", "v3.8.1", "v1.42.0") if v in said] == [version]


@pytest.mark.parametrize("text", ["did latency rise after what was deployed?", "is everything ok after the releases?"])
def test_a_symptom_is_no_list(text: str) -> None:
    assert not lists_deploys(asked(text, *DEPLOYS))


def test_a_time_before_all_samples_is_not_told_by_later_ones() -> None:
    start = NOW.timestamp()
    series = tuple((start + 60 * i, 0.2) for i in range(5))
    facts = {
        "metric": Fact(value="p95 latency"),
        "current": Fact(value=0.2, unit="s"),
        "baseline": Fact(value=0.2, unit="s"),
        "direction": Fact(value="steady"),
    }
    metric = Evidence(id="E1", kind="metric", title="p95 latency", locator="p95", facts=facts, series=series)
    given = asked("was p95 latency like that yesterday?", metric, kind="debug_incident")
    given = replace(given, intent=given.intent.model_copy(update={"window": Window(start=NOW, end=NOW, why="then")}))
    assert not unsampled(given)
    before = Window(start=NOW - timedelta(days=8), end=NOW - timedelta(days=1), why="“last week”")
    given = replace(given, intent=given.intent.model_copy(update={"window": before}))
    assert unsampled(given)
    assert told(write_unsampled(given), given).startswith("I have no samples of p95 latency for “yesterday”")


def test_nobody_is_named_on_call_without_a_schedule() -> None:
    doc = Evidence(
        id="E1",
        kind="doc",
        title="Alerting",
        locator="alerting.md",
        excerpt="Name the person on call as reviewer of a rule.",
        facts={"title": Fact(value="Alerting"), "path": Fact(value="alerting.md", unit="path")},
    )
    given = asked("who is on call", doc, kind="alerting")
    draft = write_alerting(given)
    assert told(draft, given).startswith("I can't say who is on call: no on-call schedule is connected.")
    assert Gap(text="Who is on call at this moment: no on-call schedule is connected.") in draft.missing


@pytest.mark.parametrize(
    "text",
    [
        "when was billing deployed last?",
        "when was the billing service released?",
        "when was the last deploy of billing?",
        "when did we last ship billing?",
        "when was billing's last release?",
    ],
)
def test_a_service_without_deploys_is_not_answered_by_another(text: str) -> None:
    given = asked(text, *DEPLOYS)
    assert lists_deploys(given)
    draft = write_deploys(given)
    assert draft.headline.template == "I know no deploy of billing."
    assert draft.missing[0].text == "Deploys are known of shop."


def test_a_name_that_is_cut_short_stands_for_the_only_one_that_has_it() -> None:
    given = asked("when was search deployed?", *DEPLOYS, deploy("E4", "search-api", "v2.0.1", 15))
    assert "search-api v2.0.1" in told(write_deploys(given), given).splitlines()[0]


def test_what_could_not_be_measured_is_no_gap_of_a_list_of_deploys() -> None:
    late = Gap(
        text="metrics_query did not answer in time", tool="metrics_query", tried=("metric=latency_p95 window=1h",)
    )
    alerts = Gap(
        text="metrics_query did not answer in time, no alerts", tool="metrics_query", tried=("alert=* window=1h",)
    )
    given = replace(asked("when was storefront deployed last?", *DEPLOYS), gaps=(late, alerts))
    assert write_deploys(given).missing == (alerts,)
