"""Scores chunks for a question: BM25 over fields, with what names and paths say on top."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.language.tokens import NAME_PARTS, WORD, joined, routes_in
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.file_parsing import BODY, DEFINITION
from workers.sources.code.http_routes import resolve_route
from workers.sources.code.index_columns import Columns
from workers.sources.code.path_words import FOLDER, STEM
from workers.sources.code.posting_lists import idf
from workers.sources.code.syntax_tree import KINDS as KINDS_OF_DEFINITION
from workers.sources.terms.query_terms import Query
from workers.sources.terms.synonyms import ALTERNATES

LOOK_AT = 60
FURTHER_CHUNK_FACTOR = 0.7
"""What a further chunk of a file is worth beside the one before it."""
FIRST_FILES = 5
MOST_HANDLERS = 3
SETTINGS = [KINDS_OF_DEFINITION.index(k) for k in ("constant", "key")]
Floats = NDArray[np.float64]
Ints = NDArray[Any]


@dataclass(frozen=True)
class Weights:
    """All constants of the ranking; found by trial on questions made from docstrings and commit subjects."""

    k1: float = 2.0
    b: float = 0.7
    definition: float = 4.0
    file_k1: float = 6.0
    file_b: float = 0.3
    whole_file: float = 1.1
    told_k1: float = 1.5
    told_b: float = 0.6
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
    handler: float = 0.6
    setting: float = 0.8
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
    wanted_config: float = 1.2


@dataclass(frozen=True)
class Parts:
    """What each part of the ranking says, as shares of what the question is worth.

    ``scores``: all parts of a chunk together, 0 where nothing matches, about 0 to 3, the same scale for all questions.
    ``names``, ``routes`` and ``phrases`` by chunk; ``path``, ``files`` and ``told`` by file; ``priors``: a factor for
    every file. ``rarity``: what each term is worth, ``total`` all of them.
    """

    scores: Floats
    names: Floats
    routes: Floats
    phrases: Floats
    path: Floats
    files: Floats
    told: Floats
    priors: Floats
    rarity: dict[str, float]
    total: float


def score_parts(index: Columns, query: Query, weights: Weights) -> Parts:
    """Score every chunk and file."""
    files = len(index.paths)
    scores, whole = np.zeros(len(index.chunks)), np.zeros(files)
    most_files, most = index.standing
    file_norm = weights.file_k1 * (1 - weights.file_b + weights.file_b * index.file_lengths)
    rarity: dict[str, float] = {}
    for term, weight in query.terms.items():
        units, tf, held = term_counts(index, term, weights)
        rarity[term] = weight * idf(most, held)
        if not len(units):
            continue
        norm = weights.k1 * (1 - weights.b) + weights.k1 * weights.b * index.chunk_lengths.take(units)
        np.add.at(scores, units, rarity[term] * tf / (tf + norm))  # `scores[units] += ...` takes twice as long
        file_tf = np.bincount(index.file_of.take(units), tf, files)
        rare = weight * idf(most_files, int(np.count_nonzero(file_tf)))
        whole += rare * file_tf / (file_tf + file_norm)
    total = sum(rarity.values()) or 1.0
    path = score_paths(index, query, weights, rarity) / total
    names = score_names(index, query, weights, rarity) / total
    routes = score_routes(index, query, weights)
    named = score_files(index, query)
    factor = priors(weights, index.kinds, query)
    scores /= total
    scores += names
    scores += (weights.whole_file * whole / total + path + weights.file * named).take(index.file_of)
    if query.routes:
        scores += routes
    phrases = score_phrases(index, query, weights, scores)
    if query.phrases:
        scores += phrases
    scores *= factor.take(index.file_of)
    told = score_told(index, query, weights) / total
    return Parts(scores, names, routes, phrases, path, named, told, factor, rarity, total)


def restrict(index: Columns, parts: Parts, path: str) -> Parts:
    """The parts of files whose path begins so; nothing of the others."""
    allowed = np.array([p.startswith(path) for p in index.paths])
    by_chunk = parts.scores * allowed[index.file_of]
    return replace(parts, scores=by_chunk, path=parts.path * allowed, told=parts.told * allowed)


def score_phrases(index: Columns, query: Query, weights: Weights, scores: Floats) -> Floats:
    """Those of the best chunks that hold quoted text word for word."""
    out = np.zeros(len(scores))
    if query.phrases:
        best = np.argpartition(-scores, min(LOOK_AT, len(scores)) - 1)[:LOOK_AT]
        for i in best[scores[best] > 0].tolist():
            text = index.text_of(i).lower()
            out[i] = weights.phrase * sum(phrase in text for phrase in query.phrases)
    return out


def score_told(index: Columns, query: Query, weights: Weights) -> Floats:
    """What commits said of files, a file at a time."""
    files = len(index.paths)
    scores = np.zeros(files)
    for term, weight in query.terms.items():
        units, counts = index.told.get(term)
        if len(units):
            tf = counts[:, 0].astype(np.float64)
            norm = 1 - weights.told_b + weights.told_b * index.told_lengths[units]
            scores[units] += weight * idf(files, len(units)) * tf / (tf + weights.told_k1 * norm)
    return scores


def term_counts(index: Columns, term: str, weights: Weights) -> tuple[Ints, Floats, int]:
    """Chunks that hold a term or another spelling of it, its weighted count there, and how many hold the term."""
    found, counts = index.words.get(term)
    units, tf = found.astype(np.intp), weigh(counts, weights)
    others = [index.words.get(o) for o in ALTERNATES.get(term, ())]
    if weights.alternate and any(len(u) for u, _ in others):
        dense = np.zeros(len(index.chunks))
        dense[units] = tf
        for spelt, their in others:
            np.add.at(dense, spelt.astype(np.intp), weights.alternate * weigh(their, weights))
        units = np.flatnonzero(dense)
        tf = dense.take(units)
    return units, tf, len(found)


def weigh(counts: Ints, weights: Weights) -> Floats:
    """Counts by field as one number."""
    weighed: Floats = counts[:, BODY] + weights.definition * counts[:, DEFINITION]
    return weighed


def score_paths(index: Columns, query: Query, weights: Weights, rarity: dict[str, float]) -> Floats:
    """What file names and folders say, a file at a time."""
    files = len(index.paths)
    scores, hits = np.zeros(files), np.zeros(files)
    for term, worth in rarity.items():
        units, counts = index.path_words.get(term)
        if len(units):
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
        found = rows[index.defined(compound)]
        scores[found[:, 0]] += weights.exact * biggest  # once for each chunk, however often it stands there
        if "config" in query.wants:
            scores[found[np.isin(found[:, 1], SETTINGS), 0]] += weights.setting * biggest
    for word in query.words:
        scores[rows[index.defined(word.lower()), 0]] += weights.word * rarity.get(stem(word.lower()), 0.0)
    for name in query.names:
        *scope, last = NAME_PARTS.split(name)
        scores[index.words.get(f"={joined(last)}")[0]] += weights.written * biggest
        for i in index.defined(joined(last)):
            fits = not scope or joined(scope[-1]) == joined(index.scopes[i].rpartition(".")[2])
            scores[rows[i, 0]] += weights.named * biggest * (1.0 if fits else 0.3)
    return scores


def score_routes(index: Columns, query: Query, weights: Weights) -> Floats:
    """Chunks that hold an endpoint of the question, or define what is named on the line that holds it."""
    scores = np.zeros(len(index.chunks))
    for route in query.routes:
        known = resolve_route(index.words, index.registered, route)
        units = index.words.get(known)[0] if known else ()
        for unit in units:
            scores[unit] = weights.route * (1.0 if known == route else 0.7)
        for handler in handlers(index, [int(u) for u in units[:LOOK_AT]], known or route):
            scores[handler] = max(scores[handler], weights.handler)
    return scores


def handlers(index: Columns, units: list[int], route: str) -> set[int]:
    """Chunks of the functions and classes that are named where code registers an endpoint."""
    out: set[int] = set()
    for unit in units:
        if KINDS[int(index.kinds[index.file_of[unit]])] != "code":
            continue
        for line in index.text_of(unit).split("\n"):
            if "/" in line and route in routes_in(line):
                for word in dict.fromkeys(WORD.findall(line)):
                    found = [i for i in index.defined(joined(word)) if index.names[i] == word]
                    if 0 < len(found) <= MOST_HANDLERS:
                        out.update(int(c) for c in index.definition_rows[found, 0])
    return out


def score_files(index: Columns, query: Query) -> Floats:
    """1 for files whose path ends with a path of the question, half for those in a folder of it."""
    scores = np.zeros(len(index.paths))
    for folder in query.folders:
        named = f"/{folder.lower()}"
        for file, _ in index.files_with(f"{named}/"):
            scores[file] = 0.5
        for ending in (".", "\n"):  # the same, of a module without its suffix
            for file, before in index.files_with(named + ending):
                if "." not in before + named:
                    scores[file] = 0.5
    for name in query.files:
        for file, _ in index.files_with(f"/{name.lower()}\n"):
            scores[file] = 1.0
    return scores


def priors(weights: Weights, kinds: NDArray[np.int32], query: Query) -> Floats:
    """A factor for every file, from its kind; a kind that the question asks for or may mean is not held down."""
    known, named = {f.name for f in fields(weights)}, query.named_kinds
    table = [1.0 if k in named or k not in known else float(getattr(weights, k)) for k in KINDS]
    if "config" in query.wants:
        table[KINDS.index("config")] = weights.wanted_config
    return np.array(table)[kinds]


def best_chunks(index: Columns, chunks: Ints, scores: Floats, k: int) -> list[tuple[int, float]]:
    """The k best of some chunks with their scores; each further one of a file is worth less; ties by number."""
    taken: dict[int, int] = {}
    out: list[tuple[int, float]] = []
    for at in np.argsort(-scores, kind="stable"):
        if len(taken) == k or scores[at] <= 0:  # what follows is lower than the first chunks of k files
            break
        file = int(index.file_of[chunks[at]])
        before = taken.get(file, 0)
        taken[file] = before + 1
        out.append((int(chunks[at]), float(scores[at]) * FURTHER_CHUNK_FACTOR**before))
    return sorted(out, key=lambda row: -row[1])[:k]


def first_files(index: Columns, chunks: Ints, scores: Floats) -> dict[int, int]:
    """The first `FIRST_FILES` files by their best chunks -> their rank from 0."""
    order = (int(index.file_of[chunks[at]]) for at in np.argsort(-scores, kind="stable") if scores[at] > 0)
    return {file: rank for rank, file in enumerate(islice(dict.fromkeys(order), FIRST_FILES))}
