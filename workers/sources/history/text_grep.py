"""A regular expression over all files of a commit: git finds the lines within a time limit, whatever the pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

from workers.errors import ToolArgumentError, ToolUnavailable
from workers.sources.git import Repository, call, git_head, path_of
from workers.sources.history.diff import FileChange
from workers.sources.history.hidden_values import is_doubtful, values_of, without_values

MOST_BYTES = 4_000_000
TIMEOUT_S = 8.0
MOST_DOUBTFUL = 20  # files whose secrets are looked for
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
FLAGS = ("-n", "-z", "-I", "--full-name", "--no-color", "--no-textconv", "--no-recurse-submodules", "--column")


@dataclass(frozen=True)
class Match:
    """A line that matches: its number, and the column of the first match in it, both from 1."""

    path: str
    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Matches:
    """Matching lines by path. ``whole``: they are all there are; otherwise so many were read before there were too many
    or the time was over."""

    found: tuple[Match, ...]
    whole: bool = True


def is_searchable(text: str) -> bool:
    """Whether git can be given a text: no control characters but tabs, nothing that is no character."""
    return text.replace("\t", " ").isprintable()


def check_pattern(repo: Repository, pattern: str, *, ignore_case: bool) -> None:
    """Have a pattern read by git, over no files.

    Raises:
        ToolArgumentError: it is no regular expression; says what is wrong with it.
    """
    if not pattern.strip():
        raise ToolArgumentError("pattern is empty; give a regular expression, such as max_attempts\\s*[:=]")
    if not is_searchable(pattern):
        raise ToolArgumentError("pattern: lines are searched one by one, so it cannot hold a line break or the like")
    done = call(repo, [*command(pattern, ignore_case=ignore_case), "-q", EMPTY_TREE])
    if done.returncode > 1:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition(": ")[2] or "git cannot read it"
        raise ToolArgumentError(
            f"pattern: {pattern!r} is no regular expression: {said}; write \\( for a bracket itself"
        )


def grep_commit(
    repo: Repository, commit: str, pattern: str, paths: Sequence[str], *, ignore_case: bool = False
) -> Matches:
    """The lines of text files that match a Perl-compatible expression.

    Args:
        repo: where.
        commit: full hash.
        pattern: as `check_pattern` has read it.
        paths: files, or folders with their closing slash; all when there is none.
        ignore_case: capital letters count as small ones.

    Raises:
        ToolUnavailable: git failed, or gave the pattern up because it takes too long.
    """
    limits = [f":(top,literal){path.rstrip('/')}" for path in paths] or ([] if not repo.prefix else ["."])
    args = [*command(pattern, ignore_case=ignore_case), commit, "--", *limits]
    began = monotonic()
    raw, whole = git_head(repo, args, MOST_BYTES, TIMEOUT_S, failing=True)
    if not raw:
        if monotonic() - began >= TIMEOUT_S:
            raise ToolUnavailable(f"the search took longer than {TIMEOUT_S:g} s: give a path, or a simpler pattern")
        explain_nothing(repo, args)
    rows = raw.decode("utf-8", "backslashreplace").split("\n")[: None if whole else -1]
    found = [match for row in rows if (match := read_row(row, commit))]
    doubtful = dict.fromkeys(match.path for match in found if is_doubtful(match.path, match.text))
    values = values_of(repo, commit, [FileChange(path) for path in list(doubtful)[:MOST_DOUBTFUL]]) if doubtful else {}
    clean = (replace(m, text=without_values(m.text, values[m.path])) if m.path in values else m for m in found)
    return Matches(tuple(clean), whole or not raw)


def explain_nothing(repo: Repository, args: Sequence[str]) -> None:
    """Look whether nothing matches, which is no failure. Raises: ToolUnavailable: git failed; says why."""
    done = call(repo, args, timeout_s=TIMEOUT_S)
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    if "limit exceeded" in said:
        raise ToolUnavailable("the pattern takes too long: give a simpler one, without a repeat inside a repeat")
    if done.returncode > 1:
        raise ToolUnavailable(f"git grep failed in {repo.path}: {said}")


def command(pattern: str, *, ignore_case: bool) -> list[str]:
    """The search without what is searched."""
    return ["grep", *FLAGS, *(["-i"] if ignore_case else []), "-P", "-e", pattern]


def read_row(row: str, commit: str) -> Match | None:
    """``COMMIT:path\\0line\\0column\\0text``."""
    place, _, rest = row.partition("\0")
    line, _, rest = rest.partition("\0")
    column, _, text = rest.partition("\0")
    if not line.isdigit() or not column.isdigit():
        return None
    path = path_of(place.removeprefix(f"{commit}:").encode("utf-8", "surrogateescape"))
    return Match(path, int(line), int(column), text.removesuffix("\r"))
