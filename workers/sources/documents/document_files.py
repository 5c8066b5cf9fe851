"""The files of a folder of documents: which there are, what is in them, when each was changed last."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from threading import Timer
from typing import IO, Any, NamedTuple

from workers.errors import ToolUnavailable
from workers.sources.code.file_kinds import kind_of
from workers.sources.documents.section_reader import DESCRIPTIONS, READ, SUFFIXES, is_too_large, suffix_of
from workers.sources.git import Repository, cut_commits, open_repository, pipe, remote_url, resolve, start

MAX_FILES = 20_000
MAX_EXPORT_BYTES = 2_000_000_000
SKIPPED = frozenset({"node_modules", "vendor", "__pycache__", "site-packages", "dist", "target"})
HISTORY_S = 20.0
LOG_MARK = b"\x01"
LICENCE = re.compile(r"licen[cs]e|copying|unlicen[cs]e", re.IGNORECASE)
"""Its words are the law's: they say nothing of what the repository does, and stand in every question."""


class Stamp(NamedTuple):
    """What tells that a file may have changed, named as `os.stat_result` does."""

    st_mtime_ns: int
    st_size: int


@dataclass(frozen=True)
class Member:
    """A file inside of a zip file."""

    archive: Path
    name: str

    def read_bytes(self) -> bytes:
        """What is in it. Raises: OSError: the zip file is gone or damaged."""
        try:
            with zipfile.ZipFile(self.archive) as opened:
                return opened.read(self.name)
        except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, ValueError, zlib.error) as error:
            raise OSError(f"{self.archive.name}: {error}") from error


File = Path | Member


def open_folder(root: str | Path) -> Path:
    """A folder that exists, as an absolute path."""
    folder = Path(root).expanduser().resolve()
    if not folder.is_dir():
        raise ToolUnavailable(f"{root} {'is not a folder' if folder.exists() else 'does not exist'}")
    return folder


def scan(folder: Path, beside: Sequence[str] | None = None) -> Iterator[tuple[str, File, Stamp]]:
    """Files of a folder that may be documents, by path, those inside of zip files too.

    Hidden and installed folders, symbolic links and large files of data are left out.

    Args:
        folder: of documents, or a repository.
        beside: None for a folder of documents. Of a repository, where only prose is read, its folders that are left
            out, relative to it.
    """
    found: list[tuple[str, File, Stamp]] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        for name in files:
            suffix = suffix_of(name)
            if (suffix not in READ and suffix != ".zip") or name.startswith("."):
                continue
            file = Path(place, name)
            if file.is_symlink():
                continue
            stat = file.stat()
            path = file.relative_to(folder).as_posix()
            if beside is not None and not is_prose(path, beside):
                continue
            if suffix == ".zip":
                found += [(f"{path}/{m}", Member(file, m), s) for m, s in members(file, stat.st_mtime_ns, stat.st_size)]
            elif stat.st_size > 0 and (suffix not in DESCRIPTIONS or not is_too_large(name, stat.st_size)):
                found.append((path, file, Stamp(stat.st_mtime_ns, stat.st_size)))
    return iter(sorted(found, key=lambda row: row[0])[:MAX_FILES])


def is_prose(path: str, beside: Sequence[str]) -> bool:
    """Whether a file of a repository tells people of it.

    No licence, no test data, no part of another's package, nothing in the folders of ``beside``; no data in text, which
    has its name in small letters, as ``requirements.txt`` has.
    """
    named = PurePosixPath(path)
    text = (suffix_of(path) != ".txt" or named.stem.isupper()) and not LICENCE.match(named.name)
    apart = any(named.is_relative_to(folder) for folder in beside)
    kind = kind_of(path)
    told = kind in {"doc", "history", "example"} or (kind == "test" and named.stem.lower() == "readme")
    return suffix_of(path) in SUFFIXES and text and not apart and told


@lru_cache(maxsize=64)
def members(archive: Path, mtime_ns: int, size: int) -> tuple[tuple[str, Stamp], ...]:  # noqa: ARG001 - part of the key
    """Members of a zip file that may be documents; none of a file that is no zip file or would be far too much."""
    try:
        with zipfile.ZipFile(archive) as opened:
            held = opened.infolist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError):
        return ()
    if sum(info.file_size for info in held) > MAX_EXPORT_BYTES:
        return ()
    wanted = (
        (info.filename, Stamp(mtime_ns, info.file_size))
        for info in held
        if suffix_of(info.filename) in READ and info.file_size > 0 and not is_too_large(info.filename, info.file_size)
    )
    return tuple((n, s) for n, s in wanted if not any(p.startswith((".", "__MACOSX")) for p in n.split("/")))


def commit_of(folder: Path) -> tuple[dict[str, str], Repository | None]:
    """The commit, remote and place of a folder in its repository; all empty without one."""
    try:
        repo = open_repository(folder)
        commit = resolve(repo)
    except ToolUnavailable:
        repo, commit = None, None
    if repo is None or commit is None or repo.root is None:
        return {"commit": "", "remote": "", "prefix": "", "top": ""}, None
    return {"commit": commit, "remote": remote_url(repo), "prefix": repo.prefix, "top": str(repo.root)}, repo


def is_current(meta: Mapping[str, Any], folder: Path, beside: Sequence[str] | None = None) -> bool:
    """True when no file was added, removed or touched since an index was made, and the commit is the same.

    ``beside``: as `scan`.
    """
    if meta["root"] != str(folder) or not commit_of(folder)[0].items() <= meta.items():
        return False
    return bool(meta["files"] == [[name, *stamp] for name, _, stamp in scan(folder, beside)])


def last_changes(repo: Repository, commit: str, wanted: set[str], since: str = "") -> dict[str, tuple[str, int]]:
    """The commit that touched each file last, with its moment in epoch seconds.

    What takes too long is left out, and what a shallow clone's history is cut before.

    Args:
        repo: opened at a folder; paths are those below it.
        commit: where to begin.
        wanted: paths; the history is read until all are found.
        since: only later commits count; empty for the whole history.
    """
    out: dict[str, tuple[str, int]] = {}
    cut = cut_commits(repo)
    left = {repo.prefix + path for path in wanted}
    span = [f"{since}..{commit}"] if since else [commit]
    args = ["log", "--format=%x01%H %ct", "--name-only", "--no-renames", "-z", "--end-of-options", *span, "--", "."]
    with start(repo, args) as process:
        timer = Timer(HISTORY_S, process.kill)
        timer.daemon = True
        timer.start()
        now = ("", 0)
        for field in fields(pipe(process.stdout)) if left else ():
            if field.startswith(LOG_MARK):
                name, seconds = field[1:].split()
                now = (name.decode(), int(seconds))
            elif (path := field.lstrip(b"\n").decode("utf-8", "replace")) in left:
                left.discard(path)
                if now[0] not in cut:
                    out[path.removeprefix(repo.prefix)] = now
                if not left:
                    break
        timer.cancel()
        process.kill()
    return out


def fields(stream: IO[bytes]) -> Iterator[bytes]:
    """What stands before each zero byte of a stream."""
    rest = b""
    while block := stream.read(1 << 16):
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
