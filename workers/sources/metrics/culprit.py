"""Which value of a label explains a change: the metric broken down, the parts that moved, and their shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workers.sources.metrics.backend import Floats, Frame
from workers.sources.metrics.measurement import range_of
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.onset import Change
from workers.sources.metrics.query_window import View
from workers.sources.metrics.resolved_metric import Resolved
from workers.sources.metrics.series_statistics import Reading, read_series

MOST_VALUES = 200  # a label with more is not broken down
MOST_READ = 8  # parts searched for an onset
MOST_SHOWN = 5
TOGETHER_S = 1_800.0  # parts that move this near to the whole may explain it
SMALLEST_SHARE = 0.5


@dataclass(frozen=True)
class Part:
    """One value of a label, read. ``score``: how much it moved, for ranking."""

    value: str
    reading: Reading
    score: float


@dataclass(frozen=True)
class Blame:
    """A label's value that explains a change. ``share``: of all that moved the same way; ``weight``: its share of the
    traffic."""

    label: str
    value: str
    share: float
    weight: float = 0.0


@dataclass(frozen=True)
class Breakdown:
    """A metric by one logical label; ``parts`` moved first. ``share``: the first part's share of all that moved,
    0 when it explains nothing."""

    label: str
    parts: tuple[Part, ...]
    share: float

    @property
    def explains(self) -> bool:
        """Whether the first part is the culprit."""
        return self.share >= SMALLEST_SHARE

    @property
    def blame(self) -> Blame | None:
        """The culprit."""
        return Blame(self.label, self.parts[0].value, self.share) if self.explains else None


def break_down(server: Server, resolved: Resolved, view: View, label: str) -> Breakdown | None:
    """A metric by a label; None when the metric cannot be grouped by it or has fewer than two values of it.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    physical = server.grouping(resolved, label)
    if physical is None:
        return None
    if not 2 <= len(server.values(resolved, label, view.lead_start, view.end)) <= MOST_VALUES:
        return None
    interval = server.interval(resolved, view.lead_start, view.end)
    coarse = View(view.start, view.end, view.coarse.start, view.coarse.step)
    frame = server.backend.query_range(resolved.promql(range_of(coarse, interval), (physical,)), coarse.grid)
    parts = read_parts(frame, physical, coarse, resolved)
    return Breakdown(label, parts, 0.0) if len(parts) > 1 else None


def read_parts(frame: Frame, physical: str, view: View, resolved: Resolved) -> tuple[Part, ...]:
    """The parts that moved most, read."""
    entry = resolved.known.entry
    lead, window = frame.times < view.start, frame.times >= view.start
    rough = sorted(
        ((excess(s.values[lead], s.values[window]), s) for s in frame.series if s.labels.get(physical)),
        key=lambda pair: -pair[0],
    )
    out = []
    for _, series in rough[:MOST_READ]:
        reading = read_series(frame.times, series.values, view, entry.worse, entry.floor)
        if reading.current is not None:
            out.append(Part(series.labels[physical], reading, score_of(reading)))
    return tuple(sorted(out, key=lambda p: (not p.reading.moved, -p.score)))


def excess(before: Floats, during: Floats) -> float:
    """How far a part leaves its level, at a glance: as a ratio, whatever the direction."""
    before, during = before[np.isfinite(before)], during[np.isfinite(during)]
    if not len(during):
        return -1.0
    level = float(np.median(before)) if len(before) else 0.0
    high, low = np.percentile(during, [95, 5])
    scale = abs(level) + 0.05 * float(np.abs(during).max()) + 1e-12
    return float(max(high - level, level - low) / scale)


def score_of(reading: Reading) -> float:
    """How much a part moved."""
    if reading.change is not None:
        low = min(abs(reading.change.baseline), abs(reading.change.level)) + 1e-9
        high = max(abs(reading.change.baseline), abs(reading.change.level)) + 1e-9
        return reading.change.confidence * float(np.log(high / low))
    return min(abs(reading.change_pct or 0.0) / 100, 10.0) * 0.01


def with_share(breakdown: Breakdown, whole: Change | None, worse: str) -> Breakdown:
    """The breakdown with the share of its first part in the change of the whole, or of whatever moved for the worse."""
    wanted = whole.direction if whole else ("fell" if worse == "down" else "rose")
    moved = [p for p in breakdown.parts if p.reading.moved and agrees(p, wanted, whole)]
    if not moved:
        return breakdown
    sizes = [abs(p.reading.change.level - p.reading.change.baseline) for p in moved if p.reading.change]
    others = [p for p in breakdown.parts if p is not moved[0]]
    return Breakdown(breakdown.label, (moved[0], *others), sizes[0] / max(sum(sizes), 1e-300))


def agrees(part: Part, direction: str, whole: Change | None) -> bool:
    """Whether a part's change goes the way of the whole's and comes with it."""
    change = part.reading.change
    if change is None or change.direction != direction:
        return False
    return whole is None or abs(change.at - whole.at) <= TOGETHER_S


def best_breakdown(found: Sequence[Breakdown]) -> Breakdown | None:
    """The breakdown that explains most; the first one when none explains anything."""
    explaining = [b for b in found if b.explains]
    if explaining:
        return max(explaining, key=lambda b: round(b.share, 1))
    return found[0] if found else None
