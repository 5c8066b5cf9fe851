"""Files that fit a glob: ``*.sql`` anywhere, ``config/*.yaml`` in a folder, ``**/`` for any folders."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

MARKS = frozenset("*?[")
ANY_FOLDERS = "**"


def is_glob(text: str) -> bool:
    """Whether a path holds a mark of a glob."""
    return any(c in MARKS for c in text)


def fits_glob(path: str, glob: str, folder: str = "") -> bool:
    """Whether a file fits, by its name alone where the glob holds no slash, else from the root or from a folder."""
    if not glob:
        return True
    wanted = parts_of(glob)
    if len(wanted) == 1 and wanted != (ANY_FOLDERS,):
        return fnmatchcase(path.rpartition("/")[2], wanted[0])
    return any(fits_parts(tuple(p.split("/")), wanted) for p in {path, path.removeprefix(folder)})


@lru_cache(maxsize=64)
def parts_of(glob: str) -> tuple[str, ...]:
    """The parts of a glob; one that ends in a slash is all of a folder. Several ``**`` in a row are one."""
    parts = [p for p in glob.split("/") if p not in {"", "."}]
    parts += [ANY_FOLDERS] if glob.endswith("/") else []
    return tuple(p for i, p in enumerate(parts) if p != ANY_FOLDERS or i == 0 or parts[i - 1] != ANY_FOLDERS)


def fits_parts(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the parts of a path fit those of a glob, by how much of the glob each beginning of the path fills."""
    states = {0}
    for i, part in enumerate(path):
        states = closed(states, wanted)
        following = {s for s in states if s < len(wanted) and wanted[s] == ANY_FOLDERS}
        following |= {
            s + 1 for s in states if s < len(wanted) and wanted[s] != ANY_FOLDERS and fnmatchcase(part, wanted[s])
        }
        states = following
        if not states or (i + 1 < len(path) and states == {len(wanted)}):
            return False
    return len(wanted) in closed(states, wanted)


def closed(states: set[int], wanted: Sequence[str]) -> set[int]:
    """The same places in a glob, and those behind a ``**`` that stands for nothing."""
    return states | {s + 1 for s in states if s < len(wanted) and wanted[s] == ANY_FOLDERS}
