"""Questions that documents answer: design, decisions, notions; the section that says it, in its own words."""

from __future__ import annotations

import re

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import code_claim, doc_name, of_kind, passage_claim
from workers.reasoning.coverage import answers, aside, cover, left_open
from workers.reasoning.relevance import is_titled

SHORT = 420
WHY = re.compile(r"\b(?:why|decid\w+|decisions?|chose\w*|choose)\b", re.IGNORECASE)
DECISION = re.compile(r"\W{0,4}(?:the )?(?:decisions?|decision outcome|outcome|rationale)\b", re.IGNORECASE)
GENERAL = re.compile(r"\b(?:overview|design|architecture|components|services)\b", re.IGNORECASE)


def write_documents(brief: Brief) -> Draft | None:
    """The section that holds all that is asked about, then further ones; None when no section does."""
    found = cover(brief.question.text, brief.landscape)
    docs = of_kind(brief.evidence, "doc")
    telling = [d for d in docs if answers(found, d) and (found.free or is_titled(d, brief) or is_general(d))]
    telling.sort(key=lambda d: (len(left_open(found, d)), not text_of(d, "passage")))
    if not telling:
        return None
    if WHY.search(brief.question.text):
        home = text_of(telling[0], "path")
        decided = [d for d in docs if decides(d) and text_of(d, "path") == home]
        telling = [*decided, *(d for d in telling if d not in decided)]
    rest = [d for d in docs if d not in telling and len(left_open(found, d)) * 2 <= len(found.free)]
    others = (g for g in brief.gaps if g.tool != "metrics_query")
    return Draft(
        headline=lead(telling[0]),
        code=tuple(code_claim(c) for c in of_kind(brief.evidence, "code") if answers(found, c))[:2],
        docs=tuple(passage_claim(d) for d in (*telling, *rest)[:4]),
        next_steps=tuple(
            Claim(template=f"Read {doc_name(d)} ({{{d.id}.path}}).", evidence=(d.id,)) for d in telling[:1]
        ),
        missing=(*aside(found, telling[0]), *others),
        confidence="high",
    )


def decides(doc: Evidence) -> bool:
    """Whether a section is the one of a decision record that says what was decided."""
    return text_of(doc, "doc_kind") == "adr" and DECISION.match(text_of(doc, "heading")) is not None


def is_general(doc: Evidence) -> bool:
    """Whether a section is of the whole: what who names nothing asks for."""
    return GENERAL.search(f"{doc.title} {doc.locator}") is not None


def lead(item: Evidence) -> Claim:
    """What of the section answers, as its headline: all of it when it is short."""
    if not text_of(item, "quote"):
        return Claim(template=f"{doc_name(item)} speaks of it.", evidence=(item.id,))
    name = "passage" if 0 < len(text_of(item, "passage")) <= SHORT else "quote"
    of_then = f"{doc_name(item)}: " if text_of(item, "doc_kind") == "postmortem" else ""  # not how it is now
    return Claim(template=f"{of_then}{{{item.id}.{name}}}", evidence=(item.id,))
