"""Of many moments the few that may be near to another one, without looking at each."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime


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
