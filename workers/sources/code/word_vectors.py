"""What words mean, as static vectors: a chunk is the mean of its words, and a question is held against it.

The vectors of single words come from a sentence encoder that was run over its own vocabulary once
(``python -m bench.search.distil``); nothing of it is needed here. What is common to all words is taken out, frequent
words count less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.posting_lists import Array, Postings

TABLE = Path(__file__).with_name("vectors.npz")
SCALE = 127.0
BLOCK = 4_000  # rows of vectors that stay in the cache
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Words:
    """``numbers``: row of each term in ``vectors``."""

    numbers: dict[bytes, int]
    vectors: Floats


@cache
def words() -> Words:
    """The table of all known words."""
    with np.load(TABLE) as stored:
        terms = stored["terms"].tobytes().split(b"\n")
        return Words({t: i for i, t in enumerate(terms)}, stored["vectors"].astype(np.float32) / SCALE)


def vector_of(terms: Iterable[str]) -> Floats:
    """The direction of a question; zeros when no word is known."""
    table = words()
    known = [table.numbers[t.encode()] for t in terms if t.encode() in table.numbers]
    total: Floats = normed(table.vectors[known].sum(0)[None])[0]
    return total


def chunk_vectors(chunks: Postings, paths: Postings, file_of: Array) -> NDArray[np.int8]:
    """The direction of every chunk with the words of its path, times 127; one row a chunk."""
    return rounded(sums(chunks) + sums(paths)[file_of])


def directions(units: Postings) -> NDArray[np.int8]:
    """The direction of every unit, times 127; one row a unit."""
    return rounded(sums(units))


def rounded(rows: Floats) -> NDArray[np.int8]:
    """Directions in a byte a number."""
    out: NDArray[np.int8] = np.rint(normed(rows) * SCALE).astype(np.int8)
    return out


def sums(postings: Postings) -> Floats:
    """The vectors of the words of each unit, summed by the logarithm of how often they occur."""
    table = words()
    rows = np.array([table.numbers.get(t, -1) for t in postings.terms.tobytes().split(b"\n")[:-1]], np.int32)
    of_posting = np.repeat(rows, np.diff(postings.offsets))
    known = np.flatnonzero(of_posting >= 0)
    known = known[np.argsort(postings.units[known], kind="stable")]
    out = np.zeros((postings.size, table.vectors.shape[1]), np.float32)
    for at in range(0, len(known), BLOCK):
        some = known[at : at + BLOCK]
        units = postings.units[some]
        often = np.log1p(postings.counts[some].sum(1, dtype=np.float32))
        starts = np.flatnonzero(np.diff(units, prepend=-1))
        out[units[starts]] += np.add.reduceat(table.vectors[of_posting[some]] * often[:, None], starts)
    return out


def normed(rows: Floats) -> Floats:
    """Rows of length 1; those of length 0 stay."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    out: Floats = (rows / np.where(length > 0, length, 1.0)).astype(np.float32)
    return out
