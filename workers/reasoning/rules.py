"""The reasoner without a language model: patterns for intent, known plans, extractive answers from ranked evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workers.contracts import Claim, Draft, Intent, Landscape, ModelCall, Plan, Question, Scalar, Step, ToolOutput
from workers.engine.assemble import CHARS_PER_TOKEN
from workers.ports import Brief, Turn
from workers.reasoning import make_plan, read_intent
from workers.reasoning.heard import hear, part_of
from workers.reasoning.join_answers import join_plans, write_both
from workers.reasoning.name_repositories import name_repositories
from workers.reasoning.operations import answers as operations
from workers.reasoning.operations.about import how_operational
from workers.reasoning.operations.inquiry import Inquiry, read_inquiry
from workers.reasoning.operations.inquiry import read_intent as read_operations
from workers.reasoning.operations.novel import look_further
from workers.reasoning.operations.plan import make_plan as plan_operations
from workers.reasoning.plan_changes import TRACE
from workers.reasoning.refine import refine
from workers.reasoning.said import asked_commit, holds_trace
from workers.reasoning.settle_kind import asks_of_past
from workers.reasoning.write_alerting import write_alerting
from workers.reasoning.write_changes import is_about_changes, write_changes, write_commit
from workers.reasoning.write_code_changes import tells_changes, write_code_changes
from workers.reasoning.write_deploys import lists_deploys, write_deploys
from workers.reasoning.write_documents import write_documents, write_lookup
from workers.reasoning.write_incident import write_incident
from workers.reasoning.write_lost import lead_with_answer
from workers.reasoning.write_nothing import about_nothing, unsampled, without_idle, write_nothing, write_unsampled
from workers.reasoning.write_origin import write_origin
from workers.reasoning.write_past import is_past, write_past
from workers.reasoning.write_places import write_places
from workers.reasoning.write_status import write_status, write_traffic
from workers.reasoning.write_trace import write_trace
from workers.settings.schema import PatternEntry

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


OPERATIONS = "operations"


def no_names() -> Landscape:
    """Nothing is known by name."""
    return Landscape()


@dataclass(frozen=True)
class RulesReasoner:
    """Deterministic; needs no key and no network. ``patterns`` come from ``config/patterns.yaml``.

    ``names``: those in all sources, to choose an agent by; ``default_agent``: the one that answers; ``tools``: those
    that it has, all of its patterns' when None.
    """

    patterns: Mapping[str, PatternEntry]
    default_agent: str
    max_steps: int = 8
    name: str = "rules"
    calls: tuple[ModelCall, ...] = ()
    names: Callable[[], Landscape] = no_names
    tools: tuple[str, ...] | None = None

    def choose_agent(self, question: Question, agents: Mapping[str, str]) -> tuple[str, float]:
        """Operations when the words and names are those of its data, else the default agent."""
        sure = how_operational(question.text, question.context, self.names()) if OPERATIONS in agents else 0.0
        return (OPERATIONS, sure) if sure else (self.default_agent, 0.7)

    def operates(self, question: Question) -> bool:
        """Whether the operations agent answers: the asker named it, or it was chosen."""
        return (question.agent or self.default_agent) == OPERATIONS

    def inquire(self, question: Question, landscape: Landscape) -> Inquiry:
        """What is asked of the operations data, with what the question leaves to its thread put in."""
        return read_inquiry(question, landscape, self.patterns, OPERATIONS)

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
        """See `reasoning.read_intent`; of two questions in one, a kind and the subjects of both."""
        if self.operates(question):
            return read_operations(question, self.inquire(question, landscape), landscape, now)
        if holds_trace(question.text):
            return read_intent.read_intent(question, landscape, now)
        heard = hear(question, landscape)
        intent = read_intent.read_intent(heard.question, landscape, now)
        if len(heard.parts) == 1 or intent.ambiguity:
            return intent
        parts = [part_of(intent, text, landscape) for text in heard.parts]
        subjects = tuple(dict.fromkeys(s for part in parts for s in part.subjects))[:4]
        kinds = [part.question_type for part in parts]
        kind = intent.question_type if intent.question_type in kinds else kinds[0]
        return intent.model_copy(update={"question_type": kind, "subjects": subjects})

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """See `reasoning.make_plan`; of two questions in one, the steps of both."""
        if self.operates(question):
            return plan_operations(self.inquire(question, landscape), intent, landscape, self.max_steps)
        if holds_trace(question.text):
            return self.plan_one(question, intent, landscape)
        heard = hear(question, landscape)
        if len(heard.parts) == 1:
            return self.plan_one(heard.question, intent, landscape)
        first, second = (
            self.plan_one(heard.question.model_copy(update={"text": text}), part_of(intent, text, landscape), landscape)
            for text in heard.parts
        )
        return join_plans(first, second, self.max_steps)

    def plan_one(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """The plan of one question that is whole."""
        agent = question.agent or self.default_agent
        return make_plan.make_plan(self.patterns, agent, question, intent, landscape, self.max_steps, self.tools)

    def replan(self, brief: Brief) -> Plan | None:
        """Operations are looked at another way; nothing else is tried for other questions."""
        if not self.operates(brief.question):
            return None
        return look_further(brief, self.inquire(brief.question, brief.landscape), self.max_steps)

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """See `reasoning.refine`."""
        return refine(step, output, intent)

    def choose_steps(self, brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        """The known plan, in one turn."""
        return () if turns else self.make_plan(brief.question, brief.intent, brief.landscape).steps

    def write_plainly(self, brief: Brief, why: str) -> Draft:
        """As ever."""
        del why
        return self.write_answer(brief)

    def restyle(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """They stay as they are."""
        return tuple(c.template for c in claims)

    def write_answer(self, brief: Brief) -> Draft:
        """What the question says in full is answered; names that were read as others are said above it."""
        if self.operates(brief.question):
            return operations.write_answer(brief, self.inquire(brief.question, brief.landscape))
        if any(s.id == TRACE for s in brief.plan.steps):
            return name_repositories(lead_with_answer(write_trace(brief), brief), brief)
        heard = hear(brief.question, brief.landscape)
        brief = replace(brief, question=heard.question)
        draft = write_both(brief, heard.parts, self.write_part) if len(heard.parts) > 1 else self.write_part(brief)
        draft = name_repositories(without_idle(draft, brief), brief)
        return draft.model_copy(update={"banner": " ".join(heard.notes)}) if heard.notes else draft

    def write_part(self, brief: Brief) -> Draft:
        """The answer to one question; its headline is what was found, whatever gave no answer."""
        return lead_with_answer(self.write_one(brief), brief)

    def write_one(self, brief: Brief) -> Draft:
        """The writer of this kind of question."""
        if asked_commit(brief.question.text):
            return write_commit(brief)
        if changed := tells_changes(brief):
            return write_origin(brief, changed) if changed.origin else write_code_changes(brief, changed)
        lookup = brief.intent.question_type in {"request_lookup", "user_lookup"}
        if not lookup and about_nothing(brief):
            subject = next(s for s in brief.intent.subjects if s.startswith("/"))
            return write_nothing(brief, f"I found nothing about {subject}.")
        if unsampled(brief):
            return write_unsampled(brief)
        if lists_deploys(brief):
            return write_deploys(brief)
        if is_about_changes(brief):
            return write_changes(brief)
        if asks_of_past(brief.question.text) and is_past(brief):
            return write_past(brief)
        return WRITERS.get(brief.intent.question_type, write_documents)(brief)
