"""What is asked of one request or user where no source of them is connected."""

from __future__ import annotations

from workers.contracts import Draft, Gap
from workers.ports import Brief
from workers.reasoning.claim_phrases import doc_claim, join, of_kind
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.relevance import is_titled
from workers.reasoning.request_identifiers import identifiers


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
    docs = [d for d in of_kind(brief.evidence, "doc") if is_titled(d, brief)]
    return draft.model_copy(update={"docs": tuple(doc_claim(d) for d in docs[:2])})
