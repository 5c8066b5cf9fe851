"""Learns `incident_questions.npz` from its examples: ``python -m workers.language.train_incident_questions``."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml

from workers.language.incident_questions import KINDS, WEIGHTS, IncidentQuestionModel, decide, marks_of, vectorise

EXAMPLES = Path(__file__).with_name("incident_questions.yaml")
RIDGE = 1.0
FOLDS = 20
Example = tuple[str, str]


def read_examples() -> list[Example]:
    """Pairs of question and kind."""
    by_kind = yaml.safe_load(EXAMPLES.read_text(encoding="utf-8"))
    return [(text, kind) for kind, texts in by_kind.items() for text in texts]


def fingerprint() -> str:
    """Changes when the examples do: the stored weights must carry the same."""
    return hashlib.sha256(EXAMPLES.read_bytes()).hexdigest()[:16]


def train(examples: Sequence[Example]) -> IncidentQuestionModel:
    """Ridge regression on one-against-all targets, in its dual form."""
    counts = Counter(f for text, _ in examples for f in marks_of(text))
    words = sorted(counts)
    idf = np.array([math.log(1 + len(examples) / counts[w]) for w in words], dtype=np.float32)
    vocabulary = {word: i for i, word in enumerate(words)}
    rows = np.stack([vectorise(text, vocabulary, idf) for text, _ in examples])
    targets = np.array([[float(kind == name) for name in KINDS] for _, kind in examples])
    dual = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(examples)), targets)
    return IncidentQuestionModel(vocabulary, idf, (rows.T @ dual).astype(np.float32))


def unseen(examples: Sequence[Example]) -> Counter[Example]:
    """How often an example of one kind is taken for which by a model that has not seen it: (kind, taken for)."""
    found: Counter[Example] = Counter()
    for fold in range(FOLDS):
        model = train([pair for i, pair in enumerate(examples) if i % FOLDS != fold])
        for text, kind in examples[fold::FOLDS]:
            found[kind, decide(model.scores(text)) or "none"] += 1
    return found


def main() -> None:
    """Train and write."""
    model = train(read_examples())
    np.savez_compressed(
        WEIGHTS,
        fingerprint=np.array(fingerprint()),
        words=np.array("\n".join(model.vocabulary)),
        idf=model.idf.astype(np.float16),
        weights=model.weights.astype(np.float16),
    )


if __name__ == "__main__":
    main()
