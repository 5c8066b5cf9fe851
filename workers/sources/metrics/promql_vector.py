"""Instant vectors over a grid of moments, and what PromQL does across their series."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.sources.metrics.backend import Floats

Bools = NDArray[np.bool_]
Labels = Mapping[str, str]
Key = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Vector:
    """Series by moments: ``values`` and ``present`` of (series, moments). A value that is not present is NaN."""

    labels: tuple[Labels, ...]
    values: Floats
    present: Bools

    @staticmethod
    def empty(moments: int) -> Vector:
        """No series."""
        return Vector((), np.empty((0, moments)), np.empty((0, moments), dtype=bool))

    @staticmethod
    def joined(parts: Iterable[Vector], moments: int) -> Vector:
        """Vectors one under another."""
        found = [p for p in parts if p.labels]
        if not found:
            return Vector.empty(moments)
        return Vector(
            tuple(labels for p in found for labels in p.labels),
            np.concatenate([p.values for p in found]),
            np.concatenate([p.present for p in found]),
        )

    def mapped(self, change: Callable[[Floats], Floats]) -> Vector:
        """Every value changed, without metric names, as PromQL's functions do."""
        return Vector(tuple(map(nameless, self.labels)), change(self.values), self.present)

    def rows(self, keep: list[int]) -> Vector:
        """Some of the series."""
        return Vector(tuple(self.labels[i] for i in keep), self.values[keep], self.present[keep])


def nameless(labels: Labels) -> Labels:
    """Labels without the metric's name."""
    return {k: v for k, v in labels.items() if k != "__name__"}


def key_of(labels: Labels) -> Key:
    """Labels as a key, in order of their names."""
    return tuple(sorted(labels.items()))


def pick(labels: Labels, names: Iterable[str], *, without: bool) -> Labels:
    """Only some labels, or all but some; never the metric's name unless it is asked for."""
    chosen = set(names)
    if without:
        return {k: v for k, v in labels.items() if k not in chosen and k != "__name__"}
    return {k: v for k, v in labels.items() if k in chosen}


def aggregate(op: str, vector: Vector, names: Iterable[str], *, without: bool) -> Vector:
    """``sum``, ``avg``, ``min``, ``max`` or ``count`` across series with equal remaining labels."""
    wanted = tuple(names)
    groups: dict[Key, list[int]] = {}
    for i, labels in enumerate(vector.labels):
        groups.setdefault(key_of(pick(labels, wanted, without=without)), []).append(i)
    if not groups:
        return vector
    order = np.array([i for members in groups.values() for i in members])
    starts = np.cumsum([0, *(len(m) for m in groups.values())][:-1])
    values, present = vector.values[order], vector.present[order]
    count = np.add.reduceat(present, starts, axis=0, dtype=np.int64)
    if op == "count":
        out = count.astype(np.float64)
    elif op in {"min", "max"}:
        reduce = np.fmin if op == "min" else np.fmax
        out = reduce.reduceat(np.where(present, values, np.nan), starts, axis=0)
    else:
        out = np.add.reduceat(np.where(present, values, 0.0), starts, axis=0)
        if op == "avg":
            out = out / np.maximum(count, 1)
    shown = count > 0
    return Vector(tuple(dict(k) for k in groups), np.where(shown, out, np.nan), shown)


def highest(vector: Vector, k: Floats, names: Iterable[str], *, without: bool, lowest: bool = False) -> Vector:
    """``topk`` and ``bottomk``: at each moment the ``k`` highest, or lowest, of each group; their labels stay."""
    wanted = tuple(names)
    groups: dict[Key, list[int]] = {}
    for i, labels in enumerate(vector.labels):
        groups.setdefault(key_of(pick(labels, wanted, without=without)), []).append(i)
    signed = -vector.values if lowest else vector.values
    ranked = np.where(vector.present, np.nan_to_num(signed, nan=-np.inf), -np.inf)
    chosen = np.zeros_like(vector.present)
    for members in groups.values():
        order = np.argsort(-ranked[members], axis=0, kind="stable")
        place = np.argsort(order, axis=0, kind="stable")
        chosen[members] = place < k
    present = vector.present & chosen
    kept = Vector(vector.labels, np.where(present, vector.values, np.nan), present)
    return kept.rows(np.flatnonzero(present.any(axis=1)).tolist())


