"""How answers were scored: the lowest first, with the request behind it."""

from __future__ import annotations

from workers.agents.operations.request_sentences import request_item, request_lines
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import (
    QUALITY,
    claim,
    deployment_claims,
    found_of,
    incident_claims,
    is_wide,
    state_claim,
    unchecked,
    with_span_told,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import said_span, sampled


def write_quality(brief: Brief) -> Draft:
    """The lowest average with what it rests on; the request with the lowest score; what else is wrong."""
    found = found_of(brief)
    summary = found.quality
    if summary is None:
        return write_nothing(brief, "I can't say how good answers are: no scores were found in the time asked for.")
    k = summary.id
    items = found.items(QUALITY)
    span = "" if is_wide(summary) else said_span(summary)
    overall = f"{{{k}.avg_score}} on average over {sampled(summary, 'sample_count', 'scored request')}{span}"
    lowest = has(summary, "lowest_model", "lowest_task", "lowest_avg_score", "lowest_sample_count") and len(items) > 1
    of = sampled(summary, "lowest_sample_count", "score") if lowest else ""
    low = f"; lowest: {{{k}.lowest_model}} on {{{k}.lowest_task}} with {{{k}.lowest_avg_score}} of {of}"
    head = f"Quality{whose_answers(summary)} is {overall}{low if lowest else ''}."
    detail = request_item(found, "detail")
    draft = Draft(
        headline=claim(head, summary),
        what_changed=incident_claims(found),
        metrics=(
            *(quality_claim(e) for e in items[:5]),
            *request_lines(detail),
            *state_claim(found),
            *deployment_claims(found, 3),
        ),
        next_steps=(
            claim(f"First look: request {{{detail.id}.request}}, the one with the lowest score.", detail, summary),
        )
        if detail and text_of(detail, "request") == text_of(summary, "lowest_request")
        else (),
        missing=(*unchecked(found), *brief.gaps),
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, summary)


def whose_answers(item: Evidence) -> str:
    """`` of heron-mini on chat``: what scores were filtered by."""
    model = f" of {{{item.id}.model}}" if has(item, "model") else ""
    return f"{model} on {{{item.id}.task_type}}" if has(item, "task_type") else model


def quality_claim(item: Evidence) -> Claim:
    """One model on one task."""
    k = item.id
    return claim(
        f"{{{k}.model}} on {{{k}.task_type}}: average score {{{k}.avg_score}}, lowest {{{k}.min_score}}, "
        f"highest {{{k}.max_score}}, {sampled(item, 'sample_count', 'score')}.",
        item,
    )
