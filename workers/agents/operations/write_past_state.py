"""How things stood in a span that is past: its incidents and its requests; the state of now only as such."""

from __future__ import annotations

from workers.agents.operations.measures import INCIDENTS
from workers.agents.operations.request_sentences import say_failures
from workers.agents.operations.validators import OPS_FIRST
from workers.agents.operations.write_quality import quality_claim, request_lines
from workers.agents.operations.write_rows import incident_now, rows_of, say_row
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import (
    MOST_LISTED,
    SERVED,
    Found,
    claim,
    found_of,
    say_deployment,
    say_health,
    say_incident,
    say_no_incident,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import counted, has_span, said_span, sampled

THEN = " in that time"
NO_REQUESTS = Claim(template="I found no requests in the time asked about.")


def write_then(brief: Brief) -> Draft:
    """What was asked for first: the incidents of that time or its figures, as the steps come; how it is now, last."""
    found = found_of(brief)
    span = next((e for e in found.of_step("then") if has(e, "incident_count", "window_start", "window_end")), None)
    if span is None:
        return write_nothing(brief, "I can't say how things stood then: the incidents of that time could not be read.")
    incidents = [e for e in found.of_step("then") if has(e, "incident_id")]
    own = [e for e in incidents if text_of(e, "own") == "yes"]
    figures = figure_claims(found)
    first = next((s.id for s in brief.plan.steps if s.tool not in OPS_FIRST), "then")
    lines = [incident_then(found, e, apart=e not in own) for e in incidents[:MOST_LISTED]]
    count = claim(f"{said_count(span)}{said_span(span)}.", span)
    asked = bool(INCIDENTS.search(brief.question.text))
    if figures and (first != "then" or not (own or asked)):
        head, figures = with_time(found, figures[0], span), figures[1:]
        lines = [claim(f"{said_count(span)}{THEN}.", span), *lines]
    elif own and len(own) == 1:
        head, lines = lines[0], lines[1:]
        figures = [*(with_time(found, f, span) for f in figures[:1]), *figures[1:]]  # not the time of the incident
    else:
        nothing = not (figures or own or asked) and any(c.status == "empty" for c in brief.calls)
        head, lines = (NO_REQUESTS, [count, *lines]) if nothing else (count, lines)
    return Draft(
        headline=head,
        what_changed=tuple(lines),
        metrics=(*figures, *now_claims(found, incidents)),
        missing=brief.gaps,
        confidence="medium",
    )


def with_time(found: Found, figure: Claim, span: Evidence) -> Claim:
    """A figure with the time that it is of, as the evidence tells it that the figure rests on."""
    own = next((e for e in found.evidence if e.id in figure.evidence and has_span(e)), span)
    when, said = said_span(own), figure.template
    said = said.replace(THEN, when, 1) if THEN in said else f"{said.removesuffix('.')}{when}."
    return Claim(template=said, evidence=tuple(dict.fromkeys((*figure.evidence, own.id))))


def said_count(span: Evidence) -> str:
    """``0 incidents on west-edge``: how many overlap the time of what was asked about."""
    whom = f" on {{{span.id}.asked}}" if has(span, "asked") else ""
    return f"{counted(span, 'incident_count', 'incident')}{whom}"


def incident_then(found: Found, item: Evidence, *, apart: bool) -> Claim:
    """One incident of that time."""
    return claim(f"{'Apart from that: ' if apart else ''}{say_row(item)}.", item, incident_now(found, item))


def figure_claims(found: Found) -> list[Claim]:
    """How the requests of that time fared, by what the tools told of it."""
    out: list[Claim] = []
    if (trends := found.trends) and has(trends, "request_count"):
        out.append(claim(f"{said_figures(trends, failing=found.requests is not None)}.", trends))
    if (quality := found.quality) and has(quality, "avg_score", "sample_count"):
        scored = sampled(quality, "sample_count", "scored request")
        whose = f" of {{{quality.id}.model}}" if has(quality, "model") else ""
        out.append(claim(f"Quality{whose}{THEN} was {{{quality.id}.avg_score}} on average over {scored}.", quality))
        out.extend(quality_claim(e) for e in found.items("context://quality")[:MOST_LISTED])
    out.extend(claim(f"{say_row(e)}.", e) for e in rows_of(found)[:MOST_LISTED])
    if (requests := found.requests) and has(requests, "error_count", "timeout_count"):
        parts = [say_failures(requests)]
        if has(requests, "top_failing_deployment", "top_failing_count"):
            r = requests.id
            parts.append(f"most failing: {{{r}.top_failing_deployment}} ({{{r}.top_failing_count}})")
        if has(requests, "top_error_code", "top_error_count"):
            parts.append(f"top error code {{{requests.id}.top_error_code}} ({{{requests.id}.top_error_count}})")
        out.append(claim(f"{'; '.join(parts)}.", requests))
    detail = next((e for e in found.of_step("detail")), None)
    out.extend(request_lines(detail))
    return out


def said_figures(item: Evidence, *, failing: bool) -> str:
    """``west-edge in that time: p95 latency 850 ms, error rate 1.8 %, timeout rate 0.6 % over 338 requests``."""
    k = item.id
    names = [f"{{{k}.{name}}}" for name in SERVED if has(item, name)]
    shown = [
        f"{words} {{{k}.{name}}}"
        for name, words in (
            ("error_rate", "error rate"),
            ("timeout_rate", "timeout rate"),
            ("latency_p95", "p95 latency"),
        )
        if has(item, name)
    ]
    shown = shown if failing else [*shown[-1:], *shown[:-1]]
    return f"{' on '.join(names) or 'Overall'}{THEN}: {', '.join(shown)} over {sampled(item, 'request_count')}"


def now_claims(found: Found, then: list[Evidence]) -> tuple[Claim, ...]:
    """How things stand now, named as such: it is no answer to what was asked."""
    told = {text_of(e, "incident_id") for e in then}
    active = [e for e in found.active if text_of(e, "incident") not in told]
    parts = [say_health(found.status)] if found.status else []
    calm = found.incidents if found.incidents and not found.active else None
    parts += [say_no_incident(calm).replace("N", "n", 1)] if calm else []
    parts += [say_incident(e).replace("I", "i", 1) for e in active[:1]]
    named = [e for e in found.named if text_of(e, "status") != "healthy"][:1]
    parts += [say_deployment(e) for e in named]
    if not parts:
        return ()
    return (claim(f"Now: {'; '.join(parts)}.", found.status, calm, *active[:1], *named),)
