"""Fits and writes what `workers.sources.code.logistic_model` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.logistic_model import Chances

DECAY = 0.003
ROUNDS = 4_000
STEP = 0.5
Floats = NDArray[np.float64]


def fit(features: Sequence[dict[str, float]], right: Floats, worth: Floats, low: Floats, high: Floats) -> Chances:
    """A logistic sum by gradient descent.

    Args:
        features: of each question by name, all with the same names in the same order.
        right: 1 for questions that have an answer, else 0.
        worth: how much each question counts, 1 in all.
        low: the least weight of each feature.
        high: the largest.
    """
    names = tuple(features[0])
    table = np.array([[f[n] for n in names] for f in features])
    mean, scale = worth @ table, table.std(0) + 1e-6
    scaled = (table - mean) / scale
    weights, offset = np.zeros(len(names)), 0.0
    for _ in range(ROUNDS):
        error = (1 / (1 + np.exp(-(scaled @ weights + offset))) - right) * worth
        weights = np.clip(weights - STEP * (scaled.T @ error + 2 * DECAY * weights), low, high)
        offset -= STEP * float(error.sum())
    return Chances(names, weights / scale, offset - float((weights / scale) @ mean))


def save(learned: Chances, path: Path) -> None:
    """Write the weights."""
    names = np.frombuffer("\n".join(learned.names).encode(), np.uint8)
    np.savez_compressed(path, names=names, weights=learned.weights.astype(np.float32), offset=learned.offset)
    print(f"{path}: {path.stat().st_size / 1e3:.1f} kB")
