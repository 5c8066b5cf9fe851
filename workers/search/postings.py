"""An inverted index in numpy arrays: term -> units, with one count a field.

A unit is a chunk of code, a file's path or a section of a document. Counts are kept raw, so that the weights of
fields belong to the query and not to the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
NAMES = ("terms", "offsets", "units", "counts", "lengths")
UNIT = 32


class Terms(Protocol):
    """What can be asked of an inverted index."""

    def get(self, term: str) -> tuple[Array, Array]:
        """Units that hold a term and their counts by field; both empty when there is none."""
        ...

    def has(self, term: str) -> bool:
        """Whether a unit holds a term."""
        ...

    @property
    def routes(self) -> list[str]:
        """Terms that are endpoints, sorted."""
        ...

    @property
    def lengths(self) -> Array:
        """Terms in each unit, one column a field."""
        ...


@dataclass(frozen=True)
class Postings:
    """Sorted terms with their units.

    ``terms``: UTF-8 of all terms, sorted, each ended by a line feed; ``offsets``: n + 1 positions in ``units``;
    ``units``: ascending within a term; ``counts``: one row a posting, one column a field (capped at 255);
    ``lengths``: terms in each unit, one column a field.
    """

    terms: Array
    offsets: Array
    units: Array
    counts: Array
    lengths: Array

    @property
    def size(self) -> int:
        """How many units there are."""
        return len(self.lengths)

    @cached_property
    def numbers(self) -> dict[bytes, int]:
        """Position of each term."""
        return {term: i for i, term in enumerate(self.terms.tobytes().split(b"\n")[:-1])}

    def get(self, term: str) -> tuple[Array, Array]:
        """Units that hold a term and their counts by field; both empty when there is none."""
        i = self.numbers.get(term.encode())
        if i is None:
            return self.units[:0], self.counts[:0]
        span = slice(self.offsets[i], self.offsets[i + 1])
        return self.units[span], self.counts[span]

    def has(self, term: str) -> bool:
        """Whether a unit holds a term."""
        return term.encode() in self.numbers

    @cached_property
    def routes(self) -> list[str]:
        """Terms that are endpoints, sorted."""
        return [term.decode() for term in self.numbers if term.startswith(b"/")]

    def arrays(self, prefix: str) -> dict[str, Array]:
        """Named arrays for `store.write_container`."""
        return {f"{prefix}.{n}": getattr(self, n) for n in NAMES}


def from_arrays(arrays: Mapping[str, Array], prefix: str) -> Postings:
    """The inverse of `Postings.arrays`."""
    return Postings(*(arrays[f"{prefix}.{n}"] for n in NAMES))


class WordCounter:
    """Collects the words of units by field, then makes an index of them."""

    def __init__(self, fields: int) -> None:
        self.fields = fields
        self.numbers = Numbering()
        self.ids: list[Array] = []
        self.owners: list[tuple[int, int]] = []

    def add(self, unit: int, field: int, words: Sequence[str]) -> None:
        """Count words in one field of a unit."""
        self.ids.append(np.fromiter(map(self.numbers.__getitem__, words), np.int64, len(words)))
        self.owners.append((unit, field))

    def postings(self, size: int, expand: Callable[[str], tuple[str, ...]]) -> Postings:
        """The index of ``size`` units; ``expand`` turns one word into its terms and is asked once a word."""
        owners = np.array([unit * self.fields + field for unit, field in self.owners], np.int64)
        sizes = np.array([len(ids) for ids in self.ids], np.int64)
        words = np.concatenate([*self.ids, np.empty(0, np.int64)])
        where, counts = unique_counts(words | (np.repeat(owners, sizes) << UNIT))
        terms = Numbering()
        expanded = [[terms[t] for t in expand(w)] for w in self.numbers]
        lengths = np.fromiter(map(len, expanded), np.int64, len(expanded))
        flat = np.fromiter((t for ts in expanded for t in ts), np.int64, int(lengths.sum()))
        word = where & ((1 << UNIT) - 1)
        term = flat[spread(np.cumsum(lengths) - lengths, word, lengths)]
        owner = np.repeat(where >> UNIT, lengths[word])
        count = np.repeat(counts, lengths[word])
        return invert(list(terms), term, owner // self.fields, owner % self.fields, count, size, self.fields)


def spread(starts: Array, chosen: Array, sizes: Array) -> Array:
    """Positions of all items of the chosen rows of a ragged array, in order."""
    n = sizes[chosen]
    ends = np.cumsum(n)
    positions: Array = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts[chosen] - (ends - n), n)
    return positions


def invert(names: list[str], term: Array, unit: Array, field: Array, count: Array, size: int, fields: int) -> Postings:
    """Sort (term, unit, field, count) rows into `Postings`; rows of the same three are added up."""
    order = sorted(range(len(names)), key=lambda i: names[i].encode())
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    lengths = np.zeros((size, fields), np.int32)
    np.add.at(lengths, (unit, field), count)
    key = (rank[term] << UNIT) | unit
    by_key = np.argsort(key, kind="stable")
    key = key[by_key]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1]))) if len(key) else np.empty(0, np.int64)
    row = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(key))))
    table = np.zeros((len(first), fields), np.int32)
    np.add.at(table, (row, field[by_key]), count[by_key])
    offsets = np.searchsorted(key[first] >> UNIT, np.arange(len(names) + 1))
    raw = [names[i].encode() + b"\n" for i in order]
    return Postings(
        terms=np.frombuffer(b"".join(raw), np.uint8),
        offsets=offsets.astype(np.int64),
        units=(key[first] & ((1 << UNIT) - 1)).astype(np.int32),
        counts=np.minimum(table, 255).astype(np.uint8),
        lengths=lengths,
    )


def combine(parts: Sequence[tuple[Postings, Array]], size: int, fields: int) -> Postings:
    """Join indexes into one of ``size`` units.

    Args:
        parts: postings, each with the new number of every unit of it, -1 for one that is dropped.
        size: how many units there are in the end.
        fields: how many fields all parts have.
    """
    names = Numbering()
    term, unit, counts = [], [], []
    for postings, mapping in parts:
        new = mapping[postings.units]
        kept = new >= 0
        texts = postings.terms.tobytes().decode().split("\n")[:-1]
        local = np.repeat(np.arange(len(texts)), np.diff(postings.offsets))[kept]
        used = np.zeros(len(texts), bool)
        used[local] = True
        ids = np.fromiter((names[t] if u else -1 for t, u in zip(texts, used, strict=True)), np.int64, len(texts))
        term.append(ids[local])
        unit.append(new[kept].astype(np.int64))
        counts.append(postings.counts[kept])
    rows = np.concatenate(counts) if counts else np.empty((0, fields), np.uint8)
    row, field = np.nonzero(rows)
    joined = invert(
        list(names),
        np.concatenate(term)[row],
        np.concatenate(unit)[row],
        field,
        rows[row, field].astype(np.int32),
        size,
        fields,
    )
    lengths = np.zeros((size, fields), np.int32)
    for postings, mapping in parts:
        lengths[mapping[mapping >= 0]] = postings.lengths[mapping >= 0]
    return Postings(joined.terms, joined.offsets, joined.units, joined.counts, lengths)


def idf(size: int, found: int) -> float:
    """How much a term says that ``found`` of ``size`` units hold."""
    return float(np.log(1 + (size - found + 0.5) / (found + 0.5)))


class Numbering(dict[str, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number


def unique_counts(keys: Array) -> tuple[Array, Array]:
    """Sorted distinct keys and how often each occurs."""
    if not len(keys):
        return keys, np.empty(0, np.int32)
    keys = np.sort(keys)
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[first], np.diff(np.append(first, len(keys))).astype(np.int32)
