"""The numbers of one series over a window: before, now, the worst, and when it changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from workers.sources.metrics.backend import Floats
from workers.sources.metrics.change_points import DAY_S
from workers.sources.metrics.onset import Change, find_change
from workers.sources.metrics.query_window import SHIFT, View

LAST_PART_S = 900  # current is the median of at least this much
AROUND_S = 1_800  # the same time the day before, give or take
STEADY = 0.1  # a smaller relative difference is none
WAVE = 0.4  # a smoothed series that spans more of its level has a course of its own, though it ends where it began
WAVE_PARTS, FEWEST = 12, 96
NOISE = 2.5  # a difference within so many standard deviations of single points is none
SURE = 0.45  # a less confident change is none
UNIT_WORDS = {"s": " s", "/s": "/s", "bytes": " bytes", "percent": " %"}
Direction = Literal["rose", "fell", "steady", "unknown"]


@dataclass(frozen=True)
class Reading:
    """Numbers in the series' unit, times in epoch seconds; None is unknown.

    ``baseline_of`` says what the baseline is the median of. ``samples`` counts the points within the window.
    ``last``: the last level known where samples end before the window does, so that ``current`` is not known.
    """

    baseline: float | None
    baseline_of: str
    current: float | None
    change_pct: float | None
    peak: float | None
    peak_at: float | None
    direction: Direction
    change: Change | None
    samples: int
    last: float | None = None

    @property
    def moved(self) -> bool:
        """Whether it changed."""
        return self.change is not None


def read_series(
    times: Floats, values: Floats, view: View, worse: str, floor: float, reference: Floats | None = None
) -> Reading:
    """Read one series.

    Args:
        times: moments of lead and window.
        values: one a moment; NaN is missing.
        view: the window.
        worse: the direction that hurts, ``up`` or ``down``: which extreme is the peak.
        floor: smallest absolute difference worth telling.
        reference: values of the shifted window, one a moment of ``view.reference``.
    """
    inside = (times >= view.start) & np.isfinite(values)
    if not inside.any():
        return Reading(None, "", None, None, None, None, "unknown", None, 0)
    change = change_within(times, values, view.start, floor)
    if change and change.confidence < SURE:
        change = None
    return numbers(times, values, view, worse, floor, change, reference)


def change_within(times: Floats, values: Floats, start: float, floor: float) -> Change | None:
    """The change that matters to a window: one that was over before it is left out, with all before its end."""
    change = find_change(times, values, floor)
    if change and change.ended_at is not None and change.ended_at <= start:
        later = times >= change.ended_at
        change = find_change(times[later], values[later], floor)
        if change and change.ended_at is not None and change.ended_at <= start:
            return None
    return change


def numbers(
    times: Floats,
    values: Floats,
    view: View,
    worse: str,
    floor: float,
    change: Change | None,
    reference: Floats | None = None,
) -> Reading:
    """The numbers of a series whose change is known."""
    known = np.isfinite(values)
    inside = known & (times >= view.start)
    last = float(times[inside][-1])
    first = max(last - max(LAST_PART_S, 3 * view.step), change.at if change else view.start, view.start)
    if change and change.ended_at is not None:
        first = max(first, min(change.ended_at, last))
    now = inside & (times >= min(first, last))
    current = float(np.median(values[now]))
    baseline, of = baseline_of(times, values, view, change, (first, last), reference)
    worst = inside & (times >= change.at) if change and (inside & (times >= change.at)).any() else inside
    sign = -1.0 if worse == "down" else 1.0
    at = np.flatnonzero(worst)[np.argmax(sign * values[worst])]
    return Reading(
        baseline=baseline,
        baseline_of=of,
        current=current,
        change_pct=percent(baseline, current),
        peak=float(values[at]),
        peak_at=float(times[at]),
        direction=change.direction if change else direction_of(values[inside], baseline, current, floor),
        change=change,
        samples=int(inside.sum()),
    )


def baseline_of(
    times: Floats,
    values: Floats,
    view: View,
    change: Change | None,
    current: tuple[float, float],
    reference: Floats | None,
) -> tuple[float | None, str]:
    """What the current value is compared with, and its name."""
    known = np.isfinite(values)
    if reference is not None:
        moments = view.reference.times + view.shift
        near = (moments >= current[0] - AROUND_S) & (moments <= current[1] + AROUND_S) & np.isfinite(reference)
        ago = "the day before" if view.shift == SHIFT["day"] else "the week before"
        return (float(np.median(reference[near])), f"the same time {ago}") if near.any() else (None, "")
    if change:
        return change.baseline, "before the change"
    ago_at = times + DAY_S
    same = known & (ago_at >= current[0] - AROUND_S) & (ago_at <= current[1] + AROUND_S)
    if same.sum() >= 3:
        return float(np.median(values[same])), "the same time the day before"
    lead = known & (times < view.start)
    return (float(np.median(values[lead])), "the time before the window") if lead.any() else (None, "")


def ended(reading: Reading) -> Reading:
    """The same where samples end before the window does: what was last seen is not what is now."""
    return replace(reading, current=None, change_pct=None, last=reading.current)


def percent(baseline: float | None, current: float) -> float | None:
    """Relative difference; unknown without a baseline or from zero to something."""
    if baseline is None:
        return None
    if baseline == 0:
        return 0.0 if current == 0 else None
    return (current - baseline) / abs(baseline) * 100


def direction_of(values: Floats, baseline: float | None, current: float, floor: float) -> Direction:
    """The direction of a series without a change of its own."""
    if baseline is None:
        return "unknown"
    if abs(current - baseline) <= max(floor, STEADY * abs(baseline), NOISE * jitter_of(values)):
        return "steady"
    return "rose" if current > baseline else "fell"


def wave(values: Floats, floor: float) -> tuple[float, float] | None:
    """The lowest and highest of a series that goes up and down beyond its noise, such as traffic over a day."""
    known = values[np.isfinite(values)]
    if len(known) < FEWEST:
        return None
    smooth = np.median(np.lib.stride_tricks.sliding_window_view(known, len(known) // WAVE_PARTS), axis=1)
    least = max(floor, WAVE * abs(float(np.median(smooth))), NOISE * jitter_of(known))
    return (float(known.min()), float(known.max())) if np.ptp(smooth) > least else None


def jitter_of(values: Floats) -> float:
    """The noise of single points, by how far neighbours lie apart."""
    return 1.4826 * float(np.median(np.abs(np.diff(values)))) / float(np.sqrt(2)) if len(values) > 2 else 0.0


def shown(value: float | None, unit: str) -> str:
    """A value with its unit, for a line that sums a metric up."""
    return "unknown" if value is None else f"{value:.3g}{UNIT_WORDS.get(unit, '')}"
