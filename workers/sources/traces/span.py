"""One span of a trace, and the tree that spans make up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

Key = tuple[str, str]
"""The ids of a trace and of a span in it."""
Place = tuple[str, str]
"""A service and the name of what it did, with ``#`` for numbers and ids in it: names of spans may hold them."""
NUMBER = re.compile(r"\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-fA-F]{16,}|[0-9]+)\b")


@dataclass(frozen=True, slots=True)
class Span:
    """One operation of one service within a request.

    ``parent_id``: empty for the first span of a trace. ``start``: aware, UTC. ``duration_ms``: never negative.
    ``kind``: ``server``, ``client``, ``producer``, ``consumer``, ``internal``, or empty when it is not told.
    """

    trace_id: str
    span_id: str
    parent_id: str
    service: str
    name: str
    start: datetime
    duration_ms: float
    error: bool = False
    kind: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        """Its ids."""
        return self.trace_id, self.span_id

    @property
    def place(self) -> Place:
        """Where in the program it is."""
        return self.service, NUMBER.sub("#", self.name)

    @property
    def label(self) -> str:
        """Service and name, as people are shown them."""
        return f"{self.service} {self.name}".strip()


@dataclass(frozen=True)
class Forest:
    """Spans with their places in their trees: each span once, no cycle.

    ``roots``: spans without a parent, and those whose parent is not among the spans. ``children``: by the parent's key,
    in the order they began. ``parents``: by the child's key.
    """

    spans: tuple[Span, ...]
    roots: tuple[Span, ...]
    children: Mapping[Key, tuple[Span, ...]]
    parents: Mapping[Key, Span]

    def path(self, span: Span) -> tuple[Span, ...]:
        """The spans that lead to one, the root first, itself last."""
        found = [span]
        while (parent := self.parents.get(found[-1].key)) is not None:
            found.append(parent)
        return tuple(reversed(found))


Spans = Iterable[Span] | Forest
"""Spans in any order, or arranged already, which saves time where several functions read them."""


def plant(spans: Spans) -> Forest:
    """Arrange spans of one or many traces as trees; what is arranged stays as it is.

    Of spans with the same ids the longest is kept: the others are copies, or were sent before it ended. A cycle is cut
    at its earliest span, which becomes a root. Returns: spans and roots in the order they began. Raises: nothing.
    """
    if isinstance(spans, Forest):
        return spans
    known: dict[Key, Span] = {}
    for span in spans:
        other = known.get(span.key)
        if other is None or span.duration_ms > other.duration_ms:
            known[span.key] = span
    ordered = tuple(sorted(known.values(), key=lambda s: (s.start, s.key)))
    cuts = cycle_cuts(ordered, known)
    parents: dict[Key, Span] = {}
    children: defaultdict[Key, list[Span]] = defaultdict(list)
    roots: list[Span] = []
    for span in ordered:
        parent = known.get((span.trace_id, span.parent_id)) if span.key not in cuts else None
        if parent is None:
            roots.append(span)
        else:
            parents[span.key] = parent
            children[parent.key].append(span)
    return Forest(ordered, tuple(roots), {key: tuple(found) for key, found in children.items()}, parents)


def cycle_cuts(ordered: Iterable[Span], known: Mapping[Key, Span]) -> set[Key]:
    """The earliest span of each cycle of parents; a span that is its own parent is one. Time is linear in the spans."""
    walked: dict[Key, int] = {}
    cuts: set[Key] = set()
    for walk, first in enumerate(ordered):
        chain: list[Span] = []
        at: Span | None = first
        while at is not None and at.key not in walked:
            walked[at.key] = walk
            chain.append(at)
            at = known.get((at.trace_id, at.parent_id))
        if at is not None and walked[at.key] == walk:
            cycle = chain[chain.index(at) :]
            cuts.add(min(cycle, key=lambda s: (s.start, s.key)).key)
    return cuts


def by_place(spans: Iterable[Span]) -> dict[Place, list[Span]]:
    """Spans by their places, in their order."""
    places: defaultdict[Place, list[Span]] = defaultdict(list)
    for span in spans:
        places[span.place].append(span)
    return dict(places)


def place_name(spans: Iterable[Span]) -> str:
    """The name of spans of one place: their own when it is the same, else with ``#`` for numbers. Spans: not empty."""
    names = {span.name: span.place[1] for span in spans}
    name, shape = next(iter(names.items()))
    return name if len(names) == 1 else shape


def percentile(values: Iterable[float], share: float) -> float:
    """The value below which a share of the values lies, between neighbours by proportion. Values: not empty."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def newest(spans: tuple[Span, ...], most: int) -> tuple[tuple[Span, ...], bool]:
    """The spans of the newest traces, and whether others were dropped."""
    started: dict[str, float] = {}
    for span in spans:
        at = span.start.timestamp()
        started[span.trace_id] = min(at, started.get(span.trace_id, at))
    kept = set(sorted(started, key=lambda trace_id: (-started[trace_id], trace_id))[:most])
    return tuple(span for span in spans if span.trace_id in kept), len(started) > len(kept)
