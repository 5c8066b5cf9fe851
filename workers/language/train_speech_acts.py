"""Learns `speech_acts` from its channels: ``python -m workers.language.train_speech_acts``.

One logistic regression an act (scikit-learn, for development only), the same weights each time. Authors in ``HELD`` are
never read here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import Pattern
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from workers.language.sentences import WORD, sentences_of
from workers.language.speech_acts import ACTS, WEIGHTS, Row, Said, features, names_pattern, weigh, without_names

DATA = Path(__file__).parent / "data" / "speech_acts"
HELD = frozenset({"airline_shipping", "press_ml_platform"})
"""Authors that are neither learned from nor chosen with."""
MERGED = {
    "state_investigating": ("investigating",),
    "state_identified": ("cause",),
    "state_mitigated": ("mitigated",),
    "state_monitoring": ("monitoring",),
    "state_resolved": ("resolved",),
    "state_again": ("again",),
    "state_false_alarm": ("false_alarm",),
    "accept": ("commitment",),
    "task_self": ("commitment",),
    "task_done": ("done",),
    "deed": ("done", "deed"),
}
"""Labels of the data that the model does not tell apart, or under other names."""
FEWEST = 3
"""So many sentences must share a feature."""
STRENGTH = 4.0


@dataclass(frozen=True)
class Example:
    """A sentence of a channel. ``acts``: what it does; ``message``: which of all messages it stands in."""

    said: Said
    acts: frozenset[str]
    author: str
    message: int


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The channels or single messages of one author."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def training_files() -> list[Path]:
    """The files of all authors that are learned from, of channels and of single messages."""
    return [file for file in sorted(DATA.rglob("*.jsonl")) if file.stem not in HELD]


def examples_of(files: Sequence[Path]) -> list[Example]:
    """The sentences of all channels, each with the acts whose words it holds."""
    found: list[Example] = []
    number = 0
    for file in files:
        for line in read_lines(file):
            before = {"text": line.get("before", "")}
            names = names_pattern(message["who"] for message in line.get("messages", ()))
            for message in line.get("messages", [line]):
                found += sentences_in(message, before, file.stem, number, names)
                before, number = message, number + 1
    return found


def sentences_in(
    message: dict[str, Any], before: dict[str, Any], author: str, number: int, names: Pattern[str] | None
) -> Iterator[Example]:
    """The sentences of one message."""
    sentences = sentences_of(message["text"])
    words = [Counter(w.lower() for w in WORD.findall(f"{s.heading} {s.text}")) for s in sentences]
    acts: list[set[str]] = [set() for _ in sentences]
    for act in message["acts"] if sentences else ():
        name, span = (act, "") if isinstance(act, str) else (act["act"], act.get("span", ""))
        wanted = Counter(w.lower() for w in WORD.findall(span or message["text"]))
        best = max(range(len(sentences)), key=lambda n: ((wanted & words[n]).total(), -n))
        acts[best].update(MERGED.get(name, (name,)))
    for place, one in enumerate(sentences):
        yield Example(
            Said(
                text=without_names(one.text, names),
                heading=one.heading,
                bot=bool(message.get("bot")),
                before=without_names(sentences[place - 1].text if place else str(before.get("text", "")), names),
                inside=place > 0,
                own="who" in before and before["who"] == message["who"],
                by_bot=bool(before.get("bot")),
            ),
            frozenset(acts[place]),
            author,
            number,
        )


@dataclass(frozen=True)
class Learned:
    """Weights before they are rounded."""

    vocabulary: dict[str, int]
    idf: Row
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def probabilities(self, examples: Sequence[Example]) -> NDArray[np.float64]:
        """One row an example, one column an act."""
        scores = matrix(examples, self.vocabulary, self.idf) @ self.weights + self.offsets
        return np.asarray(1.0 / (1.0 + np.exp(-scores)))


def learn(examples: Sequence[Example]) -> Learned:
    """Learn from some sentences."""
    counts = Counter(
        f"{block}:{name}" for one in examples for block, names in features(one.said).items() for name in names
    )
    kept = sorted(name for name, n in counts.items() if n >= FEWEST)
    idf = np.array([math.log(1 + len(examples) / counts[name]) for name in kept], dtype=np.float32)
    vocabulary = {name: place for place, name in enumerate(kept)}
    rows = matrix(examples, vocabulary, idf)
    weights, offsets = np.zeros((len(kept), len(ACTS))), np.zeros(len(ACTS))
    for place, act in enumerate(ACTS):
        does = np.array([act in one.acts for one in examples])
        fitted = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0, max_iter=300).fit(rows, does)
        weights[:, place], offsets[place] = fitted.coef_[0], fitted.intercept_[0]
    return Learned(vocabulary, idf, weights, offsets)


def matrix(examples: Sequence[Example], vocabulary: dict[str, int], idf: Row) -> csr_matrix:
    """The features of all sentences."""
    rows = [weigh(one.said, vocabulary, idf) for one in examples]
    starts = np.cumsum([0, *(len(places) for places, _ in rows)])
    return csr_matrix(
        (np.concatenate([v for _, v in rows]), np.concatenate([p for p, _ in rows]), starts),
        shape=(len(rows), len(vocabulary)),
    )


def fingerprint() -> str:
    """Changes when the channels do: the stored weights must carry the same."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in training_files())).hexdigest()[:16]


def main() -> None:
    """Train and write."""
    examples = examples_of(training_files())
    learned = learn(examples)
    scale = np.abs(learned.weights).max(axis=0) / 127.0
    np.savez_compressed(
        WEIGHTS,
        features="\n".join(learned.vocabulary),
        idf=learned.idf.astype(np.float16),
        weights=np.rint(learned.weights / scale).astype(np.int8),
        scale=scale.astype(np.float32),
        offsets=learned.offsets.astype(np.float32),
        fingerprint=fingerprint(),
    )


if __name__ == "__main__":
    main()
