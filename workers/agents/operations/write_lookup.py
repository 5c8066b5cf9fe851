"""One request, one user."""

from __future__ import annotations

from workers.agents.operations.request_sentences import request_claims, request_item, request_lines, say_request
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import (
    USERS,
    claim,
    found_of,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import counted


def write_request(brief: Brief) -> Draft:
    """How it ended, on which deployment, how long it took; who sent it, its route, its score, the incident then."""
    found = found_of(brief)
    item = request_item(found, "request")
    asked = next(iter(brief.intent.subjects), "that request")
    if item is None:
        return write_nothing(brief, f"I found no request {asked}.")
    related = [e for e in found.of_step("request") if e.kind == "incident"]
    return Draft(
        headline=claim(f"{say_request(item)}.", item),
        what_changed=tuple(related_claim(e) for e in related),
        metrics=request_lines(item)[1:],
        missing=brief.gaps,
        confidence="high",
    )


def related_claim(item: Evidence) -> Claim:
    """The incident that lasted when a request was made."""
    k = item.id
    end = f", resolved at {{{k}.resolved_at}}" if has(item, "resolved_at") else ""
    return claim(
        f"Incident then: {{{k}.incident}} “{{{k}.title}}” on {{{k}.target}}, started at {{{k}.started_at}}{end}.", item
    )


def write_user(brief: Brief) -> Draft:
    """Tier, budget used and left, requests today, and how the last requests went."""
    found = found_of(brief)
    item = next((e for e in found.evidence if e.locator.startswith(f"{USERS}/")), None)
    asked = next(iter(brief.intent.subjects), "that user")
    if item is None:
        return write_nothing(brief, f"I found no user {asked}.")
    k = item.id
    budget = ""
    if has(item, "daily_budget_usd", "daily_budget_used_usd"):
        share = f" ({{{k}.budget_used}})" if has(item, "budget_used") else ""
        budget = f" and used {{{k}.daily_budget_used_usd}} of {{{k}.daily_budget_usd}} USD of its daily budget{share}"
    sent = f" sent {counted(item, 'requests_today', 'request')} today" if has(item, "requests_today") else " is known"
    lines = []
    if has(item, "tier"):
        sla = f", latency SLA {{{k}.latency_sla}}" if has(item, "latency_sla") else ""
        lines.append(claim(f"Tier {{{k}.tier}}{sla}.", item))
    if has(item, "daily_budget_remaining_usd"):
        lines.append(claim(f"Remaining daily budget: {{{k}.daily_budget_remaining_usd}} USD.", item))
    return Draft(
        headline=claim(f"User {{{k}.user}}{sent}{budget}.", item),
        metrics=(*lines, *request_claims(found), *failed_lines(found.evidence)),
        missing=brief.gaps,
        confidence="medium" if brief.gaps else "high",
    )


def failed_lines(evidence: tuple[Evidence, ...]) -> tuple[Claim, ...]:
    """The newest requests that did not succeed."""
    requests = (e for e in evidence if e.locator.startswith("context://requests/"))
    failed = [e for e in requests if text_of(e, "status") in {"error", "timeout"}]
    return tuple(claim(f"{say_request(e)}.", e) for e in failed[:3])
