"""The commits that touch a file or folder: git lists those alone, so that a long history is read in little time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from workers.sources.git import Repository, cut_commits, git_head, remote_url
from workers.sources.history.commits import (
    MAX_PAGE_BYTES,
    MOST_LISTED,
    PLAIN,
    QUIET,
    RECORD,
    Change,
    Listing,
    read_log,
    stamp,
)

MOST_RENAMES = 8  # names that are gone back to, one after the other
MOST_CREATED = 20  # commits that are read again, to see whether what they brought was moved there
Limits = Sequence[str]


def list_path(
    repo: Repository, commit: str, paths: Sequence[str], since: datetime | None, until: datetime | None
) -> Listing:
    """Commits of a span that lead to one and touch a path which begins so, or a file under a name it had before.

    Newest first. Each holds of its files those alone; merges that only bring other commits together are left out, and
    commits at which a shallow clone is cut.
    """
    limits = [f"--since={stamp(since)}"] if since else []
    limits += [f"--until={stamp(until)}"] if until else []
    found: dict[str, Change] = {}
    at, wanted, known = [commit], tuple(p.lstrip("/") for p in paths), set[str]()
    for _ in range(MOST_RENAMES):
        own = log_of(repo, at, [begins(p) for p in wanted] if not known else [named(p) for p in wanted], limits)
        found |= {c.commit: c for c in own if c.commit not in found}
        created = [c for c in own if any(f.created for f in c.files)][:MOST_CREATED]
        moved = {old: c for c in created_by_moving(repo, created) for old in old_names(c, own)}
        known |= set(wanted)
        wanted = tuple(p for p in moved if p not in known and not p.startswith(tuple(known)))
        at = list(dict.fromkeys(moved[p].commit for p in wanted))
        if not wanted:
            break
    ordered = sorted(found.values(), key=lambda c: -c.at.timestamp())
    return Listing(tuple(ordered))


def log_of(repo: Repository, at: Sequence[str], specs: Sequence[str], limits: Limits) -> list[Change]:
    """What git lists of some paths."""
    args = ["log", f"--max-count={MOST_LISTED}", f"--format={RECORD}", "--name-status", "-M100%", *QUIET, *limits]
    raw, _ = git_head(repo, [*PLAIN, *args, *at, "--", *specs], MAX_PAGE_BYTES)
    return [c for c in read_log(raw, remote_url(repo), cut_commits(repo)) if not c.cut]


def created_by_moving(repo: Repository, created: Iterable[Change]) -> list[Change]:
    """Commits that brought files, with all of theirs, those among them that were moved and edited too."""
    names = [c.commit for c in created]
    if not names:
        return []
    args = ["log", "--no-walk=unsorted", f"--format={RECORD}", "--name-status", "-M", *QUIET, *names]
    raw, _ = git_head(repo, [*PLAIN, *args], MAX_PAGE_BYTES, failing=True)
    return read_log(raw, "", cut_commits(repo))


def old_names(change: Change, own: Sequence[Change]) -> list[str]:
    """What the files that a commit brought were called before it."""
    brought = {f.path for c in own if c.commit == change.commit for f in c.files}
    return [f.old_path for f in change.files if f.old_path and f.path in brought]


def begins(path: str) -> str:
    """Paths that begin so, as git takes them."""
    escaped = re.sub(r"([*?\[\\])", r"\\\1", path)
    return f":(top){escaped}*" if path else ":(top)"


def named(path: str) -> str:
    """One path, as git takes it."""
    return f":(top,literal){path}"
