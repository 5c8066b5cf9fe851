"""The reasoner without a language model: patterns for intent, known plans, extractive answers from ranked evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Draft, Intent, Landscape, Plan, Question, Scalar, Step, ToolOutput
from workers.ports import Brief
from workers.reasoning import make_plan, read_intent
from workers.reasoning.refine import refine
from workers.reasoning.write_documents import (
    about_nothing,
    write_alerting,
    write_documents,
    write_lookup,
    write_nothing,
    write_status,
    write_traffic,
)
from workers.reasoning.write_incident import write_incident
from workers.reasoning.write_places import write_places
from workers.settings import PatternEntry

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
    name: str = "rules"

    def read_intent(self, question: Question, landscape: Landscape, now: datetime) -> Intent:
        """See `reasoning.read_intent`."""
        return read_intent.read_intent(question, landscape, now)

    def make_plan(self, question: Question, intent: Intent, landscape: Landscape) -> Plan:
        """See `reasoning.make_plan`."""
        return make_plan.make_plan(self.patterns, question.agent or self.default_agent, question, intent, landscape)

    def refine_query(self, step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
        """See `reasoning.refine`."""
        return refine(step, output, intent)

    def write_answer(self, brief: Brief) -> Draft:
        """The writer of this kind of question."""
        if about_nothing(brief):
            subject = next(s for s in brief.intent.subjects if s.startswith("/"))
            return write_nothing(brief, f"I found nothing about {subject}.")
        return WRITERS.get(brief.intent.question_type, write_documents)(brief)
