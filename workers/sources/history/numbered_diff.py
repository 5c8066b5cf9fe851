"""The diff of a commit as a person reads it: both sides, each line with its own number, a little around each change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.sources.git import Repository, git_head
from workers.sources.history.commits import PLAIN, QUIET
from workers.sources.history.diff import HUNK, FileChange, Hunk, read_file
from workers.sources.history.file_lines import shortened
from workers.sources.history.hidden_values import values_of, without_values

MOST_BYTES = 3_000_000
AROUND = 2


@dataclass(frozen=True)
class NumberedDiff:
    """A file's rows: ``-12: old``, ``+14: new``, `` 13: same``, and before a hunk ``--`` with what git shows there."""

    file: FileChange
    rows: tuple[str, ...]


def numbered_diffs(repo: Repository, commit: str, files: Sequence[FileChange]) -> dict[str, NumberedDiff]:
    """The diffs of some files of a commit by path, against its first parent; those that cannot be read are missing."""
    wanted = list(dict.fromkeys(p for f in files for p in (f.path, f.old_path) if p))
    if not wanted:
        return {}
    args = ["log", "--no-walk", "--format=", "-p", f"-U{AROUND}", "-M", *QUIET, commit]
    limits = [f":(top,literal){path}" for path in wanted]
    raw, _ = git_head(repo, [*PLAIN, *args, "--", *limits], MOST_BYTES, failing=True)
    known = {f.path: f for f in files}
    values = values_of(repo, commit, files)
    out = {}
    for lines in split_files(raw.decode("utf-8", "replace").split("\n")):
        read = read_file(lines)
        if read and read.path in known:
            rows = (without_values(row, values.get(read.path, ())) for row in number_rows(lines))
            out[read.path] = NumberedDiff(known[read.path], tuple(rows))
    return out


def exact_hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    """The changed lines of one file's patch as hunks without the unchanged lines that git shows around them."""
    old = new = 0
    removed: list[str] = []
    added: list[str] = []
    for line in [*lines, "@@ -0,0 +0,0 @@"]:
        match = HUNK.match(line)
        if (match or line.startswith(" ")) and (removed or added):
            first, before = new - len(added), old - len(removed)
            yield Hunk(
                max(first if added else new - 1, 1),
                max(new - 1, 1),
                "\n".join(added),
                "\n".join(removed),
                at=first if added else new - 1,
                lines=len(added),
                old_start=before if removed else old - 1,
                old_lines=len(removed),
            )
            removed, added = [], []
        if match:
            old, new = int(match[1]), int(match[3])
        elif new and line.startswith("-"):
            removed.append(line[1:])
            old += 1
        elif new and line.startswith("+"):
            added.append(line[1:])
            new += 1
        elif new and line.startswith(" "):
            old, new = old + 1, new + 1


def split_files(lines: Sequence[str]) -> Iterator[list[str]]:
    """A patch by its files."""
    starts = [i for i, line in enumerate(lines) if line.startswith("diff --git ")]
    for i, start in enumerate(starts):
        yield list(lines[start : starts[i + 1] if i + 1 < len(starts) else len(lines)])


def number_rows(lines: Sequence[str]) -> Iterator[str]:
    """The rows of one file's patch."""
    old = new = 0
    begun = False
    for line in lines:
        if match := HUNK.match(line):
            old, new = int(match[1]), int(match[3])
            if begun or match[5]:
                yield f"-- {match[5]}".rstrip()
            begun = True
        elif not begun or line.startswith("\\"):
            continue
        elif line.startswith("-"):
            yield f"-{old}: {shortened(line[1:])}"
            old += 1
        elif line.startswith("+"):
            yield f"+{new}: {shortened(line[1:])}"
            new += 1
        elif line.startswith(" "):
            yield f" {new}: {shortened(line[1:])}"
            old, new = old + 1, new + 1
