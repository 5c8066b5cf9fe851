"""What a season brings anyway: a change is held against the same hours a day and a week ago, as far as data reaches,
and what is left of it is told."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from workers.sources.metrics.backend import Floats, Frame, Grid
from workers.sources.metrics.change_points import DAY_S, sliding_median
from workers.sources.metrics.deadline_pool import DeadlinePool
from workers.sources.metrics.drift import is_sudden
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.onset import Change, find_change
from workers.sources.metrics.query_window import View
from workers.sources.metrics.resolved_metric import Resolved

AROUND_S = 5_400.0  # looked at on both sides of a change
LASTING_S = 4 * 3_600.0  # from here on it may be a part of the day
POINTS = 16
SAME = 0.4  # a season brings at least this share of a change
SMOOTH = 5
NEXT = 6
SEEN = 0.4  # of lead and window a usual day must be known
FEWEST_ALIKE = 24  # points from which it is known whether a series follows its season
ALIKE = 0.8  # correlation with it
EVEN = 0.1  # how far, as a share, half of its values may lie from the season
WIDE = 0.5  # of its median, how far a season goes up and down
PATIENCE_S = 5.0


def beyond_season(
    server: Server, resolved: Resolved, view: View, interval: float, change: Change, seen: tuple[Floats, Floats]
) -> Change | None:
    """A change, or what is left of it when the day or the week before brought much of it at the same hours.

    Args:
        server: where.
        resolved: what.
        view: the window.
        interval: seconds between samples.
        change: what was found.
        seen: moments and values of lead and window.
    """
    agos = (7 * DAY_S, DAY_S)
    last = (
        float(view.end) if change.kind == "drift" else min(change.at + AROUND_S, change.ended_at or view.end, view.end)
    )
    first = min(change.at, change.after) - AROUND_S  # where values are missing just before it, from before these
    step = int(max((last - first) / POINTS, interval, 60))
    count = int((last - first) // step) * step
    promql = resolved.promql(max(step, 4 * interval))
    side = DeadlinePool[Frame](server.backend.parallel, time.monotonic() + PATIENCE_S)
    ask = server.backend.query_range
    answers = side.run(
        [("", lambda start=int(first - ago): ask(promql, Grid(start, start + count, step))) for ago in agos]  # type: ignore[misc]
    )
    compared, near = False, (seen[0] >= first) & (seen[0] <= last)
    whole = move(seen[0][near], seen[1][near], change, last) or scaled(change.level, change) - scaled(
        change.baseline, change
    )
    for ago, frame in zip(agos, answers, strict=True):
        if frame is None or len(frame.series) != 1:
            continue
        moved = move(frame.times + ago, frame.series[0].values, change, last)
        if moved is not None and moved * np.sign(whole) >= SAME * abs(whole):
            return left_over(server, resolved, view, interval, change, ago, seen)
        compared = compared or moved is not None
    return change if compared or not may_be_usual(change, view, seen) else None


def may_be_usual(change: Change, view: View, seen: tuple[Floats, Floats]) -> bool:
    """Whether a change may be the course of a usual day, of which no other is known: it is no sudden one, and lasts."""
    times, values = seen
    known = times[np.isfinite(values)]
    if change.at - float(known[0]) >= DAY_S:
        return False
    lasted = (change.ended_at or view.end) - change.at
    return change.kind == "drift" or (lasted >= LASTING_S and not is_sudden(change, times, values))


def left_over(
    server: Server,
    resolved: Resolved,
    view: View,
    interval: float,
    change: Change,
    ago: float,
    seen: tuple[Floats, Floats],
) -> Change | None:
    """What a series does beside the season, as a change of its own; None for nothing."""
    usual = read_usual(server, resolved, view, interval, ago)
    return change_beside(usual, view, seen, change.level) if usual is not None else None


def hidden_change(
    server: Server, resolved: Resolved, view: View, interval: float, seen: tuple[Floats, Floats]
) -> Change | None:
    """The change of a series whose usual day is so wide that a change stays within it; None for nothing.

    The same hours a week ago are what is usual, or a day ago where no more is kept; they must have gone the same way
    before the change.
    """
    times, values = seen
    side = DeadlinePool[Floats | None](server.backend.parallel, time.monotonic() + PATIENCE_S)
    usuals = side.run(
        [("", lambda ago=ago: read_usual(server, resolved, view, interval, ago)) for ago in (7 * DAY_S, DAY_S)]  # type: ignore[misc]
    )
    for usual in usuals:
        if usual is None or len(usual) != len(values):
            continue
        both = np.isfinite(usual) & np.isfinite(values)
        if both.sum() < SEEN * len(values):
            continue
        found = change_beside(usual, view, seen, 0.0)
        if found is None:
            return None
        before = both & (times < found.at)
        return found if before.sum() >= FEWEST_ALIKE and goes_with(values[before], usual[before]) else None
    return None


def goes_with(values: Floats, usual: Floats) -> bool:
    """Whether a series follows its season, and the season is worth speaking of."""
    low, high = np.percentile(usual, (5, 95))
    if high - low < WIDE * float(np.median(usual)) or float(np.corrcoef(values, usual)[0, 1]) < ALIKE:
        return False
    beside = values[usual > 0] / usual[usual > 0]
    return float(np.median(np.abs(beside - np.median(beside)))) <= EVEN


def read_usual(server: Server, resolved: Resolved, view: View, interval: float, ago: float) -> Floats | None:
    """The same hours so long ago, smoothed; None when there are none."""
    grid = Grid(int(view.lead_start - ago), int(view.end - ago), view.step)
    frame = server.backend.query_range(resolved.promql(max(view.step, 4 * interval)), grid)
    return smooth(frame.series[0].values) if len(frame.series) == 1 else None


def change_beside(usual: Floats, view: View, seen: tuple[Floats, Floats], level: float) -> Change | None:
    """The change of a series as a multiple of what is usual, in its own unit."""
    times, values = seen
    middle = float(np.nanmedian(usual)) if np.isfinite(usual).any() else 0.0
    if middle <= 0:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        beside = np.where(usual > 0.05 * middle, values / usual, np.nan)
    found = find_change(times, beside)
    if found is None or (found.ended_at is not None and found.ended_at <= view.start):
        return None
    after = values[(times >= found.at) & (times < (found.ended_at or np.inf)) & np.isfinite(values)]
    now = float(np.median(after[:NEXT])) if len(after) else level  # later ones follow the season again
    before = now * found.baseline / found.level if found.level else found.baseline * middle
    return replace(found, level=now, baseline=before)


def smooth(values: Floats) -> Floats:
    """Each value as the median of those around it; a missing one stays missing."""
    if len(values) < SMOOTH:
        return values
    half = SMOOTH // 2
    filled = np.where(np.isfinite(values), values, 0.0)
    padded = np.concatenate([np.repeat(filled[:1], half), filled, np.repeat(filled[-1:], half)])
    return np.where(np.isfinite(values), sliding_median(padded, SMOOTH), np.nan)


def move(times: Floats, values: Floats, change: Change, last: float) -> float | None:
    """How far a series went over the time of a change; None when it is not known on both sides."""
    late = times >= (change.at + 0.66 * (last - change.at) if change.kind == "drift" else change.at)
    early = times <= change.after if change.after < change.at else times < change.at
    before, after = values[early & np.isfinite(values)], values[late & np.isfinite(values)]
    if len(before) < 2 or len(after) < 2:
        return None
    return scaled(float(np.median(after)), change) - scaled(float(np.median(before)), change)


def scaled(value: float, change: Change) -> float:
    """A value on the scale that changes are compared on: logarithms where all is positive."""
    least = min(change.level, change.baseline)
    return value if least <= 0 else float(np.log(max(value, 0.01 * least)))
