"""Latency: how it moved, whose, and what is wrong beside it."""

from __future__ import annotations

from workers.agents.operations.request_sentences import request_claims
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import TRENDS, number, text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import (
    SERVED,
    Found,
    claim,
    deployment_claims,
    found_of,
    in_span,
    incident_claims,
    is_wide,
    say_no_incident,
    unchecked,
    with_span_told,
)
from workers.reasoning.deployment_state import next_steps
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import is_few, said_span, sampled

PEAKED = 1.5
"""How many times what was before and is now a peak has to be, so that nothing was steady."""
WORTH_TELLING = 20.0
"""Percent that a deployment's p95 has to change to be told."""


def write_latency(brief: Brief) -> Draft:
    """What rose, from what to what; the incident it belongs to; the deployments and requests behind it."""
    found = found_of(brief)
    main = told_trend(found)
    if main is None:
        return write_nothing(brief, "I can't say how latency is: no requests were found in the time asked for.")
    incident = about(found, main)
    calm = found.incidents if incident is None and not found.active else None
    tail = ""
    if incident:
        k = incident.id
        tail = f"; incident {{{k}.incident}} “{{{k}.title}}” is active since {{{k}.started_at}}"
    elif calm:
        tail = f"; {say_no_incident(calm).replace('N', 'n', 1)}"
    rests = "" if has(main, "baseline", "current") else f" {say_basis(main).replace('O', 'o', 1)}"
    head = claim(f"{say_trend(main, whose(main))}{rests}{tail}.", main, incident, calm)
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*trend_claims(found, main), *deployment_claims(found), *request_claims(found, main)),
        next_steps=next_steps(found),
        missing=(*unchecked(found), *brief.gaps),
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, main)


def say_trend(item: Evidence, whose: str) -> str:
    """``p95 latency of lumen/east rose from 0.6 s to 1.9 s, peak 2 s at …``; a steady one at its value.

    One that is as before but had a peak between was not steady.
    """
    k = item.id
    if not has(item, "baseline", "current"):
        return f"{whose} is {{{k}.latency_p95}}"
    calm = text_of(item, "direction") == "steady"
    high = number(item, "peak") >= PEAKED * max(number(item, "baseline"), number(item, "current"))
    level = f"is {'' if high else 'steady at '}{{{k}.current}}, {{{k}.baseline}} before"
    said = level if calm else f"{{move({k}.baseline,{k}.current)}}"
    now = text_of(item, "peak_at") == text_of(item, "window_last")
    told = has(item, "peak", "peak_at") and (high or not calm) and not now
    peak = f", peak {{{k}.peak}} at {{{k}.peak_at}}" if told else ""
    return f"{whose} {said}{peak}"


def say_basis(item: Evidence) -> str:
    """``By hour, over 840 requests since …, only 12 in the last one (from …)``: what a level rests on."""
    k = item.id
    span = "" if is_wide(item) else said_span(item)
    if not has(item, "current", "granularity", "current_count", "window_last"):
        return f"Over {sampled(item, 'request_count')}{span}"
    few = "only " if is_few(item, "current_count") else ""
    last = f", {few}{{{k}.current_count}} in the last one (from {{{k}.window_last}})"
    return f"By {{{k}.granularity}}, over {sampled(item, 'request_count')}{span}{last}"


def whose(item: Evidence) -> str:
    """``p95 latency of lumen/east``, of the model or backend that was asked for, or of everything."""
    names = [f"{{{item.id}.{name}}}" for name in SERVED if has(item, name)]
    return f"p95 latency of {' on '.join(names)}" if names else "Overall p95 latency"


def told_trend(found: Found) -> Evidence | None:
    """What the headline is about: what was asked for, else the deployment whose p95 rose most, else all together."""
    if found.trends and (has(found.trends, "model") or has(found.trends, "backend")):
        return found.trends
    items = found.items(TRENDS)
    own = [e for e in items if found.concerns(text_of(e, "deployment"))]
    worst = max(filter(has_risen, own or items), key=lambda e: number(e, "change_pct"), default=None)
    return worst or next(iter(own), None) or found.trends


def has_risen(item: Evidence) -> bool:
    """Whether a deployment got so much slower that it is told."""
    return text_of(item, "direction") == "rose" and number(item, "change_pct") >= WORTH_TELLING


def about(found: Found, main: Evidence) -> Evidence | None:
    """The active incident of what is told about, when that rose."""
    if text_of(main, "direction") != "rose":
        return None
    if name := text_of(main, "deployment"):
        return next((e for e in found.active if text_of(e, "target") in {name, *name.split("/")}), None)
    narrow = has(main, "model") or has(main, "backend")
    return next((e for e in found.active if not narrow or found.is_own(e)), None)


def trend_claims(found: Found, main: Evidence) -> tuple[Claim, ...]:
    """What the headline rests on, all together, and the others that rose."""
    total = [found.trends] if found.trends and found.trends is not main else []
    moved = [e for e in found.items(TRENDS) if e is not main and has_risen(e)]
    moved = [e for e in moved if found.concerns(text_of(e, "deployment"))] if found.named else moved
    moved.sort(key=lambda e: -number(e, "change_pct"))
    compared = has(main, "request_count", "baseline", "current")
    basis = [claim(in_span(main, f"{say_basis(main)}."), main)] if compared else []
    others = (claim(in_span(e, f"{say_trend(e, whose(e))}."), e) for e in (*total, *moved[:3]))
    rates = (e for e in (main, *total) if has(e, "error_rate"))
    return (*basis, *others, *(claim(in_span(e, f"{say_whole(e)}."), e) for e in rates))


def say_whole(item: Evidence) -> str:
    """``lumen/east in that time: p50 latency 0.4 s, p95 latency 0.9 s, error rate 1 %``."""
    k = item.id
    names = [f"{{{k}.{name}}}" for name in SERVED if has(item, name)]
    parts = [f"{p} latency {{{k}.latency_{p}}}" for p in ("p50", "p95") if has(item, f"latency_{p}")]
    parts += [
        f"{name.replace('_', ' ')} {{{k}.{name}}}" for name in ("error_rate", "timeout_rate") if number(item, name)
    ]
    return f"{' on '.join(names) or 'Overall'} in that time: {', '.join(parts)}"
