"""The operations agent with a language model: its prompt stands in the system text and holds what it may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.agent_rules import rules
from tests.support.operations_agent import LANDSCAPE, project, question
from tests.support.reasoner_inputs import brief, thinking
from workers.agents.registry import build_agents
from workers.ports import ToolSpec
from workers.reasoning.model.prompts import PromptBook
from workers.reasoning.model.reasoner import ModelReasoner


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
    prompt = reasoner.investigator(brief(question=question("is anything down?")))
    assert ("get_active_incidents(since)" in prompt.system) is named
    assert ("deployment_state_current: " in prompt.system) is named
    assert ("Everything is read-only" in prompt.system) is named
    assert prompt.label.startswith("operations@" if named else "intent_classifier@")
    assert all(kind in prompt.system for kind in module.QUESTION_TYPES)
    other = reasoner.investigator(brief(question=question("which user spent the most?")))
    assert prompt.system == other.system, "the same from question to question"
    assert prompt.user[0] == other.user[0]
    assert prompt.user[1] != other.user[1]


def test_the_rules_choose_operations_by_the_names_of_all_sources() -> None:
    agents: Mapping[str, str] = {"research": "Reads code.", "operations": "Reads operations data."}
    research = rules(project(), "research", lambda: LANDSCAPE)
    assert research.choose_agent(question("why is heron-large slow?"), agents)[0] == "operations"
    assert research.choose_agent(question("why is /api/search slow?"), agents)[0] == "research"
    assert research.choose_agent(question("why is heron-large slow?"), {"research": "Reads code."})[0] == "research"
    nameless = rules(project(), "research")
    assert nameless.choose_agent(question("why is heron-large slow?"), agents)[0] == "research"
