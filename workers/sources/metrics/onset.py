"""When a series changed: the onset of a lasting shift or of a run of spikes, and whether it came back.

The median of a few points after each moment is compared with the median of the points before it (`shifts`). A shift
counts when it stands out from all other such differences of the same series (so season, drift and noise do not), is
abrupt, leaves the range of the points before it, and does not come at the same time on the day before or after.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from workers.sources.metrics.backend import Floats
from workers.sources.metrics.change_points import (
    BACK,
    CREST,
    FEWEST,
    NEAR,
    WIDE,
    Shift,
    Track,
    best_split,
    find_shifts,
    trailing_max,
)

GAP_S = 7_200.0  # episodes nearer to each other than this are one
Kind = Literal["step", "spikes", "drift"]
Direction = Literal["rose", "fell"]


@dataclass(frozen=True)
class Change:
    """A shift. Times are epoch seconds of evaluation moments, values in the series' unit.

    ``at`` is the first moment that shows it, ``after`` the last one that does not; ``ended_at`` the first moment
    back at the level before, None while it lasts.
    """

    at: float
    after: float
    direction: Direction
    confidence: float
    baseline: float
    level: float
    ended_at: float | None = None
    kind: Kind = "step"


def find_change(times: Floats, values: Floats, floor: float = 0.0) -> Change | None:
    """The change of a series that matters most.

    Args:
        times: ascending epoch seconds.
        values: one a moment; NaN is missing and ignored.
        floor: smallest absolute shift worth telling.

    Returns: the change, or None for a series that is quiet, seasonal, drifting, too noisy or too short.
    """
    known = np.isfinite(values)
    t, x = times[known], values[known]
    if len(x) < 2 * FEWEST + 2:
        return None
    track = Track(t, x, floor)
    for sight in (NEAR, WIDE):
        found = find_shifts(track, sight)
        shifts = [s for s in found if not is_return(s, found)]
        while shifts:
            chain = strongest(track, shifts)
            if is_lone(track, chain):
                return describe(track, chain, "step")
            shifts = [s for s in shifts if s not in chain]
    return find_spikes(t, x, floor) if len(x) >= 4 * CREST.before else None


def find_spikes(t: Floats, x: Floats, floor: float) -> Change | None:
    """A run of spikes too short to shift the median: the series' crest shifts instead."""
    for sign in (1.0, -1.0):

        def crest(y: Floats, sign: float = sign) -> Floats:
            return sign * trailing_max(sign * y, CREST.before)

        track = Track(t, x, floor, crest)
        shifts = [s for s in find_shifts(track, CREST) if s.sign == sign and s.start >= 2 * CREST.before]
        if shifts:
            plain = Track(t, x, floor)
            chain = strongest(track, shifts)
            if is_spiky(plain, chain):
                return describe(plain, chain, "spikes")
    return None


def is_return(shift: Shift, found: list[Shift]) -> bool:
    """Whether a shift only ends an earlier one: it goes back to where that one came from."""
    return any(
        other.start < shift.start <= other.end + NEAR.before
        and other.sign != shift.sign
        and abs(shift.before + shift.size - other.before) <= BACK * abs(other.size)
        for other in found
    )


def strongest(track: Track, shifts: list[Shift]) -> list[Shift]:
    """The shift that stands out most and lasts longest, with alike ones near to it in time; in time order."""
    best = max(shifts, key=lambda s: min(s.z, 30.0) * abs(s.size) * float(np.sqrt(s.end - s.start)))
    gap = max(GAP_S, 0.1 * float(track.t[-1] - track.t[0]))
    ends = np.append(track.t, track.t[-1])
    alike = [s for s in shifts if s.sign == best.sign and abs(s.size) >= 0.5 * abs(best.size)]
    chain = [best]
    for s in sorted((s for s in alike if s.start < best.start), key=lambda s: -s.start):
        if track.t[chain[0].start] - ends[s.end] <= gap:
            chain.insert(0, s)
    for s in sorted((s for s in alike if s.start >= best.end), key=lambda s: s.start):
        if track.t[s.start] - ends[chain[-1].end] <= gap:
            chain.append(s)
    return chain


def is_lone(track: Track, chain: list[Shift]) -> bool:
    """Whether points outside of the episode are hardly ever as far off as those inside."""
    first, last = chain[0], chain[-1]
    beyond = first.sign * (track.y - (first.before + 0.75 * first.size)) > 0
    outside = np.concatenate([beyond[: first.start], beyond[last.end :]])
    return float(outside.mean()) <= 0.2


