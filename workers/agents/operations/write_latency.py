"""Latency: how it moved, whose, and what is wrong beside it."""

from __future__ import annotations

from datetime import datetime, timedelta

from workers.agents.operations.request_sentences import say_failures, whose_requests
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


def say_basis(item: Evidence, beside: Evidence | None = None) -> str:
    """`` By hour, over 840 requests since …, only 12 in the last one (from …).``: what a level rests on.

    Its time is left out beside other evidence of that time.
    """
    if not has(item, "request_count"):
        return ""
    k = item.id
    span = "" if is_wide(item) else said_span(item, beside)
    if not has(item, "baseline", "current", "granularity"):
        return f" over {sampled(item, 'request_count')}{span}"
    few = f", only {{{k}.current_count}} in the last one (from {{{k}.window_last}})"
    late = f"; the last one is from {{{k}.window_last}}"
    last = few if is_few(item, "current_count") else late if is_late(item) else ""
    return f" By {{{k}.granularity}}, over {sampled(item, 'request_count')}{span}{last}."


def say_level(item: Evidence, beside: Evidence | None = None, tail: str = "") -> str:
    """A level or a move with what it rests on: of a move in a sentence of its own, after the ``tail`` of the first."""
    said, basis = say_trend(item, whose(item)), say_basis(item, beside)
    return f"{said}{tail}.{basis}" if basis.endswith(".") else f"{said}{basis}{tail}."


def is_late(item: Evidence) -> bool:
    """Whether the last period with enough requests ended long before its window did."""
    if not has(item, "window_last", "window_end"):
        return False
    last, end = (datetime.fromisoformat(text_of(item, name)) for name in ("window_last", "window_end"))
    return end - last > 2.5 * (timedelta(hours=1) if text_of(item, "granularity") == "hour" else timedelta(days=1))


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
    risen = [e for e in own or items if text_of(e, "direction") == "rose" and number(e, "change_pct") >= WORTH_TELLING]
    worst = max(risen, key=lambda e: number(e, "change_pct"), default=None)
    return worst or next(iter(own), None) or found.trends


def write_latency(brief: Brief) -> Draft:
    """What rose, from what to what; the incident it belongs to; the deployments and requests behind it."""
    found = found_of(brief)
    main = told_trend(found)
    if main is None:
        return write_nothing(brief, "I can't say how latency is: no requests were found in the time asked for.")
    apart = about(found, main) is not None  # the time of an incident stands there
    tail = beside(found, main)
    said = f"{say_trend(main, whose(main))}{tail}." if apart else say_level(main, tail=tail)
    head = claim(said, main, *cited_beside(found, main))
    basis = (claim(in_span(main, say_basis(main).strip()), main),) if apart else ()
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*basis, *trend_claims(found, main), *deployment_claims(found), *request_claims(found, main)),
        next_steps=next_steps(found),
        missing=(*unchecked(found), *brief.gaps),
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, main)


def about(found: Found, main: Evidence) -> Evidence | None:
    """The active incident of what is told about, when that rose."""
    if text_of(main, "direction") != "rose":
        return None
    if name := text_of(main, "deployment"):
        return next((e for e in found.active if text_of(e, "target") in {name, *name.split("/")}), None)
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
    moved = [e for e in items if text_of(e, "direction") == "rose" and number(e, "change_pct") >= WORTH_TELLING]
    own = [e for e in moved if found.concerns(text_of(e, "deployment"))]
    moved = own if found.named else moved
    moved.sort(key=lambda e: -number(e, "change_pct"))
    lines = [claim(in_span(e, say_level(e, main)), e) for e in (*total, *moved[:3])]
    wholes = [main] if alone or found.trends in (None, main) else [main, found.trends]
    known = [e for e in wholes if e is not None and has(e, "request_count", "error_rate")]
    return (*lines, *(claim(in_span(e, f"{say_whole(e)}."), e) for e in known))


def say_whole(item: Evidence) -> str:
    """``lumen/east in that time: p50 latency 0.4 s, p95 latency 0.9 s, error rate 1 %``."""
    k = item.id
    names = [f"{{{k}.{name}}}" for name in SERVED if has(item, name)]
    parts = [f"{p} latency {{{k}.latency_{p}}}" for p in ("p50", "p95") if has(item, f"latency_{p}")]
    parts += [f"error rate {{{k}.error_rate}}{say_error_move(item)}"]
    parts += [f"timeout rate {{{k}.timeout_rate}}"] if number(item, "timeout_rate") else []
    return f"{' on '.join(names) or 'Overall'} in that time: {', '.join(parts)}"


def say_error_move(item: Evidence) -> str:
    """`` (9 % in the last hour, 1 % before)``: when the rate of errors is another now than it was."""
    k = item.id
    if not has(item, "error_rate_current", "error_rate_baseline", "granularity"):
        return ""
    same = number(item, "error_rate_current") == number(item, "error_rate_baseline")
    if same or is_few(item, "current_count") or is_late(item):
        return ""
    return f" ({{{k}.error_rate_current}} in the last {{{k}.granularity}}, {{{k}.error_rate_baseline}} before)"


def request_claims(found: Found, beside: Evidence | None = None) -> tuple[Claim, ...]:
    """How many of all failed, with the time unless ``beside`` is of the same; the newest in a line."""
    item = found.requests
    if item is None or not has(item, "count", "latency_p95", "request_count"):
        return ()
    k = item.id
    part = text_of(item, "has_more") == "yes"
    which = f"The newest {{{k}.newest_count}} requests" if part else f"Those {{{k}.request_count}} requests"
    which = which if number(item, "count") > 1 else "That request"
    slow = f"{{{k}.slowest_request}} with {{{k}.latency_max}}" if has(item, "slowest_request") else ""
    tail = f"; slowest of these: {slow}" if slow and number(item, "count") > 1 else ""
    said = f"{which}{whose_requests(item)}: p95 latency {{{k}.latency_p95}}{tail}"
    failed = f"{say_failures(item)}{'' if is_wide(item) else said_span(item, beside)}"
    return tuple(claim(in_span(item, f"{line}."), item) for line in (failed, said))
