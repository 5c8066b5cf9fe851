"""The opened index: its columns as arrays and strings, and what can be asked of them without ranking."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from workers.language.tokens import route_term, terms_of
from workers.sources.code.array_file import Container, Texts
from workers.sources.code.compressed_lines import line_reader, unpack_lines
from workers.sources.code.file_kinds import KINDS as FILE_KINDS
from workers.sources.code.path_words import stem_of
from workers.sources.code.posting_lists import Terms, from_arrays
from workers.sources.code.syntax_tree import KINDS, Definition
from workers.sources.terms.programming_languages import language_of

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Columns:
    """A code index as columns; files, chunks and definitions are numbered from 0."""

    container: Container

    @cached_property
    def paths(self) -> list[str]:
        """Path of each file."""
        return self.container.text("file.path")

    @property
    def standing(self) -> tuple[int, int]:
        """How many files and chunks there are to be found."""
        return len(self.paths), len(self.chunks)

    @cached_property
    def chunks(self) -> Ints:
        """File, first and last line of each chunk."""
        return self.container.arrays["chunk.rows"]

    @cached_property
    def file_of(self) -> NDArray[np.int64]:
        """File of each chunk."""
        return self.chunks[:, 0].astype(np.int64)

    @cached_property
    def kinds(self) -> Ints:
        """Kind of each file, an index into `files.KINDS`."""
        return self.container.arrays["file.kind"]

    @cached_property
    def words(self) -> Terms:
        """Terms of chunks."""
        return from_arrays(self.container.arrays, "chunk")

    @cached_property
    def path_words(self) -> Terms:
        """Terms of paths."""
        return from_arrays(self.container.arrays, "path")

    def vectors(self, chunks: Ints) -> NDArray[np.int8]:
        """The directions of some chunks, see `vectors.chunk_vectors`."""
        found: NDArray[np.int8] = self.container.arrays["chunk.vectors"][chunks]
        return found

    @cached_property
    def definition_rows(self) -> Ints:
        """Chunk, kind, first and last line of each definition."""
        return self.container.arrays["def.rows"]

    @cached_property
    def names(self) -> Sequence[str]:
        """Name of each definition."""
        return Texts(self.container.arrays["def.name"])

    @cached_property
    def scopes(self) -> Sequence[str]:
        """Scope of each definition, joined by dots."""
        return Texts(self.container.arrays["def.scope"])

    @cached_property
    def by_name(self) -> tuple[list[str], list[int]]:
        """Spelling-free names, sorted, and the definition behind each."""
        joined = once(self.container.text("def.joined"))
        order: list[int] = self.container.arrays["def.sorted"].tolist()
        return [joined[i] for i in order], order

    def defined(self, name: str) -> list[int]:
        """Definitions of a spelling-free name."""
        names, order = self.by_name
        return order[bisect_left(names, name) : bisect_right(names, name)]

    def definition(self, i: int) -> Definition:
        """The i-th definition."""
        return make_definition(self.definition_rows[i].tolist(), self.names[i], self.scopes[i])

    @cached_property
    def definition_starts(self) -> NDArray[np.int64]:
        """Where the definitions of each chunk begin (they are sorted by chunk)."""
        return np.searchsorted(self.definition_rows[:, 0], np.arange(len(self.chunks) + 1))

    @cached_property
    def file_starts(self) -> NDArray[np.int64]:
        """Where the chunks of each file begin."""
        return np.searchsorted(self.chunks[:, 0], np.arange(len(self.paths) + 1))

    @cached_property
    def definitions_of(self) -> Callable[[int], tuple[Definition, ...]]:
        """All definitions of a file, in order, kept for the files asked for most recently."""

        @lru_cache(maxsize=256)
        def read(file: int) -> tuple[Definition, ...]:
            first, last = self.definition_starts[self.file_starts[file : file + 2]].tolist()
            rows: list[list[int]] = self.definition_rows[first:last].tolist()
            of = zip(rows, self.names[first:last], self.scopes[first:last], strict=True)
            return tuple(make_definition(row, name, scope) for row, name, scope in of)

        return read

    def outline_of(self, chunk: int) -> tuple[Definition, ...]:
        """Definitions that begin in a chunk or hold its first line, in order; lines count from the chunk's first."""
        file, start, end = self.chunks[chunk].tolist()
        first, last = self.definition_starts[self.file_starts[file : file + 2]].tolist()
        rows = self.definition_rows[first:last]
        near = np.flatnonzero((rows[:, 2] <= end) & ((rows[:, 2] >= start) | (rows[:, 3] > start)))
        shifted: list[list[int]] = (rows[near] - np.array([0, 0, start - 1, start - 1])).tolist()
        of = zip(shifted, near.tolist(), strict=True)
        return tuple(make_definition(row, self.names[first + i], self.scopes[first + i]) for row, i in of)

    @cached_property
    def told(self) -> Terms:
        """Terms of what commits said, by file."""
        return from_arrays(self.container.arrays, "told")

    @cached_property
    def told_lengths(self) -> NDArray[np.float64]:
        """Words that commits said of each file, relative to the mean."""
        length = self.told.lengths[:, 0].astype(np.float64)
        relative: NDArray[np.float64] = length / max(float(length.mean()) if len(length) else 0.0, 1e-9)
        return relative

    @cached_property
    def often(self) -> Ints:
        """How many commits changed each file, in all and lately."""
        return self.container.arrays["told.often"]

    @cached_property
    def listing(self) -> tuple[str, list[int]]:
        """All paths in lower case, each behind a slash and before a line feed; and where each begins."""
        rooted = [f"/{path.lower()}\n" for path in self.paths]
        return "".join(rooted), list(accumulate(map(len, rooted), initial=0))

    def files_with(self, part: str) -> Iterator[tuple[int, str]]:
        """Files whose path, as in `listing`, holds a text; each with what stands before it."""
        text, starts = self.listing
        at = text.find(part)
        while at >= 0:
            file = bisect_right(starts, at) - 1
            yield file, text[starts[file] : at]
            at = text.find(part, at + 1)

    @cached_property
    def stems(self) -> list[str]:
        """Name of each file without its suffixes."""
        return [stem_of(path) for path in self.paths]

    @cached_property
    def traits(self) -> NDArray[np.float64]:
        """Of each file: depth, its language's share of the code, logs of namesakes, definitions, chunks naming it."""
        languages = [language_of(path) for path in self.paths]
        standing = zip(self.paths, languages, self.kinds.tolist(), strict=True)
        code = Counter(name for path, name, kind in standing if path and FILE_KINDS[kind] == "code")
        same, total = Counter(self.stems), max(code.total(), 1)
        shares = {name: count / total for name, count in code.items()}
        naming = {stem: self.naming(stem) for stem in same}
        traits = np.empty((len(self.paths), 5))
        traits[:, 0] = [path.count("/") for path in self.paths]
        traits[:, 1] = [shares.get(name, 0.0) for name in languages]
        traits[:, 2] = np.log([same[own] for own in self.stems])
        traits[:, 3] = np.log1p(np.bincount(self.file_of[self.definition_rows[:, 0]], minlength=len(self.paths)))
        traits[:, 4] = np.log1p([naming[own] for own in self.stems])
        return traits

    def naming(self, name: str) -> int:
        """How many chunks hold the stem of a file as a name."""
        terms = terms_of(name)
        return len(self.words.get(terms[-1])[0]) if terms else 0

    def best_of_file(self, by_chunk: NDArray[np.float64]) -> NDArray[np.float64]:
        """The largest value among each file's chunks."""
        best: NDArray[np.float64] = np.maximum.reduceat(by_chunk, self.file_starts[:-1])
        return best

    @cached_property
    def chunk_lengths(self) -> NDArray[np.float64]:
        """Words of each chunk, relative to the mean."""
        length = self.words.lengths[:, 0].astype(np.float64)
        relative: NDArray[np.float64] = length / mean_of(length)
        return relative

    @cached_property
    def file_lengths(self) -> NDArray[np.float64]:
        """Words of each file, relative to the mean."""
        length = np.bincount(self.file_of, self.words.lengths[:, 0], len(self.paths)).astype(np.float64)
        relative: NDArray[np.float64] = length / mean_of(length)
        return relative

    def text_of(self, chunk: int) -> str:
        """The lines of a chunk."""
        return "\n".join(self.lines_between(*self.chunks[chunk].tolist()))

    def lines_between(self, file: int, start: int, end: int) -> list[str]:
        """Lines of a file, both ends included; fewer where it has fewer."""
        return unpack_lines(self.packed(file), start, end)

    def packed(self, file: int) -> bytes:
        """All lines of a file, compressed."""
        ends, packed = self.container.arrays["file.ends"], self.container.arrays["file.packed"]
        compressed: bytes = packed[ends[file] : ends[file + 1]].tobytes()
        return compressed

    @cached_property
    def lines_of(self) -> Callable[[int], list[str]]:
        """Lines of a file, kept for the files asked for most recently."""
        return line_reader(self.packed, 64)

    @cached_property
    def routes(self) -> list[tuple[str, int, int]]:
        """Registered endpoints as written, with file and line."""
        rows: list[list[int]] = self.container.arrays["route.rows"].tolist()
        return [(route, f, n) for route, (f, n) in zip(self.container.text("route.text"), rows, strict=True)]

    @cached_property
    def registered(self) -> frozenset[str]:
        """Registered endpoints as terms."""
        return frozenset(route_term(route) for route, _, _ in self.routes)


def once(strings: list[str]) -> list[str]:
    """The same strings, each held in memory once: most occur many times."""
    seen: dict[str, str] = {}
    return [seen.setdefault(s, s) for s in strings]


def make_definition(row: list[int], name: str, scope: str) -> Definition:
    """A definition from its columns."""
    _, kind, start, end = row
    return Definition(name, KINDS[kind], start, end, tuple(filter(None, scope.split("."))) if scope else ())


def mean_of(lengths: NDArray[np.float64]) -> float:
    """The mean of those that are not empty, at least 1."""
    return max(float(lengths.sum()) / max(int(np.count_nonzero(lengths)), 1), 1.0)
