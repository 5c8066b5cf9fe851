"""Files, chunks, definitions and routes as the columns of an index, and how such tables are joined.

Every table holds its files in any order; chunks in the order of their files, definitions in that of their chunks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from workers.language.tokens import joined
from workers.sources.code.array_file import lines, texts
from workers.sources.code.chunking import Chunk
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.path_words import path_postings
from workers.sources.code.posting_lists import Array, Postings, combine, from_arrays, spread
from workers.sources.code.syntax_tree import KINDS as DEFINITION_KINDS
from workers.sources.code.word_vectors import chunk_vectors

FIELDS = 2  # of chunks: the body, and what it defines
OWNERS = {"chunk": "file", "def": "chunk", "route": "file"}
TEXTS = ("file.path", "file.blob", "chunk.scope", "def.name", "def.scope", "def.joined", "route.text")
ARRAYS = (*TEXTS, "file.kind", "file.packed", "chunk.vectors")
COLUMNS = (*ARRAYS, *(f"{name}.rows" for name in OWNERS), "file.ends")
NOTHING = Postings(
    np.empty(0, np.uint8),
    np.zeros(1, np.int64),
    np.empty(0, np.int32),
    np.empty((0, FIELDS), np.uint8),
    np.empty((0, FIELDS), np.int32),
)
Table = Mapping[str, Array]


@dataclass(frozen=True)
class FileRecord:
    """One indexed file. ``routes`` are (line, route as written); ``packed`` is its text, compressed."""

    path: str
    blob: str
    kind: str
    chunks: tuple[Chunk, ...]
    routes: tuple[tuple[int, str], ...]
    packed: bytes


@dataclass(frozen=True)
class Part:
    """A table, and which of its files are wanted."""

    arrays: Table
    files: Array


def layout(records: Sequence[FileRecord], words: Postings) -> dict[str, Array]:
    """A table of records; ``words`` are the terms of their chunks, numbered through in order."""
    chunks = [(f, c) for f, record in enumerate(records) for c in record.chunks]
    found = [(i, d) for i, (_, c) in enumerate(chunks) for d in c.definitions]
    routes = [(f, line, route) for f, record in enumerate(records) for line, route in record.routes]
    packed = [r.packed for r in records]
    rows = np.array([(f, c.start, c.end) for f, c in chunks], np.int32).reshape(-1, 3)
    return {
        "file.path": lines([r.path for r in records]),
        "file.blob": lines([r.blob for r in records]),
        "file.kind": np.array([KINDS.index(r.kind) for r in records], np.int32),
        "file.packed": np.frombuffer(b"".join(packed), np.uint8),
        "file.ends": np.cumsum([0, *map(len, packed)], dtype=np.int64),
        "chunk.rows": rows,
        "chunk.vectors": chunk_vectors(words, path_postings([r.path for r in records]), rows[:, 0]),
        "chunk.scope": lines([".".join(c.scope) for _, c in chunks]),
        "def.rows": np.array([(i, DEFINITION_KINDS.index(d.kind), d.start, d.end) for i, d in found], np.int32).reshape(
            -1, 4
        ),
        "def.name": lines([d.name for _, d in found]),
        "def.scope": lines([".".join(d.scope) for _, d in found]),
        "def.joined": lines([joined(d.name) for _, d in found]),
        "route.rows": np.array([(f, line) for f, line, _ in routes], np.int32).reshape(-1, 2),
        "route.text": lines([route for _, _, route in routes]),
    } | words.arrays("chunk")


def join(parts: Sequence[Part]) -> dict[str, Array]:
    """One table of the wanted files of several, in the order of their paths."""
    taken = [take(part.arrays, part.files) for part in parts] or [take(layout([], NOTHING), np.empty(0, np.int64))]
    table = stack([rows for rows, _ in taken])
    size = len(table["chunk.rows"])
    place = np.arange(size)
    paths = texts(table, "file.path")
    if any(a > b for a, b in pairwise(paths)):
        table, chunks = take(table, np.array(sorted(range(len(paths)), key=paths.__getitem__)))
        place[chunks] = np.arange(size)
    postings, at = [], 0
    for part, (_, chunks) in zip(parts, taken, strict=False):
        mapping = np.full(len(part.arrays["chunk.rows"]), -1, np.int64)
        mapping[chunks] = place[at : at + len(chunks)]
        at += len(chunks)
        postings.append((from_arrays(part.arrays, "chunk"), mapping))
    return table | combine(postings, size, FIELDS).arrays("chunk")


def take(table: Table, files: Array) -> tuple[dict[str, Array], Array]:
    """Some files of a table, in the order given; and the numbers that their chunks had in it."""
    if np.array_equal(files, np.arange(len(table["file.kind"]))):
        return {name: table[name] for name in COLUMNS}, np.arange(len(table["chunk.rows"]))
    chosen = {"file": files}
    ends, packed = table["file.ends"], table["file.packed"]
    pieces = [packed[ends[f] : ends[f + 1]] for f in files.tolist()]
    out = {
        "file.kind": table["file.kind"][files],
        "file.packed": np.concatenate([*pieces, packed[:0]]),
        "file.ends": np.cumsum([0, *map(len, pieces)], dtype=np.int64),
    }
    for name, parent in OWNERS.items():
        rows = table[f"{name}.rows"]
        starts = np.searchsorted(rows[:, 0], np.arange(count(table, parent) + 1))
        sizes = np.diff(starts)
        chosen[name] = spread(starts[:-1], chosen[parent], sizes)
        out[f"{name}.rows"] = rows[chosen[name]]
        out[f"{name}.rows"][:, 0] = np.repeat(np.arange(len(chosen[parent])), sizes[chosen[parent]])
    out["chunk.vectors"] = table["chunk.vectors"][chosen["chunk"]]
    for column in TEXTS:
        strings = texts(table, column)
        out[column] = lines([strings[i] for i in chosen[column.partition(".")[0]].tolist()])
    return out, chosen["chunk"]


def stack(tables: Sequence[Table]) -> dict[str, Array]:
    """Tables one after the other."""
    out = {name: np.concatenate([t[name] for t in tables]) for name in ARRAYS}
    sizes = [np.diff(t["file.ends"]) for t in tables]
    out["file.ends"] = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    for name, parent in OWNERS.items():
        rows = np.concatenate([t[f"{name}.rows"] for t in tables])
        before = np.cumsum([0, *(count(t, parent) for t in tables[:-1])])
        rows[:, 0] += np.repeat(before, [len(t[f"{name}.rows"]) for t in tables]).astype(np.int32)
        out[f"{name}.rows"] = rows
    return out


def count(table: Table, name: str) -> int:
    """How many files or chunks there are."""
    return len(table["file.kind"] if name == "file" else table[f"{name}.rows"])
