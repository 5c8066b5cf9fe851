"""What is known of a file for a question, as numbers: the input of `learned`.

Every number is about one candidate file. Shares are of the question's rarity: 1.0 is a file that holds every word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.file_parsing import DEFINITION
from workers.sources.code.index_columns import Columns
from workers.sources.code.path_words import FOLDER, STEM
from workers.sources.code.ranking import Parts, Weights
from workers.sources.code.word_vectors import SCALE, vector_of
from workers.sources.terms.query_terms import Query
from workers.sources.terms.synonyms import ALTERNATES

Floats = NDArray[np.float64]
Ints = NDArray[Any]

MOST = {"scores": 50, "path": 12, "told": 20}
ASKS = re.compile(r"(?<!\s)\s*(how|what|where|which|when|why|who|does|do|is|are|can|should)\b", re.IGNORECASE)
RELATIVE = (
    "plain", "defined", "whole", "whole_dense", "path", "names", "def_chunk", "def_file", "file_share", "chunk_share",
    "union_share", "told", "stem_share", "alt_share",
)  # fmt: skip
OF_QUESTIONS = ("told_top", "often", "lately", "size", "stem_cover", "score_top")
WANTED = " wanted"
ASKED_FOR = ("test", "config", "doc", "example")
OF_LENGTH = ("score_top", "stem_cover", "told_top", "names")


@dataclass(frozen=True)
class Rows:
    """Counts of the question's terms (rows) in the chunks and paths of the candidate files.

    ``chunks`` are the candidates' chunks, file after file; ``starts`` where each file begins in them.
    """

    files: Ints
    chunks: Ints
    starts: Ints
    rarity: Floats
    body: Floats
    names: Floats
    others: Floats
    stems: Floats
    folders: Floats
    told: Floats

    def best(self, by_chunk: Floats) -> Floats:
        """The largest value of each file."""
        out: Floats = np.maximum.reduceat(by_chunk, self.starts, axis=-1)
        return out

    def sum(self, by_chunk: Floats) -> Floats:
        """The sum over each file."""
        out: Floats = np.add.reduceat(by_chunk, self.starts, axis=-1)
        return out


def candidates(parts: Parts, best: Floats) -> Ints:
    """Numbers of the files worth weighing: the best by the score, by their paths and by what commits said of them."""
    by_file = {"scores": best, "path": parts.path * parts.priors, "told": parts.told * parts.priors}
    chosen = []
    for name, values in by_file.items():
        most = min(MOST[name], len(values))
        top = np.argpartition(-values, most - 1)[:most]
        chosen.append(top[values[top] > 0])
    return np.unique(np.concatenate(chosen))


def look_up(units: Ints, counts: Ints, wanted: Ints) -> Ints:
    """Counts of the wanted units in one posting list, zeros where it does not have them."""
    if not len(units):
        return np.zeros((len(wanted), counts.shape[1]), np.uint8)
    at = np.searchsorted(units, wanted)
    at[at == len(units)] = 0
    found: Ints = counts.take(at, axis=0)
    found[units.take(at) != wanted] = 0
    return found


def read_rows(index: Columns, query: Query, parts: Parts, files: Ints) -> Rows:
    """Fetch all counts that the features are made of."""
    first = index.file_starts[files]
    sizes = index.file_starts[files + 1] - first
    starts = np.cumsum(sizes) - sizes
    chunks = (np.repeat(first - starts, sizes) + np.arange(int(sizes.sum()))).astype(np.int32)
    files = files.astype(np.int32)  # as in the postings: of another type, `look_up` would copy those
    n = len(query.terms)
    body, names, others = (np.zeros((n, len(chunks))) for _ in range(3))
    stems, folders, told = (np.zeros((n, len(files))) for _ in range(3))
    for i, term in enumerate(query.terms):
        counts = look_up(*index.words.get(term), chunks)
        body[i], names[i] = counts[:, 0], counts[:, DEFINITION]
        for other in ALTERNATES.get(term, ()):
            others[i] += look_up(*index.words.get(other), chunks)[:, 0]
        counts = look_up(*index.path_words.get(term), files)
        stems[i], folders[i] = counts[:, STEM] > 0, counts[:, FOLDER] > 0
        told[i] = look_up(*index.told.get(term), files)[:, 0]
    rarity = np.array(list(parts.rarity.values())) / parts.total
    return Rows(files, chunks, starts, rarity, body, names, others, stems, folders, told)


def describe(index: Columns, query: Query, parts: Parts, rows: Rows) -> dict[str, Floats]:
    """All features of the candidate files by name."""
    files = rows.files
    out = score_features(parts, rows)
    out |= word_features(index, query, rows, out["score_top"])
    out |= name_features(index, query, parts, rows)
    out |= meaning_features(index, query, rows)
    out |= file_features(index, files)
    out |= {f"{name} / best": out[name] / (out[name].max() or 1.0) for name in RELATIVE}
    asks, length = bool(ASKS.match(query.text)), min(len(query.terms), 12) / 8
    out |= {f"{name} asked": out[name] * asks for name in OF_QUESTIONS}
    out |= {f"{name} by length": out[name] * length for name in OF_LENGTH}
    kinds = index.kinds[files]
    named = query.named_kinds
    out |= {kind: ((kinds == i) & (kind not in named)).astype(float) for i, kind in enumerate(KINDS)}
    wanted = {kind: ((kinds == KINDS.index(kind)) & (kind in query.wants)).astype(float) for kind in ASKED_FOR}
    asked_for = sum(wanted.values())  # what is asked for counts as much as code
    out["code"] += asked_for
    out["language"] = np.where(asked_for > 0, out["language"].max(), out["language"])
    out |= {f"{kind}{WANTED}": value for kind, value in wanted.items()}
    return out


def score_features(parts: Parts, rows: Rows) -> dict[str, Floats]:
    """The present score of a file's best chunk, how it stands among the others, and its other chunks."""
    by_chunk = parts.scores[rows.chunks]
    best = rows.best(by_chunk)
    top = best.max() or 1.0
    rank = np.empty(len(best))
    rank[np.argsort(-best, kind="stable")] = np.arange(len(best))
    owner = np.repeat(np.arange(len(best)), np.diff(np.append(rows.starts, len(by_chunk))))
    rest = np.where(by_chunk == best[owner], 0.0, by_chunk)
    return {
        "score": best,
        "score_top": best / top,
        "rank": np.log1p(rank),
        "second": rows.best(rest) / top,
        "good": np.log1p(rows.sum((by_chunk > 0.5 * top).astype(float))),
        "told": parts.told[rows.files],
        "told_top": parts.told[rows.files] / (parts.told.max() or 1.0),
        "prior": parts.priors[rows.files],
    }


