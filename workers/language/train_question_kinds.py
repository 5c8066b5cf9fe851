"""Learns each model of `question_kinds` from its examples: ``python -m workers.language.train_question_kinds``."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from workers.language.question_kinds import QUESTIONS, features, stems_of, vectorise, weights_file

MEMORY = "memory_kinds"
MODELS = (QUESTIONS, "operations_kinds", MEMORY, "network_kinds")
LEFT_TO_OTHERS = {
    **dict.fromkeys(("debug_incident", "operations_status", "traffic", "deploys", "alerting"), "elsewhere"),
    **dict.fromkeys(("request_lookup", "user_lookup", "other"), "elsewhere"),
    "explain_code": "conceptual",
    "design_overview": "conceptual",
}
"""Kinds of all questions, and what those are to memory."""
EVERY = 6
"""So many of those stand for all of them: as many as make it claim none of the held questions for others."""
RIDGE = 0.3
FEWEST = 2
"""So many examples must share a feature, and a word of a kind so many of that kind."""


def examples_file(name: str) -> Path:
    """Where the examples of a model stand."""
    return weights_file(name).with_suffix(".yaml")


def read_examples(name: str = QUESTIONS) -> list[tuple[str, str]]:
    """Pairs of question and kind; for memory with the questions that it leaves to others."""
    by_kind = yaml.safe_load(examples_file(name).read_text(encoding="utf-8"))
    own = [(str(text), kind) for kind, texts in by_kind.items() for text in texts]
    if name != MEMORY:
        return own
    others = [(text, LEFT_TO_OTHERS[kind]) for text, kind in read_examples() if kind in LEFT_TO_OTHERS]
    return own + others[::EVERY]


def fingerprint(name: str = QUESTIONS) -> str:
    """Changes when the examples do: the stored weights must carry the same."""
    files = (name, QUESTIONS) if name == MEMORY else (name,)
    return hashlib.sha256(b"".join(examples_file(file).read_bytes() for file in files)).hexdigest()[:16]


def train(examples: list[tuple[str, str]]) -> dict[str, NDArray[np.float16] | str]:
    """Ridge regression in its dual form: as many unknowns as examples.

    Returns: ``kinds`` and ``features`` as lines, ``words``: a line of stems a kind, ``idf`` [features],
        ``weights`` [features, kinds].
    """
    kinds = list(dict.fromkeys(kind for _, kind in examples))
    counts = Counter(f for text, _ in examples for f in features(text))
    kept = sorted(f for f, n in counts.items() if n >= FEWEST)
    idf = np.array([math.log(1 + len(examples) / counts[f]) for f in kept], dtype=np.float32)
    vocabulary = {feature: i for i, feature in enumerate(kept)}
    rows = np.stack([vectorise(text, vocabulary, idf) for text, _ in examples])
    targets = np.full((len(examples), len(kinds)), -1 / (len(kinds) - 1))
    for i, (_, kind) in enumerate(examples):
        targets[i, kinds.index(kind)] = 1
    dual = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(examples)), targets)
    return {
        "kinds": "\n".join(kinds),
        "features": "\n".join(kept),
        "words": "\n".join(" ".join(shared_words([t for t, k in examples if k == kind])) for kind in kinds),
        "idf": idf.astype(np.float16),
        "weights": (rows.T @ dual).astype(np.float16),
    }


def shared_words(texts: list[str]) -> list[str]:
    """Stems that stand in several of some texts: what such questions are made of, whatever they are about."""
    counts = Counter(word for text in texts for word in set(stems_of(text)))
    return sorted(word for word, n in counts.items() if n >= FEWEST)


def main() -> None:
    """Train and write."""
    for name in MODELS:
        arrays: dict[str, Any] = {key: np.asarray(value) for key, value in train(read_examples(name)).items()}
        np.savez_compressed(weights_file(name), fingerprint=np.array(fingerprint(name)), **arrays)


if __name__ == "__main__":
    main()
