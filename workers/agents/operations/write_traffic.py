"""Traffic: how many requests, what they cost, who sends most, and whether latency follows."""

from __future__ import annotations

from workers.agents.operations.write_latency import say_basis, say_trend, whose
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import number, text_of
from workers.grounding.lexicon import words
from workers.ports import Brief
from workers.reasoning.claim_phrases import has
from workers.reasoning.deployment_parts import (
    VOLUME,
    claim,
    found_of,
    in_span,
    incident_claims,
    is_wide,
    with_span_told,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import counted, said_span

MONEY = words(r"costs?|spen[dt]\w*|dollars?|usd|bill|money")
MOST_GROUPS = 10


def write_traffic(brief: Brief) -> Draft:
    """Requests, the peak and the groups; of money first when the question is about that."""
    found = found_of(brief)
    volume = found.volume
    if volume is None:
        return write_nothing(brief, "I can't say how much traffic there was: no requests were found in that time.")
    money = bool(MONEY.search(brief.question.text)) and has(volume, "total_cost_usd")
    groups = sorted(found.items(VOLUME), key=lambda e: -number(e, "total_cost_usd") if money else 0)
    named = [e for e in groups if found.concerns(text_of(e, "group"))][:1]
    whole = say_cost(volume) if money else say_volume(volume)
    head = group_claim(named[0], money, span(named[0])) if named else whole
    lines = [whole] if named else []
    if has(volume, "total_cost_usd"):
        lines.append(say_volume(volume) if money else say_cost(volume))
    last = named[0] if named and has(named[0], "baseline") else volume
    if has(last, "baseline", "current", "window_last"):
        lines.append(say_last(last))
    lines.extend(group_claim(e, money) for e in groups[:MOST_GROUPS] if e not in named)
    if found.trends:
        trend = found.trends
        basis = f"; {say_basis(trend)[0].lower()}{say_basis(trend)[1:]}" if has(trend, "request_count") else ""
        lines.append(claim(in_span(trend, f"{say_trend(trend, whose(trend))}{basis}."), trend))
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=tuple(lines),
        missing=brief.gaps,
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, named[0] if named else volume)


def say_volume(item: Evidence) -> Claim:
    """``9,368 requests since …; the busiest day had 1,526 at …``."""
    k = item.id
    period = text_of(item, "granularity") or "period"
    peak = f"; the busiest {period} had {{{k}.peak}} at {{{k}.peak_at}}" if has(item, "peak", "peak_at") else ""
    return claim(f"{counted(item, 'request_count', 'request')}{span(item)}{peak}.", item)


def say_cost(item: Evidence) -> Claim:
    """``Total cost in USD: 75.1 since …, for 9,368 requests.``."""
    of = f", for {counted(item, 'request_count', 'request')}"
    return claim(f"Total cost in USD: {{{item.id}.total_cost_usd}}{span(item)}{of}.", item)


def say_last(item: Evidence) -> Claim:
    """``Requests per day: 1,114 in the last one (from …), 1,450 before.``; whole days only."""
    k = item.id
    whose = f" of {{{k}.group}}" if has(item, "group") else ""
    lead = f"Requests{whose} per {{{k}.granularity}}"
    return claim(f"{lead}: {{{k}.current}} in the last one (from {{{k}.window_last}}), {{{k}.baseline}} before.", item)


def span(item: Evidence) -> str:
    """The time that was asked about; that of a longer one stands before."""
    return "" if is_wide(item) else said_span(item)


def group_claim(item: Evidence, money: bool, since: str = "") -> Claim:
    """One group's requests, or what they cost; ``since``: in which time."""
    k, requests = item.id, counted(item, "request_count", "request")
    if money and has(item, "total_cost_usd"):
        return claim(f"{{{k}.group}}: {{{k}.total_cost_usd}} USD{since}, {requests}.", item)
    share = f", {{{k}.share}} of the total" if has(item, "share") else ""
    return claim(f"{{{k}.group}} got {requests}{since}{share}.", item)