def word_features(index: Columns, query: Query, rows: Rows, score_top: Floats) -> dict[str, Floats]:
    """How much of the question stands in a file, its best chunk, its definitions, its path and its commits."""
    worth, weights = rows.rarity, Weights()
    norm = 1 - weights.b + weights.b * index.chunk_lengths[rows.chunks]
    present, named = rows.body > 0, rows.names > 0
    in_file, named_in_file = rows.best(present.astype(float)), rows.best(named.astype(float))
    either = np.maximum(rows.stems, rows.folders)
    by_name = worth @ named
    precision = named.sum(0) / np.maximum(index.words.lengths[rows.chunks, DEFINITION], 1)
    counts, size = rows.sum(rows.body), index.file_lengths[rows.files]
    rare = int(np.argmax(worth)) if len(worth) else 0
    strong = np.array([w == 1.0 for w in query.terms.values()])
    stems, folders = (np.maximum(index.path_words.lengths[rows.files, i], 1) for i in (STEM, FOLDER))
    weighed = rows.body + weights.definition * rows.names
    return {
        "plain": rows.best(worth @ (rows.body / (rows.body + 1.2 * norm))),
        "defined": rows.best(worth @ (weighed / (weighed + 2.0 * norm))),
        "chunk_share": rows.best(worth @ present),
        "file_share": worth @ in_file,
        "alt_share": worth @ rows.best((present | (rows.others > 0)).astype(float)),
        "alt_chunk": rows.best(worth @ (present + 0.5 * (~present & (rows.others > 0)))),
        "def_chunk": rows.best(by_name),
        "def_file": worth @ named_in_file,
        "def_precision": rows.best(by_name * np.minimum(precision, 1.0)),
        "stem_cover": np.minimum(rows.stems.sum(0) / stems, 1.0),
        "folder_cover": rows.folders.sum(0) / folders,
        "stem_share": worth @ rows.stems,
        "folder_share": worth @ rows.folders,
        "path_share": worth @ either,
        "union_share": worth @ np.maximum(in_file, either),
        "whole": worth @ (counts / (counts + 6.0 * (0.7 + 0.3 * size))),
        "whole_dense": worth @ (counts / (counts + 1.5 * (0.3 + 0.7 * size))),
        "told_share": worth @ (rows.told > 0),
        "rare_file": in_file[rare] if len(worth) else score_top * 0,
        "rare_def": named_in_file[rare] if len(worth) else score_top * 0,
        "rare_path": either[rare] if len(worth) else score_top * 0,
        "matched": in_file[strong].mean(0) if strong.any() else score_top * 0,
    }


