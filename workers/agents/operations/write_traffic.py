"""Traffic: how many requests, what they cost, who sends most, and whether latency follows."""

from __future__ import annotations

from workers.agents.operations.write_latency import say_level
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
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
    say_health,
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
    named = [e for e in found.items(VOLUME) if found.concerns(text_of(e, "group"))]
    about = named[0] if named else None
    whole = say_cost(volume, about) if money else say_volume(volume, about)
    head = group_claim(named[0], money, span(named[0], None)) if named else whole
    if named and not money and has(named[0], "share"):
        g = named[0].id
        got = f"{counted(named[0], 'request_count', 'request')}{span(named[0], None)}"
        head = claim(f"{{{g}.group}} got {got}, {{{g}.share}} of the total.", named[0])
    lines = [whole] if named else []
    if money:
        lines.append(say_volume(volume, volume))
    elif has(volume, "total_cost_usd"):
        lines.append(say_cost(volume, volume))
    if has(volume, "baseline", "current", "window_last"):
        lines.append(say_last(named[0] if named and has(named[0], "baseline", "window_last") else volume))
    groups = sorted(found.items(VOLUME), key=cost) if money else found.items(VOLUME)
    lines.extend(group_claim(e, money) for e in groups[:MOST_GROUPS] if e not in named[:1])
    if found.trends:
        lines.append(claim(in_span(found.trends, say_level(found.trends, volume)), found.trends))
    health = [claim(f"{say_health(found.status)}.", found.status)] if found.status else []
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*lines, *health),
        missing=brief.gaps,
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, named[0] if named else volume)


def say_volume(item: Evidence, beside: Evidence | None = None) -> Claim:
    """``9,368 requests since …; the busiest day had 1,526 at …``."""
    k = item.id
    period = text_of(item, "granularity") or "period"
    peak = f"; the busiest {period} had {{{k}.peak}} at {{{k}.peak_at}}" if has(item, "peak", "peak_at") else ""
    lead = "Total: " if beside is not None and beside is not item else ""
    return claim(f"{lead}{counted(item, 'request_count', 'request')}{span(item, beside)}{peak}.", item)


def say_cost(item: Evidence, beside: Evidence | None = None) -> Claim:
    """``Total cost in USD: 75.1 since …, for 9,368 requests.``."""
    of = f", for {counted(item, 'request_count', 'request')}" if beside is None else ""
    return claim(f"Total cost in USD: {{{item.id}.total_cost_usd}}{span(item, beside)}{of}.", item)


def say_last(item: Evidence) -> Claim:
    """``Requests per day: 1,114 in the last one (from …), 1,450 before.``; whole days only."""
    k = item.id
    whose = f" of {{{k}.group}}" if has(item, "group") else ""
    lead = f"Requests{whose} per {{{k}.granularity}}"
    return claim(f"{lead}: {{{k}.current}} in the last one (from {{{k}.window_last}}), {{{k}.baseline}} before.", item)


def span(item: Evidence, beside: Evidence | None) -> str:
    """The time that was asked about, unless it stands beside already; that of a longer one stands before."""
    return "" if is_wide(item) or beside is not None else said_span(item)


def group_claim(item: Evidence, money: bool, since: str = "") -> Claim:
    """One group's requests, or what they cost; ``since``: in which time."""
    k = item.id
    if money and has(item, "total_cost_usd"):
        return claim(
            f"{{{k}.group}}: {{{k}.total_cost_usd}} USD{since}, {counted(item, 'request_count', 'request')}.", item
        )
    share = f", {{{k}.share}}" if has(item, "share") else ""
    return claim(f"{{{k}.group}}: {counted(item, 'request_count', 'request')}{since}{share}.", item)


def cost(item: Evidence) -> float:
    """For the dearest first."""
    fact = item.facts.get("total_cost_usd")
    return -float(fact.value) if fact and isinstance(fact.value, int | float) else 0.0
