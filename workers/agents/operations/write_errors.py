"""Errors and timeouts: which deployment fails, how much, with what, since when; one failed request in full."""

from __future__ import annotations

from workers.agents.operations.request_sentences import request_item, request_lines, say_failures
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import number, text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import (
    Found,
    claim,
    deployment_claims,
    found_of,
    incident_claims,
    is_wide,
    say_health,
    say_no_incident,
    state_claim,
    unchecked,
    with_span_told,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import said_span, sampled


def write_errors(brief: Brief) -> Draft:
    """What failed in the time asked for, else which deployment fails most now; what the failed have in common."""
    found = found_of(brief)
    if found.status is None and found.requests is None:
        return write_nothing(brief, "I can't say what fails: neither deployments nor requests could be read.")
    head = error_headline(found)
    requests = [c for c in failed_claims(found) if c != head]
    detail = request_item(found, "detail") or request_item(found, "detail_wide")
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*requests, *request_lines(detail), *state_claim(found), *deployment_claims(found)),
        next_steps=(claim(f"First look: request {{{detail.id}.request}} to {{{detail.id}.deployment}}.", detail),)
        if detail
        else (),
        missing=(*unchecked(found), *brief.gaps),
        confidence="medium" if brief.gaps else "high",
    )
    of_requests = found.requests and found.requests.id in head.evidence
    return with_span_told(draft, found.requests) if found.requests and of_requests else draft


def worst_failing(found: Found) -> Evidence | None:
    """The deployment with most errors and timeouts of those asked about, when it has any."""
    own = found.named or ([] if found.subjects else found.deployments)
    rate = {e.id: number(e, "error_rate") + number(e, "timeout_rate") for e in own}
    worst = max(own, key=lambda e: rate[e.id], default=None)
    return worst if worst is not None and rate[worst.id] > 0 else None


def error_headline(found: Found) -> Claim:
    """Who fails and how much, with the incident; what the requests of a time show, when that was asked for."""
    empty = any(c.name == "get_recent_requests" and c.status == "empty" for c in found.calls)
    if found.requests is None and empty and found.window:
        return Claim(template="I found no requests in the time asked for, failed or not.")
    worst = None if found.window and found.requests else worst_failing(found)
    calm = found.incidents if not found.active else None
    tail = f"; {say_no_incident(calm).replace('N', 'n', 1)}" if calm else ""
    requests = failed_claims(found)
    if worst and (text_of(worst, "status") != "healthy" or not requests):
        k = worst.id
        late = f" and a timeout rate of {{{k}.timeout_rate}}" if has(worst, "timeout_rate") else ""
        rate = f"an error rate of {{{k}.error_rate}}{late}" if has(worst, "error_rate") else "errors"
        of = f" over {sampled(worst, 'sample_count', 'sample')}" if has(worst, "sample_count") else ""
        return claim(f"{{{k}.deployment}} is {{{k}.status}} with {rate}{of}{tail}.", worst, calm)
    if requests:
        return requests[0]
    if found.status:
        return claim(f"{say_health(found.status)}{tail}.", found.status, calm)
    return Claim(template="I can't say what fails: no deployment state could be read.")


def failed_claims(found: Found) -> list[Claim]:
    """How many failed, and what those that are listed have in common."""
    item = found.requests
    if item is None or not has(item, "request_count"):
        return []
    k = item.id
    parts = [f"{say_failures(item)}{'' if is_wide(item) else said_span(item)}"]
    of = f"of the newest {{{k}.newest_count}}, " if text_of(item, "has_more") == "yes" else ""
    if has(item, "top_failing_deployment", "top_failing_count") and not has(item, "deployment"):
        parts.append(f"{of}most failing: {{{k}.top_failing_deployment}} ({{{k}.top_failing_count}})")
    if has(item, "top_error_code", "top_error_count"):
        parts.append(f"{of}top error code {{{k}.top_error_code}} ({{{k}.top_error_count}})")
    if has(item, "failed_at"):
        parts.append(f"the newest at {{{k}.failed_at}}")
    return [claim(f"{'; '.join(parts)}.", item)]
