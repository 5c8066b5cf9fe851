"""Scores chunks for a question: BM25 over fields, with what names and paths say on top."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.search.columns import Columns
from workers.search.files import KINDS
from workers.search.parse import BODY, FOLDER, STEM
from workers.search.postings import idf
from workers.search.query import Query
from workers.search.routes import resolve_route
from workers.search.tokens import NAME_PARTS, joined, stem
from workers.search.vocabulary import ALTERNATES

LOOK_AT = 60
Floats = NDArray[np.float64]
Ints = NDArray[Any]


@dataclass(frozen=True)
class Weights:
    """All constants of the ranking; found by trial on questions made from docstrings and commit subjects."""

    k1: float = 2.0
    b: float = 0.7
    comment: float = 0.25
    definition: float = 4.0
    file_k1: float = 6.0
    file_b: float = 0.3
    whole_file: float = 1.1
    stem: float = 0.63
    folder: float = 0.6
    covered_stem: float = 0.1
    exact: float = 0.1
    word: float = 0.2
    named: float = 1.0
    written: float = 0.8
    phrase: float = 1.0
    compound: float = 0.25
    route: float = 1.0
    alternate: float = 0.25
    acronym: float = 0.3
    file: float = 2.0
    test: float = 0.25
    example: float = 0.4
    doc: float = 0.35
    history: float = 0.25
    vendored: float = 0.4
    generated: float = 0.4
    config: float = 0.6
    other: float = 0.5
    wanted_config: float = 1.0


def score_chunks(index: Columns, query: Query, weights: Weights) -> Floats:
    """Score every chunk; 0 where nothing matches. The scale is about 0 to 3 and the same for all questions."""
    size, files = len(index.chunks), len(index.paths)
    chunk, whole, path = np.zeros(size), np.zeros(files), np.zeros(files)
    total = 0.0
    norm, file_norm = lengths(index, weights)
    rarity: dict[str, float] = {}
    for term, weight in query.terms.items():
        units, tf, held = term_counts(index, term, weights)
        rarity[term] = weight * idf(size, held)
        total += rarity[term]
        if not len(units):
            continue
        chunk[units] += rarity[term] * tf / (tf + weights.k1 * norm[units])
        file_tf = np.bincount(index.file_of[units], tf, files)
        whole += weight * idf(files, np.count_nonzero(file_tf)) * file_tf / (file_tf + weights.file_k1 * file_norm)
    if not total:
        total = 1.0
    scores = chunk / total + weights.whole_file * whole[index.file_of] / total
    path = score_paths(index, query, weights, rarity) / total
    scores += path[index.file_of]
    scores += score_names(index, query, weights, rarity) / total
    scores += weights.route * score_routes(index, query) + weights.file * score_files(index, query)[index.file_of]
    if query.phrases:
        boost_phrases(index, query, weights, scores)
    return scores * priors(weights, index.kinds, query.wants)[index.file_of]


def boost_phrases(index: Columns, query: Query, weights: Weights, scores: Floats) -> None:
    """Raise those of the best chunks that hold quoted text word for word."""
    for i in np.argsort(-scores)[:LOOK_AT].tolist():
        file, start, end = index.chunks[i].tolist()
        text = "\n".join(index.lines_of(file)[start - 1 : end]).lower()
        scores[i] += weights.phrase * sum(phrase in text for phrase in query.phrases)


def term_counts(index: Columns, term: str, weights: Weights) -> tuple[Ints, Floats, int]:
    """Chunks that hold a term or another spelling of it, its weighted count there, and how many hold the term."""
    units, counts = index.words.get(term)
    held = len(units)
    tf = weigh(counts, weights)
    others = [index.words.get(o) for o in ALTERNATES.get(term, ())]
    if weights.alternate and any(len(u) for u, _ in others):
        dense = np.zeros(len(index.chunks))
        dense[units] = tf
        for found, their in others:
            dense[found] += weights.alternate * weigh(their, weights)
        units = np.flatnonzero(dense)
        tf = dense[units]
    return units, tf, held


def weigh(counts: Ints, weights: Weights) -> Floats:
    """Counts by field as one number."""
    return counts @ np.array([1.0, weights.comment, weights.definition])


def lengths(index: Columns, weights: Weights) -> tuple[Floats, Floats]:
    """Length factors of chunks and of files."""
    chunk = index.words.lengths[:, BODY].astype(np.float64)
    file = np.bincount(index.file_of, chunk, len(index.paths))
    return (
        1 - weights.b + weights.b * chunk / max(chunk.mean(), 1.0),
        1 - weights.file_b + weights.file_b * file / max(file.mean(), 1.0),
    )


def score_paths(index: Columns, query: Query, weights: Weights, rarity: dict[str, float]) -> Floats:
    """What file names and folders say, a file at a time."""
    files = len(index.paths)
    scores, hits = np.zeros(files), np.zeros(files)
    for term in rarity:
        units, counts = index.path_words.get(term)
        if len(units):
            worth = rarity[term]
            scores[units] += worth * (weights.stem * (counts[:, STEM] > 0) + weights.folder * (counts[:, FOLDER] > 0))
            hits[units] += counts[:, STEM] > 0
    for name in query.acronyms:
        units, counts = index.path_words.get(stem(name))
        scores[units] += weights.acronym * max(rarity.values(), default=0.0) * (counts[:, STEM] > 0)
    covered = hits / np.maximum(index.path_words.lengths[:, STEM], 1)
    return scores * (1 + weights.covered_stem * covered)


def score_names(index: Columns, query: Query, weights: Weights, rarity: dict[str, float]) -> Floats:
    """Symbols that the question names, whole or as words in a row."""
    scores = np.zeros(len(index.chunks))
    biggest = max(rarity.values(), default=0.0)
    rows = index.definition_rows
    for compound in query.compounds:
        for spelling in (f"={compound}", stem(compound)):
            if spelling not in rarity:
                scores[index.words.get(spelling)[0]] += weights.compound * biggest
        chunks = rows[index.defined(compound), 0]
        scores[np.unique(chunks)] += weights.exact * biggest
    for word in query.words:
        chunks = rows[index.defined(word.lower()), 0]
        scores[np.unique(chunks)] += weights.word * rarity.get(stem(word.lower()), 0.0)
    for name in query.names:
        *scope, last = NAME_PARTS.split(name)
        scores[index.words.get(f"={joined(last)}")[0]] += weights.written * biggest
        for i in index.defined(joined(last)):
            fits = not scope or joined(scope[-1]) == joined(index.scopes[i].rpartition(".")[2])
            scores[rows[i, 0]] += weights.named * biggest * (1.0 if fits else 0.3)
    return scores


def score_routes(index: Columns, query: Query) -> Floats:
    """1 for chunks that hold an endpoint of the question, less when only its like is known."""
    scores = np.zeros(len(index.chunks))
    for route in query.routes:
        known = resolve_route(index.words, route)
        if known:
            scores[index.words.get(known)[0]] = 1.0 if known == route else 0.7
    return scores


def score_files(index: Columns, query: Query) -> Floats:
    """1 for files whose path ends with a path of the question, less when only the name or a folder agrees."""
    scores = np.zeros(len(index.paths))
    for wanted in query.files:
        low = wanted.lower()
        for i, path in enumerate(index.paths):
            own = path.lower()
            if own == low or own.endswith(f"/{low}"):
                scores[i] = 1.0
            elif f"/{low}/" in f"/{own}" or own.rpartition("/")[2].partition(".")[0] == low:
                scores[i] = max(scores[i], 0.5)
    return scores


def priors(weights: Weights, kinds: NDArray[np.int32], wants: frozenset[str]) -> Floats:
    """A factor for every file, from its kind; a kind that the question names is not held down."""
    known = {f.name for f in fields(weights)}
    table = [1.0 if k in wants or k not in known else float(getattr(weights, k)) for k in KINDS]
    if "config" in wants:
        table[KINDS.index("config")] = weights.wanted_config
    return np.array(table)[kinds]


def best_chunks(index: Columns, scores: Floats, k: int, per_file: int = 2) -> list[int]:
    """The k best chunks, at most two of a file; ties by path and line."""
    found = np.flatnonzero(scores > 0)
    order = found[np.argsort(-scores[found], kind="stable")]
    taken: dict[int, int] = {}
    out: list[int] = []
    for i in order.tolist():
        file = int(index.file_of[i])
        if taken.get(file, 0) < per_file:
            taken[file] = taken.get(file, 0) + 1
            out.append(i)
            if len(out) == k:
                break
    return out
