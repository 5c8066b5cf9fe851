"""Claims over one piece of operations evidence each, and which evidence is which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Claim, Draft, Evidence, Gap, ToolCall, Window
from workers.grounding.health import DEPLOYMENTS, INCIDENTS, REQUESTS, TRENDS, items_of, number, summary_of, text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import has, join
from workers.reasoning.request_counts import counted, sampled

SERVED = ("deployment", "model", "backend")
"""What serves a request, by the names of facts and labels."""
QUALITY, VOLUME, USERS, SQL, SCHEMA = (
    "context://quality",
    "context://volume",
    "context://users",
    "context://sql",
    "context://schema",
)
MOST_LISTED = 5
WIDE = "_wide"
"""How the id of a step ends that looks for the same over a longer span."""


@dataclass(frozen=True)
class Found:
    """What the tools returned, by what it is; a summary is None when its tool gave none."""

    evidence: tuple[Evidence, ...]
    subjects: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    known: tuple[str, ...] = ()
    """The deployments that exist, as model/backend."""
    of_state: bool = True
    """Whether it is asked how things stand; else what is wrong is told last."""
    window: Window | None = None
    """The time that was asked about; None when none was named."""

    @property
    def incidents(self) -> Evidence | None:
        """The summary of incidents."""
        return summary_of(self.evidence, INCIDENTS)

    @property
    def active(self) -> list[Evidence]:
        """Active incidents, those of what was asked about first."""
        items = [e for e in items_of(self.evidence, INCIDENTS) if text_of(e, "status") == "active"]
        return sorted(items, key=lambda e: not self.is_own(e))

    @property
    def status(self) -> Evidence | None:
        """The summary of the deployments."""
        return summary_of(self.evidence, DEPLOYMENTS)

    @property
    def deployments(self) -> list[Evidence]:
        """Deployments, worst first, as the tool lists them."""
        return items_of(self.evidence, DEPLOYMENTS)

    @property
    def unhealthy(self) -> list[Evidence]:
        """Those that are not healthy."""
        return [e for e in self.deployments if text_of(e, "status") != "healthy"]

    @property
    def trends(self) -> Evidence | None:
        """The summary of latency."""
        return summary_of(self.evidence, TRENDS)

    @property
    def requests(self) -> Evidence | None:
        """The summary of recent requests."""
        return summary_of(self.evidence, REQUESTS)

    @property
    def quality(self) -> Evidence | None:
        """The summary of scores."""
        return summary_of(self.evidence, QUALITY)

    @property
    def volume(self) -> Evidence | None:
        """The summary of traffic."""
        return summary_of(self.evidence, VOLUME)

    def items(self, locator: str) -> list[Evidence]:
        """The items below a summary."""
        return items_of(self.evidence, locator)

    def of_step(self, *steps: str) -> list[Evidence]:
        """What these steps found."""
        return [e for e in self.evidence if e.step in steps]

    @property
    def named(self) -> list[Evidence]:
        """Deployments that were asked about."""
        return [e for e in self.deployments if set(self.subjects) & owners_of(e)]

    def is_own(self, incident: Evidence) -> bool:
        """Whether an incident is of what was asked about; of anything when nothing was named. A later one never is."""
        began = text_of(incident, "started_at")
        if self.window and began and datetime.fromisoformat(began) >= self.window.end:
            return False
        if not self.subjects:
            return True
        owners = {name for e in self.named for name in owners_of(e)}
        owners |= {name for d in self.known if self.concerns(d) or d in owners for name in (d, *d.split("/"))}
        return text_of(incident, "target") in owners | set(self.subjects)

    @property
    def served(self) -> tuple[str, ...]:
        """The deployments, models and backends that were asked about."""
        names = {name for d in self.known for name in (d, *d.split("/"))}
        return tuple(name for name in self.subjects if name in names)

    def concerns(self, name: str) -> bool:
        """Whether a deployment, model or backend is, or is part of, what was asked about."""
        return bool({name, *name.split("/")} & set(self.subjects))


def owners_of(item: Evidence) -> set[str]:
    """A deployment, its model and its backend."""
    return {text_of(item, name) for name in SERVED} - {""}


def found_of(brief: Brief) -> Found:
    """What an answer can be written from."""
    known = brief.landscape.labels.get("deployment", ())
    intent = brief.intent
    window = intent.window if intent.time_hints else None
    of_state = brief.plan.query_intent == "ops_investigation"
    return Found(brief.evidence, intent.subjects, brief.calls, known, of_state, window)


def claim(template: str, *items: Evidence | None) -> Claim:
    """A claim that cites what its slots name."""
    return Claim(template=template, evidence=tuple(dict.fromkeys(e.id for e in items if e is not None)))


def is_wide(item: Evidence) -> bool:
    """Whether it is of a longer span than was asked for, because that one held nothing."""
    return item.step.endswith(WIDE)


def in_span(item: Evidence, said: str) -> str:
    """A sentence, with the longer span that it is of before it."""
    k = item.id
    if not is_wide(item) or "{span(" in said or not has(item, "window_start", "window_end"):
        return said
    return (
        f"Within {{span({k}.window_start,{k}.window_end)}}: {said if said[:3] == 'p95' else said[0].lower() + said[1:]}"
    )


def with_span_told(draft: Draft, item: Evidence) -> Draft:
    """What a longer span held is no answer for the time asked for: that it held nothing leads, the rest comes below."""
    if not is_wide(item):
        return draft
    wide = draft.headline.model_copy(update={"template": in_span(item, draft.headline.template)})
    none = Claim(template="I found nothing in the time asked for; what was there before is told below.")
    return draft.model_copy(update={"headline": none, "metrics": (wide, *draft.metrics)})


# --- incidents and health -------------------------------------------------------------------------------------


def say_incident(item: Evidence) -> str:
    """``INC-7 “Elevated latency” on lumen/east is active since 13:20 UTC today (100 min)``."""
    k = item.id
    lasts = f" ({{{k}.duration}})" if has(item, "duration") else ""
    return f"Incident {{{k}.incident}} “{{{k}.title}}” on {{{k}.target}} is active since {{{k}.started_at}}{lasts}"


def say_no_incident(item: Evidence) -> str:
    """``No active incident (0 found)``: with the count, so that it is shown and not only said."""
    return f"No active incidents ({{{item.id}.count}} found)"


def say_health(item: Evidence) -> str:
    """``19 of 21 deployments healthy, 1 degraded and 1 down; 3 of them with stale figures``."""
    k = item.id
    rest = [f"{{{k}.{name}}} {name}" for name in ("down", "degraded", "unknown") if number(item, name)]
    tail = f", {join(rest)}" if rest else ""
    stale = ""
    if number(item, "stale"):
        stale = f"; {{{k}.stale}} of them with stale figures"
    total = counted(item, "deployments" if has(item, "deployments") else "total", "deployment")
    return f"{{{k}.healthy}} of {total} healthy{tail}{stale}"


def say_deployment(item: Evidence) -> str:
    """``lumen/east is degraded: p95 latency 1.4 s, error rate 9 % over 240 samples, queue depth 4``."""
    k = item.id
    figures = [
        f"{words} {{{k}.{name}}}"
        for name, words in (
            ("latency_p95", "p95 latency"),
            ("error_rate", "error rate"),
            ("timeout_rate", "timeout rate"),
        )
        if has(item, name)
    ]
    queue = f", queue depth {{{k}.queue_depth}}" if number(item, "queue_depth") else ""
    of = f" over {sampled(item, 'sample_count', 'sample')}" if has(item, "sample_count") else ""
    said = f": {', '.join(figures)}{of}{queue}" if figures else ""
    since = f", updated {{{k}.updated_at}}" if has(item, "updated_at") else ""
    state = f"is {{{k}.status}}" if has(item, "status") else "has no state"
    stale = " (stale)" if text_of(item, "stale") == "yes" else ""
    return f"{{{k}.deployment}} {state}{stale}{said}{since}"


def state_claim(found: Found) -> tuple[Claim, ...]:
    """No incident, and the health, in a line; an active incident is told for itself."""
    if not found.of_state:
        return ()
    calm = found.incidents if found.incidents and not found.active else None
    parts = [say_no_incident(calm)] if calm else []
    status = found.status if found.status and number(found.status, "total") != 1 else None  # one is told for itself
    parts += [say_health(status)] if status else []
    return (claim(f"{'; '.join(parts)}.", calm, status),) if parts else ()


def incident_claims(found: Found, head: Claim | None = None) -> tuple[Claim, ...]:
    """Each active incident of what was asked about that the headline does not tell; the others are told last."""
    told = head.evidence if head else ()
    own = [e for e in found.active if e.id not in told and found.of_state and found.is_own(e)]
    return tuple(claim(f"{say_incident(e)}.", e) for e in own[:MOST_LISTED])


def deployment_claims(found: Found, most: int = MOST_LISTED) -> tuple[Claim, ...]:
    """Deployments that were asked about, worst first; those that are not healthy when nothing was named."""
    named = found.named
    shown = [*(e for e in found.unhealthy if e in named), *(e for e in named if e not in found.unhealthy)]
    shown = shown if found.served else found.unhealthy if found.of_state else []
    return tuple(claim(f"{say_deployment(e)}.", e) for e in shown[:most])


# --- what is missing ------------------------------------------------------------------------------------------


def gaps_of(brief: Brief) -> tuple[Gap, ...]:
    """What tools could not tell, each once; a detail that nothing asked for is none."""
    kept = [g for g in brief.gaps if not (g.tool == "get_request_detail" and not any(g.tried))]
    return tuple({g.text: g for g in kept}.values())


def unchecked(found: Found) -> Iterator[Gap]:
    """Which of the two checks did not run."""
    if found.incidents is None:
        yield Gap(text="Active incidents were not looked at, so there may be some.", tool="get_active_incidents")
    if found.status is None:
        yield Gap(text="The health of the deployments was not looked at here.", tool="get_deployment_status")
