"""Writes what memory holds: the decision with its message, the memories, the definition, or the nearest passages."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import code_claim, has, of_kind, said_claim
from workers.reasoning.compose import compose
from workers.reasoning.empty_answer import as_nearest, write_nothing
from workers.reasoning.findings import Reading, single_findings

MOST, MOST_LISTED = 5, 20
LED = frozenset({"decision", "remembered", "definition", "references", "notes"})
"""Kinds of question that the first passage answers by itself, as far as it does."""


def write_answer(brief: Brief) -> Draft:
    """The passage that answers as the headline, others below it; where none need answer, what lies nearest."""
    found = [e for e in brief.evidence if e.excerpt or e.facts]
    if brief.intent.question_type == "listing" and found:
        return write_listing(found[0], found[1:], brief)
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


def write_listing(head: Evidence, notes: Sequence[Evidence], brief: Brief) -> Draft:
    """How many notes are of a time, and which, the newest first; what was not read of the request is named."""
    k, one = head.id, text_of(head, "count") == "1"
    said = f"{{{k}.count}} {'note is' if one else 'notes are'} dated from {{{k}.since}} to {{{k}.until}}"
    said += f", with {{{k}.words}} in the text or as the author" if has(head, "words") else ""
    rows = tuple(dated_claim(note) for note in notes[:MOST_LISTED])
    gaps = [Gap(text=f"Not taken into account: “{text_of(head, 'unread')}”.")] if has(head, "unread") else []
    if has(head, "undated"):
        gaps.append(Gap(text=f"{text_of(head, 'undated')} notes say no date."))
    if len(notes) > MOST_LISTED:
        gaps.append(Gap(text=f"{len(notes) - MOST_LISTED} more are not shown."))
    draft = Draft(
        headline=Claim(template=f"{said}.", evidence=(k,)), docs=rows, missing=(*gaps, *brief.gaps), confidence="high"
    )
    return as_nearest(draft, brief.without_model) if has(head, "unread") else draft


def dated_claim(note: Evidence) -> Claim:
    """A note by its day, heading and author."""
    k = note.id
    name = f"*{{{k}.heading}}*" if has(note, "heading") else f"*{{{k}.title}}*"
    author = f" ({{{k}.note_author}})" if has(note, "note_author") else ""
    return Claim(template=f"{{{k}.date}}: {name}{author}", evidence=(k,))


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
