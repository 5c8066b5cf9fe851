"""A commit -> index files, parsing only blobs that the last index does not hold.

``code.index`` holds a whole commit. What few files changed since then stand in ``code.changes`` beside it, which is
written anew with every commit; when they become many, the whole is written again.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from workers.errors import ToolUnavailable
from workers.search.chunk import Chunk
from workers.search.columns import Columns
from workers.search.files import KINDS, kind_of, skip_path
from workers.search.git import (
    Blob,
    Repository,
    changed_files,
    environment,
    list_files,
    open_repository,
    remote_url,
    resolve,
)
from workers.search.languages import language_of
from workers.search.layers import Layers
from workers.search.parse import (
    FIELDS,
    FOLDER,
    PATH_FIELDS,
    STEM,
    FileRecord,
    Parsed,
    parse_files,
    paused_collector,
    routes_of,
    stem_of,
    unpack,
)
from workers.search.postings import Array, Postings, WordCounter, combine, from_arrays
from workers.search.store import Container, fingerprint, lines, read_container, write_container
from workers.search.syntax import KINDS as DEFINITION_KINDS
from workers.search.syntax import Definition
from workers.search.tokens import WORD, joined, terms_of
from workers.search.told import is_ancestor, read_told

SCHEMA = fingerprint(
    "build", "chunk", "definitions", "files", "languages", "parse", "postings", "routes", "syntax", "told", "tokens"
)
FILE, CHANGES = "code.index", "code.changes"
FEW_FILES, FEW = 100, 0.05  # files, or share of all, that may stand in the changes
PARALLEL_BYTES = 3_000_000


def build_index(repo: str | Path, index_dir: str | Path, branch: str = "") -> Path:
    """Index the committed tree and write it to ``index_dir/code.index``.

    Args:
        repo: a repository, or a folder inside one.
        index_dir: made when missing; a readable earlier index there saves parsing.
        branch: a branch, tag or commit; HEAD when empty.

    Returns:
        The path of the file.

    Raises:
        ToolUnavailable: no repository, no such branch, or the folder cannot be written.
    """
    source = open_repository(repo)
    commit = resolve(source, branch)
    if commit is None and branch:
        raise ToolUnavailable(f"{repo} has no branch, tag or commit {branch!r}")
    with paused_collector():
        return write_index(source, commit, branch, Path(index_dir))


def write_index(source: Repository, commit: str | None, branch: str, index_dir: Path) -> Path:
    """Index one commit; None is a repository without any."""
    path = index_dir / FILE
    old = read_container(path)
    old = old if old and old.meta.get("schema") == SCHEMA else None
    meta: dict[str, Any] = {
        "schema": SCHEMA,
        "repository": str(source.path),
        "root": str(source.root or ""),
        "prefix": source.prefix,
        "branch": branch,
        "commit": commit or "",
        "remote": remote_url(source),
    }
    try:
        changed = few_changes(source, old, commit)
        if old is not None and changed is not None:
            write_changes(source, old, changed, meta, index_dir)
        else:
            blobs = [b for b in list_files(source, commit) if not skip_path(b.path)] if commit else []
            arrays = assemble(parse_new(source, [old] if old else [], blobs))
            write_container(path, meta, arrays | read_told(source, commit, paths_of(arrays), old).arrays())
            (index_dir / CHANGES).unlink(missing_ok=True)
    except OSError as error:
        raise ToolUnavailable(f"the index cannot be written to {index_dir}: {error.strerror}") from error
    return path


def paths_of(arrays: Mapping[str, Array]) -> list[str]:
    """The indexed files, in order."""
    return arrays["file.path"].tobytes().decode().split("\n")[:-1]


def few_changes(source: Repository, old: Container | None, commit: str | None) -> list[tuple[str, Blob | None]] | None:
    """What changed since the commit of a whole index; None when it is too much, not known, or no longer its past."""
    if old is None or commit is None or not old.meta["commit"] or old.meta["prefix"] != source.prefix:
        return None
    if not is_ancestor(source, old.meta["commit"], commit):
        return None
    changed = changed_files(source, old.meta["commit"], commit)
    files = len(old.arrays["file.kind"])
    return changed if changed is not None and len(changed) <= max(FEW_FILES, int(FEW * files)) else None


def write_changes(
    source: Repository, base: Container, changed: list[tuple[str, Blob | None]], meta: dict[str, Any], index_dir: Path
) -> None:
    """Index the files that changed since the base, and name those of the base that no longer stand."""
    path = index_dir / CHANGES
    old = read_container(path)
    known = [old] if old and old.meta.get("base") == base.identity else []
    blobs = sorted((b for p, b in changed if b and not skip_path(p)), key=lambda b: b.path)
    arrays = assemble(parse_new(source, known, blobs))
    arrays |= read_told(source, meta["commit"], paths_of(arrays), base).arrays()
    numbers = {p: i for i, p in enumerate(base.text("file.path"))}
    dropped = np.array(sorted(numbers[p] for p, _ in changed if p in numbers), np.int32)
    write_container(path, meta | {"base": base.identity}, arrays | {"dropped": dropped})


def parse_new(source: Repository, known: Sequence[Container], blobs: Sequence[Blob]) -> list[tuple[Parsed, Array]]:
    """Records of files: those that an earlier index holds, and the others parsed."""
    parts = [part for old in known for part in reuse(old, blobs)]
    done = {(r.path, r.blob) for p, _ in parts for r in p.records}
    parsed = parse_all(source, [b for b in blobs if (b.path, b.hash) not in done])
    return [*parts, *((p, np.arange(p.postings.size)) for p in parsed)]


def open_columns(index_dir: Path) -> Columns | None:
    """The index of a folder; None when there is none that is whole and of this version."""
    base = read_base(index_dir / FILE)
    if base is None or base.container.meta.get("schema") != SCHEMA:
        return None
    if not (index_dir / CHANGES).exists():
        return base
    changes = read_container(index_dir / CHANGES)
    if changes is None:
        return None
    if changes.meta.get("base") != base.container.identity:  # left from before the whole was written again
        return base
    return Layers(changes, base)


_bases: dict[Path, tuple[tuple[int, int, int], Columns]] = {}


def read_base(path: Path) -> Columns | None:
    """A whole index; the one that was opened last is kept, for only its changes may be new."""
    try:
        found = path.stat()
    except OSError:
        return None
    key = (found.st_ino, found.st_mtime_ns, found.st_size)
    kept = _bases.get(path)
    if kept and kept[0] == key:
        return kept[1]
    container = read_container(path)
    if container is None:
        _bases.pop(path, None)
        return None
    columns = Columns(container)
    _bases[path] = (key, columns)
    return columns


def parse_all(repo: Repository, blobs: Sequence[Blob]) -> list[Parsed]:
    """Parse files, on all processors when there is much to do."""
    shares = min(os.cpu_count() or 1, 4) if sum(b.size for b in blobs) > PARALLEL_BYTES else 1
    if shares == 1:
        return [parse_files(repo, blobs)]
    with ThreadPoolExecutor(shares - 1) as pool:
        others = [pool.submit(parse_beside, repo, list(blobs[i::shares])) for i in range(1, shares)]
        own = parse_files(repo, blobs[0::shares])
        return [own, *(o.result() for o in others)]


def parse_beside(repo: Repository, blobs: list[Blob]) -> Parsed:
    """Parse in a process of its own."""
    folder = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-c", "from workers.search.parse import main; main()"],
        input=pickle.dumps((repo, blobs)),
        capture_output=True,
        env=environment() | {"PYTHONPATH": paths},
        check=False,
    )
    if done.returncode:
        return parse_files(repo, blobs)
    answer: Parsed = pickle.loads(done.stdout)  # noqa: S301 - written by our own module, started above
    return answer


def assemble(parts: list[tuple[Parsed, Array]]) -> dict[str, Array]:
    """Put records in the order of their paths and lay everything out as arrays.

    Args:
        parts: parsed files, each with the position in its postings of every chunk of its records, in order.
    """
    rows: list[tuple[FileRecord, int, Array]] = []
    for number, (part, positions) in enumerate(parts):
        at = 0
        for record in part.records:
            rows.append((record, number, positions[at : at + len(record.chunks)]))
            at += len(record.chunks)
    rows.sort(key=lambda row: row[0].path)
    mappings = [np.full(part.postings.size, -1, np.int64) for part, _ in parts]
    size = 0
    for record, number, positions in rows:
        mappings[number][positions] = np.arange(size, size + len(record.chunks))
        size += len(record.chunks)
    postings = combine([(part.postings, m) for (part, _), m in zip(parts, mappings, strict=True)], size, FIELDS)
    records = [row[0] for row in rows]
    return layout(records) | postings.arrays("chunk") | path_postings(records).arrays("path")


def layout(records: list[FileRecord]) -> dict[str, Array]:
    """Files, chunks, definitions, routes and texts as columns."""
    chunks = [(f, c) for f, record in enumerate(records) for c in record.chunks]
    found = [(i, d) for i, (_, c) in enumerate(chunks) for d in c.definitions]
    routes = [(f, line, route) for f, record in enumerate(records) for line, route in record.routes]
    names = [joined(d.name) for _, d in found]
    packed = [r.packed for r in records]
    return {
        "file.path": lines([r.path for r in records]),
        "file.blob": lines([r.blob for r in records]),
        "file.kind": np.array([KINDS.index(r.kind) for r in records], np.int32),
        "file.packed": np.frombuffer(b"".join(packed), np.uint8),
        "file.ends": np.cumsum([0, *map(len, packed)], dtype=np.int64),
        "chunk.rows": np.array([(f, c.start, c.end) for f, c in chunks], np.int32).reshape(-1, 3),
        "chunk.scope": lines([".".join(c.scope) for _, c in chunks]),
        "def.rows": np.array([(i, DEFINITION_KINDS.index(d.kind), d.start, d.end) for i, d in found], np.int32).reshape(
            -1, 4
        ),
        "def.name": lines([d.name for _, d in found]),
        "def.scope": lines([".".join(d.scope) for _, d in found]),
        "def.joined": lines(names),
        "def.sorted": np.array(sorted(range(len(names)), key=lambda i: names[i]), np.int32),
        "route.rows": np.array([(f, line) for f, line, _ in routes], np.int32).reshape(-1, 2),
        "route.text": lines([route for _, _, route in routes]),
    }


def path_postings(records: list[FileRecord]) -> Postings:
    """Index the words of paths: the stem of the file, and its folders."""
    counter = WordCounter(PATH_FIELDS)
    for number, record in enumerate(records):
        counter.add(number, STEM, WORD.findall(stem_of(record.path)))
        counter.add(number, FOLDER, WORD.findall(record.path.rpartition("/")[0]))
    return counter.postings(len(records), terms_of)


def reuse(old: Container, blobs: Sequence[Blob]) -> list[tuple[Parsed, Array]]:
    """Records of an earlier index that still hold, under their present paths, with their chunks' positions in it.

    Each is taken over once: of several files with the same content, those that are new are parsed.
    """
    exact: dict[tuple[str, str], tuple[FileRecord, int]] = {}
    moved: dict[tuple[str, str], tuple[FileRecord, int]] = {}
    present = {(b.path, b.hash) for b in blobs}
    for record, at in old_records(old):
        if (record.path, record.blob) in present:
            exact[record.path, record.blob] = (record, at)
        else:
            moved[record.blob, language_of(record.path)] = (record, at)
    records, positions = [], [np.empty(0, np.int64)]
    for blob in blobs:
        found = exact.get((blob.path, blob.hash)) or moved.pop((blob.hash, language_of(blob.path)), None)
        if found:
            record, at = found
            records.append(record if record.path == blob.path else moved_record(record, blob.path))
            positions.append(np.arange(at, at + len(record.chunks)))
    return [(Parsed(records, from_arrays(old.arrays, "chunk")), np.concatenate(positions))]


def moved_record(record: FileRecord, path: str) -> FileRecord:
    """The same content at another path."""
    text = unpack(record.packed)
    kind = kind_of(path, "\n".join(text[:20]).encode())
    return replace(record, path=path, kind=kind, routes=routes_of(text, kind))


def old_records(old: Container) -> list[tuple[FileRecord, int]]:
    """All files of an index, each with the number of its first chunk."""
    chunk_rows: list[list[int]] = old.arrays["chunk.rows"].tolist()
    scopes = [tuple(filter(None, s.split("."))) for s in old.text("chunk.scope")]
    definitions: dict[int, list[Definition]] = {}
    columns: list[Any] = [old.arrays["def.rows"].tolist(), old.text("def.name"), old.text("def.scope")]
    for (chunk, kind, start, end), name, scope in zip(*columns, strict=True):
        outer = tuple(filter(None, scope.split(".")))
        definitions.setdefault(chunk, []).append(Definition(name, DEFINITION_KINDS[kind], start, end, outer))
    chunks: dict[int, list[Chunk]] = {}
    first: dict[int, int] = {}
    for i, (f, start, end) in enumerate(chunk_rows):
        chunks.setdefault(f, []).append(Chunk(start, end, tuple(definitions.get(i, ())), scopes[i]))
        first.setdefault(f, i)
    routes: dict[int, list[tuple[int, str]]] = {}
    for (f, line), route in zip(old.arrays["route.rows"].tolist(), old.text("route.text"), strict=True):
        routes.setdefault(f, []).append((line, route))
    ends, packed = old.arrays["file.ends"], old.arrays["file.packed"]
    return [
        (
            FileRecord(
                path,
                blob,
                KINDS[kind],
                tuple(chunks.get(f, ())),
                tuple(routes.get(f, ())),
                packed[ends[f] : ends[f + 1]].tobytes(),
            ),
            first.get(f, 0),
        )
        for f, (path, blob, kind) in enumerate(
            zip(old.text("file.path"), old.text("file.blob"), old.arrays["file.kind"].tolist(), strict=True)
        )
    ]
