"""PageRank of a weighted graph, by power iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DAMPING = 0.85
MOST_ROUNDS, ENOUGH = 60, 1e-7


def page_rank(sources: NDArray[Any], targets: NDArray[Any], weights: Floats, start: Floats) -> Floats:
    """How much of an endless walk is spent at each node.

    Args:
        sources: node that each edge leaves.
        targets: node that it leads to.
        weights: how likely it is taken, compared with the others that leave its node.
        start: for each node, how likely the walk begins there anew; any scale, not all zero.

    Returns:
        One number a node; they sum to 1.
    """
    size = len(start)
    if not size:
        return start
    begin: Floats = start / start.sum()
    leaving = np.bincount(sources, weights, size)
    share = weights / np.where(leaving[sources] > 0, leaving[sources], 1.0)
    stuck = leaving == 0
    rank = begin.copy()
    for _ in range(MOST_ROUNDS):
        moved = np.bincount(targets, rank[sources] * share, size) + rank[stuck].sum() * begin
        fresh = DAMPING * moved + (1 - DAMPING) * begin
        change = float(np.abs(fresh - rank).sum())
        rank = fresh
        if change < ENOUGH:
            break
    return rank
