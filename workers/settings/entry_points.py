"""Entry points of the groups ``oracle.…`` that installed packages have; none of them is imported."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import EntryPoint, distributions

GROUPS = "oracle."
MARK = f"[{GROUPS}"
"""In a file of entry points; others are not parsed, as that takes some 50 ms for two hundred packages."""


@lru_cache(maxsize=8)
def find_points(path: tuple[str, ...]) -> tuple[tuple[str, tuple[EntryPoint, ...]], ...]:
    """Packages in the folders of a path, by name and version, with their entry points; of one name the first."""
    found: dict[str, tuple[str, tuple[EntryPoint, ...]]] = {}
    for package in distributions(path=list(path)):
        if MARK in (package.read_text("entry_points.txt") or "") and package.name not in found:
            points = tuple(point for point in package.entry_points if point.group.startswith(GROUPS))
            found[package.name] = (f"{package.name} {package.version}", points)
    return tuple(sorted(found.values()))
