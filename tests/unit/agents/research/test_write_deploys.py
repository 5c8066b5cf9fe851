"""Deploys that are asked for: of a span, the last one, one version, and none."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, brief
from workers.agents.research.agent import unsampled, write_unsampled
from workers.agents.research.write_deploys import write_deploys
from workers.contracts import Draft, Evidence, Fact, Intent, Window, rfc3339
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
KNOWN = LANDSCAPE.model_copy(update={"labels": {**LANDSCAPE.labels, "service": ("shop", "storefront", "billing")}})


def asked(text: str, *evidence: Evidence, hours: float = 24, hints: tuple[str, ...] = ()) -> Brief:
    window = Window(start=NOW - timedelta(hours=hours), end=NOW, why="“yesterday”")
    base = brief(evidence=evidence, gaps=(), landscape=KNOWN)
    intent = Intent.model_validate({"question_type": "deploys", "time_hints": hints, "window": window})
    return replace(base, question=base.question.model_copy(update={"text": text, "context": ()}), intent=intent)


def told(draft: Draft, given: Brief) -> str:
    """The answer's headline and changes, when nothing of it is struck."""
    known = " ".join((given.question.text, *given.landscape.names))
    answer, struck = check_grounding(
        draft, given.evidence, Voice(NOW, "UTC"), (), known=known, asked=given.question.text
    )
    assert not struck
    return "\n".join(c.text for c in (answer.headline, *answer.what_changed, *answer.metrics))


def test_deploys_of_a_span_are_listed() -> None:
    given = asked("What was deployed since yesterday?", *DEPLOYS, hints=("since yesterday",))
    text = told(write_deploys(given), given)
    assert text.index("storefront v3.8.1") < text.index("shop v1.42.0")
    assert "v1.40.0" not in text


def test_no_deploy_in_a_span_names_the_one_before() -> None:
    given = asked("which releases went out today?", *DEPLOYS, hours=5, hints=("today",))
    said = told(write_deploys(given), given)
    assert said.startswith("No deploy is known in that time.\nLast before that: shop v1.42.0")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("when was the last deploy?", "v1.42.0"),
        ("when did we last deploy storefront?", "v3.8.1"),
        ("which version of storefront is live?", "v3.8.1"),
        ("what changed in v1.40.0?", "v1.40.0"),
        ("when did 3.8.1 go out?", "v3.8.1"),
    ],
)
def test_one_deploy_is_told_alone(text: str, version: str) -> None:
    given = asked(text, *DEPLOYS, hours=1)
    said = told(write_deploys(given), given)
    assert [v for v in ("v1.40.0", "v3.8.1", "v1.42.0") if v in said] == [version]


def test_a_service_without_deploys_is_not_answered_by_another() -> None:
    draft = write_deploys(asked("when was billing deployed last?", *DEPLOYS))
    assert draft.headline.template == "I know no deploy of billing."
    assert draft.missing[0].text == "Deploys are known of shop."


def test_a_time_before_all_samples_is_not_told_by_later_ones() -> None:
    start = NOW.timestamp()
    series = tuple((start + 60 * i, 0.2) for i in range(5))
    facts = {name: Fact(value=0.2, unit="s") for name in ("current", "baseline")}
    facts |= {"metric": Fact(value="p95 latency"), "direction": Fact(value="steady")}
    metric = Evidence(id="E1", kind="metric", title="p95 latency", locator="p95", facts=facts, series=series)
    given = asked("was p95 latency like that last week?", metric, hints=("last week",))
    given = replace(given, intent=given.intent.model_copy(update={"window": Window(start=NOW, end=NOW, why="then")}))
    assert not unsampled(given)
    before = Window(start=NOW - timedelta(days=8), end=NOW - timedelta(days=1), why="“last week”")
    given = replace(given, intent=given.intent.model_copy(update={"window": before}))
    assert unsampled(given)
    assert told(write_unsampled(given), given).startswith("I have no samples of p95 latency for “last week”")
