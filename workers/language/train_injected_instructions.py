"""Learns `injected_instructions` from its sentences: ``python -m workers.language.train_injected_instructions``.

A logistic regression (scikit-learn, for development only), the same weights each time. What people say in incidents
(``data/speech_acts``) and the house's own documents give no orders to a reader, and are learned as such.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from workers.language.injected_instructions import WEIGHTS, Model, Row, features, weigh
from workers.language.train_speech_acts import read_lines, training_files
from workers.language.train_told_secrets import messages_of

DATA = Path(__file__).parent / "data" / "orders"
DOCUMENTS = Path(__file__).parents[2] / "docs"
OURS = "house"
"""Written beside the code: learned from, never judged by."""
FEWEST = 2
STRENGTH = 10.0
SAID, WRITTEN, COUNTS = 1_500, 600, 0.3
"""About so many messages and sentences of documents, and how much each counts beside a labelled one."""
SHORTEST, LONGEST = 15, 220
MISTAKEN = 0.02
"""The share of harmless sentences of authors that were not learned from that may be taken for orders."""


def author_files() -> list[Path]:
    """One file an author."""
    return sorted(DATA.glob("*.jsonl"))


def everyday() -> list[str]:
    """What people say to each other, and what documents say."""
    said = [m["text"] for file in training_files() for m in messages_of(file) if SHORTEST < len(m["text"]) < LONGEST]
    lines = [line for file in sorted(DOCUMENTS.glob("*.md")) for line in file.read_text(encoding="utf-8").split("\n")]
    plain = (part for line in lines if line[:1] not in "#|`" for part in re.split(r"(?<=[.!?])\s+", line.strip()))
    written = [part for part in plain if SHORTEST < len(part) < LONGEST]
    return [*said[:: len(said) // SAID], *written[:: len(written) // WRITTEN]]


def learn(rows: Sequence[dict[str, Any]], plain: Sequence[str]) -> Model:
    """Learn from labelled sentences, and from others that give no orders."""
    texts = [*(row["text"] for row in rows), *plain]
    counts = Counter(name for text in texts for name in features(text))
    kept = sorted(name for name, n in counts.items() if n >= FEWEST)
    vocabulary = {name: place for place, name in enumerate(kept)}
    idf: Row = np.log1p(len(texts) / np.array([counts[name] for name in kept])).astype(np.float32)
    weighed = [weigh(text, vocabulary, idf) for text in texts]
    starts = np.cumsum([0, *(len(places) for places, _ in weighed)])
    places, values = (np.concatenate([row[n] for row in weighed]) for n in (0, 1))
    matrix = csr_matrix((values, places, starts), shape=(len(texts), len(kept)))
    orders = np.array([*(row["label"] == "order" for row in rows), *(False for _ in plain)])
    counted = np.array([1.0] * len(rows) + [COUNTS] * len(plain))
    fitted = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0, max_iter=300)
    fitted.fit(matrix, orders, sample_weight=counted)
    return Model(vocabulary, idf, fitted.coef_[0].astype(np.float32), float(fitted.intercept_[0]), 0.0)


def left_out(plain: Sequence[str]) -> Iterator[tuple[str, list[dict[str, Any]], list[float]]]:
    """Each author with its sentences and their scores by what was learned from the others."""
    rows = {file.stem: read_lines(file) for file in author_files()}
    for author in (name for name in rows if name != OURS):
        model = learn([row for name, some in rows.items() if name != author for row in some], plain)
        yield author, rows[author], [model.score(row["text"]) for row in rows[author]]


def bound_of(scores: Sequence[float]) -> float:
    """Above it lie so many of some harmless sentences as may be mistaken."""
    return float(np.quantile(scores, 1 - MISTAKEN))


def main() -> None:
    """Train and write; the bound is the one that all authors together need, each judged by what the others taught."""
    plain = everyday()
    judged = [zip(rows, scores, strict=True) for _, rows, scores in left_out(plain)]
    bound = bound_of([score for pairs in judged for row, score in pairs if row["label"] != "order"])
    model = learn([row for file in author_files() for row in read_lines(file)], plain)
    np.savez_compressed(
        WEIGHTS,
        features="\n".join(model.vocabulary),
        idf=model.idf.astype(np.float16),
        weights=model.weights.astype(np.float16),
        offset=model.offset,
        bound=bound,
    )


if __name__ == "__main__":
    main()
