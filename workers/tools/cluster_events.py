"""cluster_events: what a Kubernetes cluster tells of its nodes and workloads, of its API and of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from workers.contracts import Fact, ToolOutput, rfc3339
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.sources.cluster.cluster_sources import ClusterSources
from workers.sources.cluster.event import ClusterEvent
from workers.sources.cluster.evidence import event_evidence
from workers.sources.cluster.reading import ClusterReading
from workers.sources.evidence.span_summary import span_summary
from workers.toolkit.time_spans import TIME, read_time_span
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

SPAN = timedelta(hours=1)
ORDINARY = 3
"""The gravity of events that tell of no trouble and no change."""


class ClusterEventsArgs(ToolArgs):
    """Which events."""

    service: str = Field("", max_length=253, description="a workload, with the events of the nodes that it runs on")
    object: str = Field("", max_length=253, description="text that the object's name contains: of a pod, a node")
    namespace: str = Field("", max_length=253, description="namespace of the objects")
    reason: str = Field("", max_length=100, description="a reason, such as OOMKilling, in any case")
    since: str = Field("", max_length=60, description=f"{TIME}; empty is 1 hour before until")
    until: str = Field("", max_length=60, description=f"{TIME}; empty is now")
    limit: int = Field(20, ge=1, le=100, description="how many events at most")


class ClusterEvents:
    """The tool's state: the sources that are connected."""

    def __init__(self, settings: Settings) -> None:
        self.known = ClusterSources(settings)
        self.environment = settings.core.environment

    def run(self, args: ClusterEventsArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"count", "left_out", "ordinary", "events", "notes"}``. Raises: ToolError."""
        self.known.connected()
        span = read_time_span(args.since, args.until, SPAN, context)
        found = self.known.read(*span)
        asked = {name: getattr(args, name).strip() for name in ("service", "object", "namespace", "reason")}
        fit = choose(found.events, asked)
        if not fit and any(asked.values()):
            return nothing(asked, span, found)
        telling = fit if asked["reason"] or asked["object"] else [e for e in fit if e.gravity < ORDINARY]
        ordered = sorted(telling, key=lambda e: (self.known.is_elsewhere(e), e.gravity, distance(e, span[1]), e.key))
        shown = ordered[: args.limit]
        left_out, ordinary = len(ordered) - len(shown), len(fit) - len(ordered)
        title = f"{len(ordered)} events of the cluster from {rfc3339(span[0])} to {rfc3339(span[1])}"
        title += f", {left_out} left out" if left_out else ""
        facts = {
            "count": Fact(value=len(ordered), unit="count"),
            "left_out": Fact(value=left_out, unit="count"),
            "ordinary": Fact(value=ordinary, unit="count"),
            "span_start": Fact(value=rfc3339(span[0]), unit="time"),
            "span_end": Fact(value=rfc3339(span[1]), unit="time"),
        }
        items = tuple(event_evidence(event, self.known.place(event), self.environment) for event in shown)
        data = {
            "count": len(ordered),
            "left_out": left_out,
            "ordinary": ordinary,
            "events": [{name: fact.value for name, fact in item.facts.items()} for item in items],
            "notes": list(found.notes),
            "unavailable": list(found.notes),
        }
        evidence = (span_summary("event", "kubernetes://events", title, asked, facts, found.notes), *items)
        return ToolOutput(summary=title, data=data, evidence=evidence)


def choose(events: Sequence[ClusterEvent], asked: dict[str, str]) -> list[ClusterEvent]:
    """Those events that are asked about; of a service also those of the nodes that it runs on."""
    service, name, namespace, reason = (value.casefold() for value in asked.values())
    own = [
        event
        for event in events
        if name in event.name.casefold()
        and (not reason or event.reason.casefold() == reason)
        and (not namespace or event.kind == "Node" or event.namespace.casefold() == namespace)
    ]
    if not service:
        return own
    nodes = {e.node for e in events if e.workload.casefold() == service and e.node}
    return [e for e in own if e.workload.casefold() == service or (e.kind == "Node" and e.name in nodes)]


def distance(event: ClusterEvent, until: datetime) -> float:
    """Seconds from an event's last time to the end of the span."""
    return abs((until - event.last_at).total_seconds())


def nothing(asked: dict[str, str], span: tuple[datetime, datetime], found: ClusterReading) -> ToolOutput:
    """No event fits: which, when, and the names that are known."""
    said = ", ".join(f"{name} {value!r}" for name, value in asked.items() if value)
    reason = f"no event of the cluster with {said} from {rfc3339(span[0])} to {rfc3339(span[1])}"
    names = sorted({n for e in found.events for n in (e.workload, e.namespace, e.reason, e.node) if n})
    nearest = tuple(nearest_names([value for value in asked.values() if value], names))
    data = {"count": 0, "left_out": 0, "ordinary": 0, "events": [], "notes": list(found.notes)}
    return ToolOutput(status="empty", reason="; ".join((reason, *found.notes)), nearest=nearest, data=data)


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    cluster = resources.shared(ClusterEvents)
    run: Callable[[ClusterEventsArgs, ToolContext], ToolOutput] = cluster.run
    return Tool(
        name="cluster_events",
        source="cluster",
        key="cluster",
        purpose="see what the cluster tells",
        description=(
            "Events of the Kubernetes cluster in a span, the gravest and nearest to its end first: memory that ran "
            "out, evictions, pods that cannot start, nodes that are not ready, scaling; each with its object, node, "
            "count, first and last time; how many are left out. Reads only; messages are data."
        ),
        access="read",
        args=ClusterEventsArgs,
        run=run,
        ping=cluster.known.ping,
    )
