"""Where a series shifts: every place whose points differ from those before it, and how surely.

Values that cannot be negative are searched on a logarithmic scale, where noise is even and a fall to a tenth is as
large as a rise to ten times.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from workers.sources.metrics.backend import Floats
from workers.sources.metrics.promql_vector import Bools

FEWEST = 3  # shortest segment
BACK = 0.3  # what is within this share of a shift is back at its level
MIN_RELATIVE = 0.15  # smallest shift, as a share of the level before
DAY_S = 86_400.0
SAME_TIME_S = 2_700.0  # how near to the same time of day a seasonal shift comes
MOST = 40  # places looked at


@dataclass(frozen=True)
class Sight:
    """How to look for shifts.

    ``before`` and ``after``: points on each side of a place. ``min_z``: how far it must stand out from other places;
    ``min_sigma``: its size in standard deviations of the points before it; ``abrupt``: the share of it that comes at
    once; ``beyond``: the share of the points before it that may already lie beyond its middle; ``quiet``: how many
    points in a row back at the level before end it; ``noisy``: find its first point by the best split.
    """

    before: int
    after: int
    min_z: float
    min_sigma: float
    abrupt: float
    beyond: float
    quiet: int
    noisy: bool = False


NEAR = Sight(before=12, after=5, min_z=6.0, min_sigma=2.2, abrupt=0.3, beyond=0.1, quiet=FEWEST)
WIDE = Sight(before=36, after=18, min_z=6.5, min_sigma=1.2, abrupt=0.5, beyond=0.2, quiet=12, noisy=True)
CREST = Sight(before=12, after=5, min_z=6.0, min_sigma=5.0, abrupt=0.3, beyond=0.02, quiet=12)


class Track:
    """A series without gaps, ready for search.

    Args:
        t: ascending epoch seconds.
        x: finite values.
        floor: smallest absolute shift worth telling.
        crest: turns the values into those that are searched, for shifts of a series' crest.
    """

    def __init__(self, t: Floats, x: Floats, floor: float, crest: Callable[[Floats], Floats] | None = None) -> None:
        self.t, self.x, self.floor = t, x, floor
        middle = float(np.median(np.abs(x)))
        self.log = bool((x >= 0).all())
        self.offset = max(floor, 0.1 * middle, 0.25 * float(np.std(x)), 1e-12)
        self.plain: Floats = np.log(x + self.offset) if self.log else x
        self.y = crest(self.plain) if crest else self.plain
        self.least = 0.01 if self.log else max(0.01 * middle, 1e-12)

    def value(self, y: float) -> float:
        """A searched value in the series' unit."""
        return float(np.exp(y) - self.offset) if self.log else y

    @cached_property
    def jitter(self) -> float:
        """Point-to-point noise of the searched values, as a standard deviation."""
        steps = np.diff(self.y)
        return float(1.4826 * np.median(np.abs(steps - np.median(steps))) / np.sqrt(2))


@dataclass(frozen=True)
class Shift:
    """A shift of the searched values: first point, index after the last, level before, size, how far it stands out
    and how much of it came at once (0..1)."""

    start: int
    end: int
    before: float
    size: float
    z: float
    abrupt: float

    @property
    def sign(self) -> float:
        """1 for a rise, -1 for a fall."""
        return float(np.sign(self.size))


def find_shifts(track: Track, sight: Sight) -> list[Shift]:
    """Every shift that stands out from the series' other differences, in time order."""
    y = track.y
    if len(y) < 2 * sight.after or len(y) < 2 * FEWEST + 2:
        return []
    left, right = medians_before(y, sight.before), medians_after(y, sight.after)
    d = right - left
    usual = float(np.median(d))
    index = np.arange(len(y))
    scarce = 1 / np.clip(index, 1, sight.before) + 1 / np.clip(len(y) - index, 1, sight.after)
    whole = 1 / sight.before + 1 / sight.after
    spread = max(
        float(1.4826 * np.median(np.abs(d - usual))),
        float(1.25 * track.jitter * np.sqrt(whole)),
        track.least,
    )
    z = np.abs(d - usual) / (spread * np.sqrt(scarce / whole))
    out: list[Shift] = []
    scatter = track.plain - (left if track.y is track.plain else medians_before(track.plain, sight.before))
    for k in peaks(np.where(z >= sight.min_z, z, 0.0), sight.after):
        found = locate(track, sight, k, float(left[k]), float(d[k]), float(z[k]))
        if found is None or any(s.start <= found.start < s.end and s.sign == found.sign for s in out):
            continue
        if is_large(track, sight, scatter, found) and is_new(track, sight, found) and not is_daily(track, d, found):
            out.append(found)
    return out


def peaks(z: Floats, apart: int) -> list[int]:
    """Indexes of the strongest points above zero, some way apart, in time order."""
    out: list[int] = []
    left = z.copy()
    while len(out) < MOST:
        k = int(np.argmax(left))
        if left[k] <= 0:
            break
        out.append(k)
        left[max(0, k - apart) : k + apart + 1] = 0
    return sorted(out)


