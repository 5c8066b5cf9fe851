"""Files of a commit and their lines, read through git: nothing outside of the repository's own tree can be named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from workers.errors import ToolArgumentError
from workers.sources.code.file_kinds import LFS, utf8
from workers.sources.code.file_parsing import text_of
from workers.sources.git import Blob, Repository, git_head, list_cloned
from workers.sources.history.hidden_values import whole_hidden

MOST_BYTES = 8_000_000
LONGEST_LINE = 600
SPAN = re.compile(r"[lL]?(\d{0,9})\s*(?:([-–:,])\s*[lL]?(\d{0,9}))?")


@lru_cache(maxsize=8)
def files_at(repo: Repository, commit: str) -> Mapping[str, Blob]:
    """The regular files of a commit by path; no symbolic links, no submodules. Raises: ToolUnavailable: git failed."""
    return {blob.path: blob for blob in list_cloned(repo, commit)[0]}


def read_lines(repo: Repository, blob: Blob) -> tuple[list[str], str]:
    """The lines of a file, or why it has none that can be read. Raises: ToolUnavailable: git failed."""
    raw, whole = git_head(repo, ["cat-file", "blob", blob.hash], MOST_BYTES)
    source = utf8(raw)
    if source.startswith(LFS):
        return [], "is kept by Git LFS; the repository holds a pointer to it alone"
    if b"\0" in source[:8_000]:
        return [], f"is binary, {size_of(blob.size)}"
    lines = text_of(source)
    return whole_hidden(lines if whole else lines[:-1]), ""


def read_span(text: str) -> tuple[int, int]:
    """``41-90``, ``41``, ``41-`` or ``-90`` -> first and last line; 0 for an open end.

    Raises:
        ToolArgumentError: it is none of these.
    """
    match = SPAN.fullmatch(text.strip())
    first, dash, last = match.groups() if match else ("", "", "")
    if match is None or not (first or last):
        raise ToolArgumentError(f"lines: {text!r} is not a range of lines, like 41-90 or 41")
    start = int(first or 1)
    end = int(last or 0) if dash else start
    if start < 1 or (end and end < start):
        raise ToolArgumentError(f"lines: {text!r} does not begin at line 1 or later, or ends before it begins")
    return start, end


def shortened(line: str, around: int = 0) -> str:
    """A line of a readable length, kept around one place of it; what was left out is marked."""
    if len(line) <= LONGEST_LINE:
        return line
    first = max(0, min(around - LONGEST_LINE // 3, len(line) - LONGEST_LINE))
    cut = line[first : first + LONGEST_LINE]
    return f"{'…' if first else ''}{cut}{'…' if first + LONGEST_LINE < len(line) else ''}"


def pieces(lines: Sequence[str], first: int, most_chars: int, most_lines: int = 80) -> list[tuple[int, int]]:
    """Lines cut into ranges that are short enough to be shown whole, at empty lines where there are any.

    Args:
        lines: those to cut.
        first: the number of the first of them.
        most_chars: in one range, unless a line alone is longer.
        most_lines: as above.
    """
    out: list[tuple[int, int]] = []
    at = 0
    while at < len(lines):
        end, size = at, 0
        while end < len(lines) and end - at < most_lines and (end == at or size + len(lines[end]) + 1 <= most_chars):
            size += len(lines[end]) + 1
            end += 1
        if end < len(lines):
            empty = [i for i in range(at + (end - at) // 2, end) if not lines[i].strip()]
            end = empty[-1] + 1 if empty else end
        out.append((first + at, first + end - 1))
        at = end
    return out


def size_of(size: int) -> str:
    """Bytes as a person reads them."""
    return f"{size} B" if size < 1_000 else f"{size / 1_000:.1f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"
