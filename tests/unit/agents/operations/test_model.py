"""The operations agent with a language model: known patterns go without it, its prompts hold what it may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.agent_rules import rules
from tests.support.operations_agent import LANDSCAPE, intend, plan, project, question
from tests.support.reasoner_inputs import thinking
from tests.unit.reasoning.test_fallback import both
from workers.agents.registry import build_agents
from workers.contracts import Plan
from workers.engine.validate import NOVEL
from workers.ports import ToolSpec
from workers.reasoning.model.prompts import PromptBook, Rendered
from workers.reasoning.model.reasoner import ModelReasoner

RULES = rules(project(), "operations", lambda: LANDSCAPE)
PLANNED = Plan(pattern=NOVEL, query_intent="other", steps=())


def test_a_known_pattern_needs_no_planner() -> None:
    thinker, claude = both(RULES, PLANNED)
    made = thinker.make_plan(question("is anything down?"), intend("is anything down?"), LANDSCAPE)
    assert made == plan("is anything down?")
    assert claude.asked == []


def test_a_novel_question_is_planned_by_the_model() -> None:
    thinker, claude = both(RULES, PLANNED)
    text = "which user spent the most?"
    assert thinker.make_plan(question(text), intend(text), LANDSCAPE) == PLANNED
    assert claude.asked == ["make_plan"]


@pytest.mark.parametrize(("agent", "named"), [("operations", True), ("research", False)])
def test_the_agents_prompt_stands_before_the_others(agent: str, named: bool) -> None:
    limits = build_agents(project())["operations"].limits
    module = build_agents(project())[agent].module
    specs = tuple(ToolSpec(name, f"About {name}.", {"properties": {"since": {}}}) for name in limits.tools)

    class Box:
        def specs(self, limits: Any) -> tuple[ToolSpec, ...]:
            del limits
            return specs

    reasoner = object.__new__(ModelReasoner)
    reasoner.thinking = thinking(
        question("is anything down?"), agent=agent, limits=limits, toolbox=Box(), module=module
    )
    reasoner.book = PromptBook()
    prompt = reasoner.of_agent(Rendered("planner@2.1", "Plan.", ("user",)))
    assert prompt.system.endswith("Plan.")
    assert prompt.user == ("user",)
    assert ("get_active_incidents(since): About get_active_incidents." in prompt.system) is named
    assert ("deployment_state_current: " in prompt.system) is named
    assert ("Everything is read-only" in prompt.system) is named
    assert prompt == reasoner.of_agent(Rendered("planner@2.1", "Plan.", ("user",))), "the same each time"


def test_the_rules_choose_operations_by_the_names_of_all_sources() -> None:
    agents: Mapping[str, str] = {"research": "Reads code.", "operations": "Reads operations data."}
    research = rules(project(), "research", lambda: LANDSCAPE)
    assert research.choose_agent(question("why is heron-large slow?"), agents)[0] == "operations"
    assert research.choose_agent(question("why is /api/search slow?"), agents)[0] == "research"
    assert research.choose_agent(question("why is heron-large slow?"), {"research": "Reads code."})[0] == "research"
    nameless = rules(project(), "research")
    assert nameless.choose_agent(question("why is heron-large slow?"), agents)[0] == "research"