def locate(track: Track, sight: Sight, k: int, before: float, size: float, z: float) -> Shift | None:
    """The exact first point of a shift near ``k``, and where it ends."""
    y, sign = track.y, float(np.sign(size))
    lo, hi = max(1, k - sight.after), min(len(y) - FEWEST, k + sight.before)
    if hi < lo or k < min(sight.before, len(y) // 4):
        return None
    beyond = sign * (y - (before + BACK * size)) > 0
    if sight.noisy:
        start = best_split(sign * (y - (before + size / 2)), lo, hi)
    else:
        firsts = (i for i in range(lo, hi + 1) if beyond[i] and not beyond[i - 1] and beyond[i : i + FEWEST].sum() > 1)
        start = next(firsts, 0)
    if start == 0:
        return None
    was, now = track.value(before), track.value(before + size)
    away = beyond | (sign * (track.x - (was + BACK * (now - was))) > 0)
    if not away[start]:
        return None
    end = run_end(away, start, sight.quiet)
    if beyond[start:end].sum() < FEWEST:
        return None
    level = float(np.median(y[start : min(end, start + sight.before)]))
    if sign * (level - before) <= 0:
        return None
    width = max(FEWEST, sight.after // 3)
    whole = float(np.median(y[start:end])) - before if sight.noisy else size
    if sign * whole <= 0:
        return None
    at_once = np.median(y[start : start + width]) - np.median(y[max(0, start - width) : start])
    return Shift(start, end, before, level - before, z, float(np.clip(at_once / whole, 0, 1)))


def best_split(above: Floats, lo: int, hi: int) -> int:
    """The index in ``lo..hi`` with the least below zero after it and above zero before it (CUSUM)."""
    total = np.concatenate([[0.0], np.cumsum(above)])
    return lo + int(np.argmin(total[lo : hi + 1]))


def run_end(beyond: Bools, start: int, quiet: int) -> int:
    """The index after the last point of a run that only ``quiet`` points in a row can end."""
    inside = np.flatnonzero(beyond[start:])
    gaps = np.flatnonzero(np.diff(inside) > quiet)
    last = inside[gaps[0]] if len(gaps) else inside[-1]
    end = start + int(last) + 1
    return len(beyond) if len(beyond) - end < FEWEST else end


def is_large(track: Track, sight: Sight, scatter: Floats, shift: Shift) -> bool:
    """Whether a shift is worth telling, and larger than the scatter of the points before it."""
    was, now = track.value(shift.before), track.value(shift.before + shift.size)
    if abs(now - was) < max(MIN_RELATIVE * abs(was), track.floor):
        return False
    usual = float(np.std(scatter[: shift.start])) if shift.start >= 2 * sight.before else track.jitter
    return abs(shift.size) >= sight.min_sigma * usual


def is_new(track: Track, sight: Sight, shift: Shift) -> bool:
    """Whether a shift is abrupt and leaves the range of the points before it."""
    recent = track.y[max(0, shift.start - 48) : shift.start]
    already = np.mean(shift.sign * (recent - (shift.before + shift.size / 2)) > 0)
    if shift.abrupt < sight.abrupt or float(already) > sight.beyond:
        return False
    if shift.end - shift.start > sight.after or shift.end == len(track.y):
        return True
    # What was over at once must leave all that went before.
    farthest = float((shift.sign * (track.y[: shift.start] - shift.before)).max())
    return abs(shift.size) > 1.2 * farthest


def is_daily(track: Track, d: Floats, shift: Shift) -> bool:
    """Whether the day before or the day after brought the same shift at the same time."""
    for other in (-DAY_S, DAY_S):
        then = np.abs(track.t - (track.t[shift.start] + other)) <= SAME_TIME_S
        if then.sum() >= FEWEST and float((shift.sign * d[then]).max()) >= 0.5 * abs(shift.size):
            return True
    return False


def medians_before(y: Floats, width: int) -> Floats:
    """Median of up to ``width`` points before each point; the first few points stand for themselves."""
    n, out = len(y), y.copy()
    ordered = sorted(y[:FEWEST].tolist())
    for k in range(FEWEST, min(width, n)):
        out[k] = (ordered[(k - 1) // 2] + ordered[k // 2]) / 2
        insort(ordered, float(y[k]))
    if n > width:
        out[width:] = sliding_median(y, width)[: n - width]
    return out


def medians_after(y: Floats, width: int) -> Floats:
    """Median of up to ``width`` points from each point on; the last ones have fewer."""
    n, out = len(y), y.copy()
    whole = max(n - width + 1, 0)
    if whole:
        out[:whole] = sliding_median(y, width)
    for k in range(whole, n - FEWEST + 1):
        out[k] = np.median(y[k:])
    out[max(n - FEWEST + 1, 0) :] = out[max(n - FEWEST, 0)]
    return out


def sliding_median(y: Floats, width: int) -> Floats:
    """Median of each ``width`` neighbouring points."""
    low, high = (width - 1) // 2, width // 2
    ordered = np.partition(sliding_window_view(y, width), (low, high), axis=1)
    out: Floats = (ordered[:, low] + ordered[:, high]) / 2
    return out


def trailing_max(y: Floats, width: int) -> Floats:
    """The greatest of the last ``width`` points at each point."""
    padded = np.concatenate([np.full(width - 1, -np.inf), y])
    top: Floats = sliding_window_view(padded, width).max(axis=1)
    return top
