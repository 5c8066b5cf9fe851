"""A repository in a few lines: its files and their most used definitions, as many as a number of tokens holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workers.language.token_count import CHARS_PER_TOKEN
from workers.sources.code.definition_lookup import place_of
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index import CodeIndex
from workers.sources.code.page_rank import Floats, page_rank
from workers.sources.code.reference_graph import ReferenceGraph
from workers.sources.code.syntax_tree import Definition

MOST_ROWS = 6_000
ROW_CHARS = 110
LEAST_ROW = 24
MISSES = 60
SELDOM, COMMON = 5, 0.1
"""A name that more files define than these counts for less."""
LONG_NAME, PRIVATE, ASKED, TESTS = 3.0, 0.1, 10.0, 0.2
NEARNESS = 20.0
EVERYDAY = re.compile(r"[a-z]+")
HELD = np.array([kind in HELD_DOWN for kind in KINDS])


@dataclass(frozen=True)
class MappedSymbol:
    """A definition in a map. ``shown``: its row, indented by what holds it."""

    name: str
    start: int
    end: int
    shown: str


@dataclass(frozen=True)
class MappedFile:
    """A file in a map, with its definitions in the order of their lines."""

    path: str
    symbols: tuple[MappedSymbol, ...]

    @property
    def text(self) -> str:
        """The path, and below it a row a definition."""
        return "\n".join([self.path, *(symbol.shown for symbol in self.symbols)])


@dataclass(frozen=True)
class RepoMap:
    """The most used files first. ``left_out``: how many definitions found no room."""

    files: tuple[MappedFile, ...]
    left_out: int

    @property
    def text(self) -> str:
        """The whole map."""
        return "\n".join(file.text for file in self.files)


def map_repository(
    index: CodeIndex, graph: ReferenceGraph, tokens: int, focus: Sequence[str] = (), path: str = ""
) -> RepoMap:
    """Choose and lay out the most used definitions.

    Args:
        index: of the repository.
        graph: who uses what in it.
        tokens: how many the text may take; it takes nearly so many where there is enough to show.
        focus: paths, beginnings or ends of paths, and names: what is near to them comes first.
        path: only files whose path begins so.
    """
    rows, files = ranked_rows(index, graph, focus, path)
    return RepoMapWriter(index, tokens * CHARS_PER_TOKEN).write(rows, files)


def ranked_rows(
    index: CodeIndex, graph: ReferenceGraph, focus: Sequence[str], path: str
) -> tuple[list[int], dict[int, float]]:
    """Definitions by their rows in the index, the most used first; and the rank of every file."""
    columns = index.columns
    asked_files = {f for f, p in enumerate(columns.paths) if p and any(is_meant(p, one) for one in focus)}
    asked_names = {n for n, name in enumerate(graph.names) if name in set(focus)}
    held_down = HELD[columns.kinds]
    start = np.where(held_down, 0.05, 1.0)
    start[[not p for p in columns.paths]] = 0.0
    for file in asked_files | {f for n, f, _ in graph.definitions.tolist() if n in asked_names}:
        start[file] = NEARNESS * max(len(columns.paths) / 50, 1.0)
    if not start.any():
        return [], {}
    sources, targets, names, weights = edges(graph, held_down, asked_names)
    rank = page_rank(sources, targets, weights, start)
    leaving = np.bincount(sources, weights, len(start))
    flow = rank[sources] * weights / np.where(leaving[sources] > 0, leaving[sources], 1.0)
    return order_rows(index, graph, names, targets, flow, rank, (asked_files, asked_names), path), dict(
        enumerate(rank.tolist())
    )


def edges(
    graph: ReferenceGraph, held_down: np.ndarray, asked: set[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Floats]:
    """Each use as edges to the files that define the name: source, target, name and weight."""
    pairs = np.unique(graph.definitions[:, :2], axis=0) if len(graph.definitions) else graph.definitions[:, :2]
    starts = np.searchsorted(pairs[:, 0], np.arange(len(graph.names) + 1))
    homes = np.diff(starts)
    worth = np.array([name_worth(name) for name in graph.names] or [0.0])
    worth[list(asked)] *= ASKED
    used = graph.uses
    sizes = homes[used[:, 1]]
    sources = np.repeat(used[:, 0], sizes)
    names = np.repeat(used[:, 1], sizes)
    first = np.repeat(starts[:-1][used[:, 1]], sizes)
    within = np.arange(len(sources)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    targets = pairs[first + within, 1] if len(sources) else sources
    weights = np.sqrt(np.repeat(used[:, 2], sizes)) * worth[names] / np.maximum(homes[names], 1)
    weights *= np.where(homes[names] > SELDOM, COMMON, 1.0) * np.where(held_down[sources], TESTS, 1.0)
    return sources, targets, names, weights


def name_worth(name: str) -> float:
    """Long names of several words say more; private ones less, and plain words, which variables are called too."""
    if EVERYDAY.fullmatch(name):
        return COMMON
    several = "_" in name.strip("_") or (name != name.lower() and name != name.upper() and not name[1:].islower())
    return (LONG_NAME if len(name) >= 8 and several else 1.0) * (PRIVATE if name.startswith("_") else 1.0)


def order_rows(
    index: CodeIndex,
    graph: ReferenceGraph,
    names: np.ndarray,
    targets: np.ndarray,
    flow: Floats,
    rank: Floats,
    asked: tuple[set[int], set[int]],
    path: str,
) -> list[int]:
    """Definitions by how much of the walk leads to them, then by how much reaches their file."""
    reached: dict[tuple[int, int], float] = {}
    keys = names.astype(np.int64) * len(rank) + targets
    found, inverse = np.unique(keys, return_inverse=True)
    sums = np.bincount(inverse, flow, len(found))
    for key, amount in zip(found.tolist(), sums.tolist(), strict=True):
        reached[divmod(key, len(rank))] = amount
    inside = np.bincount(graph.definitions[:, 1], minlength=len(rank))
    out, seen = [], set()
    for name, file, row in graph.definitions.tolist():
        held_down = HELD[index.columns.kinds[file]]
        own = index.columns.paths[file]
        if not own.startswith(path) or (held_down and file not in asked[0]) or (name, file) in seen:
            continue
        seen.add((name, file))
        score = reached.get((name, file), 0.0) + 0.01 * float(rank[file]) / max(int(inside[file]), 1)
        out.append((name not in asked[1], -score, own, row))
    return [row for *_, row in sorted(out)]


def is_meant(path: str, asked: str) -> bool:
    """Whether a path is what is asked for, lies in it or ends so."""
    bare = asked.strip("/")
    return bool(bare) and (path == bare or path.startswith(f"{bare}/") or path.endswith(f"/{bare}"))


class RepoMapWriter:
    """Lays out definitions until the room is used up.

    Args:
        index: of the repository.
        room: how many characters there are.
    """

    def __init__(self, index: CodeIndex, room: int) -> None:
        self.index, self.room = index, room
        self.files: dict[int, dict[int, MappedSymbol]] = {}

    def write(self, rows: Sequence[int], ranks: dict[int, float]) -> RepoMap:
        """Take what fits, in order; a short row may still fit where a long one did not."""
        columns, misses, taken = self.index.columns, 0, 0
        for row in rows[:MOST_ROWS]:
            file = int(columns.chunks[columns.definition_rows[row, 0], 0])
            new = list(self.with_holders(file, columns.definition(row)))
            size = sum(len(symbol.shown) + 1 for symbol in new)
            size += 0 if file in self.files else len(columns.paths[file]) + 1
            if new and size <= self.room:
                self.files.setdefault(file, {}).update({symbol.start: symbol for symbol in new})
                self.room -= size
                misses, taken = 0, taken + 1
            else:
                misses += bool(new)
            if self.room < LEAST_ROW or misses > MISSES:
                break
        mapped = [
            MappedFile(columns.paths[f], tuple(found[n] for n in sorted(found)))
            for f, found in sorted(self.files.items(), key=lambda pair: (-ranks[pair[0]], pair[0]))
        ]
        return RepoMap(tuple(mapped), len(rows) - taken)

    def with_holders(self, file: int, wanted: Definition) -> Iterator[MappedSymbol]:
        """A definition and the classes that hold it, as far as they are not shown yet."""
        shown = self.files.get(file, {})
        around = [
            d
            for d in self.index.columns.definitions_of(file)
            if d.start <= wanted.start and wanted.end <= d.end and d.name in wanted.scope
        ]
        for depth, found in enumerate([*around, wanted]):
            if found.start not in shown:
                yield self.symbol(file, found, depth)

    def symbol(self, file: int, found: Definition, depth: int) -> MappedSymbol:
        """One row: the line's number and the signature."""
        columns = self.index.columns
        path = columns.paths[file]
        place = place_of(found, path, columns.lines_of(file), KINDS[int(columns.kinds[file])])
        text = f"{'  ' * (depth + 1)}{place.line}: {place.signature}"
        shown = text if len(text) <= ROW_CHARS else text[: ROW_CHARS - 1] + "…"
        return MappedSymbol(place.qualified, found.start, found.end, shown)
