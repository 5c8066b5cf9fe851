"""Where the time of requests went: what each span did itself, and the places that did most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from workers.sources.traces.span import Forest, Key, Span, Spans, by_place, place_name, plant

Interval = tuple[float, float]
"""From and to, in ms after the start of the span around it."""


@dataclass(frozen=True, slots=True)
class SlowPath:
    """A place that took time itself: a service and a name, over all traces; see `span.Place`.

    ``self_ms``: the sum over ``count`` spans; ``share``: of the self time of all spans, 0 to 1. ``longest``: the span
    with most self time, ``longest_self_ms``, and ``path``: the spans that lead to it, the root first, itself last.
    """

    service: str
    name: str
    self_ms: float
    share: float
    count: int
    longest: Span
    longest_self_ms: float
    path: tuple[Span, ...]


def self_times(spans: Spans) -> dict[Key, float]:
    """By each span's ids, the ms in which none of its children ran: children that overlap are counted once, and what a
    child did after its parent ended is not the parent's. Never negative. Raises: nothing."""
    forest = plant(spans)
    return {span.key: self_ms(span, forest) for span in forest.spans}


def self_ms(span: Span, forest: Forest) -> float:
    """As `self_times`, of one span."""
    children = forest.children.get(span.key, ())
    return max(0.0, span.duration_ms - covered_ms(child_intervals(span, children))) if children else span.duration_ms


def child_intervals(parent: Span, children: Iterable[Span]) -> list[Interval]:
    """When children ran within their parent.

    Another service has another clock. When its spans lie outside their parent and would fit in, they are moved to its
    middle, all of one service by the same time, as Jaeger does. What sticks out is cut off. Consumers of messages run
    later by design and are never moved.
    """
    by_clock: defaultdict[str, list[Interval]] = defaultdict(list)
    for child in children:
        begin = (child.start - parent.start).total_seconds() * 1e3
        clock = "" if child.service == parent.service or child.kind == "consumer" else child.service
        by_clock[clock].append((begin, begin + child.duration_ms))
    found: list[Interval] = []
    for clock, intervals in by_clock.items():
        begin, end = min(i[0] for i in intervals), max(i[1] for i in intervals)
        skewed = begin < 0 or max(i[0] for i in intervals) > parent.duration_ms
        moved = (parent.duration_ms - (end - begin)) / 2 - begin
        shift = moved if clock and skewed and end - begin <= parent.duration_ms else 0.0
        found += [(max(0.0, b + shift), min(parent.duration_ms, e + shift)) for b, e in intervals]
    return [(begin, end) for begin, end in found if begin < end]


def covered_ms(intervals: Iterable[Interval]) -> float:
    """How long at least one of the intervals lasts."""
    total, until = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def slow_paths(spans: Spans, most: int = 10) -> tuple[SlowPath, ...]:
    """The places that carry most self time, most first; those that took none are left out. Raises: nothing."""
    forest = plant(spans)
    times = self_times(forest)
    total = sum(times.values())
    found = []
    for (service, _), members in by_place(forest.spans).items():
        own = sum(times[s.key] for s in members)
        longest = max(members, key=lambda s: times[s.key])
        if own > 0:
            longest_ms = times[longest.key]
            found.append(
                SlowPath(service, place_name(members), own, own / total, len(members), longest, longest_ms, (longest,))
            )
    best = sorted(found, key=lambda p: (-p.self_ms, p.service, p.name))[:most]
    return tuple(replace(place, path=forest.path(place.longest)) for place in best)
