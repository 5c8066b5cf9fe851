"""What changed in a span of time or in one commit, ranked for a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from workers.sources.code.file_kinds import skip_path
from workers.sources.code.syntax_tree import Definition, enclosing, read_definitions
from workers.sources.git import Repository, open_repository, read_blobs, resolve
from workers.sources.history.commit_ranking import MAX_TEXT, Wish, prior_of, rank_commits, read_wish, with_old_names
from workers.sources.history.commits import (
    MOST_LISTED,
    Change,
    Listing,
    drop_covered_merges,
    keep_paths,
    list_span,
    read_commit,
    with_patches,
)
from workers.sources.history.diff import FileChange, Hunk
from workers.sources.history.hidden_values import without_secrets
from workers.sources.history.path_history import list_path
from workers.sources.history.term_counts import TermCounter
from workers.sources.terms.programming_languages import language_of
from workers.sources.terms.query_terms import read_query

MOST_READ = 40
MAX_OUTLINED = 16


@dataclass(frozen=True)
class Found:
    """The best commits of a span; ``count`` is of all in it, merges left out that others account for.

    ``listed``: so many were judged by what they say and which files they changed, ``read``: so many by their lines.
    """

    changes: tuple[Change, ...]
    count: int
    listed: int
    read: int

    @classmethod
    def of(cls, changes: tuple[Change, ...], spans: Sequence[Found]) -> Found:
        """The best of several spans, each of a repository."""
        return cls(changes, *(sum(getattr(s, name) for s in spans) for name in ("count", "listed", "read")))

    def describe(self) -> str:
        """How many of how many, and what was looked at, in a line."""
        best = f"{len(self.changes)} of {self.count:,} commits"
        if len(self.changes) == self.count:
            return f"{self.count:,} commit{'s' * (self.count != 1)}"
        unread = f", the newest {self.listed:,} by subject and paths" if self.listed < self.count else ""
        return f"{best}{unread}, the lines of {self.read} read"


def find_changes(
    repo: str | Path | Repository,
    since: datetime | None,
    until: datetime | None,
    query: str = "",
    paths: Sequence[str] = (),
    k: int = 10,
    *,
    branch: str = "",
    related: Mapping[str, float] | None = None,
    places: Mapping[tuple[str, str], float] | None = None,
) -> Found:
    """Commits of a span, best first for the question, newest first without one.

    All of a span (the newest 10,000) are ranked by what they say, the paths they changed and ``related``; then the
    patches of the best are read, which ranks these again.

    Args:
        repo: where to look.
        since: first moment, None for no limit.
        until: last moment, None for no limit.
        query: ranks; it does not filter.
        paths: only commits that touch a path which begins so, or a file under a name it had before.
        k: how many.
        branch: HEAD when empty.
        related: path -> 0..1, files that are known to matter to the question.
        places: (path, name) -> 0..1, definitions that do.

    Raises:
        ToolUnavailable: no repository, or no such branch.
    """
    source = repo if isinstance(repo, Repository) else open_repository(repo)
    commit = resolve(source, branch)
    if commit is None:
        return Found((), 0, 0, 0)
    if not query.strip() and any(paths):
        listing = list_path(source, commit, paths, since, until)
        return choose(source, listing, read_wish(read_query(query), related, places), (), k)
    listing = list_span(source, commit, since, until, MOST_LISTED if query.strip() else 2 * k)
    return choose(source, listing, read_wish(read_query(query), related, places), paths, k)


def choose(repo: Repository, listing: Listing, wish: Wish, paths: Sequence[str], k: int) -> Found:
    """The best commits of a listing."""
    kept = keep_paths(repo, drop_covered_merges(listing.commits), paths)
    few = len(kept) <= MOST_READ
    worth: dict[str, float] = {}
    if wish.terms:
        wish = with_old_names(wish, kept)
        best, worth = rank_commits(kept, wish, max(MOST_READ, k), lambda some: with_patches(repo, some, brief=not few))
    else:
        best = sorted(kept, key=lambda c: (-c.at.timestamp(), c.commit))[:k]
    counter = TermCounter(worth)
    full = best[:k] if wish.terms and few else with_patches(repo, best[:k])
    shown = [replace(c, files=order_files(c.files, worth, wish.files, counter)) for c in full]
    counted = len(kept) if not listing.left else sum(not c.merge for c in kept) + listing.left
    return Found(tuple(name_hunks(repo, shown)), counted, len(kept), len(best))


def change(repo: str | Path | Repository, revision: str, query: str = "") -> Change | None:
    """One commit by any name git knows it by; None when there is none."""
    source = repo if isinstance(repo, Repository) else open_repository(repo)
    commit = resolve(source, revision)
    if commit is None:
        return None
    found = read_commit(source, commit)
    wish = read_wish(read_query(query))
    counter = TermCounter(wish.terms)
    ordered = replace(found, files=order_files(found.files, wish.terms, wish.files, counter))
    return name_hunks(source, [ordered])[0]


def name_hunks(repo: Repository, found: Sequence[Change]) -> list[Change]:
    """Add to each hunk the definition that it lies in, as of its commit; what their files hide stays hidden."""
    wanted = [
        (c.commit, f.path)
        for c in found
        for f in c.files[:8]
        if f.hunks and not f.deleted and "\n" not in f.path and prior_of(f.path) == 1.0 and language_of(f.path)
    ][:MAX_OUTLINED]
    sources = read_blobs(repo, [f"{commit}:{path}" for commit, path in wanted])
    outlines = {
        key: read_definitions(source, language_of(key[1]))
        for key, source in zip(wanted, sources, strict=True)
        if len(source) < 500_000
    }
    named = (
        replace(c, files=tuple(name_file(f, outlines.get((c.commit, f.path), ())) for f in c.files)) for c in found
    )
    return [without_secrets(repo, c) for c in named]


def name_file(file: FileChange, definitions: tuple[Definition, ...]) -> FileChange:
    """One file with its hunks named."""
    named = []
    for hunk in file.hunks:
        inside = [d for d in definitions if hunk.start_line <= d.start and d.end <= hunk.end_line]
        around = inside[0] if inside else enclosing(definitions, hunk.start_line)
        named.append(replace(hunk, symbol=around.qualified if around else ""))
    return replace(file, hunks=tuple(named))


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
