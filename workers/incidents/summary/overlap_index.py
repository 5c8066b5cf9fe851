"""Of many things the few that may be near to another one, in words or in time, without looking at each.

Each is known by a number. What is found is near or not; what is not found is not near.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from datetime import datetime


class InWords:
    """Sets of stems, of which those are found that overlap (`text.overlap`) with another one by at least a ``share``.

    Of two that do, the larger holds at least k of the n stems of the smaller, and so one of any n - k + 1 of them. The
    rarest are looked at, so that a word which everybody says leads to nobody.
    """

    def __init__(self, share: float) -> None:
        """Nothing yet. ``share``: above 0."""
        self.share = share
        self.holding: defaultdict[str, list[int]] = defaultdict(list)
        self.known_by: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, stems: Set[str], number: int) -> None:
        """One more, or another set under a number that is known."""
        for stem in self.rarest(stems):
            self.known_by[stem].append(number)
        for stem in stems:
            self.holding[stem].append(number)

    def near(self, stems: Set[str]) -> set[int]:
        """The numbers of those that may overlap with some stems."""
        found: set[int] = set()
        for stem in stems:
            found.update(self.known_by.get(stem, ()))
        for stem in self.rarest(stems):
            found.update(self.holding.get(stem, ()))
        return found

    def rarest(self, stems: Set[str]) -> list[str]:
        """So many of some stems that no larger set which overlaps with them is without one, the rarest by now."""
        count = len(stems)
        shared = next((k for k in range(1, count + 1) if k / count >= self.share), 0)
        by_rarity = sorted(stems, key=lambda stem: (len(self.holding.get(stem, ())), stem))
        return by_rarity[: count - shared + 1]


class InTime:
    """Moments of several kinds, of which those are found that lie at most ``within_s`` seconds from another one."""

    def __init__(self, within_s: int) -> None:
        """Nothing yet."""
        self.within_s = within_s
        self.spans: defaultdict[tuple[str, int], list[int]] = defaultdict(list)

    def add(self, kind: str, at: datetime, number: int) -> None:
        """One more."""
        self.spans[kind, self.span(at)].append(number)

    def near(self, kind: str, at: datetime) -> list[int]:
        """The numbers of those of a kind that may lie near a moment, in order."""
        span = self.span(at)
        return sorted(number for s in (span - 1, span, span + 1) for number in self.spans.get((kind, s), ()))

    def span(self, at: datetime) -> int:
        """Which of the spans of ``within_s`` a moment lies in."""
        return int(at.timestamp() // self.within_s)
