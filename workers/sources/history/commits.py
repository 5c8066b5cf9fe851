"""Commits of a repository: listed by the thousand with the paths they changed, and read with their patches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache

from workers.errors import ToolUnavailable
from workers.sources.code.permalinks import commit_link
from workers.sources.git import Repository, cut_commits, git, git_head, remote_url
from workers.sources.history.diff import FileChange, read_patch, unquote

PAGE = 1_000
MOST_LISTED = 10_000
MOST_PATHS = 500
MOST_BODY = 4_000
MAX_PATCH_BYTES = 6_000_000
BRIEF_BYTES = 1_500_000
MANY = 40
DATA = (
    ".json", ".po", ".pot", ".xlf", ".xliff", ".lock", ".csv", ".tsv", ".svg", ".snap", ".map", ".txt", ".md", ".rst",
    ".ipynb", ".sum", ".min.js", ".min.css",
)  # fmt: skip
MAX_PAGE_BYTES = 60_000_000
KEPT_PAGES = 24
SKEW = 50
AT_ONCE = 2
MOST_TRIES = 12
RECORD = "%x01%H%x00%P%x00%an%x00%ct%x00%s%x00%b%x00"
BEGINS = re.compile(r"\x01(?=[0-9a-f]{40,64}\x00)")
QUIET = ("--no-color", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent")
LIMITS = ("-c", "log.follow=false", "-c", "diff.renameLimit=400")
PLAIN = ("-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "log.showRoot=true", *LIMITS)


@dataclass(frozen=True)
class Change:
    """One commit. ``at`` is the committer's time, UTC; a merge is shown against its first parent.

    ``files`` and their hunks stand in the order of their use for the question. ``score`` is 0 without one. ``cut``: the
    history of a shallow clone is cut at it, so that which files it changed is not known; it has none.
    """

    commit: str
    short: str
    author: str
    at: datetime
    subject: str
    body: str
    files: tuple[FileChange, ...]
    score: float = 0.0
    url: str | None = None
    merge: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Listing:
    """Commits with the paths they changed, newest first; ``left``: so many more there are that are no merges."""

    commits: tuple[Change, ...]
    left: int = 0


def list_span(
    repo: Repository, commit: str, since: datetime | None, until: datetime | None, most: int = MOST_LISTED
) -> Listing:
    """The commits that lead to one, of a span of time; no more pages than hold ``most`` of them."""

    def within(page: Sequence[Change]) -> list[Change]:
        return [c for c in page if not (since and c.at < since) and not (until and c.at > until)]

    pages = [list_page(repo, commit, 0)]
    first = 0
    if until and pages[0] and pages[0][-1].at > until:
        newer = count(repo, f"--since={stamp(until)}", commit)
        first = max(newer - SKEW, 0) // PAGE
        pages = [list_page(repo, commit, first)]
    while len(pages) < MOST_LISTED // PAGE and not ends(pages[-1], since) and sum(map(len, map(within, pages))) < most:
        following = first + len(pages)
        pages += list_pages(repo, commit, range(following, following + AT_ONCE))
    pages = pages[: MOST_LISTED // PAGE]
    inside = [c for page in pages for c in within(page)]
    if ends(pages[-1], since):
        return Listing(tuple(inside))
    limits = [f"--since={stamp(since)}"] if since else []
    limits += [f"--until={stamp(until)}"] if until else []
    return Listing(tuple(inside), unlisted(inside, count(repo, "--no-merges", *limits, commit)))


def list_range(repo: Repository, span: str) -> Listing:
    """The commits of ``OLD..NEW``."""
    pages = [list_page(repo, span, 0)]
    while len(pages) < MOST_LISTED // PAGE and not ends(pages[-1], None):
        pages += list_pages(repo, span, range(len(pages), len(pages) + AT_ONCE))
    pages = pages[: MOST_LISTED // PAGE]
    found = tuple(c for page in pages for c in page)
    return Listing(found, unlisted(found, count(repo, "--no-merges", span)) if len(pages[-1]) == PAGE else 0)


def cut_within(repo: Repository, revisions: str, since: datetime | None = None) -> list[Change]:
    """The commits of ``COMMIT`` or ``OLD..NEW`` at which a shallow clone is cut, from a moment on, newest first."""
    cut = cut_commits(repo)
    if not cut:
        return []
    first = git(repo, "rev-list", "--max-parents=0", "--end-of-options", revisions, "--").decode().split()
    names = [c for c in first if c in cut]
    if not names:
        return []
    shown = git(repo, *PLAIN, "log", "--no-walk", "-s", f"--format={RECORD}", *names)
    found = [c for c in read_log(shown, remote_url(repo), cut) if since is None or c.at >= since]
    return sorted(found, key=lambda c: c.at, reverse=True)


def unlisted(found: Sequence[Change], number: int) -> int:
    """How many of so many commits that are no merges are not among those found."""
    return max(number - sum(not c.merge for c in found), 0)


def list_pages(repo: Repository, revisions: str, numbers: range) -> list[tuple[Change, ...]]:
    """Some pages, read at the same time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda n: list_page(repo, revisions, n), numbers))


