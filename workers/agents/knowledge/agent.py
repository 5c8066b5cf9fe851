"""How knowledge plans and writes: it looks into documents, notes and saved pages, and quotes what is nearest."""

from __future__ import annotations

from datetime import datetime

from workers.contracts import Draft, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import of_kind
from workers.reasoning.known_plans import fill_step
from workers.reasoning.relevance import share_of
from workers.reasoning.write_documents import write_documents
from workers.reasoning.write_handover import write_handover


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """There is one kind."""
    del question, landscape, now, playbook
    return Intent(question_type="conceptual")


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The one known plan, with the tools that are there."""
    del intent, landscape
    name, pattern = next(iter(playbook.patterns.items()))
    values = {"question": question.text[:1_000]}
    has = playbook.tools
    steps = tuple(fill_step(step, values, ()) for step in pattern.steps if has is None or step.tool in has)
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """The section that holds all that is asked as the headline; else the nearest passages, as such."""
    del playbook
    draft = write_documents(brief)
    first = {e.id: e for e in brief.evidence}.get(next(iter(draft.headline.evidence), "")) if draft else None
    said = max((share_of(e, brief) for e in of_kind(brief.evidence, "note", "message")), default=0.0)
    return draft if draft and first and share_of(first, brief) > said else write_handover(brief)
