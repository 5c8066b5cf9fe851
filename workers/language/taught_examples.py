"""What a team taught in its own words, on top of what the classifiers learned: it counts at once, without training.

A classifier is linear, so a few examples change its weights by what is missing to their labels: ridge regression in its
dual form over the examples alone. Words that they share with no other sentence carry the change, other sentences hardly
feel it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RIDGE = 0.1
"""How little a single example is believed: 0 would make every one right, whatever it costs."""
Rows = Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Each example as the places of its features and their values."""


@dataclass(frozen=True)
class TaughtSentence:
    """A sentence of an incident and all that it does; ``before``: what was said before it."""

    text: str
    acts: tuple[str, ...]
    before: str = ""


@dataclass(frozen=True, eq=False)
class TaughtExamples:
    """All that a team taught. ``kinds``, ``agents``: a question, and of which kind it is or who answers it."""

    sentences: tuple[TaughtSentence, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    agents: tuple[tuple[str, str], ...] = ()


NOTHING = TaughtExamples()
_read: list[Callable[[], TaughtExamples]] = [lambda: NOTHING]


def teach_from(read: Callable[[], TaughtExamples]) -> None:
    """Where this process finds what was taught; asked each time, so that what changes counts at once."""
    _read[0] = read


def taught() -> TaughtExamples:
    """What is taught now: the same object as long as nothing changes."""
    return _read[0]()


def adjusted(weights: NDArray[np.float32], rows: Rows, missing: NDArray[np.float64]) -> NDArray[np.float32]:
    """Weights that come closer to what is taught.

    Args:
        weights: one row a feature, one column a label.
        rows: the examples.
        missing: of each example and label, how far its score lies from what it should be.
    """
    if not len(rows):
        return weights
    used = np.unique(np.concatenate([places for places, _ in rows]))
    dense = np.zeros((len(rows), len(used)), dtype=np.float32)
    for row, (places, values) in zip(dense, rows, strict=True):
        row[np.searchsorted(used, places)] = values
    dual = np.linalg.solve(dense @ dense.T + RIDGE * np.eye(len(rows)), missing)
    changed = weights.copy()
    for (places, values), share in zip(rows, dual, strict=True):
        changed[places] += values[:, None] * share.astype(np.float32)
    return changed
