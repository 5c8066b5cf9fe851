"""Learns a model of `question_kinds` from labelled examples: ridge regression in its dual form, with numpy alone."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workers.language.question_kinds import KindModel, features, stems_of, weigh

RIDGE = 0.3
FEWEST = 2
"""So many examples must share a word of a kind."""
Rows = Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Each example as the places of its features and their weights."""


def learn(examples: Sequence[tuple[str, str]], fewest: int = 2) -> KindModel:
    """Learn from pairs of text and kind; a feature counts that so many examples share."""
    kinds = tuple(dict.fromkeys(kind for _, kind in examples))
    counts = Counter(f for text, _ in examples for f in features(text))
    kept = sorted(f for f, n in counts.items() if n >= fewest)
    idf = np.array([math.log(1 + len(examples) / counts[f]) for f in kept], dtype=np.float32)
    vocabulary = {feature: i for i, feature in enumerate(kept)}
    rows = [weigh(text, vocabulary, idf) for text, _ in examples]
    targets = np.full((len(examples), len(kinds)), -1 / (len(kinds) - 1))
    for i, (_, kind) in enumerate(examples):
        targets[i, kinds.index(kind)] = 1
    dual = np.linalg.solve(similarity(rows, len(kept)) + RIDGE * np.eye(len(examples)), targets)
    weights = np.zeros((len(kept), len(kinds)))
    for (places, values), row in zip(rows, dual, strict=True):
        weights[places] += values[:, None] * row
    return KindModel(
        kinds=kinds,
        vocabulary=vocabulary,
        idf=idf,
        weights=weights.astype(np.float32),
        words={kind: shared_words([t for t, k in examples if k == kind]) for kind in kinds},
    )


def similarity(rows: Rows, size: int) -> NDArray[np.float64]:
    """The products of all pairs of examples: by feature, as most pairs share few."""
    holders = defaultdict[int, list[int]](list)
    weights = defaultdict[int, list[float]](list)
    for i, (places, values) in enumerate(rows):
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            holders[place].append(i)
            weights[place].append(value)
    out = np.zeros((len(rows), len(rows)))
    for place in range(size):
        which, value = np.array(holders[place]), np.array(weights[place])
        out[np.ix_(which, which)] += np.outer(value, value)
    return out


def shared_words(texts: Sequence[str]) -> frozenset[str]:
    """Stems that stand in several of some texts: what such questions are made of, whatever they are about."""
    counts = Counter(word for text in texts for word in set(stems_of(text)))
    return frozenset(word for word, n in counts.items() if n >= FEWEST)
