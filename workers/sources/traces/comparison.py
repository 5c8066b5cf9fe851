"""What changed between two sets of traces, such as before and after a deploy."""

from __future__ import annotations

from dataclasses import dataclass

from workers.sources.traces.self_time import self_times
from workers.sources.traces.span import Forest, Place, Spans, by_place, percentile, place_name, plant


@dataclass(frozen=True, slots=True)
class Timing:
    """Spans of one place in one set. Durations in ms, 0 without spans; ``self_ms``: the median of self times;
    ``error_share``: 0 to 1."""

    count: int
    p50_ms: float
    p95_ms: float
    self_ms: float
    error_share: float


@dataclass(frozen=True, slots=True)
class Change:
    """One place, a service and a name, before and after; see `span.Place`."""

    service: str
    name: str
    before: Timing
    after: Timing

    @property
    def self_change_ms(self) -> float:
        """By how many ms the median of self times grew; 0 when one set has no such spans."""
        return self.after.self_ms - self.before.self_ms if self.before.count and self.after.count else 0.0

    @property
    def error_change(self) -> float:
        """By how much the share of errors grew, -1 to 1; 0 when one set has no such spans."""
        return self.after.error_share - self.before.error_share if self.before.count and self.after.count else 0.0


NOTHING = Timing(0, 0.0, 0.0, 0.0, 0.0)


def compare(before: Spans, after: Spans) -> tuple[Change, ...]:
    """Every place of both sets, what changed most first.

    Self times are compared, as a slow span makes all above it slow too. A place's change is the larger one of two
    parts: of its self time, as a share of the largest such change, and of its error share. Places that only one set has
    come last, with most spans first. Raises: nothing.
    """
    first, second = plant(before), plant(after)
    old, new = timings(first), timings(second)
    names = {place: place_name(spans) for place, spans in by_place((*first.spans, *second.spans)).items()}
    changes = [Change(p[0], name, old.get(p, NOTHING), new.get(p, NOTHING)) for p, name in names.items()]
    largest = max((abs(c.self_change_ms) for c in changes), default=0.0) or 1.0

    def order(change: Change) -> tuple[bool, float, int, str, str]:
        alone = not (change.before.count and change.after.count)
        size = max(abs(change.self_change_ms) / largest, abs(change.error_change))
        return alone, -size, -change.before.count - change.after.count, change.service, change.name

    return tuple(sorted(changes, key=order))


def timings(forest: Forest) -> dict[Place, Timing]:
    """By place, how long the spans of a set took and how many failed."""
    times = self_times(forest)
    return {
        place: Timing(
            count=len(members),
            p50_ms=percentile([s.duration_ms for s in members], 0.5),
            p95_ms=percentile([s.duration_ms for s in members], 0.95),
            self_ms=percentile([times[s.key] for s in members], 0.5),
            error_share=sum(s.error for s in members) / len(members),
        )
        for place, members in by_place(forest.spans).items()
    }
