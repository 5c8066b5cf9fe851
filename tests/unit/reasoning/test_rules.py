"""The rules think as one agent of several: by its module alone, and the surest claim chooses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import INTENT, LANDSCAPE, MODULE, QUESTION
from workers.ports import AgentModule, Playbook
from workers.reasoning.rules import UNCLAIMED, RulesReasoner

AGENTS = {"first": "Reads.", "second": "Looks.", "third": "Counts."}


def module(claim: float, kind: str = "debug_incident") -> AgentModule:
    """An agent that is so sure, and reads every question as of one type."""
    return replace(
        MODULE,
        QUESTION_TYPES={"debug_incident": "what is wrong"},
        claim=lambda question, landscape: claim,
        read_intent=lambda *given: INTENT.model_copy(update={"question_type": kind}),
    )


def rules(*claims: float) -> RulesReasoner:
    """The rules of the first of several agents."""
    modules = {name: module(claim) for name, claim in zip(AGENTS, claims, strict=True)}
    return RulesReasoner("first", modules, Playbook({}))


@pytest.mark.parametrize(
    ("claims", "chosen"),
    [
        ((0.0, 0.0, 0.0), ("first", UNCLAIMED)),
        ((0.0, 0.2, 0.9), ("third", 0.9)),
        ((0.0, 0.9, 0.9), ("second", 0.9)),
        ((0.95, 0.9, 0.0), ("first", 0.95)),
    ],
)
def test_the_surest_agent_answers_and_the_default_one_what_none_claims(
    claims: tuple[float, ...], chosen: tuple[str, float]
) -> None:
    assert rules(*claims).choose_agent(QUESTION, AGENTS) == chosen


def test_only_agents_that_are_offered_are_chosen() -> None:
    assert rules(0.0, 0.9, 0.5).choose_agent(QUESTION, {"first": "Reads.", "third": "Counts."}) == ("third", 0.5)


def test_a_type_of_question_that_the_module_does_not_name_is_an_error() -> None:
    reasoner = RulesReasoner("first", {"first": module(0.0, "gossip")}, Playbook({}))
    with pytest.raises(ValueError, match="agent first: 'gossip' is none of its QUESTION_TYPES"):
        reasoner.read_intent(QUESTION, LANDSCAPE, NOW)


def test_an_agent_that_cannot_say_whether_a_question_is_its_own_keeps_no_other_from_it() -> None:
    reasoner = rules(0.1, 0.8, 0.2)
    broken = replace(reasoner.modules[next(iter(AGENTS))], claim=lambda question, landscape: 1 / 0)
    sound = replace(reasoner, modules={**reasoner.modules, next(iter(AGENTS)): broken})
    assert sound.choose_agent(QUESTION, AGENTS) == reasoner.choose_agent(QUESTION, AGENTS)
