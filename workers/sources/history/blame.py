"""Who last changed some lines, and how they came to be what they are: renames followed, formatting passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import monotonic

from workers.errors import ToolUnavailable
from workers.sources.git import FULL_HASH, Repository, call, cut_commits, open_repository, read_blobs
from workers.sources.history.commits import PLAIN
from workers.sources.history.diff import Hunk, read_patch

IGNORE_FILE = ".git-blame-ignore-revs"
MOST_IGNORED = 200
MOST_FORMATS = 3
FORMATTERS = (
    r"black|prettier|gofmt|gofumpt|goimports|rustfmt|cargo fmt|clang-format|rubocop|standardrb|isort|ruff|yapf|autopep8"
    r"|spotless|ktlint|ktfmt|scalafmt|php-cs-fixer|pint|eslint|biome|dotnet format|mix format|terraform fmt"
)
FORMATS = re.compile(
    rf"\bre-?(?:format|indent)|\b(?:run|ran|apply|applied|use|format\w*|fix\w*) (?:\w+ ){{0,3}}(?:{FORMATTERS})\b"
    r"|\b(?:code ?style|formatting|white ?space|indentation|line endings|trailing spaces|tabs to spaces)\b"
    r"|^style(?:\([^)]*\))?!?:",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class LastChange:
    """The commit that last touched some lines. ``path`` is what their file was called in it."""

    commit: str
    short: str
    author: str
    at: datetime
    subject: str
    path: str = ""


@dataclass(frozen=True)
class LineChange:
    """One step in the history of some lines: the commit, and its hunks that touched them; none where their file began.

    ``first``: none of the lines is older.
    """

    by: LastChange
    old_path: str
    hunks: tuple[Hunk, ...]
    first: bool = False


@dataclass(frozen=True)
class Blamed:
    """Lines of a file by the commit that they are from.

    ``lines``: (line now, line in that commit, commit). ``before``: commit -> its parent and the file's path there,
    where the file was older.
    """

    lines: tuple[tuple[int, int, str], ...]
    commits: dict[str, LastChange] = field(default_factory=dict)
    before: dict[str, tuple[str, str]] = field(default_factory=dict)

    def newest(self, passed: Sequence[str] = ()) -> LastChange | None:
        """The newest commit, rather none of ``passed``."""
        found = [c for name, c in self.commits.items() if name not in passed] or list(self.commits.values())
        return max(found, key=lambda c: c.at, default=None)


def last_change(
    repo: str | Path | Repository, commit: str, path: str, start: int, end: int, *, timeout_s: float = 2.0
) -> LastChange | None:
    """The commit that last touched lines of a file as of a commit; None when git does not know, or not in time.

    Commits of ``.git-blame-ignore-revs``, those that say they only format, and changes of white space do not count,
    unless all of the lines are from them. Those at which a shallow clone is cut never do.
    """
    source = repo if isinstance(repo, Repository) else open_repository(repo)
    found = blame_edits(source, commit, path, (start, end), monotonic() + timeout_s)
    return found[1] if found else None


def line_history(
    repo: Repository, commit: str, path: str, start: int, end: int, most: int = 5, *, timeout_s: float = 4.0
) -> list[LineChange]:
    """The commits that made some lines what they are, newest first; as many as git finds in time.

    Where a shallow clone is cut before the lines came, the last step is the oldest that is known.
    """
    until = monotonic() + timeout_s
    out: list[LineChange] = []
    while len(out) < most and (found := blame_edits(repo, commit, path, (start, end), until)):
        blamed, last = found
        moved = next(old - now for now, old, name in blamed.lines if name == last.commit)
        start, end = max(start + moved, 1), max(end + moved, 1)
        if last.commit not in blamed.before:
            out.append(LineChange(last, "", (), first=True))
            break
        parent, old_path = blamed.before[last.commit]
        hunks = changed_lines(repo, (parent, old_path), (last.commit, last.path), until)
        earlier = before_hunks(hunks, start, end)
        own = tuple(h for h in hunks if overlaps(h, start, end))
        out.append(LineChange(last, old_path, own, first=earlier is None))
        if earlier is None:
            break
        commit, path, (start, end) = parent, old_path, earlier
    return out


def blame_edits(
    repo: Repository, commit: str, path: str, span: tuple[int, int], until: float
) -> tuple[Blamed, LastChange] | None:
    """Blame lines, and say which commit changed them last; blamed again without it while it only formats."""
    passed, cut = list(ignored(repo, commit)), cut_commits(repo)
    known = len(passed)
    best: tuple[Blamed, LastChange] | None = None
    while len(passed) - known <= MOST_FORMATS and (blamed := blame(repo, commit, path, span, passed, until)):
        last = blamed.newest(passed)
        if last is None or last.commit in cut:
            break
        best = blamed, last
        if last.commit in passed or not FORMATS.search(last.subject):
            break
        passed.append(last.commit)
    return best


def blame(
    repo: Repository, commit: str, path: str, span: tuple[int, int], passed: Sequence[str], until: float
) -> Blamed | None:
    """Ask git; None when it does not know, or not in time."""
    args = ["blame", "--porcelain", "-w", *(f"--ignore-rev={c}" for c in passed), "-L", f"{span[0]},{span[1]}"]
    top = replace(repo, path=repo.root or repo.path)
    try:
        done = call(top, ["-c", "blame.ignoreRevsFile=", *args, commit, "--", path], timeout_s=until - monotonic())
    except ToolUnavailable:
        return None
    return read_porcelain(done.stdout.decode("utf-8", "replace").split("\n")) if done.returncode == 0 else None


def read_porcelain(lines: Sequence[str]) -> Blamed:
    """Read ``git blame --porcelain``, whose header fields follow a commit's first line."""
    rows: list[tuple[int, int, str]] = []
    commits: dict[str, LastChange] = {}
    before: dict[str, tuple[str, str]] = {}
    now = LastChange("", "", "", datetime.min.replace(tzinfo=UTC), "")
    for line in lines:
        key, _, value = line.partition(" ")
        if FULL_HASH.fullmatch(key) and value[:1].isdigit():
            old, new = value.split()[:2]
            rows.append((int(new), int(old), key))
            now = commits.get(key, replace(now, commit=key, short=key[:7], path=""))
        elif key == "author":
            now = replace(now, author=value)
        elif key == "committer-time":
            now = replace(now, at=datetime.fromtimestamp(int(value), UTC))
        elif key == "summary":
            now = replace(now, subject=value)
        elif key == "previous":
            parent, _, path = value.partition(" ")
            before[now.commit] = parent, path
        elif key == "filename":
            now = replace(now, path=value)
        if line.startswith("\t") and now.commit:
            commits.setdefault(now.commit, now)
    return Blamed(tuple(rows), commits, before)


