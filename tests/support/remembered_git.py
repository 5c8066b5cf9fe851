"""Git is asked once what it says of repositories that stay as they are: its processes cost more than most tests."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workers.sources import git
from workers.sources.git import Repository

ASK = git.call
ANSWERS: dict[tuple[Path, tuple[str, ...], bytes], subprocess.CompletedProcess[bytes]] = {}


def remember_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests in which nobody commits, and git is no part of the matter."""
    monkeypatch.setattr(git, "call", remembered)


def remembered(
    repo: Repository, args: Sequence[str], *, stdin: bytes = b"", **limits: Any
) -> subprocess.CompletedProcess[bytes]:
    """As `workers.sources.git.call`."""
    key = (repo.path, tuple(args), stdin)
    if key not in ANSWERS:
        ANSWERS[key] = ASK(repo, args, stdin=stdin, **limits)
    return ANSWERS[key]
