"""Decisions on alerts as evidence: how many are paged, then each alert with what speaks for and against."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.causes.source.triage.decision import Decision
from workers.contracts import Evidence, Fact

HIGH, MEDIUM = 0.95, 0.8
"""From so sure on a decision is told with high and with medium confidence."""
MOST_REASONS, MOST_AGAINST = 4, 2


def triage_evidence(decisions: Sequence[Decision]) -> tuple[Evidence, ...]:
    """The counts first, then the alerts that are paged, then the others, the least sure first."""
    paged = [d for d in decisions if d.pages]
    others = sorted((d for d in decisions if not d.pages), key=lambda d: d.confidence)
    names = ", ".join(f"{d.alert.id} ({d.alert.service} {d.alert.metric})" for d in paged)
    counts = {"alerts": len(decisions), "pages": len(paged), "suppressed": len(others)}
    facts = {name: Fact(value=value, unit="count", entity="alerts") for name, value in counts.items()}
    facts["sure"] = Fact(value=sureness(min((d.confidence for d in decisions), default=0.0)), entity="alerts")
    if names:
        facts["paged"] = Fact(value=names, entity="alerts")
    first = Evidence(kind="incident", title="Alerts that fired", locator="alerts:triage", facts=facts)
    return (first, *map(decision_evidence, (*paged, *others)))


def decision_evidence(decision: Decision) -> Evidence:
    """An alert, what is done about it and why."""
    alert = decision.alert
    words = {
        "decision": "page" if decision.pages else "suppress",
        "alert": alert.id,
        "service": alert.service,
        "metric_name": alert.metric,
        "for": "; ".join(r.text for r in decision.deciding[:MOST_REASONS]),
        "against": "; ".join(r.text for r in decision.against[:MOST_AGAINST]),
        "sure": sureness(decision.confidence),
        "duplicate_of": decision.duplicate_of,
    }
    return Evidence(
        kind="alert",
        title=f"{alert.id}: {alert.metric} of {alert.service}"[:200],
        locator=f"alerts:{alert.id}",
        facts={name: Fact(value=value, entity=alert.id) for name, value in words.items() if value},
    )


def sureness(confidence: float) -> str:
    """How sure a decision is, in a word."""
    return "high" if confidence >= HIGH else "medium" if confidence >= MEDIUM else "low"
