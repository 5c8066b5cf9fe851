"""Learns a model of `question_kinds` from labelled examples: ridge regression in its dual form, with numpy alone."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from workers.language.question_kinds import FORMS, KindModel, features, stems_of, weigh

RIDGE = 0.5
FEWEST = 2
"""So many examples must share a feature, or a word of a kind."""
OLDER = 0.6
"""How much an example counts beside labelled questions of authors: few people wrote many that are alike."""
COMMON = 200
"""Features of so many examples are multiplied at once."""
Example = tuple[str, str]
"""A text and its kind."""
Rows = Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Each example as the places of its features and their weights."""


def learn(examples: Sequence[Example], labelled: Sequence[Example] = ()) -> KindModel:
    """Learn from examples, and from labelled questions of authors, which count more.

    The words that a kind is made of are those of the examples alone: questions of authors name their systems. How much
    is said counts with these alone: examples are not as long and short as what people ask.
    """
    every = [*examples, *labelled]
    kinds = tuple(dict.fromkeys(kind for _, kind in every))
    counts = Counter(f for text, _ in every for f in features(text))
    kept = [*(FORMS if labelled else ()), *sorted(f for f, n in counts.items() if n >= FEWEST)]
    idf = np.array([math.log(1 + len(every) / counts[f]) if f in counts else 1.0 for f in kept], dtype=np.float32)
    vocabulary = {feature: i for i, feature in enumerate(kept)}
    rows = [weigh(text, vocabulary, idf) for text, _ in every]
    targets = np.full((len(every), len(kinds)), -1 / (len(kinds) - 1), dtype=np.float32)
    for i, (_, kind) in enumerate(every):
        targets[i, kinds.index(kind)] = 1
    older = OLDER if labelled else 1.0
    counted = np.array([older] * len(examples) + [1.0] * len(labelled), dtype=np.float32)
    dual = np.linalg.solve(similarity(rows, len(kept)) + np.diag(RIDGE / counted), targets)
    weights = np.zeros((len(kept), len(kinds)), dtype=np.float32)
    for (places, values), row in zip(rows, dual, strict=True):
        weights[places] += values[:, None] * row
    words = {kind: shared_words(t for t, k in examples if k == kind) for kind in kinds}
    return KindModel(kinds=kinds, vocabulary=vocabulary, idf=idf, weights=weights, words=words)


def similarity(rows: Rows, size: int) -> NDArray[np.float32]:
    """The products of all pairs of examples: feature by feature, as most pairs share few, the common ones at once."""
    holders = defaultdict[int, list[int]](list)
    weights = defaultdict[int, list[float]](list)
    for i, (places, values) in enumerate(rows):
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            holders[place].append(i)
            weights[place].append(value)
    common = [place for place in range(size) if len(holders[place]) > COMMON]
    block = np.zeros((len(rows), len(common)), dtype=np.float32)
    for column, place in enumerate(common):
        block[holders.pop(place), column] = weights[place]
    out = block @ block.T
    for place, which in holders.items():
        value = np.array(weights[place], dtype=np.float32)
        out[np.ix_(which, which)] += np.outer(value, value)
    return out


def shared_words(texts: Iterable[str]) -> frozenset[str]:
    """Stems that stand in several of some texts: what such questions are made of, whatever they are about."""
    counts = Counter(word for text in texts for word in set(stems_of(text)))
    return frozenset(word for word, n in counts.items() if n >= FEWEST)
