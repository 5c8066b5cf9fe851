"""An inverted index in numpy arrays: term -> units, with one count a field.

A unit is a chunk of code, a file's path or a section of a document. Counts are kept raw, so that the weights of
fields belong to the query and not to the index.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
NAMES = ("terms", "offsets", "units", "counts", "lengths")
BLOCK = 32
KEPT = 4_096
COUNT = 8  # bits of a count
MOST = 255


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

    @property
    def texts(self) -> list[bytes]:
        """All terms, in order."""
        return self.terms.tobytes().split(b"\n")[:-1]

    @cached_property
    def number_of(self) -> Callable[[str], int | None]:
        """Position of a term: the first term of every block is kept, of the rest only what was asked for lately."""
        ends = np.flatnonzero(self.terms == ord("\n"))
        starts = [0, *(ends[BLOCK - 1 : -1 : BLOCK] + 1).tolist(), len(self.terms)]
        firsts = [self.terms[a:b].tobytes() for a, b in zip(starts, ends[::BLOCK].tolist(), strict=False)]

        @lru_cache(maxsize=KEPT)
        def find(term: str) -> int | None:
            wanted = term.encode()
            block = bisect_right(firsts, wanted) - 1
            if block < 0:
                return None
            inside = self.terms[starts[block] : starts[block + 1]].tobytes().split(b"\n")[:-1]
            at = bisect_left(inside, wanted)
            return block * BLOCK + at if at < len(inside) and inside[at] == wanted else None

        return find

    def get(self, term: str) -> tuple[Array, Array]:
        """Units that hold a term and their counts by field; both empty when there is none."""
        i = self.number_of(term)
        if i is None:
            return self.units[:0], self.counts[:0]
        span = slice(self.offsets[i], self.offsets[i + 1])
        return self.units[span], self.counts[span]

    def has(self, term: str) -> bool:
        """Whether a unit holds a term."""
        return self.number_of(term) is not None

    @cached_property
    def routes(self) -> list[str]:
        """Terms that are endpoints, sorted."""
        return [term.decode() for term in self.texts if term.startswith(b"/")]

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
        self.counts: list[Array] = []
        self.owners: list[int] = []

    def add(self, unit: int, field: int, words: Iterable[str]) -> None:
        """Count words in one field of a unit."""
        counted = Counter(words)
        self.ids.append(np.fromiter(map(self.numbers.__getitem__, counted), np.int32, len(counted)))
        self.counts.append(np.fromiter(counted.values(), np.int32, len(counted)))
        self.owners.append(unit * self.fields + field)

    def postings(self, size: int, expand: Callable[[str], tuple[str, ...]]) -> Postings:
        """The index of ``size`` units; ``expand`` turns one word into its terms and is asked once a word."""
        sizes = np.array([len(ids) for ids in self.ids], np.int64)
        owners = np.repeat(np.array(self.owners, np.int64), sizes)
        words = np.concatenate([*self.ids, np.empty(0, np.int32)])
        counts = np.concatenate([*self.counts, np.empty(0, np.int32)])
        terms = Numbering()
        expanded = [[terms[t] for t in expand(w)] for w in self.numbers]
        lengths = np.fromiter(map(len, expanded), np.int64, len(expanded))
        flat = np.fromiter((t for ts in expanded for t in ts), np.int64, int(lengths.sum()))
        term = flat[spread(np.cumsum(lengths) - lengths, words, lengths)]
        owner, count = np.repeat(owners, lengths[words]), np.repeat(counts, lengths[words])
        total = np.bincount(owner, count, size * self.fields).astype(np.int32).reshape(size, self.fields)
        return invert([t.encode() for t in terms], term, owner, count, total)


def spread(starts: Array, chosen: Array, sizes: Array) -> Array:
    """Positions of all items of the chosen rows of a ragged array, in order."""
    n = sizes[chosen]
    ends = np.cumsum(n)
    positions: Array = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts[chosen] - (ends - n), n)
    return positions


def invert(names: list[bytes], term: Array, owner: Array, count: Array, lengths: Array) -> Postings:
    """Sort (term, owner, count) rows into `Postings`; rows of the same two are added up.

    Args:
        names: each term by its number; no term twice.
        owner: a unit and a field as one number, ``unit * fields + field``.
        lengths: see `Postings`.
    """
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.uint64)
    rank[order] = np.arange(len(names))
    bits = int(lengths.size).bit_length()
    if bits + len(names).bit_length() > 64 - COUNT:
        raise ValueError("more terms and units than one index can hold")
    key = (rank[term] << np.uint64(bits + COUNT)) | (owner.astype(np.uint64) << np.uint64(COUNT))
    key |= np.minimum(count, MOST).astype(np.uint64)
    key.sort()  # of plain numbers: much faster than to order one array by another
    value, key = (key & np.uint64(MOST)).astype(np.int32), key >> np.uint64(COUNT)
    starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1]))) if len(key) else np.empty(0, np.int64)
    value = np.minimum(np.add.reduceat(value, starts), MOST) if len(key) else value
    owned = (key[starts] & np.uint64((1 << bits) - 1)).astype(np.int64)
    kinds = (key[starts] >> np.uint64(bits)).astype(np.int64)
    unit, field = np.divmod(owned, lengths.shape[1])
    fresh = np.concatenate(([True], (unit[1:] != unit[:-1]) | (kinds[1:] != kinds[:-1])))[: len(unit)]
    table = np.zeros((int(fresh.sum()), lengths.shape[1]), np.uint8)
    table[np.cumsum(fresh) - 1, field] = value
    return Postings(
        terms=np.frombuffer(b"".join([names[i] + b"\n" for i in order]), np.uint8),
        offsets=np.searchsorted(kinds[fresh], np.arange(len(names) + 1)).astype(np.int64),
        units=unit[fresh].astype(np.int32),
        counts=table,
        lengths=lengths,
    )


def combine(parts: Sequence[tuple[Postings, Array]], size: int, fields: int) -> Postings:
    """Join indexes into one of ``size`` units.

    Args:
        parts: postings, each with the new number of every unit of it, -1 for one that is dropped.
        size: how many units there are in the end.
        fields: how many fields all parts have.
    """
    names = sorted({t for postings, mapping in parts for t in used(postings, mapping)})
    numbers = {name: i for i, name in enumerate(names)}
    known = [np.array([numbers.get(t, -1) for t in postings.texts], np.int64) for postings, _ in parts]
    lengths = np.zeros((size, fields), np.int32)
    for postings, mapping in parts:
        lengths[mapping[mapping >= 0]] += postings.lengths[mapping >= 0]
    kept = np.concatenate([np.empty(0, np.int64), *(m[m >= 0] for _, m in parts)])
    if (kept[1:] > kept[:-1]).all():
        return chain(names, [(p, m, ids) for (p, m), ids in zip(parts, known, strict=True)], lengths)
    term, owner, count = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.uint8)]
    for (postings, mapping), ids in zip(parts, known, strict=True):
        new, terms = mapping[postings.units], np.repeat(ids, np.diff(postings.offsets))
        for field in range(fields):
            rows = np.flatnonzero((new >= 0) & (postings.counts[:, field] > 0))
            term.append(terms[rows])
            owner.append(new[rows] * fields + field)
            count.append(postings.counts[rows, field])
    return invert(names, np.concatenate(term), np.concatenate(owner), np.concatenate(count), lengths)


def used(postings: Postings, mapping: Array) -> list[bytes]:
    """The terms of units that are kept."""
    if (mapping >= 0).all():
        return postings.texts
    kept = np.concatenate([[0], np.cumsum(mapping[postings.units] >= 0)])[postings.offsets]
    return [t for t, n in zip(postings.texts, np.diff(kept).tolist(), strict=True) if n]


def chain(names: list[bytes], parts: Sequence[tuple[Postings, Array, Array]], lengths: Array) -> Postings:
    """Join indexes whose units come one after the other, which needs no sorting.

    Args:
        names: all terms, sorted.
        parts: postings, the new number of every unit, and the number of every term.
        lengths: see `Postings`.
    """
    rows = []
    total = np.zeros(len(names) + 1, np.int64)
    for postings, mapping, known in parts:
        new, local = mapping[postings.units], np.repeat(np.arange(len(known)), np.diff(postings.offsets))
        kept, ids = new >= 0, known[known >= 0]
        each = np.bincount(local[kept], minlength=len(known))[known >= 0]
        total[ids + 1] += each
        rows.append((new[kept], postings.counts[kept], ids, each))
    offsets = np.cumsum(total)
    free = offsets[:-1].copy()
    units = np.empty(offsets[-1], np.int32)
    counts = np.empty((offsets[-1], lengths.shape[1]), np.uint8)
    for new, their, ids, each in rows:
        place = spread(free[ids], np.arange(len(ids)), each)
        units[place], counts[place] = new, their
        free[ids] += each
    return Postings(np.frombuffer(b"".join([n + b"\n" for n in names]), np.uint8), offsets, units, counts, lengths)


def idf(size: int, found: int) -> float:
    """How much a term says that ``found`` of ``size`` units hold."""
    return float(np.log(1 + (size - found + 0.5) / (found + 0.5)))


class Numbering(dict[str, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number
