"""The reasoner without a language model: patterns for intent, known plans, extractive answers from ranked evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Claim, Draft, Intent, Landscape, ModelCall, Plan, Question, Scalar, Step, ToolOutput
from workers.ports import Brief, Turn
from workers.reasoning import make_plan, read_intent
from workers.reasoning.refine import refine
from workers.reasoning.write_changes import is_about_changes, write_changes
from workers.reasoning.write_documents import write_alerting, write_documents, write_lookup
from workers.reasoning.write_incident import write_incident
from workers.reasoning.write_nothing import about_nothing, write_nothing
from workers.reasoning.write_places import write_places
from workers.reasoning.write_status import write_status, write_traffic
from workers.sections import PatternEntry

CHARS_PER_TOKEN = 4
WRITERS: Mapping[str, Callable[[Brief], Draft]] = {
    "debug_incident": write_incident,
    "locate_code": write_places,
    "explain_code": write_places,
    "alerting": write_alerting,
    "operations_status": write_status,
    "traffic": write_traffic,
    "request_lookup": write_lookup,
    "user_lookup": write_lookup,
}


@dataclass(frozen=True)
class RulesReasoner:
    """Deterministic; needs no key and no network. ``patterns`` come from ``config/patterns.yaml``."""

    patterns: Mapping[str, PatternEntry]
    default_agent: str
    max_steps: int = 8
    name: str = "rules"
    calls: tuple[ModelCall, ...] = ()

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """The default agent: telling agents apart takes more than patterns."""
        del question, agents
        return self.default_agent, 0.7

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
        """See `reasoning.read_intent`."""
        return read_intent.read_intent(question, landscape, now)

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """See `reasoning.make_plan`."""
        agent = question.agent or self.default_agent
        return make_plan.make_plan(self.patterns, agent, question, intent, landscape, self.max_steps)

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """See `reasoning.refine`."""
        return refine(step, output, intent)

    def choose_steps(self, brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        """The known plan, in one turn."""
        if turns:
            return ()
        agent = brief.question.agent or self.default_agent
        plan = make_plan.make_plan(self.patterns, agent, brief.question, brief.intent, brief.landscape, self.max_steps)
        return plan.steps

    def write_plainly(self, brief: Brief, why: str) -> Draft:
        """As ever."""
        del why
        return self.write_answer(brief)

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """They stay as they are."""
        return tuple(c.template for c in claims)

    def write_answer(self, brief: Brief) -> Draft:
        """The writer of this kind of question."""
        lookup = brief.intent.question_type in {"request_lookup", "user_lookup"}
        if not lookup and about_nothing(brief):
            subject = next(s for s in brief.intent.subjects if s.startswith("/"))
            return write_nothing(brief, f"I found nothing about {subject}.")
        if is_about_changes(brief):
            return write_changes(brief)
        return WRITERS.get(brief.intent.question_type, write_documents)(brief)
