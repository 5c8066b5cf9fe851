"""Tells what a passage about a company tells of: a lever of value, a risk or what went wrong, or neither.

Two models are summed: one of words, see `workers.language.question_kinds`, and, where the encoder is installed, one of
meaning: a passage is what the learned passages are that it lies near. `passage_training` learns the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.language.question_kinds import load_model
from workers.sources.documents.encoder import encode, has_encoder

MODEL = "deal_passages"
LEVER, RISK, OTHER = "lever", "risk", "other"
KINDS = (LEVER, RISK, OTHER)
SURE, SURE_IN_WORDS = 0.4, 0.25
"""Below this score of the best kind, with and without the encoder, a passage tells of neither; see ``bench``."""
WIDTH = 1.0
"""Of the bell around each learned passage: how far it is seen."""
SCALE = 127.0
FILE = Path(__file__).with_name("passage_meanings.npz")
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Meanings:
    """``passages``: the embedding of each learned one, a row; ``weights``: what it adds to each of `KINDS`."""

    passages: Floats
    weights: Floats

    def scores(self, embedding: Floats) -> Floats:
        """One score a kind, around 1 for a sure one."""
        out: Floats = nearness(embedding[None], self.passages)[0] @ self.weights
        return out


def nearness(some: Floats, others: Floats) -> Floats:
    """How near each row of length 1 is to each of others: 1 for the same, towards 0."""
    out: Floats = np.exp(-WIDTH * (2 - 2 * some @ others.T)).astype(np.float32)
    return out


@cache
def load_meanings() -> Meanings:
    """The model of meaning."""
    with np.load(FILE, allow_pickle=False) as data:
        return Meanings(data["passages"].astype(np.float32) / SCALE, data["weights"].astype(np.float32))


@lru_cache(maxsize=20_000)
def passage_kind(text: str, *, by_meaning: bool = True) -> str:
    """`LEVER` or `RISK`; empty for anything else, and where that is not sure. Words alone are quick."""
    meant = load_meanings().scores(encode([text])[0]) if by_meaning and has_encoder() else None
    return kind_by(load_model(MODEL).scores(text), meant)


def kind_by(in_words: Mapping[str, float], meant: Floats | None) -> str:
    """The kind that fits best by both models; empty where that is not sure, or it is neither."""
    scores = np.array([in_words[kind] for kind in KINDS], dtype=np.float32)
    scores, sure = (scores, SURE_IN_WORDS) if meant is None else (scores + meant, SURE)
    best = KINDS[int(scores.argmax())]
    return best if best != OTHER and scores.max() >= sure else ""
