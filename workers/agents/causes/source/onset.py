"""When a series left its usual range, and how far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workers.agents.causes.source.incident import Series

FEWEST, LEAST = 8, 3
"""Samples below which a series tells nothing of how it usually varies, and nothing at all."""
SPARSE_RATIO = 3.0
"""Of a few samples one that is so many times the first is beyond what is usual."""
USUAL_SHARE = 0.5
"""Of the samples before the alert, the older ones: they are what is usual."""
SIGMAS, LEAST_SHARE = 6.0, 0.2
"""A sample is beyond the usual range from so many deviations of it, and so large a share of its level, on."""
STEADY = 3
"""So many samples in a row make an onset."""


@dataclass(frozen=True)
class Move:
    """A series that left its range. ``ratio``: its farthest level over the usual one; below 1 it fell."""

    series: Series
    at: float
    usual: float
    farthest: float

    @property
    def ratio(self) -> float:
        """Farthest over usual, both at least a thousandth of the larger."""
        least = max(abs(self.usual), abs(self.farthest), 1e-12) / 1_000
        return max(abs(self.farthest), least) / max(abs(self.usual), least)

    @property
    def rose(self) -> bool:
        """Whether it went up."""
        return self.farthest > self.usual


def find_move(series: Series, until: float) -> Move | None:
    """When a series left its usual range for the excursion that is the largest; None when it did not.

    Args:
        series: its samples; those that are not finite are left out.
        until: epoch seconds of the alert; what is usual is learned from the older half of the samples before it.
    """
    times, values = np.asarray(series.times, dtype=float), np.asarray(series.values, dtype=float)
    kept = np.isfinite(values)
    times, values = times[kept], values[kept]
    before = int((times < until).sum()) or len(times)
    usual = values[: max(FEWEST // 2, int(before * USUAL_SHARE))]
    if len(values) < FEWEST:
        return sparse_move(series, times.tolist(), values.tolist())
    level = float(np.median(usual))
    spread = 1.4826 * float(np.median(np.abs(usual - level)))
    width = max(SIGMAS * spread, LEAST_SHARE * abs(level), 1e-9)
    beyond = np.abs(values - level) > width
    best: tuple[float, int, int] | None = None
    start = None
    for i, out in enumerate([*beyond.tolist(), False]):
        if out and start is None:
            start = i
        elif not out and start is not None:
            if i - start >= STEADY:
                area = float(np.abs(values[start:i] - level).sum())
                best = max(best or (0.0, 0, 0), (area, start, i))
            start = None
    if best is None:
        return None
    part = values[best[1] : best[2]]
    farthest = float(part[np.argmax(np.abs(part - level))])
    return Move(series, float(times[best[1]]), level, farthest)


def sparse_move(series: Series, times: list[float], values: list[float]) -> Move | None:
    """The same for a few samples, whose first is what is usual: the last of them have to stay away from it."""
    if len(values) < LEAST:
        return None
    usual, least = values[0], max(abs(values[0]), max(map(abs, values)) / 1_000, 1e-9)

    def beyond(value: float) -> bool:
        return abs(value) >= SPARSE_RATIO * least or abs(value) <= least / SPARSE_RATIO

    start = next((i for i, value in enumerate(values) if beyond(value)), None)
    if start is None or not all(map(beyond, values[start:])):
        return None
    return Move(series, times[start], usual, max(values[start:], key=lambda v: abs(v - usual)))
