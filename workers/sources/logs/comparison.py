"""Patterns of lines, and how they changed from one span to the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt
from typing import Literal

from workers.sources.logs.record import Record, rank
from workers.sources.logs.templates import Text, find_templates, mask_message

Change = Literal["new", "grown", "vanished", "fallen", "steady"]
ORDER: tuple[Change, ...] = ("new", "grown", "vanished", "fallen", "steady")
GROWTH = 2.0
"""A rate that is so many times the other one has changed, when chance does not explain it."""
SURE, SURE_OF_NEW = 3.0, 2.0
"""Standard errors of the difference of two rates: of a change, and of what stands in one sample alone."""
SEVERE = rank("error")


@dataclass(frozen=True)
class Pattern:
    """Lines of one template, service and level, before a moment and after it.

    Attributes:
        template: the message, with marks where it varies.
        before, after: how many lines; estimates where a source gave a sample.
        before_per_min, after_per_min: the same a minute.
        first_seen: the first line that was read, of those after the moment when there are any.
        example: that line's message, and where it stands.
        change: what became of it.
    """

    template: str
    service: str
    level: str
    before: float
    after: float
    before_per_min: float
    after_per_min: float
    first_seen: datetime
    example: str
    locator: str
    change: Change

    @property
    def count(self) -> int:
        """How many lines in both spans, rounded."""
        return round(self.before + self.after)


@dataclass
class Side:
    """The lines of a template in one span: their number, the sum of their squared weights, the earliest."""

    lines: int = 0
    count: float = 0.0
    spread: float = 0.0
    first: Record | None = field(default=None)

    def add(self, record: Record) -> None:
        """One more line."""
        self.lines += 1
        self.count += record.weight
        self.spread += record.weight**2
        if self.first is None or (record.at, record.locator) < (self.first.at, self.first.locator):
            self.first = record


def compare_patterns(
    before: Sequence[Record], after: Sequence[Record], before_min: float, after_min: float
) -> list[Pattern]:
    """All patterns of two spans, those that changed first: new, grown, vanished, fallen; errors before others.

    Args:
        before, after: lines in any order; the result does not depend on it.
        before_min, after_min: how long the spans are, in minutes; 0 for one that is not looked at.
    """
    sides = (group(before), group(after))
    counts: dict[Text, float] = defaultdict(float)
    for side in sides:
        for text, found in side.items():
            counts[text] += found.count
    templates = find_templates(counts)
    joined: dict[Text, tuple[Side, Side]] = defaultdict(lambda: (Side(), Side()))
    for place, side in enumerate(sides):
        for text, found in side.items():
            add_side(joined[text._replace(masked=templates[text])][place], found)
    patterns = [as_pattern(text, *pair, before_min, after_min) for text, pair in joined.items()]
    return sorted(patterns, key=importance)


def group(records: Iterable[Record]) -> dict[Text, Side]:
    """Lines by their masked message."""
    found: dict[Text, Side] = defaultdict(Side)
    for record in records:
        found[Text(record.service, record.level, mask_message(record.message))].add(record)
    return found


def add_side(total: Side, more: Side) -> None:
    """Add the lines of one masked message to those of its template."""
    first = more.first
    if first is None:
        return
    if total.first is None or (first.at, first.locator) < (total.first.at, total.first.locator):
        total.first = first
    total.lines += more.lines
    total.count += more.count
    total.spread += more.spread


def as_pattern(text: Text, before: Side, after: Side, before_min: float, after_min: float) -> Pattern:
    """A template with its numbers and what became of it."""
    first = after.first or before.first
    if first is None:
        raise ValueError("a template has lines")
    return Pattern(
        template=text.masked,
        service=text.service,
        level=text.level,
        before=before.count,
        after=after.count,
        before_per_min=before.count / before_min if before_min else 0.0,
        after_per_min=after.count / after_min if after_min else 0.0,
        first_seen=first.at,
        example=first.message,
        locator=first.locator,
        change=change_of(before, after, before_min, after_min) if before_min and after_min else "steady",
    )


def change_of(before: Side, after: Side, before_min: float, after_min: float) -> Change:
    """What became of a template.

    Lines that were all read are counted, so that one that was never there before is new. Of samples, the difference
    has to be larger than chance makes it: a count's variance is the sum of its lines' squared weights, and that of no
    line at all is taken from the lines of the other span.
    """
    if not before.count or not after.count:
        there = before if before.count else after
        weight = there.spread / there.count
        sure = weight <= 1 or sqrt(there.spread + weight**2) * SURE_OF_NEW <= there.count
        return "steady" if not sure else "vanished" if before.count else "new"
    rates = before.count / before_min, after.count / after_min
    error = sqrt(before.spread / before_min**2 + after.spread / after_min**2)
    if abs(rates[1] - rates[0]) < SURE * error or max(rates) < GROWTH * min(rates):
        return "steady"
    return "grown" if rates[1] > rates[0] else "fallen"


def importance(pattern: Pattern) -> tuple[int, bool, float, str, str, str]:
    """The order of patterns: by what became of them, errors first, then by how much their rate changed."""
    moved = abs(pattern.after_per_min - pattern.before_per_min)
    mild = rank(pattern.level) < SEVERE
    size = pattern.count if pattern.change == "steady" else moved
    return ORDER.index(pattern.change), mild, -size, pattern.template, pattern.service, pattern.level
