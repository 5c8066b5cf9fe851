"""Tells kinds of question apart: a linear model over words, word pairs and cue patterns.

Ridge regression on one-against-all targets: `train_question_kinds` learns it from ``question_kinds.yaml`` and writes
the weights beside this file, a few hundred kilobytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.contracts import QuestionType
from workers.language.question_cues import COMPILED
from workers.language.stems import stem

WEIGHTS = Path(__file__).with_name("question_kinds.npz")
CUE_WEIGHT = 0.6
SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), f" {word} ")
    for pattern, word in (
        (r"\b[\w.+-]+@[\w-]+\.\w+", "xemailx"),
        (r"\b[0-9a-f]{8}-[0-9a-f-]{20,}\b", "xidx"),
        (r"\b(?:req|txn|trc|trace|run|job|msg|ord|order)[_-]\w*\d\w*", "xreqx"),
        (r"\b(?:u|usr|user|cust|acct|tenant|org|key)[_-]\w*\d\w*", "xuserx"),
        (r"\b[0-9a-f]{12,}\b", "xidx"),
        (r"(?<![\w./])/[a-z_{][\w{}:./-]*", "xpathx"),
        (r"`[^`]+`", "xcodex"),
        (r"\b\w+_\w+\b", "xcodex"),
        (r"\b[a-z]*\d[\w-]{4,}\b", "xidx"),
        (r"\b\d+(?:\.\d+)?\b", "xnumx"),
    )
)
CONTRACTED = re.compile(r"\b(what|where|who|how|why|when|that|it|there)'?s\b")


@dataclass(frozen=True)
class KindModel:
    """Weights: one row a feature (words, then cues), one column a kind."""

    kinds: tuple[QuestionType, ...]
    vocabulary: Mapping[str, int]
    idf: NDArray[np.float32]
    weights: NDArray[np.float32]

    def scores(self, text: str) -> dict[QuestionType, float]:
        """One score a kind, around 1 for a sure one and below 0 for the rest."""
        row = vectorise(text, self.vocabulary, self.idf)
        values = row @ self.weights
        return {kind: float(v) for kind, v in zip(self.kinds, values, strict=True)}


def features(text: str) -> set[str]:
    """Stems, their pairs and triples, and how the question begins; ids and paths as their shape."""
    plain = CONTRACTED.sub(r"\1 is", text.lower().replace("’", "'"))
    for pattern, word in SHAPES:
        plain = pattern.sub(word, plain)
    words = [stem(word) for word in re.findall(r"[a-z]+|\?", plain)]
    grams = {*words, *pairs(words, 2), *pairs(words, 3)}
    return grams | {f"^{words[0]}", f"^{'_'.join(words[:2])}"} if words else grams


def pairs(words: list[str], size: int) -> Iterable[str]:
    """Runs of so many words."""
    return ("_".join(words[i : i + size]) for i in range(len(words) - size + 1))


def vectorise(text: str, vocabulary: Mapping[str, int], idf: NDArray[np.float32]) -> NDArray[np.float32]:
    """A text as a row: its known words at unit length, then its cues."""
    row = np.zeros(len(vocabulary) + len(COMPILED), dtype=np.float32)
    known = [vocabulary[f] for f in features(text) if f in vocabulary]
    row[known] = idf[known]
    row /= np.linalg.norm(row) or 1.0
    row[len(vocabulary) :] = [CUE_WEIGHT if cue.search(text) else 0.0 for cue in COMPILED]
    return row


@lru_cache(maxsize=1)
def load_model() -> KindModel:
    """Read the weights once."""
    with np.load(WEIGHTS, allow_pickle=False) as data:
        words = str(data["words"]).split("\n")
        return KindModel(
            kinds=tuple(str(data["kinds"]).split("\n")),
            vocabulary={word: i for i, word in enumerate(words)},
            idf=data["idf"].astype(np.float32),
            weights=data["weights"].astype(np.float32),
        )


def score_kinds(text: str) -> dict[QuestionType, float]:
    """The score of each kind."""
    return load_model().scores(text)


def classify(text: str) -> QuestionType:
    """The kind with the highest score."""
    scores = score_kinds(text)
    return max(scores, key=lambda kind: scores[kind])
