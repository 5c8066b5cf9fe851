"""What a deploy did: blamed for nothing older than itself, and not judged before it can be seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.engine_fakes import NOW
from tests.unit.agents.research.test_write_deploys import asked, deploy, told
from workers.agents.research.write_deploys import lists_deploys, write_deploys
from workers.contracts import Deploy, Evidence, Fact, Suspect, Window, rfc3339
from workers.language.time_phrases import names_deploy
from workers.ports import Brief

LAST = deploy("E1", "shop", "v1.42.0", 3)
EARLIER = deploy("E2", "storefront", "v3.8.1", 20)
JUST_NOW = deploy("E1", "shop", "v1.42.0", 1 / 180)


def metric(key: str, direction: str, hours_ago: float = 0, step: str = "latency") -> Evidence:
    facts = {
        "metric": Fact(value="p95 latency", entity="all"),
        "role": Fact(value="latency", entity="all"),
        "baseline": Fact(value=0.2, unit="s", entity="all"),
        "current": Fact(value=0.9 if direction == "rose" else 0.2, unit="s", entity="all"),
        "direction": Fact(value=direction, entity="all"),
    }
    if hours_ago:
        facts["onset_at"] = Fact(value=rfc3339(NOW - timedelta(hours=hours_ago)), unit="time", entity="all")
    return Evidence(id=key, kind="metric", title="p95 latency", locator=key, excerpt="p95", facts=facts, step=step)


def alert(key: str, hours_ago: float) -> Evidence:
    since = rfc3339(NOW - timedelta(hours=hours_ago))
    facts = {
        "name": Fact(value="SearchLatencyHigh", entity="/api/search"),
        "state": Fact(value="firing", entity="/api/search"),
        "since": Fact(value=since, unit="time", entity="/api/search"),
    }
    return Evidence(id=key, kind="alert", title="SearchLatencyHigh", locator=key, excerpt=f"since {since}", facts=facts)


def since_deploy(text: str, *evidence: Evidence, hours: float = 3, kind: str = "operations_status") -> Brief:
    given = asked(text, *evidence, kind=kind)
    hint = "since the last deploy" if "since" in text else "the last deploy"
    window = Window(start=NOW - timedelta(hours=hours), end=NOW, why=hint)
    return replace(given, intent=given.intent.model_copy(update={"time_hints": (hint,), "window": window}))


def lines(given: Brief) -> list[str]:
    assert lists_deploys(given)
    return told(write_deploys(given), given).splitlines()


@pytest.mark.parametrize(
    "text",
    [
        "did the last deploy make anything worse?",
        "did the last deploy break something?",
        "is everything ok since the last deploy?",
        "how is latency since the last deploy?",
        "has the last release affected anything?",
    ],
)
def test_what_is_older_than_a_deploy_is_not_blamed_on_it(text: str) -> None:
    head, *rest = lines(since_deploy(text, LAST, alert("E3", 8), metric("E4", "rose", hours_ago=8)))
    assert head.startswith("Deploy shop v1.42.0 went out at ")
    assert "What moved, moved before: p95 latency rose from 200 ms to 900 ms, starting 5 hours before deploy" in head
    assert any("SearchLatencyHigh has been firing since" in r and "5 hours before deploy shop" in r for r in rest)
    assert any("p95 latency rose" in r and "5 hours before deploy shop" in r for r in rest)


def test_an_older_alert_alone_is_no_effect() -> None:
    head, *rest = lines(since_deploy("is the last deploy ok?", LAST, alert("E3", 8), metric("E4", "steady")))
    assert head.startswith("I see nothing that moved since deploy shop v1.42.0 went out at ")
    assert "5 hours before deploy shop" in rest[0]


def test_what_came_after_it_leads() -> None:
    head, *_ = lines(since_deploy("did the last deploy make anything worse?", LAST, metric("E4", "rose", 2.9)))
    assert head.startswith("p95 latency rose from 200 ms to 900 ms, starting 6 minutes after deploy shop v1.42.0")
    head, *_ = lines(since_deploy("is the last deploy ok?", LAST, alert("E3", 2), metric("E4", "steady")))
    assert head.startswith("Alert SearchLatencyHigh has been firing since")
    assert "1 hour after deploy shop v1.42.0" in head or "60 minutes after deploy shop v1.42.0" in head


@pytest.mark.parametrize("kind", ["operations_status", "debug_incident", "traffic"])
def test_right_after_a_deploy_it_is_too_early_to_tell(kind: str) -> None:
    given = since_deploy(
        "how is latency since the last deploy?", JUST_NOW, alert("E3", 8), metric("E4", "steady"), hours=1, kind=kind
    )
    head, *rest = lines(given)
    assert "too short a time ago to tell what it did" in head
    assert any("p95 latency is steady at 200 ms" in r for r in rest)


def test_the_deploy_that_the_time_counts_from_is_meant() -> None:
    given = since_deploy("is everything ok since the last deploy?", LAST, EARLIER, metric("E4", "steady"), hours=20)
    assert "storefront v3.8.1" in lines(given)[0]


def test_no_metric_is_no_clean_bill() -> None:
    head = lines(since_deploy("did the last deploy break anything?", LAST))[0]
    assert "I can't tell what it did" in head


@pytest.mark.parametrize(
    ("phrase", "deploys"),
    [("since the last deploy", True), ("the last deploy", True), ("since yesterday", False), ("last night", False)],
)
def test_which_phrases_count_from_a_deploy(phrase: str, deploys: bool) -> None:
    assert names_deploy(phrase) is deploys


def test_another_service_is_not_told_of_the_deploy_that_is_to_blame() -> None:
    evidence = (LAST, EARLIER, metric("E4", "rose", 2.9))
    given = asked("did the storefront deploy break anything?", *evidence, kind="debug_incident")
    given = replace(given, intent=given.intent.model_copy(update={"time_hints": ()}))
    blamed = Deploy(service="shop", version="v1.42.0", at=NOW - timedelta(hours=3))
    suspect = Suspect(since=NOW, until=NOW, deploy=blamed)
    assert lists_deploys(replace(given, suspect=suspect))
    assert not lists_deploys(replace(given, suspect=suspect.model_copy(update={"deploy": None})))
    own = given.question.model_copy(update={"text": "did the shop deploy break anything?"})
    assert not lists_deploys(replace(given, question=own, suspect=suspect))


def test_without_a_sample_since_the_deploy_nothing_is_said_of_its_effect() -> None:
    old = NOW - timedelta(hours=4)
    before = metric("E4", "rose", 5).model_copy(update={"series": ((old.timestamp(), 0.9),)})
    given = since_deploy("did the last deploy make anything worse?", LAST, EARLIER, before)
    first = lines(given)[0]
    assert "I can't tell yet what it did: no metric looked at has a newer sample." in first
    assert "moved before" not in first
    newer = before.model_copy(update={"series": ((NOW.timestamp(), 0.9),)})
    assert "can't tell" not in lines(since_deploy("did the last deploy make anything worse?", LAST, newer))[0]
