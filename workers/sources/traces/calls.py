"""Who calls whom: the map of services, and the same call many times under one span."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from workers.sources.traces.self_time import child_intervals, covered_ms
from workers.sources.traces.span import Forest, Place, Span, Spans, by_place, percentile, place_name, plant

PEERS = ("peer.service", "db.system.name", "db.system", "messaging.system", "server.address", "net.peer.name")
"""Attributes of a call that name what was called, where that sends no spans itself."""
LEAST_CALLS = 5


@dataclass(frozen=True, slots=True)
class CallEdge:
    """What one service asked of another. ``error_share``: 0 to 1; ``p50_ms``, ``p95_ms``: of the calls' durations, as
    the one that was called measured them where it did. ``slowest``: the longest call; ``traced``: the one that was
    called sends spans itself.
    """

    caller: str
    callee: str
    calls: int
    errors: int
    error_share: float
    p50_ms: float
    p95_ms: float
    slowest: Span
    traced: bool


@dataclass(frozen=True, slots=True)
class RepeatedCalls:
    """The same call again and again under one span, such as one query for each row of another (N+1).

    ``name``: with ``#`` for numbers where they differ. ``count``: the calls under ``parent``, where they are most;
    ``parents``: under how many spans of this place it is so. ``total_ms``: their durations together; ``wall_ms``: how
    long at least one of them ran, as long as ``total_ms`` when they ran one after another. ``share``: ``wall_ms`` of
    the parent's duration, 0 to 1. ``example``: the first.
    """

    service: str
    name: str
    parent: Span
    count: int
    parents: int
    total_ms: float
    wall_ms: float
    share: float
    example: Span


def service_map(spans: Spans) -> tuple[CallEdge, ...]:
    """The calls between services, most calls first: a span whose parent is another service's, and a client's span
    without children that names what it called. Raises: nothing."""
    edges: defaultdict[tuple[str, str, bool], list[Span]] = defaultdict(list)
    for caller, callee, traced, span in calls_between(plant(spans)):
        edges[caller, callee, traced].append(span)
    found = []
    for (caller, callee, traced), calls in edges.items():
        durations = [span.duration_ms for span in calls]
        errors = sum(span.error for span in calls)
        found.append(
            CallEdge(
                caller=caller,
                callee=callee,
                calls=len(calls),
                errors=errors,
                error_share=errors / len(calls),
                p50_ms=percentile(durations, 0.5),
                p95_ms=percentile(durations, 0.95),
                slowest=max(calls, key=lambda s: s.duration_ms),
                traced=traced,
            )
        )
    return tuple(sorted(found, key=lambda e: (-e.calls, e.caller, e.callee)))


def calls_between(forest: Forest) -> Iterator[tuple[str, str, bool, Span]]:
    """Each call: who called, who was called, whether that one sends spans, and the span that tells of it."""
    for span in forest.spans:
        parent = forest.parents.get(span.key)
        if parent is not None and parent.service != span.service:
            yield parent.service, span.service, True, span
        if span.kind in {"client", "producer"} and span.key not in forest.children:
            peer = next((span.attributes[key] for key in PEERS if span.attributes.get(key)), "")
            if peer and peer != span.service:
                yield span.service, peer, False, span


def repeated_calls(spans: Spans, least: int = LEAST_CALLS) -> tuple[RepeatedCalls, ...]:
    """Children of one span that are the same call at least so often; numbers in names do not make calls different.

    Returns: one for each pair of a parent's place and a call, of most time first. Raises: nothing.
    """
    forest = plant(spans)
    by_key = {span.key: span for span in forest.spans}
    places: defaultdict[tuple[Place, Place], list[tuple[Span, list[Span]]]] = defaultdict(list)
    for key, children in forest.children.items():
        parent = by_key[key]
        for place, group in by_place(children).items():
            if len(group) >= least:
                places[parent.place, place].append((parent, group))
    found = [repetition(members) for members in places.values()]
    return tuple(sorted(found, key=lambda r: (-r.wall_ms, -r.count, r.service, r.name)))


def repetition(members: list[tuple[Span, list[Span]]]) -> RepeatedCalls:
    """What is told of one call that is repeated under spans of one place."""
    parent, calls = max(members, key=lambda m: (len(m[1]), m[0].duration_ms))
    wall = covered_ms(child_intervals(parent, calls))
    return RepeatedCalls(
        service=calls[0].service,
        name=place_name(calls),
        parent=parent,
        count=len(calls),
        parents=len(members),
        total_ms=sum(call.duration_ms for call in calls),
        wall_ms=wall,
        share=wall / parent.duration_ms if parent.duration_ms else 0.0,
        example=calls[0],
    )
