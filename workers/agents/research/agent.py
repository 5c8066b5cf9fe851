"""How research reads a question, plans it and writes its answer; of two questions in one, both."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from workers.agents.research import intent as one_intent
from workers.agents.research import plan as one_plan
from workers.agents.research.change_plan import TRACE
from workers.agents.research.join_answers import join_plans, write_both
from workers.agents.research.kind_decision import asks_of_past
from workers.agents.research.late_tool_headline import lead_with_answer
from workers.agents.research.missing_evidence import about_nothing, unsampled, without_idle, write_unsampled
from workers.agents.research.resolve_question import hear, part_of
from workers.agents.research.write_alerting import write_alerting
from workers.agents.research.write_changes import is_about_changes, write_changes, write_commit
from workers.agents.research.write_code_changes import tells_changes, write_code_changes
from workers.agents.research.write_code_origin import write_origin
from workers.agents.research.write_code_places import write_places
from workers.agents.research.write_deploys import lists_deploys, write_deploys
from workers.agents.research.write_documents import write_documents, write_lookup
from workers.agents.research.write_incident import write_incident
from workers.agents.research.write_past_incidents import is_past, write_past
from workers.agents.research.write_stack_trace import write_trace
from workers.agents.research.write_status import write_status, write_traffic
from workers.contracts import Claim, Draft, Evidence, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import has
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.question_features import asked_commit, holds_trace

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


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The intent of a question; of two in one, a type and the subjects of both."""
    del playbook
    if holds_trace(question.text):
        return one_intent.read_intent(question, landscape, now)
    heard = hear(question, landscape)
    intent = one_intent.read_intent(heard.question, landscape, now)
    if len(heard.parts) == 1 or intent.ambiguity:
        return intent
    parts = [part_of(intent, text, landscape) for text in heard.parts]
    subjects = tuple(dict.fromkeys(s for part in parts for s in part.subjects))[:4]
    kinds = [part.question_type for part in parts]
    kind = intent.question_type if intent.question_type in kinds else kinds[0]
    return intent.model_copy(update={"question_type": kind, "subjects": subjects})


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The plan of a question; of two in one, the steps of both."""
    if holds_trace(question.text):
        return one_plan.make_plan(question, intent, landscape, playbook)
    heard = hear(question, landscape)
    if len(heard.parts) == 1:
        return one_plan.make_plan(heard.question, intent, landscape, playbook)
    first, second = (
        one_plan.make_plan(
            heard.question.model_copy(update={"text": text}), part_of(intent, text, landscape), landscape, playbook
        )
        for text in heard.parts
    )
    return join_plans(first, second, playbook.max_steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What the question says in full is answered; names that were read as others are said above it."""
    del playbook
    if any(s.id == TRACE for s in brief.plan.steps):
        return name_repositories(lead_with_answer(write_trace(brief), brief), brief)
    heard = hear(brief.question, brief.landscape)
    brief = replace(brief, question=heard.question)
    draft = write_both(brief, heard.parts, write_part) if len(heard.parts) > 1 else write_part(brief)
    draft = name_repositories(without_idle(draft, brief), brief)
    return draft.model_copy(update={"banner": " ".join(heard.notes)}) if heard.notes else draft


def write_part(brief: Brief) -> Draft:
    """The answer to one question; its headline is what was found, whatever gave no answer."""
    return lead_with_answer(write_one(brief), brief)


def write_one(brief: Brief) -> Draft:
    """The writer of this type of question."""
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


PLACE = re.compile(r"\{(E\d+)\.(?:lines|frame_line|hunk_\d|short|folder|span_path)\}")


def name_repositories(draft: Draft, brief: Brief) -> Draft:
    """The first place of each claim with its repository before it; nothing changes where there is only one."""
    if len(brief.landscape.repositories) < 2:
        return draft
    known = {e.id: e for e in brief.evidence}
    return draft.model_copy(
        update={
            "headline": named(draft.headline, known),
            "what_changed": tuple(named(c, known) for c in draft.what_changed),
            "code": tuple(named(c, known) for c in draft.code),
        }
    )


def named(claim: Claim, known: Mapping[str, Evidence]) -> Claim:
    """One claim with the repository of its first place."""
    match = PLACE.search(claim.template)
    if match is None or match[1] not in known or not has(known[match[1]], "repository"):
        return claim
    at = match.start()
    template = f"{claim.template[:at]}{{{match[1]}.repository}}: {claim.template[at:]}"
    return claim.model_copy(update={"template": template})
