"""Where failures begin: the deepest failing span of each trace."""

from __future__ import annotations

from dataclasses import dataclass

from workers.sources.traces.span import Span, Spans, by_place, place_name, plant


@dataclass(frozen=True, slots=True)
class FailingOrigin:
    """A place where failures began: a service and a name; see `span.Place`.

    ``traces``: how many failed there first; ``share``: of all traces that failed, 0 to 1. ``example``: the latest such
    span; ``path``: the spans that lead to it, the root first, itself last.
    """

    service: str
    name: str
    traces: int
    share: float
    example: Span
    path: tuple[Span, ...]


def failing_origin(spans: Spans) -> tuple[FailingOrigin, ...]:
    """Of each trace the deepest failing span none of whose children fails, counted by place, most traces first.

    Of several as deep it is the one that began first. Returns: none when nothing failed. Raises: nothing.
    """
    forest = plant(spans)
    depths: dict[tuple[str, str], int] = {}
    stack = [(root, 0) for root in forest.roots]
    origins: dict[str, Span] = {}
    while stack:
        span, depth = stack.pop()
        depths[span.key] = depth
        children = forest.children.get(span.key, ())
        stack += [(child, depth + 1) for child in children]
        if not span.error or any(child.error for child in children):
            continue
        other = origins.get(span.trace_id)
        if other is None or (-depth, span.start, span.key) < (-depths[other.key], other.start, other.key):
            origins[span.trace_id] = span
    found = []
    for (service, _), members in by_place(origins.values()).items():
        example = max(members, key=lambda s: (s.start, s.key))
        share = len(members) / len(origins)
        found.append(FailingOrigin(service, place_name(members), len(members), share, example, forest.path(example)))
    return tuple(sorted(found, key=lambda o: (-o.traces, o.service, o.name)))
