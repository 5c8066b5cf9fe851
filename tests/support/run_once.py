"""What is costly to build is built once a run, by whichever process needs it first."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path


def build_once(folder: Path, build: Callable[[Path], object]) -> Path:
    """``folder``, which ``build`` has filled; other processes wait until it has, and only read.

    A build that fails is tried again by the next process that asks.
    """
    done = folder.with_name(f"{folder.name}.done")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            if folder.exists():
                folder.rename(folder.with_name(f"{folder.name}.failed-{os.getpid()}"))
            folder.mkdir(parents=True)
            build(folder)
            done.touch()
    return folder
