"""PURE. Which writer answers which pattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workers.contracts import Claim, Draft, Landscape
from workers.engine.health import REQUESTS, Trouble, find_trouble
from workers.ports import Brief
from workers.reasoning.operations.inquiry import Inquiry
from workers.reasoning.operations.parts import claim, gaps_of, in_span, say_deployment, say_incident
from workers.reasoning.operations.write_errors import write_errors
from workers.reasoning.operations.write_latency import say_trend, whose, write_latency
from workers.reasoning.operations.write_lookup import write_request, write_user
from workers.reasoning.operations.write_novel import write_novel
from workers.reasoning.operations.write_quality import write_quality
from workers.reasoning.operations.write_state import write_state
from workers.reasoning.operations.write_traffic import write_traffic

MOST_TROUBLES = 3
MOST_NAMES = 500
"""A landscape with so many names may not list them all."""
WRITERS: Mapping[str, Callable[[Brief], Draft]] = {
    "SYSTEM_STATUS": write_state,
    "ACTIVE_INCIDENTS": write_state,
    "LATENCY_INVESTIGATION": write_latency,
    "QUALITY_INVESTIGATION": write_quality,
    "ERROR_INVESTIGATION": write_errors,
    "TRAFFIC_ANALYSIS": write_traffic,
    "REQUEST_LOOKUP": write_request,
    "USER_LOOKUP": write_user,
}


def unknown_name(inquiry: Inquiry, landscape: Landscape) -> str:
    """A sentence when the question is about something that is not there."""
    for kind in ("deployment", "model", "backend", "user"):
        known = landscape.labels.get(kind, ())
        odd = [name for name in inquiry.parameters.names.get(kind, ()) if name not in known]
        if odd and len(known) < MOST_NAMES:
            return f"I found no {kind} {odd[0]} in the operations data."
    return ""


def with_trouble(draft: Draft, brief: Brief) -> Draft:
    """What is wrong in the evidence is told, so that no question hides it; stale states are only counted."""
    told = {key for claim in draft.claims for key in claim.evidence}
    left = [t for t in find_trouble(brief.evidence) if t.kind != "stale" and t.at.id not in told]
    more = tuple(claim(f"{say_trouble(t)}.", t.at) for t in left[:MOST_TROUBLES])
    return draft.model_copy(update={"metrics": (*draft.metrics, *more)}) if more else draft


def say_trouble(trouble: Trouble) -> str:
    """In the words of its kind."""
    item = trouble.at
    if trouble.kind == "slower":
        return in_span(item, say_trend(item, whose(item)))
    if item.locator == REQUESTS:
        said = f"Recent requests: errors {{{item.id}.error_count}}, timeouts {{{item.id}.timeout_count}}"
        return in_span(item, said)
    if trouble.kind == "incident":
        return say_incident(item) if "incident" in item.facts else f"{{{item.id}.count}} active incidents"
    return say_deployment(item)


def write_answer(brief: Brief, inquiry: Inquiry) -> Draft:
    """The answer of the question's own pattern, also when it has become a novel one; names read as others are said."""
    brief = replace(brief, gaps=gaps_of(brief))
    draft = WRITERS.get(inquiry.pattern, write_novel)(brief)
    if unknown := unknown_name(inquiry, brief.landscape):
        told = write_state(brief)
        draft = told.model_copy(update={"headline": Claim(template=unknown), "next_steps": (), "confidence": "low"})
    draft = with_trouble(draft, brief)
    notes = " ".join(inquiry.parameters.notes)
    return draft.model_copy(update={"banner": notes}) if notes else draft
