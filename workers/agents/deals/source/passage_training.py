"""Learns what passages mean: ``python -m workers.agents.deals.source.passage_training``. It needs the encoder.

Ridge regression over how near passages are to each other; a rare kind counts as much as a frequent one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from workers.agents.deals.source.passage_kinds import FILE, KINDS, MODEL, SCALE, Floats, Meanings, nearness
from workers.language.kind_training import Example
from workers.language.train_question_kinds import read_examples
from workers.sources.documents.encoder import encode

RIDGE = 0.2


def learn_meanings(examples: Sequence[Example], embeddings: Floats) -> Meanings:
    """The model of passages with their kinds; ``embeddings``: a row each."""
    counts = Counter(kind for _, kind in examples)
    targets = np.full((len(examples), len(KINDS)), -1 / (len(KINDS) - 1))
    for row, (_, kind) in zip(targets, examples, strict=True):
        row[KINDS.index(kind)] = 1
    rare = np.array([len(examples) / len(KINDS) / counts[kind] for _, kind in examples])
    weights = np.linalg.solve(nearness(embeddings, embeddings) + np.diag(RIDGE / rare), targets)
    return Meanings(embeddings, weights.astype(np.float32))


def main() -> None:
    """Learn and write."""
    examples = read_examples(MODEL)
    found = learn_meanings(examples, encode([text for text, _ in examples]))
    np.savez_compressed(
        FILE,
        passages=np.rint(found.passages * SCALE).astype(np.int8),
        weights=found.weights.astype(np.float16),
    )


if __name__ == "__main__":
    main()