def is_spiky(track: Track, chain: list[Shift]) -> bool:
    """Whether a raised crest rests on several spikes, which hardly ever came before."""
    first, last = chain[0], chain[-1]
    beyond = first.sign * (track.y - (track.y[: first.start].mean() + 0.5 * jump(track, first))) > 0
    inside = beyond[first.start : last.end]
    count = int((np.diff(np.concatenate([[0], inside.astype(int)])) == 1).sum())
    before = float(beyond[: first.start].mean())
    return count > FEWEST and float(inside.mean()) >= 0.08 and before <= float(inside.mean()) / 10


def jump(track: Track, shift: Shift) -> float:
    """How far spikes leave the usual level, in searched values."""
    usual = float(np.median(track.y[: shift.start]))
    return shift.before + shift.size - usual


def describe(track: Track, chain: list[Shift], kind: Kind) -> Change:
    """The change that a chain of shifts makes."""
    first, end = chain[0], episode_end(track, chain)
    beyond = first.sign * (track.y[first.start : end] - (first.before + first.size / 2)) > 0
    held = 1.0 if kind == "spikes" else float(beyond.mean())
    length = 1 - 0.5 ** (float(beyond.sum()) / FEWEST)
    outstanding = 1 - np.exp(-(min(first.z, 60.0) - NEAR.min_z + 2) / 6)
    confidence = (0.35 + 0.65 * outstanding) * (0.4 + 0.6 * held) * (0.5 + 0.5 * length) * (0.6 + 0.4 * first.abrupt)
    values = track.x[first.start : end]
    return Change(
        at=float(track.t[first.start]),
        after=float(track.t[first.start - 1]),
        direction="rose" if first.sign > 0 else "fell",
        confidence=round(float(np.clip(confidence, 0, 1)), 2),
        baseline=float(np.median(track.x[: first.start])),
        level=float(np.median(values[beyond] if beyond.any() else values)),
        ended_at=float(track.t[end]) if end < len(track.t) else None,
        kind=kind,
    )


def episode_end(track: Track, chain: list[Shift]) -> int:
    """The index after the last point of an episode: one that keeps flaring up has not ended."""
    first, end = chain[0], chain[-1].end
    later = np.flatnonzero(first.sign * (track.y[end:] - (first.before + first.size / 2)) > 0)
    if len(later) <= 0.1 * (len(track.y) - end):
        return end
    end += int(later[-1]) + 1
    return end if len(track.y) - end >= CREST.quiet else len(track.y)


def refine(change: Change, times: Floats, values: Floats) -> Change:
    """Find the onset again on a finer series around it.

    Args:
        change: what the coarse series shows.
        times: finer moments that begin well before ``change.after``.
        values: the same metric at these moments, over a shorter range.

    Returns: the change with a finer ``at`` and ``after``; as it was when the finer series does not show it.
    """
    known = np.isfinite(values)
    t, x = times[known], values[known]
    quiet = x[t <= 2 * change.after - change.at]
    if len(quiet) < FEWEST:
        quiet = x[t <= change.after]
    if len(quiet) < FEWEST:
        return change
    sign = 1.0 if change.direction == "rose" else -1.0
    before = float(np.median(quiet))
    size = sign * (change.level - before)
    noise = 1.4826 * float(np.median(np.abs(quiet - before)))
    if size <= 0:
        return change
    beyond = sign * (x - before) > min(max(BACK * size, 4 * noise), 0.6 * size)
    if change.kind == "spikes":
        first = next((i for i in range(1, len(x)) if beyond[i]), 0)
    else:
        first = best_split(sign * (x - before) - 0.5 * size, 1, len(x) - 1)
        while first > 1 and beyond[first - 1]:
            first -= 1
    if first == 0 or not beyond[first]:
        return change
    return replace(change, at=float(t[first]), after=float(t[first - 1]))


def back_at(change: Change, times: Floats, values: Floats) -> float | None:
    """The first moment after a change from which a finer series stays back at the level before.

    Args:
        change: one with an ``ended_at``.
        times: finer moments around it.
        values: the same metric at these moments.
    """
    sign = 1.0 if change.direction == "rose" else -1.0
    away = sign * (values - change.baseline) > 0.5 * sign * (change.level - change.baseline)
    if not away.any():
        return change.ended_at
    last = int(np.flatnonzero(away)[-1])
    return float(times[last + 1]) if last + 1 < len(times) else change.ended_at
