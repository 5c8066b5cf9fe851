"""How operations reads a question, plans it, looks again and writes its answer: all from one `Inquiry`."""

from __future__ import annotations

from datetime import datetime

from workers.agents.operations import inquiry
from workers.agents.operations.inquiry import how_operational, is_foreign, read_inquiry
from workers.contracts import Draft, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook


def claim(question: Question, landscape: Landscape) -> float:
    """How sure it is that the operations data answer."""
    return how_operational(question, landscape)


def disclaim(question: Question, landscape: Landscape) -> bool:
    """Whether it is about the team's own systems."""
    return is_foreign(question, landscape)


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The type that the question's pattern stands for, what is named, and the time."""
    return inquiry.read_intent(question, read_inquiry(question, landscape, playbook.patterns), landscape, now)


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The pattern of the question, filled; what it counts, or how things stand, for a novel one."""
    from workers.agents.operations import plan  # noqa: PLC0415 - all questions ask this agent for its claim, few for more

    return plan.make_plan(read_inquiry(question, landscape, playbook.patterns), intent, landscape, playbook.max_steps)


def replan(brief: Brief, playbook: Playbook) -> Plan | None:
    """What was not found, looked for over a longer time."""
    from workers.agents.operations import plan  # noqa: PLC0415 - as above

    return plan.look_further(brief, playbook.max_steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """The answer of the question's own pattern."""
    from workers.agents.operations import answer_writers  # noqa: PLC0415 - as above

    asked = read_inquiry(brief.question, brief.landscape, playbook.patterns)
    return answer_writers.write_answer(brief, asked)
