"""Writes commits into a git repository whose hashes depend on nothing but the commits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from workers.errors import ToolUnavailable


@dataclass(frozen=True)
class Commit:
    """One commit. ``files``: path -> text afterwards; ``tagged_at``: when its tag, if any, was made."""

    message: str
    author: str
    email: str
    at: datetime
    files: Mapping[str, str]
    delete: Sequence[str] = ()
    tag: str = ""
    tagged_at: datetime | None = field(default=None)


def write_repository(folder: Path, commits: Sequence[Commit]) -> tuple[str, ...]:
    """Create a repository with these commits on ``main``, tags included, and check it out.

    Args:
        folder: does not exist yet.
        commits: oldest first.

    Returns: the commits' full hashes, in the same order.

    Raises:
        ToolUnavailable: git is missing or refused.
    """
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", "--template=", "--object-format=sha1")
    marks = folder / ".git" / "marks"
    stream = b"".join(write_commits(commits))
    git(folder, "fast-import", "--quiet", "--done", f"--export-marks={marks}", stream=stream)
    hashes = dict(line.split() for line in marks.read_text(encoding="ascii").splitlines())
    marks.unlink()
    git(folder, "reset", "--quiet", "--hard", "main")
    return tuple(hashes[f":{number}"] for number in range(1, len(commits) + 1))


def write_commits(commits: Sequence[Commit]) -> Iterator[bytes]:
    """The commits as a stream for ``git fast-import``.

    Source: git-fast-import(1), "Input format".
    """
    for number, commit in enumerate(commits, start=1):
        person = f"{commit.author} <{commit.email}>"
        yield b"commit refs/heads/main\n"
        yield f"mark :{number}\n".encode()
        yield f"author {person} {stamp(commit.at)}\n".encode()
        yield f"committer {person} {stamp(commit.at)}\n".encode()
        yield data(commit.message.strip() + "\n")
        yield from (f"D {path}\n".encode() for path in commit.delete)
        for path, text in sorted(commit.files.items()):
            yield f"M 100644 inline {path}\n".encode()
            yield data(text)
        yield b"\n"
    for number, commit in enumerate(commits, start=1):
        if commit.tag:
            yield f"tag {commit.tag}\nfrom :{number}\n".encode()
            yield f"tagger {commit.author} <{commit.email}> {stamp(commit.tagged_at or commit.at)}\n".encode()
            yield data(f"Release {commit.tag}\n")
    yield b"done\n"


def data(text: str) -> bytes:
    """A counted block of the stream."""
    raw = text.encode()
    return b"data %d\n%b\n" % (len(raw), raw)


def stamp(moment: datetime) -> str:
    """A moment as git writes it."""
    return f"{int(moment.timestamp())} +0000"


def git(folder: Path, *arguments: str, stream: bytes = b"") -> None:
    """Run git with no configuration but the repository's own. Raises: ToolUnavailable."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-C", str(folder), *arguments]
    try:
        subprocess.run(command, input=stream, env={**kept, **alone}, capture_output=True, check=True)
    except FileNotFoundError as error:
        raise ToolUnavailable("git is not installed") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise ToolUnavailable(f"git {arguments[0]}: {said}") from error
