"""Files of a commit, and the hunks of each, in the order of their use for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workers.sources.code.file_kinds import skip_path
from workers.sources.history.commit_ranking import MAX_TEXT, prior_of
from workers.sources.history.diff import FileChange, Hunk
from workers.sources.history.term_counts import TermCounter


def order_files(
    files: Sequence[FileChange], worth: Mapping[str, float], related: Mapping[str, float], counter: TermCounter
) -> tuple[FileChange, ...]:
    """Sources first; among them those nearer to the question, then those with more changed lines.

    Args:
        files: of one commit.
        worth: what each term of the question is worth.
        related: path -> 0..1, files that are known to matter to the question.
        counter: counts the terms.
    """

    def key(file: FileChange) -> tuple[float, ...]:
        near = sum(worth[t] for t in counter.count(file.path).counts)
        near += max((hunk_worth(h, worth, counter) for h in file.hunks[:5]), default=0.0)
        near += related.get(file.path, 0.0) * sum(worth.values())
        return (-prior_of(file.path), -near, -(file.added + file.removed))

    return tuple(sorted((order_hunks(f, worth, counter) for f in files), key=key))


def order_hunks(file: FileChange, worth: Mapping[str, float], counter: TermCounter) -> FileChange:
    """Hunks that hold most of the question first, then larger ones, then in order."""
    if skip_path(file.path):
        return file
    ordered = sorted(file.hunks, key=lambda h: (-hunk_worth(h, worth, counter), -len(h.added_text), h.start_line))
    return replace(file, hunks=tuple(ordered))


def hunk_worth(hunk: Hunk, worth: Mapping[str, float], counter: TermCounter) -> float:
    """What of the question a hunk's lines hold."""
    held = counter.count(f"{hunk.added_text[:MAX_TEXT]}\n{hunk.removed_text[:MAX_TEXT]}")
    return sum(worth[t] for t in held.counts)
