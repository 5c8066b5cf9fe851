"""Small git repositories for tests, made with fixed names and times."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

QUIET = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


def run_git(folder: Path, *args: str, at: datetime | None = None, stdin: bytes = b"") -> str:
    """Run git and return what it prints."""
    when = (at or datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    done = subprocess.run(
        ["git", "-C", str(folder), *args], input=stdin, capture_output=True, check=True, env=os.environ | QUIET | dates
    )
    return done.stdout.decode("utf-8", "replace")


@cache
def empty_repository() -> dict[str, bytes | None]:
    """The folders (None) and files of a new repository on branch main, as git makes them."""
    with tempfile.TemporaryDirectory() as place:
        run_git(Path(place), "init", "-q", "-b", "main", "--template=")
        found = sorted(Path(place).rglob("*"))
        return {p.relative_to(place).as_posix(): p.read_bytes() if p.is_file() else None for p in found}


def make_repository(folder: Path, files: Mapping[str, str | bytes] | None = None, at: datetime | None = None) -> Path:
    """A new repository on branch main, with one commit when files are given."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in empty_repository().items():
        if content is None:
            (folder / name).mkdir(exist_ok=True)
        else:
            (folder / name).write_bytes(content)
    if files:
        commit(folder, files, "Begin", at)
    return folder


def commit(folder: Path, files: Mapping[str, str | bytes | None], subject: str, at: datetime | None = None) -> str:
    """Write files (None removes one), commit all, and return the commit's hash."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    run_git(folder, "add", "-A")
    run_git(folder, "-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", subject, at=at)
    return head(folder)


def head(folder: Path) -> str:
    """The commit that was just made; asking git is a process more, and this is done a thousand times a run."""
    try:
        named = (folder / ".git" / "HEAD").read_text().strip()
        return (folder / ".git" / named.removeprefix("ref: ")).read_text().strip() if named[:4] == "ref:" else named
    except OSError:  # a work tree beside its repository
        return run_git(folder, "rev-parse", "HEAD").strip()


def lines_at(folder: Path, revision: str, path: str, start: int, end: int) -> str:
    """Lines of a file as git shows them, line ends dropped."""
    shown = subprocess.run(
        ["git", "-C", str(folder), "show", f"{revision}:{path}"], capture_output=True, check=True
    ).stdout.decode("utf-8", "replace")
    return "\n".join(line.removesuffix("\r") for line in shown.split("\n")[start - 1 : end])
