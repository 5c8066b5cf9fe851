"""A code index as two layers: a base, and the files that changed since, which stand in place of the base's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.compressed_lines import pack
from workers.sources.code.index_columns import Columns, Ints
from workers.sources.code.posting_lists import Array, Terms

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Layered:
    """Postings of two layers, units of the upper one numbered after those of the lower one.

    ``alive``: which units of the lower layer still count.
    """

    lower: Terms
    upper: Terms
    alive: Bools

    def get(self, term: str) -> tuple[Array, Array]:
        """As `Postings.get`."""
        units, counts = self.lower.get(term)
        kept = self.alive[units]
        more, their = self.upper.get(term)
        return (
            np.concatenate([units[kept], more + len(self.alive)]),
            np.concatenate([counts[kept], their]),
        )

    def has(self, term: str) -> bool:
        """As `Postings.has`."""
        return self.upper.has(term) or bool(self.alive[self.lower.get(term)[0]].any())

    @property
    def routes(self) -> list[str]:
        """As `Postings.routes`."""
        return sorted({*self.upper.routes, *(r for r in self.lower.routes if self.has(r))})

    @cached_property
    def lengths(self) -> Array:
        """As `Postings.lengths`; 0 for units that do not count."""
        return np.concatenate([self.lower.lengths * self.alive[:, None], self.upper.lengths])


class Both(Sequence[str]):
    """The strings of the lower layer, then those of the upper one."""

    def __init__(self, lower: Sequence[str], upper: Sequence[str]) -> None:
        self.lower, self.upper, self.size = lower, upper, len(lower)

    def __len__(self) -> int:
        return self.size + len(self.upper)

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> list[str]: ...

    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[n] for n in range(*i.indices(len(self)))]
        return self.lower[i] if i < self.size else self.upper[i - self.size]


@dataclass(frozen=True)
class Layers(Columns):
    """Two layers as one index.

    Files, chunks and definitions of ``container`` (what changed) are numbered after those of ``base``. A file of the
    base that is gone or changed keeps its number, has an empty path, and is in nothing that can be found.
    """

    base: Columns

    @cached_property
    def upper(self) -> Columns:
        """What changed, by itself."""
        return Columns(self.container)

    @cached_property
    def alive_files(self) -> Bools:
        """Which files of the base still stand."""
        alive = np.ones(len(self.base.paths), bool)
        alive[self.container.arrays["dropped"]] = False
        return alive

    @cached_property
    def alive(self) -> Bools:
        """Which chunks of the base still stand."""
        kept: Bools = self.alive_files[self.base.file_of]
        return kept

    @property
    def standing(self) -> tuple[int, int]:
        """How many files and chunks there are to be found."""
        files, chunks = self.upper.standing
        return int(self.alive_files.sum()) + files, int(self.alive.sum()) + chunks

    @cached_property
    def paths(self) -> list[str]:
        """Path of each file; empty for one that is gone."""
        kept = zip(self.base.paths, self.alive_files.tolist(), strict=True)
        return [path if alive else "" for path, alive in kept] + self.upper.paths

    @cached_property
    def chunks(self) -> Ints:
        """File, first and last line of each chunk."""
        return np.concatenate([self.base.chunks, self.upper.chunks + np.array([len(self.base.paths), 0, 0], np.int32)])

    @cached_property
    def kinds(self) -> Ints:
        """Kind of each file."""
        return np.concatenate([self.base.kinds, self.upper.kinds])

    @cached_property
    def words(self) -> Terms:
        """Terms of chunks."""
        return Layered(self.base.words, self.upper.words, self.alive)

    @cached_property
    def path_words(self) -> Terms:
        """Terms of paths."""
        return Layered(self.base.path_words, self.upper.path_words, self.alive_files)

    @cached_property
    def told(self) -> Terms:
        """What commits said of files."""
        return Layered(self.base.told, self.upper.told, self.alive_files)

    @cached_property
    def often(self) -> Ints:
        """How often each file was changed, in all and lately."""
        return np.concatenate([self.base.often, self.upper.often])

    def vectors(self, chunks: Ints) -> NDArray[np.int8]:
        """The directions of some chunks."""
        size = len(self.base.chunks)
        low = chunks < size
        lower, upper = self.base.vectors(chunks[low]), self.upper.vectors(chunks[~low] - size)
        out = np.empty((len(chunks), lower.shape[1]), np.int8)
        out[low], out[~low] = lower, upper
        return out

    @cached_property
    def definition_rows(self) -> Ints:
        """Chunk, kind, first and last line of each definition."""
        shift = np.array([len(self.base.chunks), 0, 0, 0], np.int32)
        return np.concatenate([self.base.definition_rows, self.upper.definition_rows + shift])

    @cached_property
    def names(self) -> Sequence[str]:
        """Name of each definition."""
        return Both(self.base.names, self.upper.names)

    @cached_property
    def scopes(self) -> Sequence[str]:
        """Scope of each definition."""
        return Both(self.base.scopes, self.upper.scopes)

    def defined(self, name: str) -> list[int]:
        """Definitions of a spelling-free name."""
        rows, size = self.base.definition_rows, len(self.base.names)
        kept = [i for i in self.base.defined(name) if self.alive[rows[i, 0]]]
        return kept + [size + i for i in self.upper.defined(name)]

    def packed(self, file: int) -> bytes:
        """All lines of a file, compressed; none of one that is gone."""
        size = len(self.base.paths)
        if file >= size:
            return self.upper.packed(file - size)
        return self.base.packed(file) if self.alive_files[file] else pack([])

    @cached_property
    def routes(self) -> list[tuple[str, int, int]]:
        """Registered endpoints as written, with file and line."""
        size, alive = len(self.base.paths), self.alive_files
        kept = [row for row in self.base.routes if alive[row[1]]]
        return kept + [(route, size + f, n) for route, f, n in self.upper.routes]
