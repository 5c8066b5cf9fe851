"""Knowledge quotes what is written: as the answer when a passage holds all that is asked, else as what lies near."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.agent_rules import playbook
from workers.agents import knowledge
from workers.contracts import Evidence, Fact, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 27, tzinfo=UTC)
SABBATICAL = "The sabbatical policy: three months off after five years, asked for half a year ahead."


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Playbook:
    return playbook(load_settings(home=tmp_path_factory.mktemp("home")), "knowledge")


def ask(text: str) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW)


def passage(key: str, title: str, text: str) -> Evidence:
    facts = {
        "title": Fact(value=title),
        "heading": Fact(value=title),
        "passage": Fact(value=text),
        "quote": Fact(value=text),
    }
    return Evidence(id=key, kind="doc", title=title, locator=f"{title}.md", excerpt=text, facts=facts)


def brief(text: str, *evidence: Evidence) -> Brief:
    plan = Plan(pattern="knowledge", query_intent="q", steps=())
    return Brief(ask(text), Intent(question_type="conceptual"), plan, Landscape(), evidence, ())


def written(known: Playbook, text: str, *evidence: Evidence) -> tuple[str, list[tuple[str, ...]]]:
    draft = knowledge.write_answer(brief(text, *evidence), known)
    return draft.headline.template, [c.evidence for c in draft.docs]


def test_a_passage_with_all_that_is_asked_is_the_answer(known: Playbook) -> None:
    other = passage("E1", "Travel", "Trains before planes.")
    found, _ = written(known, "what is the sabbatical policy?", other, passage("E2", "Sabbatical", SABBATICAL))
    assert "{E2." in found


def test_one_with_some_of_it_is_only_near(known: Playbook) -> None:
    found, docs = written(
        known, "what is the sabbatical policy of interns in Oslo?", passage("E2", "Sabbatical", SABBATICAL)
    )
    assert found.startswith("Nearest: ")
    assert docs == []


def test_what_speaks_of_something_else_is_not_shown(known: Playbook) -> None:
    found, docs = written(known, "who repairs the coffee machine?", passage("E2", "Sabbatical", SABBATICAL))
    assert found.startswith("I found nothing")
    assert docs == []


def test_it_plans_only_with_the_tools_that_are_there(known: Playbook) -> None:
    intent = knowledge.read_intent(ask("vacation?"), Landscape(), NOW, known)
    steps = knowledge.make_plan(ask("vacation?"), intent, Landscape(), known).steps
    assert {step.tool for step in steps} == {"doc_search", "repo_search", "memory_search"}
    assert all(step.args["query"] == "vacation?" for step in steps)
