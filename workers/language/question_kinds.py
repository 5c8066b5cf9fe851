"""Tells kinds of question apart: a linear model over words, word pairs, parts of words, and how much is said.

Ridge regression on one-against-all targets: `train_question_kinds` learns each model from labelled examples, a few
hundred kilobytes.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.language.taught_examples import TaughtExamples, adjusted, taught

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
NAMES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), f" {word} ")
    for pattern, word in (
        (r"[\"“][^\"“”\n]{3,}[\"”]", "xquotex"),
        (r"#[A-Za-z][\w-]*", "xtagx"),
        (r"\b(?:GET|POST|PUT|PATCH|DELETE)\b", "xverbx"),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?\b|\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b", "xaddressx"),
        (r"\b[\w-]+\.(?:md|py|go|js|ts|java|ya?ml|json|sql|tf|txt|csv|toml|kt|rb|proto|sh)\b", "xfilex"),
        (r"\b(?:[01]?\d|2[0-3]):[0-5]\d\b", "xtimex"),
        (r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", "xconstx"),
        (r"\b\w+(?:\.\w+)*\(\)|\b[a-z]+[A-Z]\w*(?:\.\w+)*\b", "xcodex"),
        (r"\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\w*\b", "xcamelx"),
        (r"\b(?=(?:[\w-]{0,30}?\d){3})(?=[\w-]{0,30}[A-Za-z])\w{1,40}(?:[-_]\w{1,40}){1,9}\b|\b\d{5,}\b", "xidx"),
        (
            r"\b[a-z]+(?:-[a-z]+)*-(?:service|api|gateway|worker|proxy|router|engine|server|store|scheduler)\b",
            "xservicex",
        ),
    )
)
"""Names in a question that say what kind of thing is asked about, whatever its name is."""
PART = 4
"""Letters of the parts of words."""
BLOCKS = {"words": 1.0, "parts": 0.3, "form": 1.0}
"""How much each kind of feature weighs."""
SHARPNESS = 12.0
"""Of the scores' softmax: calibrated on authors who were not learned from, see ``bench/README.md``."""
SHORT, MOST_UNKNOWN = (3, 5, 8, 12), 3
"""Words of a question that says little, in steps; so many words that no example shares are many."""


@dataclass(frozen=True, eq=False)
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


def masked_words(text: str) -> list[str]:
    """The words of a question, names and accents taken off: `NAMES` as what they are."""
    for pattern, word in NAMES:
        text = pattern.sub(word, text)
    folded = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return plain_words("".join(c for c in folded if not unicodedata.combining(c)))


def features(text: str) -> set[str]:
    """Stems, their pairs, how the question begins and ends, and parts of its words, which start with a colon."""
    plain = masked_words(text)
    words = [stem(word) for word in plain]
    if not words:
        return set()
    pairs = {f"{first}_{second}" for first, second in pairwise(words)}
    spaced = f" {' '.join(plain)} "
    parts = {f":{spaced[i : i + PART]}" for i in range(len(spaced) - PART + 1)}
    return {*words, *pairs, f"^{words[0]}", f"^{'_'.join(words[:2])}", f"${words[-1]}", *parts}


def form(found: Iterable[str], vocabulary: Container[str]) -> set[str]:
    """How much is said, of the `features` of a question: few words, and how many of them no example shares."""
    words = [f for f in found if f.isalpha() or f == "?"]
    unknown = min(sum(f not in vocabulary for f in words), MOST_UNKNOWN)
    return {f"#unknown{unknown}", *(f"#short{most}" for most in SHORT if len(words) <= most)}


FORMS = (*(f"#unknown{n}" for n in range(MOST_UNKNOWN + 1)), *(f"#short{most}" for most in SHORT))
"""All features of `form`."""


def weigh(
    text: str, vocabulary: Mapping[str, int], idf: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The places of a text's known features, and their weights: each block of them at its length, without zeros."""
    found = features(text)
    parts = {f for f in found if f[0] == ":"}
    blocks = {"words": found - parts, "parts": parts, "form": form(found, vocabulary)}
    places, values = [], []
    for name, block in blocks.items():
        rows = np.array(sorted(vocabulary[f] for f in block if f in vocabulary), dtype=np.int64)
        weights = idf[rows]
        places.append(rows)
        values.append(BLOCKS[name] * weights / (np.linalg.norm(weights) or 1.0))
    return np.concatenate(places), np.concatenate(values).astype(np.float32)


def weights_file(name: str) -> Path:
    """Where the weights of a model stand."""
    return Path(__file__).with_name(f"{name}.npz")


def load_model(name: str = QUESTIONS) -> KindModel:
    """A model, read once, that of questions with what a team taught. Raises: OSError: there are no weights."""
    model = read_once(name)
    return taught_model(model, taught()) if name == QUESTIONS else model


@lru_cache(maxsize=16)
def read_once(name: str) -> KindModel:
    """A model as it is shipped."""
    return read_model(weights_file(name))[0]


@lru_cache(maxsize=2)
def taught_model(model: KindModel, examples: TaughtExamples) -> KindModel:
    """A model with the kinds that a team taught."""
    return with_taught(model, [pair for pair in examples.kinds if pair[1] in model.kinds])


def with_taught(model: KindModel, examples: Sequence[tuple[str, str]]) -> KindModel:
    """A model with further examples of its kinds, which count at once."""
    rows = [weigh(text, model.vocabulary, model.idf) for text, _ in examples]
    targets = np.full((len(rows), len(model.kinds)), -1 / (len(model.kinds) - 1))
    for row, (_, kind) in zip(targets, examples, strict=True):
        row[model.kinds.index(kind)] = 1
    scores = np.array([values @ model.weights[places] for places, values in rows]).reshape(targets.shape)
    return replace(model, weights=adjusted(model.weights, rows, targets - scores))


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


def probabilities(scores: Mapping[str, float]) -> dict[str, float]:
    """How likely each kind is by its score; they sum up to 1."""
    values = np.exp(SHARPNESS * np.array(list(scores.values())))
    return {kind: float(v) for kind, v in zip(scores, values / values.sum(), strict=True)}


def likeliest_of(kinds: Mapping[str, float]) -> str:
    """The likeliest kind of question."""
    return max(kinds, key=lambda kind: kinds[kind])
