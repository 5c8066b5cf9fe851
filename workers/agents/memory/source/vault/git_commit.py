"""One commit for a set of changes, where the vault lies in a git repository that has nothing else going on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import structlog

from workers.errors import ToolUnavailable
from workers.sources.git import Repository, call, open_repository

LOG = structlog.get_logger(__name__)
BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "index.lock")
AUTHOR = ("-c", "user.name=Oracle", "-c", "user.email=oracle@localhost")
QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "core.autocrlf=false")


def commit(root: Path, paths: Iterable[str], title: str) -> str:
    """Commit files of a vault, and nothing else.

    Args:
        root: the vault's folder.
        paths: files that were changed, made or removed.
        title: the commit's first line.

    Returns: the commit's hash; empty when there is no repository, it is in the middle of something, other changes are
        staged, or it ignores the files.
    """
    try:
        repo = open_repository(root)
    except ToolUnavailable:
        return ""
    try:
        if repo.root is None or is_busy(repo):
            return ""
        wanted = list(kept_by(repo, sorted(set(paths))))
        return commit_paths(repo, wanted, title) if wanted else ""
    except ToolUnavailable as error:
        LOG.warning("vault_not_committed", why=str(error))
        return ""


def is_busy(repo: Repository) -> bool:
    """Whether a merge or the like is going on, or something is staged."""
    shown = call(repo, ["rev-parse", "--absolute-git-dir"])
    folder = Path(shown.stdout.decode("utf-8", "surrogateescape").strip())
    if shown.returncode or any((folder / name).exists() for name in BUSY):
        return True
    return call(repo, ["diff", "--cached", "--quiet"]).returncode != 0


def kept_by(repo: Repository, paths: list[str]) -> Iterable[str]:
    """The files that the repository does not ignore."""
    told = call(repo, ["check-ignore", "-z", "--stdin"], stdin=joined(paths))
    ignored = set(told.stdout.decode("utf-8", "surrogateescape").split("\0"))
    return (path for path in paths if path not in ignored)


def commit_paths(repo: Repository, paths: list[str], title: str) -> str:
    """Stage and commit files; what cannot be committed is not left staged."""
    literal = "--literal-pathspecs"
    staged = call(repo, [*QUIET, "update-index", "--add", "--remove", "-z", "--stdin"], stdin=joined(paths))
    message = ["--quiet", "--no-verify", "-m", title, "--author=Oracle <oracle@localhost>"]
    done = None
    if not staged.returncode and call(repo, ["diff", "--cached", "--quiet"]).returncode:
        done = call(repo, [*QUIET, *AUTHOR, literal, "commit", *message])
    if done is None or done.returncode:
        call(repo, [literal, "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"], stdin=joined(paths))
        return ""
    return call(repo, ["rev-parse", "HEAD"]).stdout.decode().strip()


def joined(paths: Iterable[str]) -> bytes:
    """Paths as git reads them from its input."""
    return b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
