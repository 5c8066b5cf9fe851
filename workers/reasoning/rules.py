"""The reasoner without a language model: what the agent's own module reads, plans and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import (
    Answer,
    Claim,
    Draft,
    Intent,
    Landscape,
    ModelCall,
    Plan,
    Question,
    Scalar,
    Step,
    ToolOutput,
)
from workers.engine.brief import asks_for_knowledge
from workers.language.token_count import CHARS_PER_TOKEN
from workers.ports import AgentModule, Brief, Finding, Likely, Playbook, Workbench, nothing_likely, own_word
from workers.reasoning.withheld_answer import tell_found

UNCLAIMED = 0.7
"""How sure it is that the default agent answers what no agent claims."""
SURE, CERTAIN = 0.5, 0.9
"""From ``CERTAIN`` on a claim comes before what was learned; that of an agent without examples from ``SURE`` on."""
NEAR, CLEAR = 0.15, 0.6
"""What is so likely the default agent's is its own, unless another one's is as clear as this."""


def no_names() -> Landscape:
    """Nothing is known by name."""
    return Landscape()


@dataclass(frozen=True)
class RulesReasoner:
    """Deterministic; needs no key and no network.

    ``agent``: the one that answers, of ``modules``, in which all agents are; ``playbook``: its known plans and tools;
    ``names``: those in all sources, ``likely``: what was learned of requests, to choose an agent by.
    """

    agent: str
    modules: Mapping[str, AgentModule]
    playbook: Playbook
    names: Callable[[], Landscape] = no_names
    likely: Likely = nothing_likely
    name: str = "rules"
    calls: tuple[ModelCall, ...] = ()
    drives: bool = False

    @property
    def module(self) -> AgentModule:
        """That of the agent which answers."""
        return self.modules[self.agent]

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """The agent that claims the question by its form, the one it is likely for by what was learned, or the default.

        Where nothing was learned, what nobody claims is the default agent's.
        """
        names, likely = self.names(), dict(self.likely(question))
        for name in [n for n in agents if n in likely and own_word(n, self.modules[n].disclaim, question, names)]:
            likely[self.agent] = likely.get(self.agent, 0.0) + likely[name]
            likely[name] = 0.0
        known = [name for name in agents if name in self.modules]
        claims = {name: float(own_word(name, self.modules[name].claim, question, names)) for name in known}
        certain = {name: claim for name, claim in claims.items() if claim >= (CERTAIN if name in likely else SURE)}
        sure = certain or {name: max(claim, likely.get(name, 0.0)) for name, claim in claims.items()}
        best = max(sure, key=lambda name: sure[name], default="")
        if not likely and not certain:
            return (best, sure[best]) if best and sure[best] > 0 else (self.agent, UNCLAIMED)
        own = 0.0 if certain else sure.get(self.agent, 0.0)
        return (self.agent, own) if own >= NEAR and sure[best] < CLEAR else (best, sure[best])

    def compress(self, messages: Sequence[str], most_tokens: int) -> tuple[str, ...]:
        """The last messages that fit."""
        room, kept = most_tokens * CHARS_PER_TOKEN, list[str]()
        for message in reversed(messages):
            room -= len(message)
            if room < 0:
                break
            kept.insert(0, message)
        return tuple(kept)

    def read_intent(self, question: Question, landscape: Landscape, now: datetime) -> Intent:
        """What the agent reads. Raises: ValueError: a type of question that its module does not name."""
        intent = self.module.read_intent(question, landscape, now, self.playbook)
        if intent.question_type not in self.module.QUESTION_TYPES:
            raise ValueError(f"agent {self.agent}: {intent.question_type!r} is none of its QUESTION_TYPES")
        return intent

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """What the agent plans."""
        return self.module.make_plan(question, intent, landscape, self.playbook)

    def replan(self, brief: Brief) -> Plan | None:
        """Where else the agent would look."""
        return self.module.replan(brief, self.playbook)

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """What the agent would rather ask."""
        return self.module.refine_query(step, output, intent)

    def investigate(self, brief: Brief, bench: Workbench) -> Finding | None:
        """Nobody drives: the plan is run."""
        del brief, bench
        return None

    def write_answer(self, brief: Brief) -> Draft:
        """What the agent writes."""
        return self.module.write_answer(brief, self.playbook)

    def tell_found(self, draft: Draft, answer: Answer, brief: Brief) -> Draft:
        """Held against what the agent would write of the same evidence."""
        knowledge = asks_for_knowledge(brief, self.module.KNOWLEDGE_TYPES)
        return tell_found(draft, answer, brief, self.write_answer(brief), knowledge=knowledge)

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """They stay as they are."""
        return tuple(c.template for c in claims)