def histogram_quantile(q: Floats, vector: Vector) -> Vector:
    """Quantiles of classic histograms, interpolated within buckets as Prometheus does.

    Args:
        q: the quantile at each moment.
        vector: cumulative buckets with ``le`` labels.
    """
    groups: dict[Key, list[tuple[float, int]]] = {}
    for i, labels in enumerate(vector.labels):
        bound = bound_of(labels.get("le"))
        if bound is not None:
            groups.setdefault(key_of(pick(labels, ("le",), without=True)), []).append((bound, i))
    moments = vector.values.shape[1]
    out = np.full((len(groups), moments), np.nan)
    shown = np.zeros((len(groups), moments), dtype=bool)
    for row, buckets in enumerate(groups.values()):
        bounds, counts, present = merged_buckets(sorted(buckets), vector)
        if present.all():
            out[row], shown[row] = quantiles(q, bounds, counts), True
            continue
        shown[row] = present.any(axis=0)
        patterns, which = np.unique(present[:, shown[row]], axis=1, return_inverse=True)
        columns = np.flatnonzero(shown[row])
        for p in range(patterns.shape[1]):
            here, has = columns[which.reshape(-1) == p], patterns[:, p]
            out[row, here] = quantiles(q[here], bounds[has], counts[np.ix_(has, here)])
    return Vector(tuple(dict(k) for k in groups), out, shown)


def bound_of(le: str | None) -> float | None:
    """A bucket's upper bound."""
    try:
        return float(le) if le else None
    except ValueError:
        return None


def merged_buckets(buckets: list[tuple[float, int]], vector: Vector) -> tuple[Floats, Floats, Bools]:
    """Bounds, counts and presence of one histogram; equal bounds (``1`` and ``1.0``) added up."""
    bounds = np.array([b for b, _ in buckets])
    rows = [i for _, i in buckets]
    counts, present = np.where(vector.present[rows], vector.values[rows], 0.0), vector.present[rows]
    starts = np.flatnonzero(np.concatenate([[True], np.diff(bounds) > 0])) if len(bounds) > 1 else np.array([0])
    if len(starts) == len(bounds):
        return bounds, counts, present
    return bounds[starts], np.add.reduceat(counts, starts, axis=0), np.logical_or.reduceat(present, starts, axis=0)


def quantiles(q: Floats, bounds: Floats, counts: Floats) -> Floats:
    """Quantiles of one histogram at several moments; NaN without a +Inf bucket or without observations.

    Args:
        q: (moments).
        bounds: ascending upper bounds (buckets).
        counts: cumulative counts (buckets, moments).
    """
    if len(bounds) < 2 or not np.isposinf(bounds[-1]):
        return np.full(len(q), np.nan)
    counts = np.maximum.accumulate(counts, axis=0)
    total = counts[-1]
    rank = q * total
    # The first bucket that holds the rank; the last one stands for all beyond it.
    b = np.minimum((counts[:-1] < rank).sum(axis=0), len(bounds) - 1)
    inner = np.minimum(b, len(bounds) - 2)
    at = np.arange(len(q))
    below = np.where(inner > 0, counts[np.maximum(inner - 1, 0), at], 0.0)
    start = np.where(inner > 0, bounds[np.maximum(inner - 1, 0)], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = start + (bounds[inner] - start) * ((rank - below) / (counts[inner, at] - below))
    out = np.where(b == len(bounds) - 1, bounds[-2], inside)
    out = np.where((b == 0) & (bounds[0] <= 0), bounds[0], out)
    out = np.where(q < 0, -np.inf, np.where(q > 1, np.inf, out))
    return np.where((total == 0) | np.isnan(q) | np.isnan(total), np.nan, out)
