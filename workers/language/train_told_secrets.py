"""Learns `told_secrets` from its sentences: ``python -m workers.language.train_told_secrets``.

A logistic regression (scikit-learn, for development only), the same weights each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from workers.language.told_secrets import SPEAKS_OF, WEIGHTS, Model, features, words_of
from workers.language.train_speech_acts import read_lines, training_files

DATA = Path(__file__).parent / "data" / "secrets"
HELD = frozenset({"hospital_school", "datacentre_games"})
"""Authors that are neither learned from nor chosen with."""
PLANTED = frozenset({"written_channels"})
"""Incident channels in which secrets were written to be found."""
FEWEST = 2
STRENGTH = 0.5


def without_secrets() -> list[dict[str, Any]]:
    """What is said in incidents that speaks of something of which secrets are told as well, and tells none."""
    said = (message["text"] for file in training_files() if file.stem not in PLANTED for message in messages_of(file))
    return [{"text": text, "secret": ""} for text in dict.fromkeys(said) if SPEAKS_OF.search(text)]


def messages_of(file: Path) -> Iterator[dict[str, Any]]:
    """The messages of channels, or single ones."""
    for line in read_lines(file):
        yield from line.get("messages", [line])


def learn(rows: Sequence[dict[str, Any]]) -> Model:
    """Learn from what authors wrote: ``text`` and the ``secret`` that it tells, empty for none."""
    seen: list[set[str]] = []
    told: list[bool] = []
    for row in rows:
        spot = row["text"].find(row["secret"]) if row["secret"] else -1
        at = 0
        for line in row["text"].split("\n"):
            words = words_of(line)
            for place, word in enumerate(words):
                seen.append(set(features(words, place, line)))
                told.append(spot >= 0 and spot < at + word.end and at + word.start < spot + len(row["secret"]))
            at += len(line) + 1
    counts = Counter(name for one in seen for name in one)
    vocabulary = {name: n for n, name in enumerate(sorted(name for name, k in counts.items() if k >= FEWEST))}
    rows_of = [sorted(vocabulary[name] for name in one if name in vocabulary) for one in seen]
    starts = np.cumsum([0, *map(len, rows_of)])
    matrix = csr_matrix(
        (np.ones(starts[-1]), np.concatenate(rows_of).astype(int), starts), shape=(len(seen), len(vocabulary))
    )
    fitted = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0, max_iter=300).fit(matrix, told)
    return Model(vocabulary, fitted.coef_[0].astype(np.float32), float(fitted.intercept_[0]))


def main() -> None:
    """Train and write."""
    files = [file for file in sorted(DATA.glob("*.jsonl")) if file.stem not in HELD]
    rows = [row for file in files for row in read_lines(file)]
    model = learn([*rows, *without_secrets()])
    np.savez_compressed(
        WEIGHTS, features="\n".join(model.vocabulary), weights=model.weights.astype(np.float16), offset=model.offset
    )


if __name__ == "__main__":
    main()
