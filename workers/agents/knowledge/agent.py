"""How knowledge plans and writes: it looks into documents, notes and saved pages, and quotes what is nearest."""

from __future__ import annotations

from datetime import datetime

from workers.contracts import Claim, Draft, Evidence, Intent, Landscape, Plan, Question
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import code_claim, passage_claim, said_claim
from workers.reasoning.empty_answer import CONNECT_MODEL, lead_handover, write_nothing
from workers.reasoning.known_plans import fill_step

MOST = 4
LIKE = 0.3
"""A passage with so much of the question's words is shown as what lies near; one with all of them is the headline."""


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """There is one kind."""
    del question, landscape, now, playbook
    return Intent(question_type="knowledge")


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The one known plan, with the tools that are there."""
    del intent, landscape
    name, pattern = next(iter(playbook.patterns.items()))
    values = {"question": question.text[:1_000]}
    has = playbook.tools
    steps = tuple(fill_step(step, values, ()) for step in pattern.steps if has is None or step.tool in has)
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """The passage that speaks of all that is asked as the headline; else the nearest passages, as such."""
    del playbook
    found = sorted(distinct(brief.evidence), key=lambda e: -share_of(e, brief.question.text))
    near = [e for e in found if share_of(e, brief.question.text) >= LIKE][:MOST]
    if not near:
        return write_nothing(brief, "I found nothing in documents, notes or saved pages that speaks of this.")
    first = near[0]
    if share_of(first, brief.question.text) == 1:
        return Draft(headline=say(first), docs=tuple(map(say, near[1:])), missing=brief.gaps, confidence="medium")
    connect = () if brief.without_model else (CONNECT_MODEL,)
    lead = Claim(template=lead_handover(brief.without_model))
    return Draft(headline=lead, docs=tuple(map(say, near)), missing=(*connect, *brief.gaps))


def distinct(evidence: tuple[Evidence, ...]) -> list[Evidence]:
    """Each place once."""
    return list({(e.locator, text_of(e, "heading")): e for e in evidence if e.excerpt or e.facts}.values())


def share_of(item: Evidence, question: str) -> float:
    """How much of a question's meaningful words stand in a passage, 0 to 1."""
    wanted = content_words(question)
    text = f"{item.title} {item.excerpt} {' '.join(str(f.value) for f in item.facts.values())}"
    return len(wanted & (content_words(split_names(text)) | content_words(text))) / len(wanted) if wanted else 0.0


def say(item: Evidence) -> Claim:
    """A passage with its place, word for word."""
    if item.kind == "code":
        return code_claim(item)
    return passage_claim(item) if item.kind == "doc" else said_claim(item)
