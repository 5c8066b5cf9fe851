"""How operations reads a question, plans it, looks again and writes its answer: all from one `Inquiry`."""

from __future__ import annotations

from datetime import datetime

from workers.agents.operations import answer_writers, inquiry, novel_plan, plan
from workers.agents.operations.inquiry import Inquiry, read_inquiry
from workers.agents.operations.routing_confidence import how_operational
from workers.contracts import Draft, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook


def claim(question: Question, landscape: Landscape) -> float:
    """How sure it is that the operations data answer."""
    return how_operational(question.text, question.context, landscape)


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The type that the question's pattern stands for, what is named, and the time."""
    return inquiry.read_intent(question, read_inquiry(question, landscape, playbook.patterns), landscape, now)


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The pattern of the question, filled; steps composed for a novel one."""
    return plan.make_plan(read_inquiry(question, landscape, playbook.patterns), intent, landscape, playbook.max_steps)


def replan(brief: Brief, playbook: Playbook) -> Plan | None:
    """What was not found, looked for another way."""
    return novel_plan.look_further(brief, inquiry_of(brief, playbook), playbook.max_steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """The answer of the question's own pattern."""
    return answer_writers.write_answer(brief, inquiry_of(brief, playbook))


def inquiry_of(brief: Brief, playbook: Playbook) -> Inquiry:
    """What was asked, with what the question leaves to its thread put in."""
    return read_inquiry(brief.question, brief.landscape, playbook.patterns)
