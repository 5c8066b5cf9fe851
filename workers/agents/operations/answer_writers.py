"""Which writer answers which pattern; what no pattern covers is handed over with how things stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from workers.agents.operations.inquiry import PAST, Inquiry
from workers.agents.operations.plan import ROWS
from workers.agents.operations.question_words import typed_sql
from workers.agents.operations.write_errors import write_errors
from workers.agents.operations.write_latency import say_trend, whose, write_latency
from workers.agents.operations.write_lookup import write_request, write_user
from workers.agents.operations.write_quality import write_quality
from workers.agents.operations.write_rows import write_rows
from workers.agents.operations.write_traffic import write_traffic
from workers.contracts import Claim, Draft, Gap
from workers.grounding.health import REQUESTS, Trouble, find_trouble, summaries_of, text_of
from workers.language.nearest_names import ranked_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import join
from workers.reasoning.deployment_parts import (
    SCHEMA as MEANINGS,
)
from workers.reasoning.deployment_parts import (
    SERVED,
    claim,
    found_of,
    gaps_of,
    in_span,
    owners_of,
    say_deployment,
    say_incident,
)
from workers.reasoning.deployment_state import write_state
from workers.reasoning.empty_answer import as_nearest, name_unused
from workers.reasoning.request_counts import counted

MOST_TROUBLES, MOST_NEAR = 3, 3
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


def write_answer(brief: Brief, inquiry: Inquiry) -> Draft:
    """The answer of the question's own pattern; names read as others are said, unknown ones told."""
    brief = replace(brief, gaps=gaps_of(brief))
    parameters = inquiry.parameters
    odd = unknown_sentence(brief, *parameters.unknown[0]) if parameters.unknown else ""
    if odd and not known_names(inquiry):
        looked = Gap(text=f"Looked for among {join([f'{kind}s' for kind in (*SERVED, 'user')])}.", tool="question")
        return with_trouble(Draft(headline=Claim(template=odd), missing=(looked,)), brief)
    if inquiry.pattern in WRITERS:
        draft = with_trouble(WRITERS[inquiry.pattern](brief), brief)
    elif inquiry.left and not inquiry.is_past:
        draft = write_nearest(brief)
    elif typed_sql(inquiry.text) or inquiry.query or inquiry.kind == PAST:
        draft = with_trouble(write_rows(brief, inquiry), brief)
    else:
        draft = write_schema(brief)
    if inquiry.is_conditional:
        draft = as_nearest(draft, brief.without_model)
    missing = (*name_unused(inquiry.unread), *draft.missing, *((Gap(text=odd),) if odd else ()))
    return draft.model_copy(update={"banner": " ".join(parameters.notes) or None, "missing": missing})


def write_nearest(brief: Brief) -> Draft:
    """No pattern and no figures answer: incidents and health as the facts that are nearest."""
    state = write_state(brief)
    if not state.headline.evidence or any(s.id == ROWS for s in brief.plan.steps):
        return state
    return as_nearest(state, brief.without_model)


def write_schema(brief: Brief) -> Draft:
    """What a name means; the tables, when none is named."""
    meanings = [e for e in brief.evidence if e.locator.startswith(f"{MEANINGS}/")]
    overview = next((e for e in brief.evidence if e.locator == MEANINGS), None)
    if not meanings:
        return write_nearest(brief)
    lines = [claim(f"{{{e.id}.meaning}}", e) for e in meanings]
    if overview:
        lines.insert(0, claim(f"{{{overview.id}.table_count}} tables: {{{overview.id}.listed}}.", overview))
    return Draft(headline=lines[0], docs=tuple(lines[1:10]), missing=brief.gaps, confidence="high")


def known_names(inquiry: Inquiry) -> bool:
    """Whether something is named that the data hold."""
    odd = {name for _, name in inquiry.parameters.unknown}
    return any(name not in odd for own in inquiry.parameters.names.values() for name in own)


def unknown_sentence(brief: Brief, kind: str, name: str) -> str:
    """That a thing is not there, and what comes nearest."""
    near = ranked_names(name, brief.landscape.labels.get(kind, ()), MOST_NEAR)
    return f"I found no {kind} {name} in the operations data{f'; the nearest names: {join(near)}' if near else ''}."


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
