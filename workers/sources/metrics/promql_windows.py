"""PromQL's functions over a range of samples, for all moments of a grid at once.

Source: Prometheus 2.42, ``promql/functions.go``; ranges are closed on both sides.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from workers.sources.metrics.backend import Floats
from workers.sources.metrics.promql_vector import Bools
from workers.sources.metrics.sample_store import Block, Millis

Indexes = NDArray[np.intp]
LOOKBACK_MS = 300_000


def latest(block: Block, moments: Millis) -> tuple[Floats, Bools]:
    """The newest sample at each moment, at most five minutes old."""
    at = np.searchsorted(block.times, moments, side="right") - 1
    found = at >= 0
    at = np.maximum(at, 0)
    if not len(block.times):
        return empty(block, moments)
    found &= block.times[at] >= moments - LOOKBACK_MS
    present = np.broadcast_to(found, (len(block.series), len(moments)))
    return np.where(present, block.values[:, at], np.nan), present


def empty(block: Block, moments: Millis) -> tuple[Floats, Bools]:
    """Nothing at any moment."""
    shape = (len(block.series), len(moments))
    return np.full(shape, np.nan), np.zeros(shape, dtype=bool)


def bounds(block: Block, moments: Millis, range_ms: int) -> tuple[Indexes, Indexes]:
    """First index and index after the last of the samples within each range."""
    return (
        np.searchsorted(block.times, moments - range_ms, side="left"),
        np.searchsorted(block.times, moments, side="right"),
    )


def extrapolated(
    block: Block, moments: Millis, range_ms: int, *, counter: bool, per_second: bool
) -> tuple[Floats, Bools]:
    """``rate``, ``increase`` and ``delta``: the change within the range, extended to its ends."""
    lo, hi = bounds(block, moments, range_ms)
    enough = hi - lo >= 2
    if not enough.any():
        return empty(block, moments)
    lo, last = np.where(enough, lo, 0), np.where(enough, hi - 1, 1)
    values = continuous(block.values) if counter else block.values
    change = values[:, last] - values[:, lo]
    first_value = block.values[:, lo]
    sampled = (block.times[last] - block.times[lo]) / 1000
    average = sampled / np.maximum(last - lo, 1)
    to_start = np.broadcast_to((block.times[lo] - (moments - range_ms)) / 1000, change.shape)
    to_end = (moments - block.times[last]) / 1000
    if counter:
        with np.errstate(divide="ignore", invalid="ignore"):
            to_zero = sampled * (first_value / change)
        applies = (change > 0) & (first_value >= 0) & (to_zero < to_start)
        to_start = np.where(applies, to_zero, to_start)
    limit = average * 1.1
    extended = (
        sampled + np.where(to_start < limit, to_start, average / 2) + np.where(to_end < limit, to_end, average / 2)
    )
    factor = extended / np.where(sampled > 0, sampled, 1.0)
    if per_second:
        factor = factor / (range_ms / 1000)
    present = np.broadcast_to(enough, change.shape)
    return np.where(present, change * factor, np.nan), present


def continuous(values: Floats) -> Floats:
    """A counter with its resets taken out."""
    before = values[:, :-1]
    reset = values[:, 1:] < before
    if not reset.any():
        return values
    lost = np.where(reset, before, 0.0)
    out = values.copy()
    out[:, 1:] += np.cumsum(lost, axis=1)
    return out


def last_two(block: Block, moments: Millis, range_ms: int, *, counter: bool) -> tuple[Floats, Bools]:
    """``irate`` and ``idelta``: the change between the last two samples of the range."""
    lo, hi = bounds(block, moments, range_ms)
    enough = hi - lo >= 2
    if not enough.any():
        return empty(block, moments)
    last = np.where(enough, hi - 1, 1)
    now, before = block.values[:, last], block.values[:, last - 1]
    change = now - before
    if counter:
        change = np.where(now < before, now, change) / ((block.times[last] - block.times[last - 1]) / 1000)
    present = np.broadcast_to(enough, change.shape)
    return np.where(present, change, np.nan), present


def over_time(op: str, block: Block, moments: Millis, range_ms: int) -> tuple[Floats, Bools]:
    """``avg|min|max|sum|count|last_over_time``."""
    lo, hi = bounds(block, moments, range_ms)
    some = hi > lo
    if not some.any():
        return empty(block, moments)
    present = np.broadcast_to(some, (len(block.series), len(moments)))
    if op == "count":
        out = np.broadcast_to((hi - lo).astype(np.float64), present.shape)
    elif op == "last":
        out = block.values[:, np.where(some, hi - 1, 0)]
    else:
        reduce: Callable[..., Floats] = {"min": np.fmin.reduceat, "max": np.fmax.reduceat}.get(op, np.add.reduceat)
        padded = np.concatenate([block.values, np.zeros((len(block.series), 1))], axis=1)
        out = reduce(padded, np.stack([lo, hi], axis=1).reshape(-1), axis=1)[:, ::2]
        if op == "avg":
            out = out / np.maximum(hi - lo, 1)
    return np.where(present, out, np.nan), present
