"""What a metric did after its alert fired: came back, falls, keeps level, stays away, climbs, or ratchets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

from workers.agents.causes.source.incident import Series

Course = Literal["recovered", "falls", "steady", "stays", "climbs", "ratchets", "unknown"]
SAME_MOMENT_S = 60.0
"""A reading so near before an alert is the one that it fired at."""
STEADY_SHARE, FEWEST_STEADY = 0.03, 3
"""So many last readings within this share of their level keep it."""
FALL_SHARE = 0.2
"""So far below its worst reading a metric falls."""
RISE_SHARE = 0.02
MOST_READINGS = 24
FEWEST_TROUGHS, TROUGH_RISE_SHARE = 3, 0.3
"""So many lowest readings, each worse than the one before, that rise by this share of all that it moved, ratchet."""


@dataclass(frozen=True)
class Trajectory:
    """How a metric went on. ``first``, ``last``, ``worst``: readings from the alert on; ``troughs``: its lowest ones of
    each cycle, by themselves; ``minutes``: from the alert to the last reading."""

    course: Course
    first: float = math.nan
    last: float = math.nan
    worst: float = math.nan
    troughs: tuple[float, ...] = ()
    minutes: float = 0.0

    @property
    def is_worse(self) -> bool:
        """Whether it goes on getting worse."""
        return self.course in {"climbs", "ratchets"}

    @property
    def minutes_to_full(self) -> float:
        """Until a percentage that rises at this pace is at a hundred; infinite when it does not rise."""
        pace = (self.last - self.first) / self.minutes if self.minutes else 0.0
        return (100.0 - self.last) / pace if pace > 0 and self.last <= 100.0 else math.inf


UNKNOWN = Trajectory("unknown")


def follow(
    series: Series, since: float, value: float | None, threshold: float, below: bool, until: float
) -> Trajectory:
    """What a metric did from an alert on.

    Args:
        series: its samples, in any order; those that are not finite are left out.
        since, until: epoch seconds of the alert, and of its next one.
        value: what it fired at, where that is known.
        threshold, below: where it fires, and whether it does so when the metric is lower.
    """
    sign = -1.0 if below else 1.0
    samples = sorted((t, sign * v) for t, v in zip(series.times, series.values, strict=True) if math.isfinite(v))
    after = [(t, v) for t, v in samples if since - SAME_MOMENT_S <= t < until]
    if value is not None and (not after or after[0][0] > since + SAME_MOMENT_S):
        after.insert(0, (since, sign * value))
    if len(after) < 2:
        return UNKNOWN
    levels, limit = thinned([v for _, v in after]), sign * threshold
    low = lowest_of_cycles(thinned([v for t, v in samples if t < until]))
    course = course_of(levels, limit, below, low)
    return Trajectory(
        course, sign * levels[0], sign * levels[-1], sign * max(levels), tuple(sign * v for v in low), minutes_of(after)
    )


def course_of(levels: Sequence[float], limit: float, below: bool, troughs: Sequence[float]) -> Course:
    """The course of readings of which the higher is the worse; ``troughs``: the lowest ones, the baseline first."""
    last, worst = levels[-1], max(levels)
    far = troughs[-1] - troughs[0] >= TROUGH_RISE_SHARE * (worst - troughs[0])
    if len(troughs) >= FEWEST_TROUGHS and rises(troughs) and far and last >= troughs[-1]:
        return "ratchets"
    if last < limit or (below and last == limit):
        return "recovered"
    recent = levels[-FEWEST_STEADY:]
    if len(recent) == FEWEST_STEADY and not rises(recent) and max(recent) - min(recent) <= STEADY_SHARE * abs(last):
        return "steady"
    if worst - last >= FALL_SHARE * abs(worst) and last == min(levels[levels.index(worst) :]):
        return "falls"
    grown = last - levels[0] > RISE_SHARE * abs(levels[0])
    return "climbs" if grown and worst - last <= STEADY_SHARE * abs(worst) else "stays"


def thinned(levels: Sequence[float]) -> list[float]:
    """Readings by so few medians that their course shows and single blips do not."""
    size = math.ceil(len(levels) / MOST_READINGS)
    return [median(levels[i : i + size]) for i in range(0, len(levels), size)]


def rises(levels: Sequence[float]) -> bool:
    """Whether each reading is higher than the one before."""
    return all(a < b for a, b in pairwise(levels))


def lowest_of_cycles(levels: Sequence[float]) -> list[float]:
    """The readings that are lower than those on both sides, after the first reading of all."""
    inner = zip(levels, levels[1:], levels[2:], strict=False)
    return [*levels[:1], *(b for a, b, c in inner if b < a and b < c)]


def minutes_of(samples: Sequence[tuple[float, float]]) -> float:
    """How long samples last."""
    return (samples[-1][0] - samples[0][0]) / 60.0


def left_its_level(series: Series, share: float = 0.2) -> bool | None:
    """Whether a series whose threshold is not known ended away from its first reading; None of fewer than two."""
    samples = sorted((t, v) for t, v in zip(series.times, series.values, strict=True) if math.isfinite(v))
    if len(samples) < 2:
        return None
    first, last = samples[0][1], samples[-1][1]
    return abs(last - first) > share * max(abs(first), abs(last), 1e-12)