@lru_cache(maxsize=64)
def ignored(repo: Repository, commit: str) -> tuple[str, ...]:
    """Commits of ``.git-blame-ignore-revs`` that exist."""
    (source,) = read_blobs(repo, [f"{commit}:{IGNORE_FILE}"])
    rows = (line.split("#")[0].strip() for line in source.decode("utf-8", "replace").splitlines())
    named = [row for row in rows if FULL_HASH.fullmatch(row)][:MOST_IGNORED]
    if not named:
        return ()
    shown = call(repo, ["cat-file", "--batch-check"], stdin="".join(f"{n}\n" for n in named).encode()).stdout.decode()
    return tuple(row.split()[0] for row in shown.splitlines() if row.split()[1:2] == ["commit"])


def changed_lines(repo: Repository, old: tuple[str, str], new: tuple[str, str], until: float) -> tuple[Hunk, ...]:
    """How one file, (commit, path), differs from another, white space apart; nothing when git fails."""
    ends = (f"{commit}:{path}" for commit, path in (old, new))
    args = ["diff", "-w", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", *ends]
    try:
        done = call(repo, [*PLAIN, *args], timeout_s=until - monotonic())
    except ToolUnavailable:
        return ()
    files = read_patch(done.stdout.decode("utf-8", "replace"))
    return files[0].hunks if files else ()


def overlaps(hunk: Hunk, start: int, end: int) -> bool:
    """True when a hunk changed lines of a range, or took some out of it."""
    return hunk.start_line <= end and hunk.end_line >= start


def before_hunks(hunks: Sequence[Hunk], start: int, end: int) -> tuple[int, int] | None:
    """Where the lines of a range stood before some hunks; None when they were not there."""
    first, last = line_before(hunks, start, opens=True), line_before(hunks, end, opens=False)
    return (first, last) if first <= last else None


def line_before(hunks: Sequence[Hunk], line: int, *, opens: bool) -> int:
    """The line of the old side that a line of the new side was; of changed lines the first or the last."""
    moved = 0
    for hunk in sorted(hunks, key=lambda h: (h.at, h.lines)):
        if hunk.at <= line < hunk.at + hunk.lines:
            if opens:
                return hunk.old_start if hunk.old_lines else hunk.old_start + 1
            return hunk.old_start + hunk.old_lines - 1 if hunk.old_lines else hunk.old_start
        if (hunk.at if hunk.lines else hunk.at + 1) > line:
            break
        moved += hunk.old_lines - hunk.lines
    return max(line + moved, 1)


def line_mover(
    repo: Repository, deployed: str, indexed: str, *, timeout_s: float = 2.0
) -> Callable[[str, int], tuple[int, str]]:
    """What turns a line of a path at one commit into the same line at another, with a note on how sure that is."""
    until = monotonic() + timeout_s

    def move(path: str, line: int) -> tuple[int, str]:
        hunks = changed_lines(repo, (indexed, path), (deployed, path), until) if deployed != indexed else ()
        if not hunks:
            return line, ""
        moved = line_before(hunks, line, opens=True)
        changed = any(h.at <= line < h.at + h.lines for h in hunks)
        if changed:
            return moved, f"line {line} of the deployed {deployed[:7]} was changed since; near here now"
        return moved, f"line {line} of the deployed {deployed[:7]}" if moved != line else ""

    return move
