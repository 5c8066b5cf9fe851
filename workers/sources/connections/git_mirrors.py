"""A copy of a git repository that lies elsewhere: bare, with all branches and tags, renewed under its lock."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from workers.errors import ToolUnavailable
from workers.settings.remote_addresses import key_of, read_remote_address
from workers.sources.connections.local_copies import LocalCopy
from workers.sources.connections.remote_git import GitAccess, Progress, open_access, run_remote
from workers.sources.git import Repository, call, git

GIT, TREES = "git", "trees"
LOOK_S = 120.0
TIDY_S = 600.0
REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
USUAL = ("main", "master", "trunk", "develop")
SYMREF = re.compile(r"ref: (refs/heads/\S+)\tHEAD")
DAMAGED = re.compile(
    r"bad object|corrupt|inflate|missing (blob|tree|commit)|not a valid object|unable to read|bad ref|index-pack failed"
    r"|not a git repository|unexpected disconnect while reading sideband packet.*pack"
)
EMPTIED = "its remote holds no branch any more"


@dataclass(frozen=True)
class Refs:
    """What a remote has: the branch of HEAD (``refs/heads/…``, empty when it names none), and hashes by name."""

    head: str
    hashes: dict[str, str]
    at_head: str = ""

    @property
    def branches(self) -> list[str]:
        """Full names of the branches."""
        return [name for name in self.hashes if name.startswith("refs/heads/")]


def repository_of(kept: LocalCopy) -> Path:
    """Where the copy lies."""
    return kept.folder / GIT


def is_begun(kept: LocalCopy) -> bool:
    """Whether there is a repository, be it empty."""
    return (repository_of(kept) / "HEAD").is_file()


def door_of(kept: LocalCopy) -> GitAccess:
    """How its remote is reached."""
    remote = read_remote_address(kept.address)
    address = remote.asked if remote.scheme in {"https", "http"} else kept.address
    return open_access(remote, address, kept.name, kept.folder)


def look(kept: LocalCopy, timeout_s: float = LOOK_S, keep: int | None = None) -> Refs:
    """What the remote has now.

    Raises:
        ToolUnavailable: it cannot be reached, or refuses.
    """
    access = door_of(kept)
    args = ["ls-remote", "--symref", "--end-of-options", access.address, "HEAD", "refs/heads/*", "refs/tags/*"]
    raw = run_remote(access, args, timeout_s=timeout_s, keep=keep).decode("utf-8", "replace")
    symref = SYMREF.search(raw)
    rows = [line.split("\t", 1) for line in raw.splitlines() if "\t" in line and not line.startswith("ref: ")]
    found = {name: value for value, name in rows if not name.endswith("^{}")}
    hashes = {name: value for name, value in found.items() if name.startswith(("refs/heads/", "refs/tags/"))}
    return Refs(symref[1] if symref else "", hashes, found.get("HEAD", ""))


def fetch(kept: LocalCopy, keep: int, timeout_s: float, progress: Progress) -> str:
    """Bring the copy up to date.

    Args:
        kept: a repository whose lock this process holds.
        keep: the lock's file descriptor; git inherits it, so that no one else begins while any of it still runs.
        timeout_s: for the whole fetch.
        progress: told how far it is.

    Returns:
        Something worth knowing, or nothing.

    Raises:
        ToolUnavailable: it did not work; what was there before still is.
    """
    clear_leftovers(kept)
    refs = look(kept, min(timeout_s, LOOK_S), keep)
    if not refs.branches:
        if is_begun(kept) and here(kept):
            raise ToolUnavailable(EMPTIED)
        prepare(kept, "")
        return "its remote is empty"
    prepare(kept, next(iter(refs.hashes.values())))
    if here(kept) != refs.hashes:
        receive(kept, keep, timeout_s, progress)
    point_head(kept, refs)
    return ""


def receive(kept: LocalCopy, keep: int, timeout_s: float, progress: Progress) -> None:
    """Fetch all branches and tags; from nothing when what is here turns out to be damaged. Raises: ToolUnavailable."""
    access, place = door_of(kept), repository_of(kept)
    options = ["--prune", "--no-tags", "--force", "--no-write-fetch-head", "--no-auto-maintenance", "--progress"]
    args = ["fetch", *options, "--end-of-options", access.address, *REFS]
    try:
        run_remote(access, args, at=place, timeout_s=timeout_s, progress=progress, keep=keep)
    except ToolUnavailable as error:
        if not DAMAGED.search(str(error)) or is_sound(kept):
            raise
        form = git(local(kept), "rev-parse", "--show-object-format").decode().strip()
        shutil.rmtree(place, ignore_errors=True)
        start(kept, form)
        run_remote(access, args, at=place, timeout_s=timeout_s, progress=progress, keep=keep)
    tidy(kept, access, keep)


def tidy(kept: LocalCopy, access: GitAccess, keep: int) -> None:
    """Pack what many fetches left; objects of abandoned commits stay for two weeks. It may fail: it is done again."""
    try:
        run_remote(
            access,
            ["-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"],
            at=repository_of(kept),
            timeout_s=TIDY_S,
            keep=keep,
        )
    except ToolUnavailable:
        return


def local(kept: LocalCopy) -> Repository:
    """The copy as a repository."""
    return Repository(repository_of(kept), None)


def is_sound(kept: LocalCopy) -> bool:
    """Whether all that the branches need is there and readable."""
    return call(local(kept), ["fsck", "--connectivity-only", "--no-dangling"], timeout_s=TIDY_S).returncode == 0


def here(kept: LocalCopy) -> dict[str, str]:
    """Branches and tags of the copy with their hashes."""
    rows = git(local(kept), "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
    pairs = (line.split(" ", 1) for line in rows.decode("utf-8", "replace").splitlines())
    return {name: value for value, name in pairs}


def prepare(kept: LocalCopy, example: str) -> None:
    """An empty repository when there is none that git can read. ``example``: a hash, by whose length its kind is seen.

    Raises:
        ToolUnavailable: it cannot be made.
    """
    wanted = "sha256" if len(example) == 64 else "sha1"
    shown = call(local(kept), ["rev-parse", "--show-object-format"]) if is_begun(kept) else None
    found = shown.stdout.decode().strip() if shown and not shown.returncode else ""
    if found == wanted or (found and not example):
        return
    shutil.rmtree(repository_of(kept), ignore_errors=True)
    start(kept, wanted)


def start(kept: LocalCopy, form: str) -> None:
    """An empty bare repository that knows where it is from. Raises: ToolUnavailable."""
    remote = read_remote_address(kept.address)
    place = repository_of(kept)
    try:
        kept.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolUnavailable(f"{kept.folder} cannot be written: {error.strerror}") from error
    outside = Repository(kept.folder, None)
    git(outside, "init", "--quiet", "--bare", "--template=", f"--object-format={form}", str(place))
    git(local(kept), "config", "remote.origin.url", remote.shown)


def clear_leftovers(kept: LocalCopy) -> None:
    """Remove what a fetch that was killed left: nobody else is at work, for we hold the lock."""
    place = repository_of(kept)
    for pattern in (
        "*.lock",
        "refs/**/*.lock",
        "worktrees/*/*.lock",
        "objects/pack/tmp_*",
        "objects/incoming-*",
        "objects/tmp_objdir-*",
    ):
        for path in place.glob(pattern):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def point_head(kept: LocalCopy, refs: Refs) -> None:
    """HEAD names the remote's default branch; where that is none, the one that stood so far, else the likeliest."""
    now = call(local(kept), ["symbolic-ref", "--quiet", "HEAD"]).stdout.decode().strip()
    chosen = default_branch(refs, now)
    if chosen != now:
        git(local(kept), "symbolic-ref", "HEAD", chosen)


