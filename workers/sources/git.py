"""A git repository read through the git command: nothing in it is run, changed or fetched from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Timer
from typing import IO

from workers.errors import ToolUnavailable

TIMEOUT_S = 20.0
LONG_S = 600.0  # for what reads all of a large repository
BATCH = 200
REGULAR = (b"100644", b"100755")
FULL_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
Stamp = tuple[int, int, int] | None


@dataclass(frozen=True)
class Repository:
    """An opened repository. ``root`` is its work tree, None when bare; ``prefix`` the folder that was asked for."""

    path: Path
    root: Path | None
    prefix: str = ""


@dataclass(frozen=True)
class Blob:
    """One file of a commit. ``size`` in bytes."""

    path: str
    hash: str
    size: int


@dataclass(frozen=True)
class Tag:
    """A tag: its commit, and when it was made (an annotated tag's own date, else the commit's), UTC."""

    name: str
    commit: str
    at: datetime


def open_repository(path: str | Path) -> Repository:
    """Find the repository at a path; a folder inside one limits everything to that folder.

    Raises:
        ToolUnavailable: the path does not exist or is not in a git repository.
    """
    place = Path(path).expanduser().resolve()
    if not place.exists():
        raise ToolUnavailable(f"{path} does not exist")
    if not place.is_dir():
        raise ToolUnavailable(f"{path} is a file, not a git repository")
    return found_repository(place, discovery_stamps(place))


def discovery_stamps(place: Path) -> tuple[Stamp, ...]:
    """The stamps of every file by which git finds the repository of a folder: another repository has other ones."""
    found: list[Stamp] = []
    for folder in (place, *place.parents):
        found += [stamp_of(folder / ".git/config"), stamp_of(folder / ".git"), stamp_of(folder / "HEAD")]
        if found[-2]:
            break
    return tuple(found)


@lru_cache(maxsize=256)
def found_repository(place: Path, stamps: tuple[Stamp, ...]) -> Repository:  # noqa: ARG001 - part of the key
    """Find the repository of a folder. Raises: ToolUnavailable: it is in none."""
    bare = Repository(place, None)
    done = call(bare, ["rev-parse", "--is-bare-repository", "--show-toplevel", "--show-prefix"])
    answer, *shown = done.stdout.decode().split("\n")
    if not answer:
        raise ToolUnavailable(f"{place} is not a git repository")
    if answer == "true":  # there the rest is refused
        return bare
    if done.returncode:
        raise failed(bare, "rev-parse", done)
    return Repository(place, Path(shown[0]), shown[1])


def command(repo: Repository, args: Sequence[str]) -> list[str]:
    """The full command. Programs that a repository's own configuration names are switched off."""
    safe = ["-c", f"safe.directory={repo.root or repo.path}", "-c", f"safe.directory={repo.path}"]
    quiet = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false"]
    return ["git", "--no-optional-locks", "-C", str(repo.path), *safe, *quiet, *args]


