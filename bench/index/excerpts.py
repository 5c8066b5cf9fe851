"""Excerpts compared with the files that git holds, line by line."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from workers.search import CodeHit, CodeIndex
from workers.sources.git import Repository, command, environment, open_repository

UTF16 = (b"\xff\xfe", b"\xfe\xff")
LENGTHS = (None, 1, 3, 8, 20)


def lines_of(raw: bytes) -> list[str]:
    """A file's lines, ends dropped, read without anything of the index."""
    text = raw.decode("utf-16" if raw[:2] in UTF16 else "utf-8", "replace")
    return [line[:-1] if line[-1:] == "\r" else line for line in text.split("\n")]


def compare(repo: Path, place: Path, wanted: int, seed: int = 1) -> Counter[str]:
    """Ask for names and words of the repository until enough lines of files were shown.

    Returns:
        How many results were ``compared``, how many distinct lines they held, and how many were ``unequal``.
    """
    index = CodeIndex.ensure(repo, place)
    source = open_repository(repo)
    shown = cache(lambda commit, path: lines_of(blob(source, commit, path)))
    out: Counter[str] = Counter()
    for hit in results(index, random.Random(seed)):
        lines = shown(hit.commit, hit.path)[hit.start_line - 1 : hit.end_line]
        out["compared"] += 1
        out["lines"] += len(lines)
        out["unequal"] += hit.excerpt.split("\n") != lines
        if out["compared"] >= wanted:
            break
    return out


def blob(source: Repository, commit: str, path: str) -> bytes:
    """A file at a commit; the names of some files are not text."""
    name = path.encode("utf-8", "surrogateescape") if "\\x" not in path else odd_name(path)
    asked = command(source, ["cat-file", "blob", f"{commit}:".encode() + name])  # type: ignore[list-item]
    return subprocess.run(asked, capture_output=True, check=True, env=environment()).stdout


def odd_name(path: str) -> bytes:
    """The bytes of a path that is shown with ``\\xff`` in it."""
    return path.encode().decode("unicode_escape").encode("latin-1")


def results(index: CodeIndex, chance: random.Random) -> Iterator[CodeHit]:
    """Hits for questions made of names, stems and words of the indexed files, and definitions."""
    columns = index.columns
    files = [i for i, path in enumerate(columns.paths) if path]
    names = list(dict.fromkeys(columns.names)) or ["main"]
    while files:
        lines = columns.lines_of(chance.choice(files))
        words = " ".join(chance.sample(lines, min(2, len(lines)))).split()
        for question in (chance.choice(names), " ".join(words[:8]), columns.stems[chance.choice(files)]):
            yield from index.search(question, 10, max_lines=chance.choice(LENGTHS))
        yield from index.definitions(chance.choice(names))[:10]
