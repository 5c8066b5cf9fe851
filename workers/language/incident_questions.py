"""Tells what a question in an incident's channel asks of its summary: a linear model over words, pairs and letters.

As `question_kinds`: `train_incident_questions` learns it from ``incident_questions.yaml``, where ``none`` is every
question that has to be looked into instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from workers.language.question_kinds import features

WEIGHTS = Path(__file__).with_name("incident_questions.npz")
LEAST_SCORE, LEAST_LEAD = 0.3, 0.15
"""A question is one of the summary's only with such a score, and so far before the next kind."""
GRAM = 4
"""Letters of a run: they know a word by its parts, and through a typing mistake."""
IncidentQuestion = Literal["status", "lead", "cause", "actions", "since", "decisions", "impact"]
LETTERS = re.compile(r"[a-z]+")
KINDS: tuple[str, ...] = (*get_args(IncidentQuestion), "none")


@dataclass(frozen=True)
class IncidentQuestionModel:
    """Weights: one row a feature, one column for each of `KINDS`."""

    vocabulary: Mapping[str, int]
    idf: NDArray[np.float32]
    weights: NDArray[np.float32]

    def scores(self, text: str) -> dict[str, float]:
        """One score a kind, around 1 for a sure one and around 0 for the rest."""
        values = vectorise(text, self.vocabulary, self.idf) @ self.weights
        return {kind: float(value) for kind, value in zip(KINDS, values, strict=True)}


def marks_of(text: str) -> set[str]:
    """Stems and their pairs, how the question begins, and runs of letters (``~stat``)."""
    letters = f" {' '.join(LETTERS.findall(text.lower()))} "
    grams = {f"~{letters[i : i + GRAM]}" for i in range(len(letters) - GRAM + 1)}
    return {f for f in features(text) if f.count("_") <= 1} | grams


def vectorise(text: str, vocabulary: Mapping[str, int], idf: NDArray[np.float32]) -> NDArray[np.float32]:
    """A text as a row at unit length, unknown words included: a question of many of them is near to nothing."""
    found = marks_of(text)
    row = np.zeros(len(vocabulary), dtype=np.float32)
    known = [vocabulary[f] for f in found if f in vocabulary]
    row[known] = idf[known]
    strange = sum(f.isalpha() and f not in vocabulary for f in found)
    length = float(np.sqrt(np.square(row).sum() + strange * np.square(idf.max(initial=1.0))))
    return row / (length or 1.0)


@lru_cache(maxsize=1)
def load_model() -> IncidentQuestionModel:
    """Read the weights once."""
    with np.load(WEIGHTS, allow_pickle=False) as data:
        return IncidentQuestionModel(
            vocabulary={word: i for i, word in enumerate(str(data["words"]).split("\n"))},
            idf=data["idf"].astype(np.float32),
            weights=data["weights"].astype(np.float32),
        )


def classify_incident_question(text: str) -> IncidentQuestion | None:
    """What a question asks of the summary of its channel's incident; None when that is not clear, or nothing."""
    return decide(load_model().scores(text))


def decide(scores: Mapping[str, float]) -> IncidentQuestion | None:
    """The kind with the highest score, when it is high and clear."""
    best, next_best = sorted(scores, key=lambda kind: -scores[kind])[:2]
    clear = scores[best] >= LEAST_SCORE and scores[best] - scores[next_best] >= LEAST_LEAD
    return next((kind for kind in get_args(IncidentQuestion) if kind == best), None) if clear else None
