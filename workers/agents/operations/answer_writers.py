"""Which writer answers which pattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.unknown_names import UNREAD, names_known, unknown_name, write_unknown
from workers.agents.operations.unused_conditions import untold
from workers.agents.operations.write_errors import write_errors
from workers.agents.operations.write_latency import say_trend, whose, write_latency
from workers.agents.operations.write_lookup import write_request, write_user
from workers.agents.operations.write_novel import write_novel
from workers.agents.operations.write_quality import write_quality
from workers.agents.operations.write_traffic import write_traffic
from workers.contracts import Draft, Gap
from workers.grounding.health import REQUESTS, Trouble, find_trouble, summaries_of, text_of
from workers.ports import Brief
from workers.reasoning.deployment_parts import (
    claim,
    found_of,
    gaps_of,
    in_span,
    owners_of,
    say_deployment,
    say_incident,
)
from workers.reasoning.deployment_state import write_state
from workers.reasoning.request_counts import counted

MOST_TROUBLES = 3
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


def with_trouble(draft: Draft, brief: Brief) -> Draft:
    """What is wrong in the evidence is told last, in a line, so that no question hides it; stale states are counted."""
    told = {key for claim in draft.claims for key in claim.evidence}
    hit = {text_of(e, "target") for e in found_of(brief).active}
    left = [
        t
        for t in find_trouble(brief.evidence)
        if t.kind != "stale" and t.at.id not in told and (t.kind == "incident" or not hit & owners_of(t.at))
    ][:MOST_TROUBLES]
    if not left:
        return draft
    said = "; ".join(say_trouble(t) for t in left)
    line = claim(f"Apart from that: {said}.", *(t.at for t in left))
    return draft.model_copy(update={"metrics": (*draft.metrics, line)})


def say_trouble(trouble: Trouble) -> str:
    """In the words of its kind."""
    item = trouble.at
    if trouble.kind == "slower":
        return in_span(item, say_trend(item, whose(item)))
    if item in summaries_of((item,), REQUESTS):
        failed = f"{counted(item, 'error_count', 'error')}, {counted(item, 'timeout_count', 'timeout')}"
        return in_span(item, f"{failed} among the newest {counted(item, 'newest_count', 'request')}")
    if trouble.kind == "incident":
        return say_incident(item) if "incident" in item.facts else counted(item, "count", "active incident")
    return say_deployment(item)


def write_answer(brief: Brief, inquiry: Inquiry) -> Draft:
    """The answer of the question's own pattern, also when it has become a novel one; names read as others are said."""
    brief = replace(brief, gaps=(*gaps_of(brief), *untold(inquiry, brief.intent, brief.plan)))
    unknown = unknown_name(inquiry, brief.landscape)
    if unknown and not names_known(inquiry, brief.landscape):
        draft = write_unknown(brief, unknown)
    else:
        draft = WRITERS.get(inquiry.pattern, write_novel)(brief)
        draft = draft.model_copy(update={"missing": (*draft.missing, Gap(text=unknown))}) if unknown else draft
    draft = with_trouble(draft, brief)
    notes = " ".join(note for note in inquiry.parameters.notes if not (unknown and UNREAD.match(note)))
    return draft.model_copy(update={"banner": notes}) if notes else draft
