"""Events of a cluster as evidence: every value a named fact."""

from __future__ import annotations

from workers.contracts import Evidence, Fact, rfc3339
from workers.language.environment_names import is_elsewhere
from workers.sources.cluster.event import ClusterEvent

MOST_TITLE, MOST_FACT = 160, 400


def event_evidence(event: ClusterEvent, of: str, environment: str) -> Evidence:
    """One event. ``of``: its environment; ``environment``: the configured one, told where it is another."""
    entity = event.name
    told = {"reason": event.reason, "object": f"{event.kind} {event.name}".strip(), "workload": event.workload}
    told |= {"namespace": event.namespace, "node": event.node, "component": event.component, "environment": of}
    told |= {"message": event.message[:MOST_FACT], "type": "Warning" if event.warning else "Normal"}
    facts = {name: Fact(value=value, entity=entity) for name, value in told.items() if value}
    facts["count"] = Fact(value=event.count, unit="count", entity=entity)
    for name, at in (("first_at", event.first_at), ("last_at", event.last_at)):
        facts[name] = Fact(value=rfc3339(at), unit="time", entity=entity, at=at)
    elsewhere = is_elsewhere(of, environment)
    place = f"{of}: " if elsewhere else ""
    if elsewhere:
        facts["elsewhere"] = Fact(value=True, entity=entity)
    times = f", {event.count} times" if event.count > 1 else ""
    where = "/".join(filter(None, (event.namespace, event.kind, event.name)))
    return Evidence(
        kind="event",
        title=f"{place}{event.reason} of {told['object']}{times}"[:MOST_TITLE],
        locator=f"kubernetes://{where}/events/{event.reason}@{rfc3339(event.first_at)}",
        excerpt=event.message,
        facts=facts,
        observed_at=event.last_at,
    )
