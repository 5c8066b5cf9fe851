"""Writes what memory holds: the decision with its message, the memories, the definition, or the nearest passages."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import code_claim, of_kind, said_claim
from workers.reasoning.compose import compose
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.findings import Reading, single_findings

MOST = 5
LED = frozenset({"decision", "remembered", "definition", "references", "notes"})
"""Kinds of question that the first passage answers by itself, as far as it does."""


def write_answer(brief: Brief) -> Draft:
    """The passage that answers as the headline, others below it; where none need answer, what lies nearest."""
    found = [e for e in brief.evidence if e.excerpt or e.facts]
    if brief.intent.question_type == "decision":
        found.sort(key=lambda e: not is_decision(e))
    found = found[:MOST]
    if proposed := [e for e in found if "change" in e.facts]:
        return Draft(headline=Claim(template=f"Proposed: {{{proposed[0].id}.change}}", evidence=(proposed[0].id,)))
    if brief.intent.question_type == "forget" and found:
        told = tuple(Claim(template=f"{{{e.id}.id}}: {{{e.id}.text}}", evidence=(e.id,)) for e in found)
        return Draft(headline=Claim(template=WHICH), docs=told, confidence="medium")
    if not found:
        return write_nothing(brief, NOTHING.get(brief.intent.question_type, "I found nothing that speaks of this."))
    kind = brief.intent.question_type
    if kind in LED:
        head, rest = say(found[0], kind), found[1:]
        return with_passages(Draft(headline=head, missing=brief.gaps, confidence="medium"), rest)
    reading = Reading(brief)
    return compose(reading, single_findings(reading))


WHICH = "Which of these shall I forget? “forget” and its number says it."
NOTHING = {
    "forget": "I remember nothing like that.",
    "remembered": "I remember nothing about this.",
    "decision": "I found no decision about this in the threads and notes that I may read.",
    "notes": "No note speaks of this.",
    "definition": "I found no definition of that in the connected repositories.",
    "references": "I found no use of that in the connected repositories.",
}


def is_decision(item: Evidence) -> bool:
    """Whether a passage says of itself that it is a decision: by its type in a thread, or by its heading."""
    return text_of(item, "type") == "decision" or text_of(item, "heading").strip().lower().startswith("deci")


def with_passages(draft: Draft, found: Sequence[Evidence]) -> Draft:
    """With passages of code under code, all others under documents."""
    return draft.model_copy(
        update={
            "code": tuple(say(e) for e in of_kind(found, "code")),
            "docs": tuple(say(e) for e in found if e.kind != "code"),
        }
    )


def say(item: Evidence, kind: str = "") -> Claim:
    """One passage: where it stands or who said it, and its words."""
    if item.kind == "code":
        lead = {"definition": "Defined in ", "references": "Used in "}.get(kind, "")
        return code_claim(item, lead)
    return said_claim(item)
