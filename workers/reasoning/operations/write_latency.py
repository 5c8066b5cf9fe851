"""PURE. Latency: how it moved, whose, and what is wrong beside it."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Evidence
from workers.engine.health import TRENDS, number, text
from workers.ports import Brief
from workers.reasoning.operations.parts import (
    Found,
    claim,
    deployment_claims,
    found_of,
    in_span,
    incident_claims,
    say_failures,
    say_no_incident,
    unchecked,
    with_span_told,
)
from workers.reasoning.operations.write_state import next_steps
from workers.reasoning.phrases import has
from workers.reasoning.write_nothing import write_nothing

OWNERS = ("deployment", "model", "backend")
WORTH_TELLING = 20.0
"""Percent that a deployment's p95 has to change to be told."""


def say_trend(item: Evidence, whose: str) -> str:
    """``p95 latency of lumen/east rose from 0.6 s to 1.9 s, peak 2 s at …``; a steady one at its value."""
    k = item.id
    if has(item, "baseline", "current"):
        moved = f"{{move({k}.baseline,{k}.current)}}"
        steady = f"is steady at {{{k}.current}}, {{{k}.baseline}} before"
        said = steady if text(item, "direction") == "steady" else moved
        peak = f", peak {{{k}.peak}} at {{{k}.peak_at}}" if has(item, "peak", "peak_at") else ""
        return f"{whose} {said}{peak}"
    return f"{whose} is {{{k}.latency_p95}}"


def whose(item: Evidence) -> str:
    """``p95 latency of lumen/east``, of the model or backend that was asked for, or of everything."""
    names = [f"{{{item.id}.{name}}}" for name in OWNERS if has(item, name)]
    return f"p95 latency of {' on '.join(names)}" if names else "Overall p95 latency"


def told_trend(found: Found) -> Evidence | None:
    """What the headline is about: what was asked for, else the deployment whose p95 rose most, else all together."""
    if found.trends and (has(found.trends, "model") or has(found.trends, "backend")):
        return found.trends
    items = found.items(TRENDS)
    own = [e for e in items if found.concerns(text(e, "deployment"))]
    risen = [e for e in own or items if text(e, "direction") == "rose" and number(e, "change_pct") >= WORTH_TELLING]
    worst = max(risen, key=lambda e: number(e, "change_pct"), default=None)
    return worst or next(iter(own), None) or found.trends


def write_latency(brief: Brief) -> Draft:
    """What rose, from what to what; the incident it belongs to; the deployments and requests behind it."""
    found = found_of(brief)
    main = told_trend(found)
    if main is None:
        return write_nothing(brief, "I can't say how latency is: no requests were found in the time asked for.")
    head = claim(f"{say_trend(main, whose(main))}{beside(found, main)}.", main, *cited_beside(found, main))
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*trend_claims(found, main), *deployment_claims(found), *request_claims(found)),
        next_steps=next_steps(found),
        missing=(*unchecked(found), *brief.gaps),
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, main)


def about(found: Found, main: Evidence) -> Evidence | None:
    """The active incident of what is told about, when that rose."""
    if text(main, "direction") != "rose":
        return None
    if name := text(main, "deployment"):
        return next((e for e in found.active if text(e, "target") in {name, *name.split("/")}), None)
    narrow = has(main, "model") or has(main, "backend")
    return next((e for e in found.active if not narrow or found.is_own(e)), None)


def beside(found: Found, main: Evidence) -> str:
    """The incident beside a value, or that there is none."""
    incident = about(found, main)
    if incident:
        k = incident.id
        return f"; incident {{{k}.incident}} “{{{k}.title}}” is active since {{{k}.started_at}}"
    if found.incidents and not found.active:
        return f"; {say_no_incident(found.incidents).replace('N', 'n', 1)}"
    return ""


def cited_beside(found: Found, main: Evidence) -> tuple[Evidence | None, ...]:
    """What `beside` speaks of."""
    incident = about(found, main)
    return (incident,) if incident else (found.incidents if not found.active else None,)


def trend_claims(found: Found, main: Evidence) -> tuple[Claim, ...]:
    """All together, and the others that moved."""
    alone = len(found.items(TRENDS)) == 1
    total = [found.trends] if found.trends and found.trends is not main and not alone else []
    items = [e for e in found.items(TRENDS) if e is not main and not (alone and main is found.trends)]
    moved = [e for e in items if text(e, "direction") == "rose" and number(e, "change_pct") >= WORTH_TELLING]
    own = [e for e in moved if found.concerns(text(e, "deployment"))]
    moved = own if found.named else moved
    moved.sort(key=lambda e: -number(e, "change_pct"))
    lines = [claim(in_span(e, f"{say_trend(e, whose(e))}."), e) for e in (*total, *moved[:3])]
    if found.trends and has(found.trends, "request_count", "error_rate"):
        k = found.trends.id
        lines.append(
            claim(f"{{{k}.request_count}} requests in that time, error rate {{{k}.error_rate}}.", found.trends)
        )
    return tuple(lines)


def request_claims(found: Found) -> tuple[Claim, ...]:
    """The last requests in a line."""
    item = found.requests
    if item is None or not has(item, "count", "latency_p95"):
        return ()
    k = item.id
    slowest = f"; slowest: {{{k}.slowest_request}} with {{{k}.latency_max}}" if has(item, "slowest_request") else ""
    failed = f"; errors: {{{k}.error_count}}, timeouts: {{{k}.timeout_count}}" if has(item, "error_count") else ""
    if has(item, "status_filter"):
        said = f"{say_failures(item)}; p95 latency {{{k}.latency_p95}}."
    else:
        said = f"Last {{{k}.count}} requests: p95 latency {{{k}.latency_p95}}{slowest}{failed}."
    return (claim(in_span(item, said), item),)
