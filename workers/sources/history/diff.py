"""Patches as git prints them without context -> files and hunks on the new side."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
ESCAPE = re.compile(r"\\([abfnrtv\"\\]|[0-7]{3})")
ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True)
class Hunk:
    """Lines of the new side, from 1, both ends included; where lines were only removed, the line before the gap.

    ``symbol`` is the definition that the lines lie in, when it is known; ``near`` the line above that git shows with a
    hunk, as a rule the head of that definition. ``at`` and ``lines`` are the first line and the number of lines of the
    new side as git counts them, ``old_start`` and ``old_lines`` those of the old side: without any lines the first is
    the one before the gap, 0 at the top.
    """

    start_line: int
    end_line: int
    added_text: str = ""
    removed_text: str = ""
    symbol: str = ""
    near: str = ""
    at: int = 0
    lines: int = 0
    old_start: int = 0
    old_lines: int = 0


@dataclass(frozen=True)
class FileChange:
    """What a commit did to a file. ``added`` and ``removed`` count lines; binary files have no hunks.

    ``old_path`` is what it was called before, when the commit moved it.
    """

    path: str
    added: int = 0
    removed: int = 0
    hunks: tuple[Hunk, ...] = ()
    deleted: bool = False
    created: bool = False
    old_path: str = ""


def diff_text(files: Iterable[FileChange]) -> str:
    """The lines that were taken away and put in, each file below its ``+++`` line; without lines around them."""
    lines = list[str]()
    for file in files:
        lines.append(f"+++ b/{file.path}")
        for hunk in file.hunks:
            lines += [f"-{line}" for line in hunk.removed_text.splitlines()]
            lines += [f"+{line}" for line in hunk.added_text.splitlines()]
    return "\n".join(lines)


def read_patch(patch: str) -> list[FileChange]:
    """Parse the output of ``git log -p -U0`` for one commit."""
    out: list[FileChange] = []
    lines = patch.split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("diff --git ")]
    for a, b in pairwise([*starts, len(lines)]):
        change = read_file(lines[a:b])
        if change:
            out.append(change)
    return out


def read_file(lines: list[str]) -> FileChange | None:
    """Parse the part of one file."""
    old = new = moved = ""
    at = len(lines)
    for i, line in enumerate(lines):
        if line.startswith("--- "):
            old = path_of(line[4:])
        elif line.startswith("+++ "):
            new = path_of(line[4:])
        elif line.startswith("rename from "):
            moved = unquote(line[12:])
        elif line.startswith("rename to "):
            new = unquote(line[10:])
        elif line.startswith("@@"):
            at = i
            break
    if not old and not new:
        new = header_path(lines[0])
    hunks = read_hunks(lines[at:])
    path = new or old
    if not path:
        return None
    counts = [line[:1] for line in lines[at:]]
    added, removed = counts.count("+"), counts.count("-")
    deleted, created = (any(line.startswith(said) for line in lines[:at]) for said in ("deleted file", "new file"))
    return FileChange(path, added, removed, tuple(hunks), deleted, created, moved)


def read_hunks(lines: list[str]) -> list[Hunk]:
    """Parse hunk headers and the lines below them."""
    out: list[Hunk] = []
    added: list[str] = []
    removed: list[str] = []

    def close() -> None:
        if out:
            out[-1] = replace(out[-1], added_text="\n".join(added), removed_text="\n".join(removed))
        added.clear()
        removed.clear()

    for line in lines:
        if match := HUNK.match(line):
            close()
            start, count = int(match[3]), int(match[4] or 1)
            before = int(match[1]), int(match[2] or 1)
            out.append(
                Hunk(
                    max(start, 1),
                    max(start + count - 1, start, 1),
                    near=match[5][:200],
                    at=start,
                    lines=count,
                    old_start=before[0],
                    old_lines=before[1],
                )
            )
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
    close()
    return out


def path_of(text: str) -> str:
    """The path in a ``---`` or ``+++`` line; empty for /dev/null."""
    text = unquote(text.split("\t", 1)[0] if not text.startswith('"') else text)
    return "" if text == "/dev/null" else text.partition("/")[2]


def header_path(line: str) -> str:
    """The path in a ``diff --git`` line whose file has no text changes (mode, binary): both halves are equal."""
    rest = line.removeprefix("diff --git ")
    if rest.startswith('"'):
        return unquote(rest[: len(rest) // 2]).partition("/")[2]
    return rest[: len(rest) // 2].partition("/")[2]


def unquote(text: str) -> str:
    """Undo git's quoting of unusual paths."""
    if not (len(text) > 1 and text.startswith('"') and text.endswith('"')):
        return text

    def one(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 8)) if code.isdigit() else ESCAPED.get(code, code)

    raw = ESCAPE.sub(one, text[1:-1])
    try:
        return raw.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return raw
