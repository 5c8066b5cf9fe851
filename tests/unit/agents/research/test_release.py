"""What a deploy brought: how it is asked for, and that what is written of it holds against the evidence."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.agent_rules import playbook
from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import LANDSCAPE, LIMITS, brief
from tests.unit.agents.research.test_write_deploys import told
from workers.agents.research import VALIDATORS
from workers.agents.research.join_answers import join_plans
from workers.agents.research.kind_decision import settle_kind
from workers.agents.research.plan import RELEASE, make_plan
from workers.agents.research.release_question import asked_release, of_that_day
from workers.agents.research.write_changes import with_author
from workers.agents.research.write_deploys import lists_deploys, write_deploys
from workers.contracts import Deploy, Draft, Evidence, Fact, Gap, Intent, Landscape, Plan, Scalar, Step, Window, rfc3339
from workers.engine.validate import check_plan
from workers.ports import Asked, Brief
from workers.settings.load import load_settings

KNOWN = LANDSCAPE.model_copy(
    update={
        "deploys": tuple(
            Deploy(service=s, version=v, commit=c * 8, at=NOW - timedelta(hours=h), environment=e)
            for s, v, c, h, e in (
                ("shop", "v1.41.0", "a", 70, "production"),
                ("storefront", "v3.8.1", "b", 20, "production"),
                ("shop", "v1.42.0", "c", 10, "production"),
            )
        )
    }
)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what went out in the last deploy of shop?", {"deploy": "shop"}),
        ("what changed in checkout's last release to staging", {"deploy": "checkout@staging"}),
        ("what changed in the last production deploy of the storefront?", {"deploy": "storefront@production"}),
        ("which commits were in v1.42.0", {"deploy": "shop:v1.42.0"}),
        ("what's in 1.42.0?", {"deploy": "shop:1.42.0"}),
        ("what's new in storefront v3.8.1", {"deploy": "storefront:v3.8.1"}),
        ("diff between v1.41.0 and v1.42.0", {"range": "v1.41.0..v1.42.0"}),
        ("what changed between v1.42.0 and v1.9.0", {"range": "v1.9.0..v1.42.0"}),
        ("what changed from v1.42.0 to v1.41.0", {"range": "v1.42.0..v1.41.0"}),
        ("show me the commits 1c950fa..424726f", {"range": "1c950fa..424726f"}),
        ("who wrote the commits of the last deploy", {"deploy": "@"}),
        ("who did the last shop deploy?", {"deploy": "shop"}),
        ("anything new in the last release?", {"deploy": "@"}),
        ("what did the latest release contain?", {"deploy": "@"}),
        ("show the changes of the last release today", {"deploy": "@"}),
        ("when did v1.42.0 go out?", {"deploy": "shop:v1.42.0"}),
        ("when was storefront v3.8.1 deployed?", {"deploy": "storefront:v3.8.1"}),
    ],
)
def test_what_a_deploy_brought_is_asked_for(text: str, asked: dict[str, str]) -> None:
    assert asked_release(text, KNOWN) == asked
    assert settle_kind(text, KNOWN) == "locate_code"


@pytest.mark.parametrize(
    "text",
    [
        "when was the last deploy?",
        "what was deployed since yesterday?",
        "what changed since the last deploy?",
        "why did latency spike after the last deploy?",
        "did errors change in the last release?",
        "how do I see what went out in the last deploy?",
        "what changed between v1.41.0 and v1.42.0 in p95 latency?",
        "should we roll back the last deploy?",
        "what changed in requests 2.31.0?",
        "which version is live?",
        "what is in /v1.2/orders?",
    ],
)
def test_other_questions_are_not(text: str) -> None:
    assert asked_release(text, KNOWN) == {}


def intent_of(start: float = 24) -> Intent:
    window = Window(start=NOW - timedelta(hours=start), end=NOW, why="then")
    return Intent(question_type="locate_code", time_hints=("the last deploy",), window=window)


def test_the_deploy_of_a_day_is_a_version() -> None:
    text = "what was in yesterday's deploy?"
    assert asked_release(text, KNOWN) == {"deploy": "@"}
    assert of_that_day({"deploy": "@"}, text, intent_of(20), KNOWN) == {"deploy": "storefront:v3.8.1"}
    assert of_that_day({"deploy": "@"}, text, intent_of(21), KNOWN) == {"deploy": "@"}
    assert of_that_day({"deploy": "@"}, "what was in the last deploy?", intent_of(20), KNOWN) == {"deploy": "@"}


def plan_of(text: str, home: Path) -> Plan:
    question = brief().question.model_copy(update={"text": text, "context": ()})
    return make_plan(question, intent_of(), KNOWN, playbook(load_settings(home=home), "research"))


def test_the_plan_asks_for_it_and_is_valid(home: Path) -> None:
    plan = plan_of("what went out in the last deploy of shop?", home)
    assert plan.steps[0].args == {"deploy": "shop", "k": 20}
    assert check_plan(plan, Asked("what went out?", intent_of(), KNOWN, LIMITS, rules=VALIDATORS)).plan == plan


def test_joined_with_another_question_it_comes_first_and_keeps_its_name(home: Path) -> None:
    second = plan_of("what went out in the last deploy of shop?", home)
    first = Plan(
        pattern="p",
        query_intent="q",
        steps=(Step(id="metric", tool="metrics_query", args={"query": "x"}, purpose="y"),),
    )
    assert [s.id for s in join_plans(first, second, 8).steps] == [RELEASE, "metric", "alerts_b"]


# --- what is written ------------------------------------------------------------------------------------------


def deploy(key: str, version: str, hours: float, **more: Scalar) -> Evidence:
    at = rfc3339(NOW - timedelta(hours=hours))
    facts = {
        "service": Fact(value="shop", entity="shop"),
        "version": Fact(value=version, entity="shop"),
        "commit": Fact(value=f"{version[-1]}c0ffee", unit="commit", entity="shop"),
        "at": Fact(value=at, unit="time", entity="shop"),
        "environment": Fact(value="production", entity="shop"),
        **{
            name: Fact(value=value, unit="count" if isinstance(value, int) else "text", entity="shop")
            for name, value in more.items()
        },
    }
    excerpt = f"shop {version}, deployed at {at}"
    return Evidence(
        id=key,
        kind="deploy",
        title=f"deploy shop {version}",
        locator=version,
        excerpt=excerpt,
        facts=facts,
        step=RELEASE,
    )


def change(key: str, n: int, author: str, count: int) -> Evidence:
    facts = {
        "commit": Fact(value=f"{n:02d}abcde{'0' * 33}", unit="commit", entity="shop"),
        "short": Fact(value=f"{n:02d}abcde", entity="shop"),
        "subject": Fact(value=f"Step {n}", entity="shop"),
        "author": Fact(value=author, entity="shop"),
        "at": Fact(value=rfc3339(NOW - timedelta(hours=30 - n)), unit="time", entity="shop"),
        "file_1": Fact(value="cart/total.py", unit="path", entity="cart/total.py"),
        "range_commits": Fact(value=count, unit="count", entity="shop"),
        "range_old": Fact(value="1c0ffee" + "0" * 33, unit="commit", entity="shop"),
        "range_new": Fact(value="2c0ffee" + "0" * 33, unit="commit", entity="shop"),
    }
    return Evidence(
        id=key,
        kind="change",
        title=f"Step {n}",
        locator=f"{n:02d}abcde",
        excerpt=f"Step {n}",
        facts=facts,
        step=RELEASE,
    )


NEW = deploy("E1", "v1.42.0", 10, range_commits=14, range_behind=0)
OLD = deploy("E2", "v1.41.0", 70)
CHANGES = tuple(change(f"E{n + 2}", n, ("Ada Byron", "Grace Hopper")[n % 2], 14) for n in range(1, 13))
LAST = "what went out in the last deploy of shop?"


def given_of(text: str, *evidence: Evidence, landscape: Landscape = KNOWN) -> Brief:
    asked = asked_release(text, landscape)
    step = Step(id=RELEASE, tool="repo_search", args={**asked, "k": 20}, purpose="see it")
    base = brief(evidence=evidence, gaps=(), landscape=landscape)
    question = base.question.model_copy(update={"text": text, "context": ()})
    plan = Plan(pattern="locate_code", query_intent="show", steps=(step,))
    return replace(base, question=question, plan=plan, intent=intent_of())


def written(text: str, *evidence: Evidence) -> tuple[Draft, str]:
    given = given_of(text, *evidence)
    assert lists_deploys(given)
    draft = write_deploys(given)
    return draft, told(draft, given)


def test_the_range_its_count_and_its_commits_newest_first() -> None:
    draft, text = written(LAST, NEW, OLD, *CHANGES)
    assert "Deploy shop v1.42.0 (0c0ffee) went out to production" in text
    assert "brought 14 commits over shop v1.41.0" in text
    assert "Ada Byron" not in text.split("\n")[0]
    assert [n for n in range(1, 13) if f"“Step {n}” by" in text] == list(range(3, 13))
    assert text.index("“Step 12” by Ada Byron") < text.index("“Step 11” by Grace Hopper")
    assert draft.missing == (Gap(text="… and 4 more commits that came before these."),)


def test_who_wrote_it_is_said_first() -> None:
    draft, text = written("who wrote the commits of the last deploy?", NEW, OLD, *CHANGES)
    assert text.split("\n")[0].endswith("Written by Ada Byron and Grace Hopper.")
    assert not any("Who started" in g.text for g in draft.missing)
    draft, _ = written("who did the last deploy?", NEW, OLD, *CHANGES)
    assert Gap(text="Who started a deploy is not recorded; the authors of its commits are.") in draft.missing


def test_two_versions_and_what_lies_between_them() -> None:
    _, text = written("diff between v1.41.0 and v1.42.0", NEW, OLD, *CHANGES)
    assert text.startswith("14 commits between shop v1.41.0 (0c0ffee), deployed at ")
    _, text = written("diff between v1.41.0 and v1.42.0", *CHANGES)
    assert text.startswith("14 commits from 1c0ffee to 2c0ffee.")


@pytest.mark.parametrize(
    ("behind", "said"), [(3, "it is an older commit than shop v1.41.0"), (0, "it is the same commit as shop v1.41.0")]
)
def test_a_deploy_that_brought_nothing(behind: int, said: str) -> None:
    _, text = written(LAST, deploy("E1", "v1.42.0", 10, range_commits=0, range_behind=behind), OLD)
    assert "brought no new commit" in text
    assert said in text


def test_a_deploy_whose_range_is_not_known() -> None:
    alone = deploy("E1", "v1.42.0", 10, alone="no deploy before it is known")
    single = change("E2", 1, "Ada Byron", 1)
    facts = {k: f for k, f in single.facts.items() if not k.startswith("range")}
    _, text = written(LAST, alone, single.model_copy(update={"facts": facts}))
    assert "no deploy before it is known" in text
    assert "“Step 1” by Ada Byron" in text
    draft, text = written(LAST, deploy("E1", "v1.42.0", 10))
    assert "which commits it brought is not known" in text
    assert draft.missing[0].text == "This deploy names no commit that a connected repository has."


def test_an_unknown_deploy_is_said_as_such() -> None:
    _, text = written("what changed in checkout's last release to staging")
    assert text == "I know no deploy of checkout to staging."


def test_the_author_of_what_was_deployed_stands_in_the_headline() -> None:
    (claim, *_) = (write_deploys(given_of(LAST, NEW, OLD)).headline,)
    own = change("E3", 0, "Ada Byron", 1)
    own = own.model_copy(update={"facts": {**own.facts, "commit": NEW.facts["commit"]}})
    assert with_author(claim, NEW, [own], "why is it slow?") == claim
    assert with_author(claim, None, [own], "why, and who deployed it?") == claim
    named = with_author(claim, NEW, [own], "why, and who deployed it?")
    assert named.template.endswith("The commit deployed, {E3.short}, is by {E3.author}.")
    assert "E3" in named.evidence
