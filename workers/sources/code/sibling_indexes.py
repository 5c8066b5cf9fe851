"""Indexes beside one that may hold the same files: of other branches of a repository, and of its forks."""

from __future__ import annotations

from pathlib import Path

from workers.sources.code.array_file import Container, read_container, read_meta
from workers.sources.git import Repository, has_commit, remote_url


def read_siblings(source: Repository, index_dir: Path, schema: str, names: tuple[str, ...]) -> list[Container]:
    """What the neighbours of an index folder hold, of those that are of a related repository.

    One is related when it is the same repository, has the same remote, or its commit is known here.

    Args:
        source: the repository to be indexed.
        index_dir: its index folder; others stand beside it.
        schema: only indexes of this version count.
        names: the files of an index.
    """
    out = []
    remote = remote_url(source)
    for folder in sorted(index_dir.resolve().parent.iterdir()):
        meta = read_meta(folder / names[0]) if folder != index_dir.resolve() else None
        if not meta or meta.get("schema") != schema:
            continue
        same = meta["repository"] == str(source.path) or (bool(remote) and meta["remote"] == remote)
        if same or (meta["commit"] and has_commit(source, meta["commit"])):
            found = (read_container(folder / name) for name in names)
            out += [each for each in found if each and each.meta.get("schema") == schema]
    return out
