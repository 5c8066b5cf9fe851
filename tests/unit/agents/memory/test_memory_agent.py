"""The agent memory: what is its own, what it does at once, which plan it makes, what it writes without a model."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.agent_rules import playbook
from tests.support.each_row import each_row
from workers.agents import memory
from workers.contracts import Evidence, Fact, Intent, Landscape, Plan, Question, Window
from workers.ports import Brief
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
NAMES = Landscape()


def ask(text: str) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW)


def brief(kind: str, *evidence: Evidence) -> Brief:
    window = Window(start=NOW, end=NOW, why="now")
    plan = Plan(pattern="memory_search", query_intent="x", steps=())
    return Brief(ask("q"), Intent(question_type=kind, window=window), plan, NAMES, evidence, ())


def entry(number: int, text: str, kind: str = "thought") -> Evidence:
    facts = {
        "author": Fact(value="Maya"),
        "at": Fact(value="2026-11-20T09:00:00Z", unit="time"),
        "text": Fact(value=text),
        "type": Fact(value=kind),
    }
    return Evidence(id=f"E{number}", kind="message", title="t", locator=f"thread:{number}", excerpt=text, facts=facts)


@pytest.mark.parametrize(
    ("text", "tool", "args"),
    [
        ("remember that deploys freeze on Fridays", "remember", {"text": "deploys freeze on Fridays"}),
        ("please remember: I am on call", "remember", {"text": "I am on call"}),
        ("Save the answer 7f3a12bc as a note", "save_answer", {"request_id": "7f3a12bc"}),
    ],
)
def test_orders_about_ones_own_are_carried_out_at_once(text: str, tool: str, args: dict[str, str]) -> None:
    order = memory.read_order(ask(text), Landscape())
    assert order is not None
    assert (order.tool, order.args) == (tool, args)
    assert memory.claim(ask(text), NAMES) == 1.0


@each_row("text", ["remember when the cache broke?", "why is /api/search slow?", "remember", ""])
def test_a_question_is_no_order(text: str) -> None:
    assert memory.read_order(ask(text), Landscape()) is None


@each_row(
    "kind, text, tools",
    [
        ("definition", "where is `RetryPolicy` defined?", ["find_definition"]),
        ("definition", "where is it defined?", ["memory_search"]),
        ("references", "who calls load_config()", ["find_references"]),
        ("web", "read https://example.org/a_b for me", ["web_fetch"]),
        ("web", "look it up", ["web_search"]),
        ("decision", "what did we decide?", ["memory_search"]),
        ("remembered", "what do you know of me?", ["list_memories"]),
        ("other", "anything", ["memory_search"]),
    ],
)
def test_the_plan_fits_what_the_question_names(home: Path, kind: str, text: str, tools: list[str]) -> None:
    book = playbook(load_settings(home=home), "memory")
    read = memory.read_intent(ask(text), NAMES, NOW, book)
    plan = memory.make_plan(ask(text), read.model_copy(update={"question_type": kind}), NAMES, book)
    assert [step.tool for step in plan.steps] == tools


def test_names_of_code_are_told_from_words() -> None:
    book = playbook(load_settings(), "memory")
    read = memory.read_intent(ask("who uses Client.retry_all and parseHeader() in https://x.y/a_b?"), NAMES, NOW, book)
    assert read.subjects == ("Client.retry_all", "parseHeader")


def test_a_decision_that_says_it_is_one_is_the_headline() -> None:
    draft = memory.write_answer(
        brief("decision", entry(1, "how often?"), entry(2, "Decision: three", "decision")), None
    )  # type: ignore[arg-type]
    assert draft.headline.evidence == ("E2",)
    assert draft.docs[0].evidence == ("E1",)


def test_what_needs_a_model_is_handed_over_with_the_nearest_passages() -> None:
    draft = memory.write_answer(brief("conceptual", entry(1, "words")), None)  # type: ignore[arg-type]
    assert draft.headline.template.startswith("Nearest: ")
    assert draft.headline.evidence == ("E1",)


def test_nothing_found_is_said() -> None:
    assert "nothing" in memory.write_answer(brief("remembered"), None).headline.template  # type: ignore[arg-type]
