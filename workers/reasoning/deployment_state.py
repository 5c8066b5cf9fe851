"""How things stand: active incidents and health. Calm is said only when both were looked at."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import (
    ERRORS_HIGH,
    TIMEOUTS_HIGH,
    all_clear,
    fails_often,
    find_trouble,
    no_incident,
    number,
    text_of,
)
from workers.ports import Brief
from workers.reasoning.claim_phrases import has, join
from workers.reasoning.deployment_parts import (
    SERVED,
    Found,
    claim,
    deployment_claims,
    found_of,
    incident_claims,
    say_deployment,
    say_health,
    say_incident,
    say_no_incident,
    unchecked,
)
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.request_counts import sampled


def write_state(brief: Brief) -> Draft:
    """What is wrong now, since when, how bad and where; or that both checks found nothing, and when."""
    found = found_of(brief)
    if found.incidents is None and found.status is None:
        return write_nothing(brief, "I can't tell how things stand: neither incidents nor health could be read.")
    head = state_headline(found)
    return Draft(
        headline=head,
        what_changed=incident_claims(found, head),
        metrics=tuple(c for c in (*health_claims(found), *deployment_claims(found)) if c != head),
        next_steps=next_steps(found),
        missing=(*unchecked(found), *brief.gaps),
        confidence="medium" if brief.gaps else "high",
    )


def state_headline(found: Found) -> Claim:
    """The incident that counts most with the health beside it; else what is not healthy; else the two counts."""
    incidents, status = found.incidents, found.status
    health = f"; {say_health(status)}" if status else ""
    if found.active and (found.is_own(found.active[0]) or (status is None and not found.served)):
        first = found.active[0]
        more = f", the first of {{{incidents.id}.count}}" if incidents and number(incidents, "count") > 1 else ""
        return claim(f"{say_incident(first)}{more}{health}.", first, incidents if more else None, status)
    if status is None and found.active:
        return none_on(found)
    if status is None:
        return (
            claim(f"{say_no_incident(incidents)}, looked up {{{incidents.id}.as_of}}.", incidents)
            if incidents
            else CANT
        )
    calm = f"{say_no_incident(incidents)}; " if incidents and no_incident(found.evidence) else ""
    worst = next((e for e in found.unhealthy if not found.named or e in found.named), None)
    if worst:
        k = worst.id
        if number(status, "total") == 1:
            return claim(f"{calm}{say_deployment(worst)}.", worst, incidents if calm else None)
        beside = f"{calm.replace('N', 'n', 1)}{say_health(status)}"
        said = f"{{{k}.deployment}} is {{{k}.status}}; {beside}, checked at {{{status.id}.as_of}}."
        return claim(said, worst, status, incidents if calm else None)
    if len(found.named) == 1:
        one = found.named[0]
        return claim(f"{calm}{say_deployment(one)}.", one, incidents if calm else None)
    strange = find_trouble(found.evidence)
    odd = strange[0].at if strange and strange[0].kind != "stale" and has(strange[0].at, "deployment") else None
    lead = f"{say_deployment(odd)}; " if odd else about_whom(found)
    said = f"{calm}{lead}{say_health(status)}, checked at {{{status.id}.as_of}}."
    return claim(said, odd, *found.named[:1], status, incidents if calm else None)


def none_on(found: Found) -> Claim:
    """No incident is of what was asked about; those that are active are told below."""
    return Claim(template=f"I found no active incident on {join(found.served)}.")


def about_whom(found: Found) -> str:
    """``heron-mini: ``, when it was asked about."""
    for item in found.named[:1]:
        for name in SERVED:
            if text_of(item, name) == found.subjects[0]:
                return f"{{{item.id}.{name}}}: "
    return ""


CANT = Claim(template="I can't tell how things stand: neither incidents nor health could be read.")


def health_claims(found: Found) -> tuple[Claim, ...]:
    """The counts, when there is more to them than the headline."""
    status = found.status
    if status is None or not has(status, "highest_p95", "highest_p95_deployment") or all_clear(found.evidence):
        return ()
    if number(status, "total") == 1:
        return ()
    k = status.id
    old = number(status, "stale") == number(status, "total") > 1 and has(status, "newest_report")
    newest = (claim(f"Newest report: {{{k}.newest_report}}.", status),) if old else ()
    of = f" over {sampled(status, 'highest_p95_count', 'sample')}" if has(status, "highest_p95_count") else ""
    return (claim(f"Highest p95: {{{k}.highest_p95}} for {{{k}.highest_p95_deployment}}{of}.", status), *newest)


def next_steps(found: Found) -> tuple[Claim, ...]:
    """Where to look first."""
    worst = first_to_check(found)
    if worst is None:
        return ()
    k = worst.id
    return (claim(f"First look: {{{k}.deployment}}, which {is_what(worst)}.", worst),)


def first_to_check(found: Found) -> Evidence | None:
    """The worst deployment, of those that an incident is about when there are any."""
    targets = {text_of(e, "target") for e in found.active}
    own = [e for e in found.unhealthy if not found.named or e in found.named]
    hit = [e for e in own if targets & {text_of(e, n) for n in SERVED}]
    return next(iter([*hit, *own]), None)


def is_what(item: Evidence) -> str:
    """``is degraded with an error rate of 9 %``: with what speaks for it, of rates only those that are too high."""
    if not has(item, "status"):
        return "has no state"
    k = item.id
    high = fails_often(item)
    rates = [("error_rate", "an error rate", ERRORS_HIGH), ("timeout_rate", "a timeout rate", TIMEOUTS_HIGH)]
    shown = [f"{words} of {{{k}.{name}}}" for name, words, least in rates if high and number(item, name) >= least]
    shown = shown or ([f"a p95 latency of {{{k}.latency_p95}}"] if has(item, "latency_p95") else [])
    of = f" over {sampled(item, 'sample_count', 'sample')}" if shown and has(item, "sample_count") else ""
    queue = f"{' and' if shown else ' with'} a queue of {{{k}.queue_depth}}" if number(item, "queue_depth") else ""
    return f"is {{{k}.status}}{f' with {join(shown)}' if shown else ''}{of}{queue}"
