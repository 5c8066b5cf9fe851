"""A commit -> index files, parsing only blobs that the last index does not hold.

``code.index`` holds a whole commit. What few files changed since then stand in ``code.changes`` beside it, which is
written anew with every commit; when they become many, the whole is written again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workers.errors import ToolUnavailable
from workers.sources.code.array_file import (
    REDACTION,
    TOKENS,
    Container,
    fingerprint,
    read_container,
    texts,
    write_container,
)
from workers.sources.code.chunk_table import Part, join
from workers.sources.code.commit_words import is_ancestor, read_commit_words
from workers.sources.code.file_kinds import LEFT_OUT, NOT_CLONED, skip_path
from workers.sources.code.file_parsing import SKIPPED, paused_collector
from workers.sources.code.index_columns import Columns
from workers.sources.code.index_layers import Layers
from workers.sources.code.parallel_parsing import parse_all
from workers.sources.code.path_words import path_postings
from workers.sources.code.posting_lists import Array
from workers.sources.code.sibling_indexes import read_siblings
from workers.sources.git import (
    Blob,
    Repository,
    changed_files,
    list_cloned,
    open_repository,
    remote_url,
    resolve,
    stamp_of,
)

SHAPES = (
    "chunk_table chunking commit_words compressed_lines definition_queries file_kinds file_parsing http_routes "
    "index_build path_words posting_lists syntax_tree word_vectors"
)
SCHEMA = fingerprint(
    *(f"code/{m}" for m in SHAPES.split()), "code/vectors.npz", "terms/programming_languages", *TOKENS, *REDACTION
)
FILE, CHANGES = "code.index", "code.changes"
FEW_FILES, FEW = 100, 0.05  # files, or share of all, that may stand in the changes


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
        index_dir.mkdir(parents=True, exist_ok=True)
        changed = few_changes(source, old, commit)
        if old is not None and changed is not None:
            write_changes(source, old, changed, meta, index_dir)
        else:
            cloned, others = list_cloned(source, commit) if commit else ([], 0)
            listed = [(skip_path(b.path), b) for b in cloned]
            parts = parse_new(source, known_files(source, index_dir, old), [b for why, b in listed if not why])
            arrays = complete(parts)
            meta["skipped"] = count_skipped(parts, [*(why for why, _ in listed if why), *[NOT_CLONED] * others])
            write_container(
                path, meta, arrays | read_commit_words(source, commit, texts(arrays, "file.path"), old).arrays()
            )
            (index_dir / CHANGES).unlink(missing_ok=True)
    except OSError as error:
        raise ToolUnavailable(f"the index cannot be written to {index_dir}: {error.strerror}") from error
    return path


def count_skipped(parts: Sequence[Part], by_path: Sequence[str]) -> dict[str, int]:
    """How many files were left out for which reason, most first; nothing for a reason that no file has."""
    counts = Counter(by_path)
    for part in parts:
        if SKIPPED in part.arrays:  # it was parsed just now
            counts.update(dict(zip(LEFT_OUT, part.arrays[SKIPPED].tolist(), strict=True)))
    return {why: counts[why] for why in sorted(counts, key=lambda why: (-counts[why], why)) if counts[why]}


def known_files(source: Repository, index_dir: Path, old: Container | None) -> list[Container]:
    """Indexes that files may be taken over from: the last one here, else those of related repositories."""
    if old is None:
        return read_siblings(source, index_dir, SCHEMA, (FILE, CHANGES))
    changes = read_container(index_dir / CHANGES)
    return [old, changes] if changes and changes.meta.get("schema") == SCHEMA else [old]


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
    arrays = complete(parse_new(source, known, blobs))
    arrays |= read_commit_words(source, meta["commit"], texts(arrays, "file.path"), base).arrays()
    numbers = {p: i for i, p in enumerate(base.text("file.path"))}
    dropped = np.array(sorted(numbers[p] for p, _ in changed if p in numbers), np.int32)
    own = {"base": base.identity, "skipped": base.meta["skipped"]}
    write_container(path, meta | own, arrays | {"dropped": dropped})


def parse_new(source: Repository, known: Sequence[Container], blobs: Sequence[Blob]) -> list[Part]:
    """Tables of files: those that earlier indexes hold under the same path, and the others parsed."""
    missing = {(b.path, b.hash): b for b in blobs}
    parts = []
    for old in known:
        pairs = zip(old.text("file.path"), old.text("file.blob"), strict=True)
        found = [i for i, pair in enumerate(pairs) if missing.pop(pair, None)]
        parts.append(Part(old.arrays, np.array(found, np.int64)))
    tables = parse_all(source, sorted(missing.values(), key=lambda b: b.path))
    return [*parts, *(Part(t, np.arange(len(t["file.kind"]))) for t in tables)]


def complete(parts: Sequence[Part]) -> dict[str, Array]:
    """The table of all files with what only the whole can have: names in order, and terms of paths."""
    table = join(parts)
    names = texts(table, "def.joined")
    ordered = np.array(sorted(range(len(names)), key=names.__getitem__), np.int32)
    return table | {"def.sorted": ordered} | path_postings(texts(table, "file.path")).arrays("path")


def open_columns(index_dir: Path) -> Columns | None:
    """The index of a folder; None when there is none that is whole and of this version."""
    changes, damaged = read_changes(index_dir / CHANGES)  # before the base: what is then in its place holds more
    base = read_base(index_dir / FILE)
    if damaged or base is None or base.container.meta.get("schema") != SCHEMA:
        return None
    if changes is None or changes.meta.get("base") != base.container.identity:
        return base  # others are left from before the whole was written again
    return Layers(changes, base)


def read_changes(path: Path) -> tuple[Container | None, bool]:
    """The changes beside a whole index, if any, and whether they are damaged."""
    found = read_container(path)
    if found is None and path.exists():  # damaged, or written only now
        found = read_container(path)
    return found, found is None and path.exists()


_bases: dict[Path, tuple[tuple[int, int, int], Columns]] = {}


def read_base(path: Path) -> Columns | None:
    """A whole index; the one that was opened last is kept, for only its changes may be new."""
    stamp = stamp_of(path)
    if stamp is None:
        return None
    kept = _bases.get(path)
    if kept and kept[0] == stamp:
        return kept[1]
    container = read_container(path)
    if container is None:
        _bases.pop(path, None)
        return None
    columns = Columns(container)
    _bases[path] = (stamp, columns)
    return columns
