"""How knowledge plans and writes: it looks into documents, notes and saved pages, and quotes what is nearest."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from workers.contracts import Draft, Intent, Landscape, Plan, Question
from workers.language.message_parts import read_parts
from workers.ports import Brief, Playbook
from workers.reasoning.compose import compose
from workers.reasoning.findings import Reading, single_findings, told_once
from workers.reasoning.known_plans import fill_step


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """There is one kind."""
    del question, landscape, now, playbook
    return Intent(question_type="conceptual")


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The one known plan, with the tools that are there."""
    del intent, landscape
    name, pattern = next(iter(playbook.patterns.items()))
    values = {"question": read_parts(question.text).asked(names=False)[:1_000]}
    has = playbook.tools
    steps = tuple(fill_step(step, values, ()) for step in pattern.steps if has is None or step.tool in has)
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What the sections, lines, notes and pages say, the likeliest first."""
    del playbook
    reading = Reading(replace(brief, evidence=told_once(brief.evidence)))
    return compose(reading, single_findings(reading))