def list_page(repo: Repository, revisions: str, number: int) -> tuple[Change, ...]:
    """The commits of one page.

    Only files that were moved unchanged count as renamed here: others would have to be read.
    """
    return kept_page(repo, revisions, number, cut_commits(repo))


@lru_cache(maxsize=KEPT_PAGES)
def kept_page(repo: Repository, revisions: str, number: int, cut: frozenset[str]) -> tuple[Change, ...]:
    """The same. ``revisions`` holds full hashes and ``cut`` where they end, so that what is kept stays true."""
    args = ["log", f"--skip={number * PAGE}", f"--max-count={PAGE}", f"--format={RECORD}", "--name-status", "-M100%"]
    limits = ["--", "."] if repo.prefix else []
    raw, _ = git_head(repo, [*PLAIN, *args, *QUIET, revisions, *limits], MAX_PAGE_BYTES)
    return tuple(read_log(raw, remote_url(repo), cut))


def ends(page: Sequence[Change], since: datetime | None) -> bool:
    """True when no commit of a span follows a page; times need not quite be in order."""
    return len(page) < PAGE or bool(since and all(c.at < since for c in page[-SKEW:]))


def count(repo: Repository, *args: str) -> int:
    """How many commits there are."""
    return int(git(repo, *PLAIN, "rev-list", "--count", *args, "--", *(["."] if repo.prefix else [])))


