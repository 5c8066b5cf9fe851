"""Writes commits into a git repository whose hashes depend on nothing but the commits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from examples.shop.history import Commit


class GitFailed(RuntimeError):
    """git is missing or refused; the message is its own."""


def write_repository(folder: Path, commits: Sequence[Commit]) -> tuple[str, ...]:
    """Create a repository with these commits on ``main``, tags included, and check it out.

    Args:
        folder: does not exist yet.
        commits: oldest first.

    Returns: the commits' full hashes, in the same order.

    Raises:
        GitFailed: git is missing or refused.
    """
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main", "--template=", "--object-format=sha1")
    marks = folder / ".git" / "demo-marks"
    stream = b"".join(write_commits(commits))
    git(folder, "fast-import", "--quiet", "--done", f"--export-marks={marks}", stream=stream)
    hashes = dict(line.split() for line in marks.read_text(encoding="ascii").splitlines())
    marks.unlink()
    git(folder, "reset", "--quiet", "--hard", "main")
    return tuple(hashes[f":{number}"] for number in range(1, len(commits) + 1))


def write_commits(commits: Iterable[Commit]) -> Iterable[bytes]:
    """The commits as a stream for ``git fast-import``.

    Source: git-fast-import(1), "Input format".
    """
    tags = []
    for number, commit in enumerate(commits, start=1):
        person = f"{commit.author} <{commit.email}>"
        message = f"{commit.subject}\n\n{commit.body}".strip() + "\n"
        yield b"commit refs/heads/main\n"
        yield f"mark :{number}\n".encode()
        yield f"author {person} {stamp(commit.at)}\n".encode()
        yield f"committer {person} {stamp(commit.at)}\n".encode()
        yield data(message)
        for path, text in sorted(commit.files.items()):
            yield f"M 100644 inline {path}\n".encode()
            yield data(text)
        yield b"\n"
        if commit.tag:
            tags.append((number, commit))
    for number, commit in tags:
        yield f"tag {commit.tag}\nfrom :{number}\n".encode()
        yield f"tagger {commit.author} <{commit.email}> {stamp(commit.deployed_at)}\n".encode()
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
    """Run git with no configuration but the repository's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", "-C", str(folder), *arguments]
    try:
        subprocess.run(command, input=stream, env={**kept, **alone}, capture_output=True, check=True)
    except FileNotFoundError as error:
        raise GitFailed("git is not installed") from error
    except subprocess.CalledProcessError as error:
        raise GitFailed(f"git {arguments[0]}: {error.stderr.decode(errors='replace').strip()}") from error
