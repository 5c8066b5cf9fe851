"""PURE. Traffic: how many requests, what they cost, who sends most, and whether latency follows."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Evidence
from workers.engine.health import text
from workers.ports import Brief
from workers.reasoning.operations.parts import (
    VOLUME,
    claim,
    found_of,
    in_span,
    incident_claims,
    say_health,
    with_span_told,
)
from workers.reasoning.operations.words import words
from workers.reasoning.operations.write_latency import say_trend, whose
from workers.reasoning.phrases import has
from workers.reasoning.write_nothing import write_nothing

MONEY = words(r"costs?|spen[dt]\w*|dollars?|usd|bill|money")
MOST_GROUPS = 10


def write_traffic(brief: Brief) -> Draft:
    """Requests, the peak and the groups; of money first when the question is about that."""
    found = found_of(brief)
    volume = found.volume
    if volume is None:
        return write_nothing(brief, "I can't say how much traffic there was: no requests were found in that time.")
    money = bool(MONEY.search(brief.question.text)) and has(volume, "total_cost_usd")
    named = [e for e in found.items(VOLUME) if found.concerns(text(e, "group"))]
    whole = say_cost(volume) if money else say_volume(volume)
    head = group_claim(named[0], money) if named else whole
    if named and not money and has(named[0], "share"):
        g = named[0].id
        head = claim(f"{{{g}.group}} got {{{g}.request_count}} requests, {{{g}.share}} of the total.", named[0])
    lines = [whole] if named else []
    k = volume.id
    if money:
        lines.append(say_volume(volume))
    elif has(volume, "total_cost_usd"):
        lines.append(say_cost(volume))
    if has(volume, "baseline", "current"):
        lines.append(claim(f"Requests per {{{k}.granularity}}: {{{k}.current}} now, {{{k}.baseline}} before.", volume))
    groups = sorted(found.items(VOLUME), key=cost) if money else found.items(VOLUME)
    lines.extend(group_claim(e, money) for e in groups[:MOST_GROUPS] if e not in named[:1])
    if found.trends:
        lines.append(claim(in_span(found.trends, f"{say_trend(found.trends, whose(found.trends))}."), found.trends))
    health = [claim(f"{say_health(found.status)}.", found.status)] if found.status else []
    draft = Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=(*lines, *health),
        missing=brief.gaps,
        confidence="medium" if brief.gaps else "high",
    )
    return with_span_told(draft, named[0] if named else volume)


def say_volume(item: Evidence) -> Claim:
    """``9,368 requests within 7 days; the busiest day had 1,526 at …``."""
    k = item.id
    period = text(item, "granularity") or "period"
    peak = f"; the busiest {period} had {{{k}.peak}} at {{{k}.peak_at}}" if has(item, "peak", "peak_at") else ""
    return claim(f"{{{k}.request_count}} requests{span(item)}{peak}.", item)


def say_cost(item: Evidence) -> Claim:
    """``Total cost in USD: 75.1 within 7 days.``."""
    return claim(f"Total cost in USD: {{{item.id}.total_cost_usd}}{span(item)}.", item)


def span(item: Evidence) -> str:
    """How long the time is that was asked about."""
    k = item.id
    return f" within {{span({k}.window_start,{k}.window_end)}}" if has(item, "window_start", "window_end") else ""


def group_claim(item: Evidence, money: bool) -> Claim:
    """One group's requests, or what they cost."""
    k = item.id
    if money and has(item, "total_cost_usd"):
        return claim(f"{{{k}.group}}: {{{k}.total_cost_usd}} USD, {{{k}.request_count}} requests.", item)
    share = f", {{{k}.share}}" if has(item, "share") else ""
    return claim(f"{{{k}.group}}: {{{k}.request_count}} requests{share}.", item)


def cost(item: Evidence) -> float:
    """For the dearest first."""
    fact = item.facts.get("total_cost_usd")
    return -float(fact.value) if fact and isinstance(fact.value, int | float) else 0.0
