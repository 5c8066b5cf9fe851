"""Tells kinds of question apart: a linear model over words, word pairs and parts of words.

Ridge regression on one-against-all targets: `train_question_kinds` learns each model from the YAML file of labelled
examples that stands beside its weights, a few hundred kilobytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem

QUESTIONS = "question_kinds"
"""The model of all questions."""
SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), f" {word} ")
    for pattern, word in (
        (r"\b[\w.+-]+@[\w-]+\.\w+", "xemailx"),
        (r"\b[0-9a-f]{8}-[0-9a-f-]{20,}\b", "xidx"),
        (r"\b(?:req|txn|trc|trace|run|job|msg|ord|order)[_-]\w*\d\w*", "xreqx"),
        (r"\b(?:u|usr|user|cust|acct|tenant|org|key)[_-]\w*\d\w*", "xuserx"),
        (r"(?<![\w.])v?\d+(?:\.\d+)+\b|\bv\d+\b", "xversionx"),
        (r"\b[0-9a-f]{12,}\b", "xidx"),
        (r"(?<![\w./])/[a-z_{][\w{}:./-]*", "xpathx"),
        (r"`[^`]+`", "xcodex"),
        (r"\b\w+_\w+\b", "xcodex"),
        (r"\b[a-z]*\d[\w-]{4,}\b", "xidx"),
        (r"\b\d+(?:\.\d+)?\b", "xnumx"),
    )
)
CONTRACTED = re.compile(r"\b(what|where|who|how|why|when|that|it|there)'?s\b")
PARTS = (4, 5)
"""Letters of the parts of words."""


@dataclass(frozen=True)
class KindModel:
    """Weights: one row a feature, one column a kind. ``words``: by kind the stems that its examples share."""

    kinds: tuple[str, ...]
    vocabulary: Mapping[str, int]
    idf: NDArray[np.float32]
    weights: NDArray[np.float32]
    words: Mapping[str, frozenset[str]]

    def scores(self, text: str) -> dict[str, float]:
        """One score a kind, around 1 for a sure one and below 0 for the rest."""
        rows, values = weigh(text, self.vocabulary, self.idf)
        found = values @ self.weights[rows]
        return {kind: float(v) for kind, v in zip(self.kinds, found, strict=True)}


def plain_words(text: str) -> list[str]:
    """The words of a question, ids and paths as their shape."""
    plain = CONTRACTED.sub(r"\1 is", text.lower().replace("’", "'"))
    for pattern, word in SHAPES:
        plain = pattern.sub(word, plain)
    return re.findall(r"[a-z]+|\?", plain)


def stems_of(text: str) -> list[str]:
    """The stems of a question's words, in order."""
    return [stem(word) for word in plain_words(text)]


def features(text: str) -> set[str]:
    """Stems, their pairs and triples, how the question begins, and parts of its words."""
    plain = plain_words(text)
    words = [stem(word) for word in plain]
    if not words:
        return set()
    grams = {*words, *runs(words, 2), *runs(words, 3), f"^{words[0]}", f"^{'_'.join(words[:2])}"}
    spaced = f" {' '.join(plain)} "
    return grams | {f":{spaced[i : i + n]}" for n in PARTS for i in range(len(spaced) - n + 1)}


def runs(words: list[str], size: int) -> Iterable[str]:
    """Runs of so many words."""
    return ("_".join(words[i : i + size]) for i in range(len(words) - size + 1))


def weigh(
    text: str, vocabulary: Mapping[str, int], idf: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The places of a text's known features, and their weights: a row at unit length without its zeros."""
    rows = np.array([vocabulary[f] for f in features(text) if f in vocabulary], dtype=np.int64)
    values = idf[rows]
    values = values / (np.linalg.norm(values) or 1.0)
    return rows, values


def weights_file(name: str) -> Path:
    """Where the weights of a model stand."""
    return Path(__file__).with_name(f"{name}.npz")


@lru_cache(maxsize=8)
def load_model(name: str = QUESTIONS) -> KindModel:
    """Read the weights once. Raises: OSError: there are none."""
    return read_model(weights_file(name))[0]


def read_model(file: Path) -> tuple[KindModel, str]:
    """The model of a file, and the fingerprint of the examples that it was learned from."""
    with file.open("rb") as raw, np.load(raw, allow_pickle=False) as data:
        kinds = tuple(str(data["kinds"]).split("\n"))
        words = str(data["words"]).split("\n")
        model = KindModel(
            kinds=kinds,
            vocabulary={feature: i for i, feature in enumerate(str(data["features"]).split("\n"))},
            idf=data["idf"].astype(np.float32),
            weights=data["weights"].astype(np.float32),
            words={kind: frozenset(line.split()) for kind, line in zip(kinds, words, strict=True)},
        )
        return model, str(data["fingerprint"])


def read_fingerprint(file: Path) -> str:
    """The fingerprint of the examples that a file's model was learned from, without reading the model."""
    with file.open("rb") as raw, np.load(raw, allow_pickle=False) as data:
        return str(data["fingerprint"])


def write_model(file: Path, model: KindModel, fingerprint: str) -> None:
    """Write the weights in half precision; all of the file or nothing, whoever else writes it. Raises: OSError."""
    part = file.with_name(f"{file.stem}.{os.getpid()}.part.npz")
    np.savez_compressed(
        part,
        kinds="\n".join(model.kinds),
        features="\n".join(model.vocabulary),
        words="\n".join(" ".join(sorted(model.words[kind])) for kind in model.kinds),
        idf=model.idf.astype(np.float16),
        weights=model.weights.astype(np.float16),
        fingerprint=fingerprint,
    )
    part.replace(file)


def score_kinds(text: str, name: str = QUESTIONS) -> dict[str, float]:
    """The score of each kind."""
    return load_model(name).scores(text)
