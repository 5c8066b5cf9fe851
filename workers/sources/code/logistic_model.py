"""A learned probability: a logistic sum of features, read from where its training wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Chances:
    """The weight of each feature, and one that is always there."""

    names: tuple[str, ...]
    weights: NDArray[np.float64]
    offset: float

    def of(self, features: dict[str, float]) -> float:
        """The probability that the index holds an answer."""
        value = self.offset + sum(w * features[n] for n, w in zip(self.names, self.weights.tolist(), strict=True))
        return float(1 / (1 + np.exp(-value)))


@cache
def read_chances(path: Path) -> Chances:
    """The trained weights of a file."""
    with np.load(path) as stored:
        names = tuple(stored["names"].tobytes().decode().split("\n"))
        return Chances(names, stored["weights"].astype(float), float(stored["offset"]))
