"""Questions that documents answer first (design, alerting, notions), and what is left when nothing was found."""

from __future__ import annotations

import re

from workers.agents.research.missing_evidence import no_document_gaps
from workers.agents.research.relevance import asked_words, covers, is_of_folder, is_titled, names_subject
from workers.agents.research.write_code_places import subject_phrase
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    DOC_FILE,
    alert_claim,
    code_claim,
    doc_claim,
    doc_name,
    folder_claim,
    join,
    named_alerts,
    of_kind,
    passage_claim,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.question_features import asks_overview
from workers.reasoning.request_identifiers import identifiers

SHORT = 420
DECIDED = re.compile(
    r"\bwhy\b|\b(?:decid\w+|decisions?|choos\w+|chose|chosen|rationale|reasons?|instead of|rather than)\b",
    re.IGNORECASE,
)
DECISION = re.compile(
    r"(?<!\W)\W*(?:the )?(?:decisions?|decision outcome|outcome|rationale|chosen)\b(?! drivers)", re.IGNORECASE
)
GENERAL = re.compile(r"\b(?:overview|design|architecture|parts|components|services)\b", re.IGNORECASE)


def write_documents(brief: Brief) -> Draft:
    """The section that says it, in its own words; then code and alerts."""
    docs = [d for d in of_kind(brief.evidence, "doc") if fits(d, brief)]
    reasons = DECIDED.search(brief.question.text) is not None
    docs.sort(key=lambda d: (not (reasons and tells_decision(d)), not text_of(d, "passage")))
    read = tuple(text_of(d, "path") for d in docs)
    code = [c for c in of_kind(brief.evidence, "code") if covers(c, brief) and not same_file(c, read)]
    alerts = named_alerts(brief.evidence)
    subject = brief.intent.subjects[0] if brief.intent.subjects else subject_phrase(brief.question.text)
    if not docs and not code:
        return write_nothing(brief, f"No source here explains {subject}.")
    metrics = tuple(alert_claim(a) for a in alerts if names_subject(a, subject))
    others = (g for g in brief.gaps if g.tool != "metrics_query" or brief.intent.question_type == "alerting")
    told = [d for d in docs if text_of(d, "passage")] or docs
    return Draft(
        headline=lead(told[0])
        if docs
        else folder_claim(code[0])
        if is_of_folder(code[0], brief)
        else code_claim(code[0]),
        code=tuple(code_claim(c, words=asked_words(brief), most=2) for c in code[:4]),
        metrics=metrics,
        docs=tuple(passage_claim(d) for d in told[:4]),
        next_steps=tuple(Claim(template=f"Read {doc_name(d)} ({{{d.id}.path}}).", evidence=(d.id,)) for d in told[:1]),
        missing=(*no_document_gaps(brief), *others),
        confidence="high" if docs else "medium",
    )


def tells_decision(doc: Evidence) -> bool:
    """Whether a section is the one of a decision record that says what was decided."""
    return text_of(doc, "doc_kind") == "adr" and DECISION.match(text_of(doc, "heading")) is not None


def same_file(code: Evidence, documents: tuple[str, ...]) -> bool:
    """Whether lines are of a file that is shown as a document."""
    path = text_of(code, "path")
    return bool(documents) and DOC_FILE.search(path) is not None and path.endswith(documents)


def fits(doc: Evidence, brief: Brief) -> bool:
    """It speaks of what was asked; who wants an overview gets what the design documents give."""
    if covers(doc, brief) or is_titled(doc, brief):
        return True
    whole = brief.intent.question_type == "design_overview" and asks_overview(brief.question.text)
    general = re.search(
        r"\b(?:overview|design|architecture|parts|components|services)\b", f"{doc.title} {doc.locator}", re.IGNORECASE
    )
    return whole and general is not None


def lead(item: Evidence) -> Claim:
    """What of the section answers, as its headline: all of it when it is short."""
    if not text_of(item, "quote"):
        return Claim(template=f"{doc_name(item)} speaks of it.", evidence=(item.id,))
    name = "passage" if len(text_of(item, "passage")) <= SHORT else "quote"
    of_then = f"{doc_name(item)}: " if text_of(item, "doc_kind") == "postmortem" else ""  # not how it is now
    return Claim(template=f"{of_then}{{{item.id}.{name}}}", evidence=(item.id,))


def write_lookup(brief: Brief) -> Draft:
    """One request or user: needs a source that is not connected."""
    request = brief.intent.question_type == "request_lookup"
    what = "single requests" if request else "users and their limits"
    ids = identifiers(" ".join((brief.question.text, *brief.question.context)))[:3]
    whom = f"{'request' if request else 'user'} {join(ids)}" if ids else what
    draft = write_nothing(brief, f"I can't look up {whom}: no source of {what} is connected.")
    if ids:
        gap = Gap(text=f"{join(ids)}: no source of {what} (an operations database, traces or logs) is connected.")
        draft = draft.model_copy(update={"missing": (gap, *draft.missing)})
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief)]
    return draft.model_copy(update={"docs": tuple(doc_claim(d) for d in docs[:2])})