def name_features(index: Columns, query: Query, parts: Parts, rows: Rows) -> dict[str, Floats]:
    """Identifiers, endpoints, paths and quotations of the question."""
    names, routes = parts.names[rows.chunks], parts.routes[rows.chunks]
    none = np.zeros(len(rows.files))
    acronym, compound, defines = none.copy(), none.copy(), none.copy()
    for initials in query.acronyms:
        acronym = np.maximum(acronym, look_up(*index.path_words.get(stem(initials)), rows.files)[:, STEM] > 0)
    for joined in query.compounds:
        units, counts = index.words.get(f"={joined}")
        if len(units):
            compound += rows.best((look_up(units, counts, rows.chunks)[:, 0] > 0).astype(float))
        found = index.defined(joined)
        if found:
            defines += rows.best(np.isin(rows.chunks, index.definition_rows[found, 0]).astype(float))
    return {
        "names": rows.best(names),
        "names_file": np.minimum(rows.sum(names), 5.0),
        "path": parts.path[rows.files],
        "routes": rows.best(routes),
        "files": parts.files[rows.files],
        "phrase": rows.best(parts.phrases[rows.chunks]),
        "acronym": acronym,
        "compound": compound,
        "compound_def": defines,
    }


def meaning_features(index: Columns, query: Query, rows: Rows) -> dict[str, Floats]:
    """How near a file's nearest chunk is to what the question means, whatever its words."""
    asked = vector_of(term for term, weight in query.terms.items() if weight == 1.0)
    near = rows.best((index.vectors(rows.chunks) @ asked / SCALE).astype(float))
    rank = np.empty(len(near))
    rank[np.argsort(-near, kind="stable")] = np.arange(len(near))
    return {"near": near, "near_top": near - near.max(), "near_rank": np.log1p(rank)}


def file_features(index: Columns, files: Ints) -> dict[str, Floats]:
    """What a file is, whatever the question."""
    traits = index.traits[files]
    return {
        "size": np.log1p(index.file_starts[files + 1] - index.file_starts[files]),
        "length": np.log(index.file_lengths[files] + 1e-3),
        "depth": traits[:, 0],
        "language": traits[:, 1],
        "namesakes": traits[:, 2],
        "definitions": traits[:, 3],
        "mentions": traits[:, 4],
        "often": np.log1p(index.often[files, 0]),
        "lately": np.log1p(index.often[files, 1]),
    }
