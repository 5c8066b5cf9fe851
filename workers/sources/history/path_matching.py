"""Which file of a repository is meant by a part of its path, a path of a stack trace or the name of a module."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rapidfuzz import fuzz, process

from workers.sources.code.file_kinds import HELD_DOWN, kind_of
from workers.sources.history.trace_hits import LIBRARY
from workers.sources.terms.programming_languages import language_of

MOST_NEAR = 5
LEAST_ALIKE = 60
PLACE = re.compile(r":(\d{1,9})(?:[-–:](\d{1,9}))?$")
MODULE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*){0,20}(?:\(\))?")


@dataclass(frozen=True)
class PathMatch:
    """``paths``: the files that are meant, one when that is clear; ``nearest``: others when there is none."""

    paths: tuple[str, ...]
    nearest: tuple[str, ...] = ()


def split_place(asked: str) -> tuple[str, str]:
    """``cart.py:41-50`` -> the path, and the lines where it names some."""
    text = asked.strip().removeprefix("file://").replace("\\", "/")
    match = PLACE.search(text)
    if match is None:
        return text, ""
    # after a second colon stands a column in most tools, the end of a range only behind a dash
    ranged = match[2] and "-" in match[0].replace("–", "-")
    return text[: match.start()], f"{match[1]}-{match[2]}" if ranged else match[1]


def match_path(asked: str, paths: Sequence[str]) -> PathMatch:
    """Find the file; several only when nothing tells which of them is meant.

    Args:
        asked: a path from the root of a repository, the end of one, one of another machine, or a module's dotted name.
        paths: of all files.
    """
    wanted = [p for p in asked.split("/") if p not in {"", ".", ".."}]
    if not wanted:
        return PathMatch(())
    plain = "/".join(wanted)
    exact = [p for p in paths if p == plain] or [p for p in paths if p.casefold() == plain.casefold()]
    found = exact or best_ends(asked, wanted, paths) or best_modules(asked, paths)
    if found:
        own = [p for p in found if kind_of(p) not in HELD_DOWN] if len(found) > 1 else found
        return PathMatch(tuple(own if len(own) == 1 else found))
    return PathMatch((), nearest_paths(plain, paths))


def best_ends(asked: str, wanted: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The files with most folders in common with a path, counted from its end.

    One path must be the end of the other, or both share their last folder; of an installed package it must be whole.
    """
    library = list(LIBRARY.finditer(asked))
    inside = [p for p in asked[library[-1].end() :].split("/") if p] if library else wanted
    scored: list[tuple[int, str]] = []
    for path in paths:
        own = path.split("/")
        if own[-1] != inside[-1]:
            continue
        same = shared_end(inside, own)
        fits = same == len(inside) > 1 if library else same in {len(inside), len(own)} or same > 1
        if fits:
            scored.append((same, path))
    most = max((same for same, _ in scored), default=0)
    return [path for same, path in scored if same == most]


def shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two paths have in common, from their ends."""
    pairs = enumerate(zip(reversed(one), reversed(other), strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def best_modules(asked: str, paths: Sequence[str]) -> list[str]:
    """Files by a dotted name: ``shop.cart.Cart.add`` is in ``shop/cart.py`` or ``src/shop/cart/__init__.py``."""
    if not MODULE.fullmatch(asked):
        return []
    parts = [p for p in re.split(r"\.|::", asked.removesuffix("()")) if p]
    if len(parts) > 1 and language_of(f"x.{parts[-1]}"):
        return []  # the name of a file that is not there
    stems: dict[str, list[str]] = {}
    for path in paths:
        place = PurePosixPath(path)
        stem = place.parent if place.stem in {"__init__", "index", "mod"} else place.with_suffix("")
        stems.setdefault(stem.name, []).append(path)
    for size in range(len(parts), 0, -1):
        found = [p for p in stems.get(parts[size - 1], ()) if ends_so(p, parts[:size])]
        if found:
            return found
    return []


def ends_so(path: str, parts: Sequence[str]) -> bool:
    """Whether a file is a module of this dotted name, or of the end of it that its folders leave."""
    place = PurePosixPath(path)
    own = (place.parent if place.stem in {"__init__", "index", "mod"} else place.with_suffix("")).parts
    return shared_end(parts, own) in {len(parts), len(own)}


def in_folder(asked: str, paths: Sequence[str]) -> tuple[str, ...]:
    """The folders of a repository that are meant by a path or the end of one, with their closing slash."""
    plain = "/".join(p for p in asked.strip().replace("\\", "/").split("/") if p not in {"", ".", ".."})
    folders = dict.fromkeys(folder for path in paths for folder in folders_of(path))
    if f"{plain}/" in folders:
        return (f"{plain}/",)
    ends = [f for f in folders if plain and f.endswith(f"/{plain}/")]
    shortest = min((f.count("/") for f in ends), default=0)
    return tuple(f for f in ends if f.count("/") == shortest)


def folders_of(path: str) -> Iterator[str]:
    """The folders that a file lies in, outermost first."""
    parts = path.split("/")[:-1]
    yield from ("/".join(parts[: i + 1]) + "/" for i in range(len(parts)))


def nearest_paths(asked: str, paths: Sequence[str]) -> tuple[str, ...]:
    """The files whose names, or whole paths, are spelled most like one that does not exist."""
    name = asked.rpartition("/")[2]
    names = {p: p.rstrip("/").rpartition("/")[2] for p in paths}
    alike = process.extract(name, names, scorer=fuzz.ratio, processor=str.lower, limit=20, score_cutoff=LEAST_ALIKE)
    order = sorted(alike, key=lambda row: (-row[1], -fuzz.ratio(asked, row[2]), row[2]))
    return tuple(path for _, _, path in order[:MOST_NEAR])
