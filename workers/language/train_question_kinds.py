"""Learns `question_kinds.npz` from its examples: ``python -m workers.language.train_question_kinds``. Takes seconds."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from workers.language.question_cues import CUES
from workers.language.question_kinds import WEIGHTS, features, vectorise

EXAMPLES = Path(__file__).with_name("question_kinds.yaml")
RIDGE = 0.3


def read_examples() -> list[tuple[str, str]]:
    """Pairs of question and kind."""
    by_kind = yaml.safe_load(EXAMPLES.read_text(encoding="utf-8"))
    return [(text, kind) for kind, texts in by_kind.items() for text in texts]


def fingerprint() -> str:
    """Changes when the examples or the cues do: the stored weights must carry the same."""
    return hashlib.sha256(EXAMPLES.read_bytes() + repr(CUES).encode()).hexdigest()[:16]


def train(examples: list[tuple[str, str]]) -> dict[str, NDArray[np.float32] | str]:
    """Ridge regression in its dual form: as many unknowns as examples.

    Returns: ``kinds`` and ``words`` as lines, ``idf`` [words], ``weights`` [words + cues, kinds].
    """
    kinds = list(CUES)
    counts = Counter(f for text, _ in examples for f in features(text))
    words = sorted(counts)
    idf = np.array([math.log(1 + len(examples) / counts[w]) for w in words], dtype=np.float32)
    vocabulary = {word: i for i, word in enumerate(words)}
    rows = np.stack([vectorise(text, vocabulary, idf) for text, _ in examples])
    targets = np.full((len(examples), len(kinds)), -1 / (len(kinds) - 1))
    for i, (_, kind) in enumerate(examples):
        targets[i, [str(k) for k in kinds].index(kind)] = 1
    dual = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(examples)), targets)
    weights = (rows.T @ dual).astype(np.float32)
    return {"kinds": "\n".join(kinds), "words": "\n".join(words), "idf": idf, "weights": weights}


def main() -> None:
    """Train and write."""
    model = train(read_examples())
    np.savez_compressed(
        WEIGHTS,
        fingerprint=np.array(fingerprint()),
        kinds=np.array(model["kinds"]),
        words=np.array(model["words"]),
        idf=np.asarray(model["idf"], dtype=np.float16),
        weights=np.asarray(model["weights"], dtype=np.float16),
    )


if __name__ == "__main__":
    main()
