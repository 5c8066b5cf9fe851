"""Which commits touched a file, a folder or some lines, or say some words; newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workers.errors import ToolUnavailable
from workers.sources.git import Repository, cut_commits, git, git_head, remote_url
from workers.sources.history.commits import (
    MAX_PATCH_BYTES,
    PLAIN,
    QUIET,
    RECORD,
    Change,
    read_log,
    read_record,
    records,
    stamp,
)
from workers.sources.history.diff import FileChange
from workers.sources.history.hidden_values import Values, hidden, values_of
from workers.sources.history.numbered_diff import exact_hunks, split_files
from workers.sources.history.path_history import list_path

MOST = 30
LINES_S = 10.0


@dataclass(frozen=True)
class LogQuery:
    """Which commits: from ``since``, None for any, to ``until``, by an author whose name holds ``author``.

    Their message holds all ``words``.
    """

    since: datetime | None
    until: datetime
    author: str = ""
    words: tuple[str, ...] = ()

    def fits(self, change: Change) -> bool:
        """Whether a commit is one of them."""
        said = f"{change.subject}\n{change.body}".casefold()
        return (
            (self.since is None or change.at >= self.since)
            and change.at <= self.until
            and self.author.casefold() in change.author.casefold()
            and all(word.casefold() in said for word in self.words)
        )


@dataclass(frozen=True)
class Log:
    """The newest commits, and how many there are; ``whole``: that is all of them, not only those that were read."""

    changes: tuple[Change, ...]
    count: int
    whole: bool = True


def log_of_path(repo: Repository, commit: str, path: str, query: LogQuery) -> Log:
    """Commits that touched a file, under earlier names too, or anything in a folder, which ends in a slash."""
    listed = list_path(repo, commit, (path,), query.since, query.until).commits
    own = (c for c in listed if query.fits(c) and not only_namesakes(c, path))
    found = tuple(own)
    return Log(found[:MOST], len(found))


def ever_touched(repo: Repository, commit: str, path: str) -> bool:
    """Whether a file or folder that may be gone once stood in a repository."""
    return any(not only_namesakes(c, path) for c in list_path(repo, commit, (path,), None, None).commits)


def only_namesakes(change: Change, path: str) -> bool:
    """Whether a commit touched nothing but files whose names only begin like that of a file."""
    return not path.endswith("/") and all(f.path.startswith(path) and f.path != path for f in change.files)


def log_of_lines(repo: Repository, commit: str, path: str, span: tuple[int, int], query: LogQuery) -> Log:
    """Commits that changed lines of a file, with their hunks of these lines; git follows the lines back.

    Raises:
        ToolUnavailable: git failed.
    """
    top = replace(repo, path=repo.root or repo.path)
    args = ["log", f"--format={RECORD}", "-U0", "--no-color", f"-L{span[0]},{span[1]}:{path}", commit]
    raw, whole = git_head(top, [*PLAIN, *args], MAX_PATCH_BYTES, LINES_S, failing=True)
    if not raw:
        raise ToolUnavailable(f"git could not follow lines {span[0]}-{span[1]} of {path} within {LINES_S:g} s")
    remote = remote_url(repo)
    values = values_of(repo, commit, [FileChange(path)]).get(path, ())
    each = (with_exact_hunks(record, remote, values) for record in records(raw))
    cut = cut_commits(repo)
    found = [c for c in each if query.fits(c) and c.commit not in cut]
    return Log(tuple(found[:MOST]), len(found), whole)


def with_exact_hunks(record: str, remote: str, values: Values) -> Change:
    """A commit of a history of lines, for which git always shows unchanged lines too.

    ``values``: what the file hides, of which nothing is shown.
    """
    change = read_record(record, remote)
    patches = split_files(record.split("\0", 6)[6].split("\n"))
    each = zip(change.files, patches, strict=False)
    files = [replace(f, hunks=tuple(hidden(h, values) for h in exact_hunks(p))) for f, p in each]
    return replace(change, files=tuple(files) or change.files)


def log_of_all(repo: Repository, commit: str, query: LogQuery) -> Log:
    """Commits of the whole repository, merges apart. Raises: ToolUnavailable: git failed."""
    limits = ["--no-merges", "-i", "--fixed-strings", f"--until={stamp(query.until)}"]
    limits += [f"--since={stamp(query.since)}"] if query.since else []
    limits += [f"--author={query.author}"] if query.author else []
    limits += [f"--grep={word}" for word in query.words] + (["--all-match"] if len(query.words) > 1 else [])
    inside = ["--", "."] if repo.prefix else ["--"]
    shown = ["--name-status", "-M100%", *QUIET]
    raw, _ = git_head(
        repo,
        [*PLAIN, "log", f"--max-count={MOST}", f"--format={RECORD}", *shown, *limits, commit, *inside],
        MAX_PATCH_BYTES,
    )
    counted = int(git(repo, *PLAIN, "rev-list", "--count", *limits, commit, *inside))
    return Log(tuple(read_log(raw, remote_url(repo), cut_commits(repo))), counted)


def merged_logs(logs: Sequence[tuple[str, Log]]) -> tuple[list[tuple[str, Change]], int, bool]:
    """The newest commits of several repositories, how many there are together, and whether that is all."""
    rows = [(name, change) for name, log in logs for change in log.changes]
    rows.sort(key=lambda row: -row[1].at.timestamp())
    return rows[:MOST], sum(log.count for _, log in logs), all(log.whole for _, log in logs)