def environment() -> dict[str, str]:
    """This process's environment without variables that point git elsewhere; nothing is fetched."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_PAGER": "cat"}


def call(
    repo: Repository, args: Sequence[str], *, stdin: bytes = b"", timeout_s: float = TIMEOUT_S
) -> subprocess.CompletedProcess[bytes]:
    """Run git and return what it said, whatever its exit code.

    Raises:
        ToolUnavailable: git is not installed, or took longer than ``timeout_s``.
    """
    try:
        return subprocess.run(
            command(repo, args), input=stdin, capture_output=True, timeout=timeout_s, env=environment(), check=False
        )
    except FileNotFoundError as error:
        raise ToolUnavailable("git is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise ToolUnavailable(f"git {args[0]} took longer than {timeout_s:g} s in {repo.path}") from error


def git(repo: Repository, *args: str, stdin: bytes = b"", timeout_s: float = TIMEOUT_S) -> bytes:
    """Run git and return its output.

    Raises:
        ToolUnavailable: git failed; its last line is in the sentence.
    """
    done = call(repo, args, stdin=stdin, timeout_s=timeout_s)
    if done.returncode:
        raise failed(repo, args[0], done)
    return done.stdout


def failed(repo: Repository, name: str, done: subprocess.CompletedProcess[bytes]) -> ToolUnavailable:
    """What to raise after a git command that failed, with its last line."""
    said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return ToolUnavailable(f"git {name} failed in {repo.path}: {said}")


def git_head(
    repo: Repository, args: Sequence[str], max_bytes: int, timeout_s: float = TIMEOUT_S, *, failing: bool = False
) -> tuple[bytes, bool]:
    """Run git for the first ``max_bytes`` of its output, and say whether that was all.

    With ``failing`` what it said before it failed is returned too, as not all.

    Raises:
        ToolUnavailable: git is not installed, or failed before it was cut off.
    """
    with start(repo, args) as process:
        timer = Timer(timeout_s, process.kill)
        timer.daemon = True
        timer.start()
        raw = pipe(process.stdout).read(max_bytes)
        whole = not pipe(process.stdout).read(1)
        timer.cancel()
        if not whole:
            process.kill()
        code = process.wait()
    if whole and code > 0 and not failing:
        raise ToolUnavailable(f"git failed in {repo.path}: {' '.join(args)[:200]}")
    return raw, whole and code == 0


def start(repo: Repository, args: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start git with pipes.

    Raises:
        ToolUnavailable: git is not installed.
    """
    try:
        return subprocess.Popen(
            command(repo, args),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
    except FileNotFoundError as error:
        raise ToolUnavailable("git is not installed") from error


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """A pipe that `start` has opened."""
    if stream is None:
        raise ToolUnavailable("git was started without pipes")
    return stream


def resolve(repo: Repository, revision: str = "") -> str | None:
    """The full hash of the commit a name stands for (HEAD by default); None when there is no such commit."""
    if not revision and (found := head_commit(repo)):
        return found
    name = revision or "HEAD"
    if not name.isprintable():
        return None
    done = call(repo, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"])
    return done.stdout.decode().split("\n")[0] if done.returncode == 0 else None


def head_commit(repo: Repository) -> str | None:
    """The full hash in the files that git keeps HEAD in; None where others hold it: those git alone reads."""
    folder = git_folder(repo)
    head = text_of(folder / "HEAD")
    if not head.startswith("ref: refs/heads/"):
        return head if FULL_HASH.fullmatch(head) else None
    name = head.removeprefix("ref: ")
    if (commit := text_of(folder / name)) or not (stamp := stamp_of(folder / "packed-refs")):
        return commit if FULL_HASH.fullmatch(commit) else None
    return packed_commit(folder / "packed-refs", stamp, name)


@lru_cache(maxsize=256)
def packed_commit(path: Path, stamp: Stamp, name: str) -> str | None:  # noqa: ARG001 - part of the key
    """The full hash that a file of packed references has for a name."""
    with path.open(encoding="utf-8", errors="surrogateescape") as file:
        return next((line[: line.index(" ")] for line in file if line.rstrip("\n").endswith(f" {name}")), None)


def git_folder(repo: Repository) -> Path:
    """Where git keeps a repository; no folder where its work tree is one of several."""
    return repo.root / ".git" if repo.root else repo.path


def text_of(path: Path) -> str:
    """A small text file without blanks around it; empty when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def stamp_of(path: Path) -> Stamp:
    """What tells a file from the one that takes its place; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def has_commit(repo: Repository, commit: str) -> bool:
    """Whether a commit is in a repository."""
    return call(repo, ["cat-file", "-e", f"{commit}^{{commit}}"]).returncode == 0


def cut_commits(repo: Repository) -> frozenset[str]:
    """Full hashes of the commits at which the history of a shallow clone is cut; none where it is whole.

    Git shows each as if it had brought all of its files: what it changed is not known.
    """
    try:
        return frozenset(shallow_file(repo).read_text().split())
    except OSError:
        return frozenset()


@lru_cache(maxsize=256)
def shallow_file(repo: Repository) -> Path:
    """Where git keeps the commits at which a history is cut; the file is there in a shallow clone alone."""
    return repo.path / git(repo, "rev-parse", "--git-path", "shallow").decode().strip()


def path_of(raw: bytes) -> str:
    """A path as text: bytes that are not UTF-8 are written ``\\xff``, so that no two paths become one."""
    return raw.decode("utf-8", "backslashreplace")


def list_files(repo: Repository, commit: str) -> list[Blob]:
    """Regular files of a commit, as `list_cloned`."""
    return list_cloned(repo, commit)[0]


def list_cloned(repo: Repository, commit: str) -> tuple[list[Blob], int]:
    """Regular files of a commit, by path, and how many more were not cloned; no symbolic links, no submodules.

    Raises:
        ToolUnavailable: there are files, and the contents of none of them.
    """
    rows = git(repo, "ls-tree", "-r", "-z", "--full-name", commit, timeout_s=LONG_S).split(b"\0")
    entries = [(head.split(), path) for head, _, path in (row.partition(b"\t") for row in rows) if b"\n" not in path]
    files = [(parts[2].decode(), path_of(path)) for parts, path in entries if parts and parts[0] in REGULAR]
    sizes = sizes_at(repo, commit, [name for name, _ in files])
    if files and not sizes:
        raise ToolUnavailable(f"{repo.path} does not have the contents of its files: it was cloned without them")
    cloned = [Blob(path, name, sizes[name]) for name, path in files if name in sizes]
    return cloned, len(files) - len(cloned)


def changed_files(repo: Repository, old: str, new: str) -> list[tuple[str, Blob | None]] | None:
    """Paths that differ between two commits, each with what is there in the new one; None stands for nothing.

    None when a commit is not there (any more).
    """
    limits = ["--", "."] if repo.prefix else []
    done = call(
        repo,
        ["diff-tree", "-r", "-z", "--no-renames", "--raw", "--end-of-options", old, new, *limits],
        timeout_s=LONG_S,
    )
    if done.returncode:
        return None
    fields = done.stdout.split(b"\0")
    rows = [(head.split(), path) for head, path in zip(fields[0::2], fields[1::2], strict=False) if b"\n" not in path]
    present = {parts[3].decode() for parts, _ in rows if parts[1] in REGULAR}
    sizes = sizes_at(repo, new, sorted(present))
    out: list[tuple[str, Blob | None]] = []
    for parts, raw in rows:
        path, name = path_of(raw), parts[3].decode()
        held = parts[1] in REGULAR and name in sizes
        out.append((path, Blob(path, name, sizes[name]) if held else None))
    return out


def sizes_at(repo: Repository, commit: str, hashes: Sequence[str]) -> dict[str, int]:
    """Bytes of each blob of a commit, also where only a part of them was cloned."""
    try:
        return blob_sizes(repo, hashes)
    except ToolUnavailable:  # git gives up at the first that it may not fetch
        args = ["rev-list", "--objects", "--missing=print", f"{commit}^{{tree}}"]
        shown = git(repo, *args, timeout_s=LONG_S).decode("utf-8", "replace")
        missing = {line[1:] for line in shown.split("\n") if line.startswith("?")}
        if not missing:
            raise
        return blob_sizes(repo, [h for h in hashes if h not in missing])


def blob_sizes(repo: Repository, hashes: Sequence[str]) -> dict[str, int]:
    """Bytes of each blob; those that are missing are left out."""
    asked = "".join(f"{h}\n" for h in hashes).encode()
    shown = git(repo, "cat-file", "--batch-check", stdin=asked, timeout_s=LONG_S).decode() if hashes else ""
    rows = (line.split() for line in shown.splitlines())
    return {row[0]: int(row[2]) for row in rows if len(row) == 3 and row[1] == "blob"}


def read_blobs(repo: Repository, hashes: Sequence[str]) -> Iterator[bytes]:
    """The contents of blobs, in order; a missing one is empty.

    Raises:
        ToolUnavailable: git stopped early.
    """
    if not hashes:
        return
    with start(repo, ["cat-file", "--batch"]) as process:
        stdin, stdout = pipe(process.stdin), pipe(process.stdout)
        try:
            for i in range(0, len(hashes), BATCH):  # so few at a time that neither pipe can fill and block
                stdin.write("".join(f"{h}\n" for h in hashes[i : i + BATCH]).encode())
                stdin.flush()
                for _ in hashes[i : i + BATCH]:
                    yield read_blob(stdout, repo)
        except BrokenPipeError as error:
            raise ToolUnavailable(f"git cat-file stopped early in {repo.path}") from error
        finally:
            process.kill()


def read_blob(stream: IO[bytes], repo: Repository) -> bytes:
    """One answer of ``git cat-file --batch``: a line ``hash type size``, the bytes, a line feed."""
    head = stream.readline().split()
    if not head:
        raise ToolUnavailable(f"git cat-file stopped early in {repo.path}")
    if head[-1] == b"missing":
        return b""
    content = stream.read(int(head[2]))
    if len(content) < int(head[2]) or stream.read(1) != b"\n":
        raise ToolUnavailable(f"git cat-file stopped early in {repo.path}")
    return content


def remote_url(repo: Repository) -> str:
    """The address of ``origin``, else of the first remote, else empty."""
    settings = git_folder(repo) / "config"
    stamp = stamp_of(settings)
    if stamp is None or "include" in text_of(settings).lower():  # others hold it too
        return read_remote_url(repo)
    return kept_remote_url(repo, stamp)


@lru_cache(maxsize=256)
def kept_remote_url(repo: Repository, stamp: Stamp) -> str:  # noqa: ARG001 - part of the key
    """The same, while the repository's settings stay."""
    return read_remote_url(repo)


def read_remote_url(repo: Repository) -> str:
    """The same, from git."""
    done = call(repo, ["config", "--get-regexp", r"^remote\..*\.url$"])
    rows = [line.split(" ", 1) for line in done.stdout.decode("utf-8", "replace").splitlines() if " " in line]
    addresses = {key.removeprefix("remote.").removesuffix(".url"): url for key, url in rows}
    return addresses.get("origin") or next(iter(addresses.values()), "")


def tags(repo: Repository) -> list[Tag]:
    """Tags that point at commits, oldest first."""
    form = "%(refname:strip=2)%00%(*objecttype)%(objecttype)%00%(*objectname)%00%(objectname)%00%(creatordate:unix)"
    out = []
    for line in git(repo, "for-each-ref", "--sort=creatordate", f"--format={form}", "refs/tags").decode().splitlines():
        name, kinds, peeled, direct, seconds = line.split("\0")
        if kinds.startswith("commit") and seconds:
            out.append(Tag(name, peeled or direct, datetime.fromtimestamp(int(seconds), UTC)))
    return out
