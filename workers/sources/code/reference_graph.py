"""Which files of a repository use names that others define; kept beside the index of the same commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from workers.sources.code.array_file import TOKENS, fingerprint, lines, read_container, texts, write_container
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.identifier_counts import count_identifiers
from workers.sources.code.import_statements import same_family
from workers.sources.code.index import CodeIndex
from workers.sources.code.index_build import SCHEMA as INDEX_SCHEMA
from workers.sources.code.syntax_tree import KINDS as DEFINITION_KINDS
from workers.sources.terms.programming_languages import CONFIG, PROSE, language_of

FILE = "code.references"
SCHEMA = f"{INDEX_SCHEMA}-{fingerprint('code/reference_graph', 'code/identifier_counts', *TOKENS)}"
MOST_BYTES = 80_000_000
MOST_HOMES = 20
"""A name that more files define says nothing of what a file uses."""
READ = np.array([kind not in {"doc", "history", "generated"} for kind in KINDS])
KEY = DEFINITION_KINDS.index("key")
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class ReferenceGraph:
    """Names, where they are defined and which files use them.

    ``definitions``: name, file and row in the index of each definition; ``uses``: file, name and count of each use of a
    name in a file that does not define it. ``unread``: how many files were too much to read.
    """

    names: list[str]
    definitions: Ints
    uses: Ints
    unread: int


def open_graph(index: CodeIndex, index_dir: Path) -> ReferenceGraph:
    """The graph of an index: the one kept beside it when it is of the same commit, else made and kept.

    Nothing is kept where the folder cannot be written.
    """
    path = index_dir / FILE
    key = {"schema": SCHEMA, "commit": index.commit, "identity": index.columns.container.identity}
    kept = read_container(path)
    if kept is not None and {name: kept.meta.get(name) for name in key} == key:
        names = texts(kept.arrays, "names")
        return ReferenceGraph(names, kept.arrays["definitions"], kept.arrays["uses"], int(kept.meta["unread"]))
    graph = read_graph(index)
    arrays: dict[str, NDArray[Any]] = {
        "names": lines(graph.names),
        "definitions": graph.definitions,
        "uses": graph.uses,
    }
    try:
        write_container(path, key | {"unread": graph.unread}, arrays)
    except OSError:
        return graph
    return graph


def read_graph(index: CodeIndex) -> ReferenceGraph:
    """Count the names in all files, sources first, up to `MOST_BYTES` of text."""
    columns = index.columns
    files = [f for f, path in enumerate(columns.paths) if path and READ[columns.kinds[f]] and is_code(path)]
    definitions, numbers = defined_names(index, set(files))
    homes = homes_of(index, definitions)
    uses: list[tuple[int, int, int]] = []
    size, read = 0, 0
    for file in sorted(files, key=lambda f: (KINDS[int(columns.kinds[f])] != "code", columns.paths[f])):
        text = "\n".join(columns.lines_between(file, 1, 1 << 30))
        size += len(text)
        if size > MOST_BYTES:
            break
        read += 1
        uses += uses_of(index, file, count_identifiers(text, language_of(columns.paths[file])), numbers, homes)
    rows = np.array(sorted(uses), np.int32).reshape(-1, 3)
    return ReferenceGraph(list(numbers), definitions, rows, len(files) - read)


@dataclass
class Homes:
    """Files that define a name, and whether it is always a member of something there."""

    files: set[int]
    member: bool = True


def homes_of(index: CodeIndex, definitions: Ints) -> dict[int, Homes]:
    """Where each name is defined, by its number."""
    columns = index.columns
    kinds = columns.definition_rows[:, 1].tolist()
    out: dict[int, Homes] = {}
    for name, file, row in definitions.tolist():
        home = out.setdefault(name, Homes(set()))
        home.files.add(file)
        kind = DEFINITION_KINDS[kinds[row]]
        home.member &= kind == "method" or (kind == "function" and bool(columns.scopes[row]))
    return out


def uses_of(
    index: CodeIndex, file: int, counts: Mapping[str, int], numbers: Mapping[str, int], homes: Mapping[int, Homes]
) -> Iterator[tuple[int, int, int]]:
    """The names that a file uses and does not define: its number, the name's, how often."""
    path = index.columns.paths[file]
    language = language_of(path)
    for found, count in counts.items():
        name = found.removeprefix(".")
        number = numbers.get(name)
        if number is None or ((home := homes[number]).member and found == name) or file in home.files:
            continue
        if len(home.files) <= MOST_HOMES and any(
            sees(path, language, index.columns.paths[f], name) for f in home.files
        ):
            yield file, number, count


def sees(path: str, language: str, home: str, name: str) -> bool:
    """Whether a file may use what another defines: in a language that goes with its own, and exported in Go."""
    if not same_family(language, language_of(home)):
        return False
    return language != "go" or name[:1].isupper() or PurePosixPath(path).parent == PurePosixPath(home).parent


def defined_names(index: CodeIndex, files: set[int]) -> tuple[Ints, dict[str, int]]:
    """Name, file and row of each definition in some files; and the number of each name."""
    columns = index.columns
    owners = columns.chunks[columns.definition_rows[:, 0], 0].tolist() if len(columns.definition_rows) else []
    kinds = columns.definition_rows[:, 1].tolist()
    numbers: dict[str, int] = {}
    rows = [
        (numbers.setdefault(name, len(numbers)), file, row)
        for row, (name, file, kind) in enumerate(zip(columns.names, owners, kinds, strict=True))
        if file in files and kind != KEY
    ]
    return np.array(rows, np.int32).reshape(-1, 3), numbers


def is_code(path: str) -> bool:
    """Whether a file is in a programming language."""
    return language_of(path) not in PROSE | CONFIG | {""}


class GraphShelf:
    """Graphs of opened indexes, each made once and dropped with its index."""

    def __init__(self) -> None:
        self.graphs: WeakKeyDictionary[CodeIndex, ReferenceGraph] = WeakKeyDictionary()
        self.lock = Lock()

    def get(self, index: CodeIndex, index_dir: Path) -> ReferenceGraph:
        """The graph of an index. ``index_dir``: where its files lie."""
        with self.lock:
            found = self.graphs.get(index)
            if found is None:
                found = self.graphs[index] = open_graph(index, index_dir)
            return found
