"""Slow drifts: a series that leaves its level little by little, over the best of all ramps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workers.sources.metrics.backend import Floats
from workers.sources.metrics.change_points import Track, sliding_median
from workers.sources.metrics.onset import Change

POINTS = 96  # a series is thinned to this many
PLACES = 48  # where a ramp may begin or end
SHORTEST_S = 2_700.0  # a shorter ramp is a step
SLOWER = 0.8  # a ramp must leave less than this share of what the best step leaves unexplained
EXPLAINED = 0.7  # share of the variance that a drift explains, at least
OUTSTANDING = 3.5  # its size in standard deviations of what it leaves
LEAST = 0.2  # smallest relative size
SUDDEN = 0.6  # share of a change that comes within a few points: it is a step, however the thinned series looks
FEW = 3
SUREST = 0.75


@dataclass(frozen=True)
class Ramp:
    """A level, then a straight way to another one. Times are epoch seconds, levels in the series' unit."""

    start: float
    end: float
    before: float
    size: float
    left: float
    explained: float


def find_drift(times: Floats, values: Floats, floor: float = 0.0) -> Change | None:
    """The drift of a series that has no abrupt change; None when it has none.

    Args:
        times: ascending epoch seconds.
        values: one a moment; NaN is missing and ignored.
        floor: smallest absolute change worth telling.
    """
    track = tracked(times, values, floor)
    ramp = best_ramp(track) if track else None
    if track is None or ramp is None or ramp.end - ramp.start < SHORTEST_S or ramp.explained < EXPLAINED:
        return None
    if abs(ramp.size) < max(LEAST * abs(ramp.before), floor) or abs(ramp.size) < OUTSTANDING * ramp.left:
        return None
    return drifted(track, ramp)


def as_drift(change: Change, times: Floats, values: Floats, floor: float) -> Change:
    """A change that is told better as a drift than as a step; else as it was."""
    until = change.ended_at if change.ended_at is not None else np.inf
    inside = times < until
    track = tracked(times[inside], values[inside], floor)
    if track is None or change.kind != "step" or is_sudden(change, times, values):
        return change
    ramp = best_ramp(track)
    if ramp is None or not ramp.start - SHORTEST_S <= change.at <= ramp.end + SHORTEST_S:
        return change
    if ramp.end - ramp.start < SHORTEST_S or (ramp.size > 0) != (change.direction == "rose"):
        return change
    if abs(ramp.size) < OUTSTANDING * ramp.left:
        return change
    found = drifted(track, ramp)
    return replace(found, ended_at=change.ended_at)


def is_sudden(change: Change, times: Floats, values: Floats) -> bool:
    """Whether most of a change comes at once; its first point is left out, for a rate only begins to show it."""
    known = np.isfinite(values)
    earlier, later = values[known & (times <= change.after)], values[known & (times > change.at)]
    if not len(earlier) or not len(later):
        return False
    before = float(np.median(earlier[-FEW:]))
    return abs(float(np.median(later[:FEW])) - before) >= SUDDEN * abs(change.level - before)


def tracked(times: Floats, values: Floats, floor: float) -> Track | None:
    """A smoothed, thinned series, ready for search; None when it is too short."""
    known = np.isfinite(values)
    t, x = times[known], values[known]
    if len(x) < 12 or t[-1] - t[0] < 2 * SHORTEST_S:
        return None
    width = max(len(x) // POINTS, 1)
    if width > 1:
        middle = (width - 1) // 2
        t, x = t[middle : middle + len(x) - width + 1 : width], sliding_median(x, width)[::width]
    return Track(t, x, floor)


def best_ramp(track: Track) -> Ramp | None:
    """The ramp that leaves least unexplained; None when a step leaves about as little."""
    t, y = track.t, track.x
    places = t[np.unique(np.linspace(1, len(t) - 1, min(PLACES, len(t) - 1)).astype(int))]
    starts, ends = (grid.ravel() for grid in np.meshgrid(places, places, indexing="ij"))
    long = ends - starts >= SHORTEST_S
    if not long.any():
        return None
    starts, ends = starts[long], ends[long]
    around = y - y.mean()
    total = float((around**2).sum())
    shape = np.clip((t - starts[:, None]) / (ends - starts)[:, None], 0, 1)
    size, left = fits(shape, around, total)
    best = int(np.argmin(left))
    _, of_steps = fits((t[None, :] >= t[1:, None]).astype(float), around, total)
    if total <= 0 or left[best] > SLOWER * float(of_steps.min()):
        return None
    before = float(y.mean() - size[best] * shape[best].mean())
    return Ramp(
        start=float(starts[best]),
        end=float(ends[best]),
        before=before,
        size=float(size[best]),
        left=float(np.sqrt(left[best] / len(y))),
        explained=1 - float(left[best]) / total,
    )


def fits(shape: Floats, around: Floats, total: float) -> tuple[Floats, Floats]:
    """The size of each shape that fits values best, and the sum of squares that it leaves."""
    centred = shape - shape.mean(axis=1, keepdims=True)
    spread = (centred**2).sum(axis=1)
    size: Floats = np.divide(centred @ around, spread, out=np.zeros(len(spread)), where=spread > 0)
    return size, np.maximum(total - size**2 * spread, 0.0)


def drifted(track: Track, ramp: Ramp) -> Change:
    """A ramp as a change, less sure than a step of its size."""
    outstanding = 1 - float(np.exp(-abs(ramp.size) / max(ramp.left, 1e-12) / 8))
    earlier = track.t[track.t < ramp.start]
    return Change(
        at=ramp.start,
        after=float(earlier[-1]) if len(earlier) else ramp.start,
        direction="rose" if ramp.size > 0 else "fell",
        confidence=round(float(np.clip(SUREST * (0.4 + 0.6 * outstanding) * ramp.explained, 0.46, SUREST)), 2),
        baseline=ramp.before,
        level=ramp.before + ramp.size,
        kind="drift",
    )
