"""Which commit brought a name into the code, and which took it out: read back from where it stands, through moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from time import monotonic

from workers.errors import ToolUnavailable
from workers.sources.git import Repository, call, cut_commits
from workers.sources.history.commits import DATA, PLAIN

MOST_PATHS = 20
MOST_MOVES = 30
HELD = re.compile(r"(?:^|/)(?:tests?|specs?|examples?|docs?)/|(?:^|/)test_|_test\.", re.IGNORECASE)
DEFINES = (
    r"\b(?:class|def|fn|func|function|struct|enum|trait|type|interface|const|let|var|val|static|mod|impl|define)\b"
)


@dataclass(frozen=True)
class Origin:
    """The commit that brought a name, or a file: ``text`` is line ``line`` of ``path`` as of it.

    ``whole``: nothing older holds it; else git was not done in time. ``removed``: the commit since which it is gone.
    ``tag``: the first tag that holds the commit. ``cut``: it stood there before the commits that a shallow clone has;
    ``commit`` is where their history is cut.
    """

    commit: str
    path: str
    line: int = 0
    text: str = ""
    whole: bool = True
    removed: str = ""
    tag: str = ""
    cut: bool = False


class Clock:
    """Runs git up to ``until``, in monotonic seconds; a call that is late or fails says nothing.

    ``cut``: the commits at which a shallow clone is cut.
    """

    def __init__(self, repo: Repository, until: float) -> None:
        self.repo, self.until, self.late, self.cut = repo, until, False, cut_commits(repo)

    def lines(self, *args: str) -> list[str]:
        """The lines that git prints."""
        try:
            done = call(self.repo, [*PLAIN, *args], timeout_s=max(self.until - monotonic(), 0.0))
        except ToolUnavailable:
            self.late = True
            return []
        return done.stdout.decode("utf-8", "replace").splitlines()


def name_origin(repo: Repository, commit: str, name: str, paths: Sequence[str], *, until: float) -> Origin | None:
    """The commit that brought a name that stands in ``paths`` of a commit; without paths, one that is gone by now.

    Only files with the endings of ``paths`` are followed, so that a change log does not count.
    """
    clock = Clock(repo, until)
    removed, at = "", commit
    if not paths:
        prose = [f":(exclude,top)*{ending}" for ending in DATA]
        removed = next(iter(clock.lines("log", "-1", "--format=%H", f"-S{name}", commit, "--", ":(top)", *prose)), "")
        at = f"{removed}^"
        paths = [p for p in holders(clock, at, name, ()) if not p.endswith(DATA)] if removed else []
    endings = tuple(dict.fromkeys(PurePosixPath(p).suffix for p in paths))
    found: Origin | None = None
    for _ in range(MOST_MOVES):
        first = first_with(clock, at, name, paths) if paths else None
        if first is None:
            break
        found = first
        if first.cut:
            return replace(first, removed=removed)
        at = f"{first.commit}^"
        paths = holders(clock, at, name, endings)
    if found is None:
        return None
    whole = not clock.late
    return Origin(found.commit, found.path, found.line, found.text, whole, removed, first_tag(clock, found.commit))


def file_origin(repo: Repository, commit: str, path: str, *, until: float) -> Origin | None:
    """The commit that brought a file, renames followed, or the oldest of a folder, whose path ends with a slash."""
    clock = Clock(repo, until)
    follow = () if path.endswith("/") else ("--follow",)
    shown = clock.lines("log", *follow, "--diff-filter=A", "--format=%H", commit, "--", top(path))
    if not shown:
        return None
    if beyond := next((c for c in shown if c in clock.cut), ""):
        return Origin(beyond, path, cut=True)
    return Origin(shown[-1], path, whole=not clock.late, tag=first_tag(clock, shown[-1]))


def first_with(clock: Clock, at: str, name: str, paths: Sequence[str]) -> Origin | None:
    """The oldest commit up to one that brought a name, as a word, to one of some files."""
    places = [top(p) for p in paths]
    found = clock.lines("log", "--format=%H", f"-S{name}", at, "--", *places)
    if beyond := next((c for c in found if c in clock.cut), ""):
        return Origin(beyond, paths[0], cut=True)
    for commit in reversed(found):
        shown = clock.lines("grep", "-n", "-w", "-F", "-I", "-e", name, commit, "--", *places)
        rows = [row.removeprefix(f"{commit}:").split(":", 2) for row in shown]
        if rows := [row for row in rows if len(row) == 3 and row[1].isdigit()]:
            path, line, text = min(rows, key=lambda row: (bool(HELD.search(row[0])), not defines(row[2], name)))
            return Origin(commit, path, int(line), text.strip())
    return None


def defines(line: str, name: str) -> bool:
    """Whether a line looks as if it defined a name."""
    word = rf"(?<!\w){re.escape(name)}(?!\w)"
    return re.search(rf"{DEFINES}.*{word}|^\s*[\"']?{word}[\"']?\s*(?::|:?=(?!=))", line) is not None


def holders(clock: Clock, at: str, name: str, endings: Sequence[str]) -> list[str]:
    """Files of a commit that hold a name as a word, sources first."""
    only = [f":(top)*{ending}" for ending in endings if ending]
    shown = clock.lines("grep", "-l", "-w", "-F", "-I", "-e", name, at, "--", *only)
    paths = [row.removeprefix(f"{at}:") for row in shown]
    return sorted(paths, key=lambda p: bool(HELD.search(p)))[:MOST_PATHS]


def first_tag(clock: Clock, commit: str) -> str:
    """The oldest tag that holds a commit; empty when none does, or git is late."""
    late = clock.late
    only = ["--contains", commit, "--format=%(refname:strip=2)", "refs/tags"]
    shown = clock.lines("for-each-ref", "--sort=creatordate", *only)
    clock.late = late
    return next(iter(shown), "")


def top(path: str) -> str:
    """A path from the top of the repository, as git takes it."""
    return f":(top,literal){path}"