def default_branch(refs: Refs, before: str) -> str:
    """The full name of the branch that stands for the repository."""
    branches = refs.branches
    if refs.head in refs.hashes:
        return refs.head
    same = [name for name in branches if refs.at_head and refs.hashes[name] == refs.at_head]
    likely = [before, *(f"refs/heads/{name}" for name in USUAL)]
    pool = same or branches
    return next((name for name in likely if name in pool), pool[0])


def check_out(kept: LocalCopy, commit: str, branch: str, folder: str, keep: int, timeout_s: float) -> Path:
    """The files of a folder at a commit, on disk, for what is read from there: documents.

    Symbolic links become plain files, Git LFS pointers stay pointers, submodules stay empty.

    Returns:
        The folder, which stays the same for a branch.

    Raises:
        ToolUnavailable: git failed, or the commit has no such folder.
    """
    tree = tree_of(kept, branch, folder)
    access = door_of(kept)
    if not (tree / ".git").is_file() or call(Repository(tree, tree), ["rev-parse", "HEAD"]).returncode:
        shutil.rmtree(tree, ignore_errors=True)
        git(local(kept), "worktree", "prune")
        git(local(kept), "worktree", "add", "--quiet", "--force", "--no-checkout", "--detach", str(tree), commit)
    if folder:
        only = "/" + re.sub(r"([\\*?\[\]])", r"\\\1", folder) + "/"
        run_remote(access, ["sparse-checkout", "set", "--no-cone", only], at=tree, timeout_s=timeout_s, keep=keep)
    args = ["checkout", "--quiet", "--force", "--detach", "--no-recurse-submodules", commit]
    run_remote(access, args, at=tree, timeout_s=timeout_s, keep=keep)
    place = tree / folder
    if not place.is_dir():
        raise ToolUnavailable(f"it has no folder {folder}")
    return place


def tree_of(kept: LocalCopy, branch: str, folder: str) -> Path:
    """Where files of a branch stand on disk."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", f"{branch}-{folder}").strip("-")[:40] or "whole"
    return kept.folder / TREES / f"{words}-{key_of(branch, folder)}"