def stamp(moment: datetime) -> str:
    """A moment as git reads it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def records(raw: bytes) -> list[str]:
    """The records of a log in `RECORD` form."""
    return BEGINS.split(raw.decode("utf-8", "replace"))[1:]


def read_log(raw: bytes, remote: str, cut: frozenset[str]) -> list[Change]:
    """The commits of a log in `RECORD` form; of those at which it is ``cut`` all files would look new."""
    found = (read_record(record, remote) for record in records(raw))
    return [replace(c, files=(), cut=True) if c.commit in cut else c for c in found]


def read_record(record: str, remote: str) -> Change:
    """One commit in `RECORD` form, followed by a patch or by names with their status."""
    commit, parents, author, seconds, subject, body, rest = record.split("\0", 6)
    patch = rest.strip("\n")
    files = read_patch(patch) if "diff --git " in patch else list(read_names(patch))
    return Change(
        commit=commit,
        short=commit[:7],
        author=author,
        at=datetime.fromtimestamp(int(seconds), UTC),
        subject=subject,
        body=body.strip()[:MOST_BODY],
        files=tuple(files),
        url=commit_link(remote, commit),
        merge=" " in parents,
    )


def read_names(text: str) -> Iterator[FileChange]:
    """Files as ``git log --name-status`` lists them."""
    for line in text.split("\n")[:MOST_PATHS]:
        status, _, names = line.partition("\t")
        old, _, new = names.rpartition("\t")
        if new:
            yield FileChange(
                unquote(new), deleted=status == "D", created=status == "A", old_path=unquote(old) if old else ""
            )


def drop_covered_merges(found: Sequence[Change]) -> list[Change]:
    """Leave out merges whose files other commits of the list account for, and those that changed nothing."""
    touched = {f.path for c in found if not c.merge for f in c.files}
    return [c for c in found if not c.merge or any(f.path not in touched for f in c.files)]


def keep_paths(repo: Repository, found: Sequence[Change], paths: Sequence[str], most_read: int = 20) -> list[Change]:
    """Commits that touch a path which begins so, or a file under a name that it had before.

    Args:
        repo: where they are from.
        found: newest first.
        paths: what paths begin with; all commits are kept when there is none.
        most_read: of so many commits files are read, to see whether one that is new was moved there and edited.
    """
    starts = tuple(p.lstrip("/") for p in paths if p)
    if not starts:
        return list(found)
    before: set[str] = set()

    def wanted(path: str) -> bool:
        return path in before or path.startswith(starts)

    out = []
    for c in found:
        own = [f for f in c.files if wanted(f.path) or (f.old_path and wanted(f.old_path))]
        if not own:
            continue
        out.append(c)
        before |= {f.old_path for f in own if f.old_path and wanted(f.path)}
        if most_read and any(f.created for f in own) and any(f.deleted for f in c.files):
            most_read -= 1
            before |= {f.old_path for f in read_moves(repo, c) if f.old_path and wanted(f.path)}
    return out


def read_moves(repo: Repository, change: Change) -> tuple[FileChange, ...]:
    """The files of a commit, those among them that were moved and edited too; its own when they cannot be read."""
    args = ["log", "--no-walk", f"--format={RECORD}", "--name-status", "-M", *QUIET, change.commit]
    try:
        raw, _ = git_head(repo, [*PLAIN, *args], MAX_PATCH_BYTES)
    except ToolUnavailable:
        return change.files
    return read_log(raw, "", cut_commits(repo))[0].files


def with_patches(repo: Repository, found: Sequence[Change], *, brief: bool = False) -> list[Change]:
    """The same commits with hunks; files whose patches are too large or cannot be read keep their paths alone.

    ``brief``: data and prose are not read, and less in all.
    """
    order = sorted(found, key=lambda c: len(c.files) >= (MANY if brief else MOST_PATHS))
    read, _ = read_patches(repo, [c.commit for c in order], brief=brief)
    return [replace(c, files=joined(read[c.commit].files, c.files)) if c.commit in read else c for c in found]


def joined(read: tuple[FileChange, ...], listed: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """Files with their hunks, and those that were listed but not read; a removed one may have been moved."""
    known = {path for f in read for path in (f.path, f.old_path)}
    return (*read, *(f for f in listed if f.path not in known))


def read_commit(repo: Repository, commit: str) -> Change:
    """One commit by its full hash, with hunks as `with_patches`; a merge against its first parent."""
    read, whole = read_patches(repo, [commit])
    if whole and commit in read:
        return replace(read[commit], url=commit_link(remote_url(repo), commit))
    args = ["log", "--no-walk", f"--format={RECORD}", "--name-status", "-M100%", *QUIET, commit]
    raw, _ = git_head(repo, [*PLAIN, *args, *(["--", "."] if repo.prefix else [])], MAX_PAGE_BYTES)
    listed = read_log(raw, remote_url(repo), cut_commits(repo))[0]
    return replace(listed, files=joined(read[commit].files if commit in read else (), listed.files))


def read_patches(repo: Repository, commits: Sequence[str], *, brief: bool = False) -> tuple[dict[str, Change], bool]:
    """Commits by hash, and whether all of their files were read.

    Where git stops at one whose files are missing, as in a partial clone, it goes on with the next; moved files that
    were edited are not looked for then, for that reads them all.
    """
    out: dict[str, Change] = {}
    limits = ["--", "." if repo.prefix else ":(top)", *(f":(exclude,top)*{end}" for end in (DATA if brief else ()))]
    most = BRIEF_BYTES if brief else MAX_PATCH_BYTES
    roots = cut_commits(repo)
    renames, left = "-M", [c for c in commits if c not in roots]
    for _ in range(MOST_TRIES):
        if not left:
            break
        args = ["log", "--no-walk=unsorted", f"--format={RECORD}", "-p", "-U0", renames, *QUIET, *left, *limits]
        raw, ended = git_head(repo, [*PLAIN, *args], most, failing=True)
        found = [read_record(r, "") for r in records(raw)]
        cut = len(raw) >= most
        if cut and found:  # in the midst of a file
            found[-1] = replace(found[-1], files=found[-1].files[:-1])
        out |= {c.commit: c for c in found}
        if ended or cut:
            return out, ended and renames == "-M"
        left = left[len(found) :] if found or renames == "-M" else left[1:]
        renames = "-M100%"
    return out, not commits
