"""What lies elsewhere and is kept here: its folder under ORACLE_HOME, its state, and the lock of whoever renews it."""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from workers.errors import ToolUnavailable

STATE, AGAIN = "state.json", "again"
LOCK, INDEXING = "lock", "indexing"
TRIES, PAUSE_S = 10, 0.02


@dataclass(frozen=True)
class LocalCopy:
    """One repository or web site elsewhere. ``key`` names it in queues; ``every_s``: how often it is looked at.

    Of a site at most ``pages`` are read, one every ``pause_s``; ``private``: it may lie at a private address.
    """

    key: str
    name: str
    folder: Path
    kind: Literal["repository", "site"]
    address: str
    every_s: float
    pages: int = 0
    pause_s: float = 1.0
    private: bool = False


@dataclass(frozen=True)
class State:
    """How a copy is. Moments are seconds since 1970, 0 when it never was.

    ``doing``: what is going on now, ``percent`` how far it is, and when it is indexed ``done`` files of ``total``;
    ``tried_at``: when the last look began; ``fetched_at``: when the last one that went well ended; ``error``: why the
    last one failed; ``note``: what else there is to know.
    """

    doing: str = ""
    percent: int = 0
    done: int = 0
    total: int = 0
    tried_at: float = 0.0
    fetched_at: float = 0.0
    error: str = ""
    note: str = ""


def read_state(kept: LocalCopy) -> State:
    """The state of a copy; what nobody is doing any more is not going on."""
    state = stored_state(kept)
    return replace(state, doing="", percent=0, done=0, total=0) if state.doing and is_free(kept) else state


def stored_state(kept: LocalCopy) -> State:
    """The state as it is written; a new one when there is none that can be read."""
    try:
        found: Any = json.loads((kept.folder / STATE).read_bytes())
        kinds = {"percent": int, "done": int, "total": int, "tried_at": float, "fetched_at": float}
        return State(**{f.name: kinds.get(f.name, str)(found[f.name]) for f in fields(State) if f.name in found})
    except (OSError, ValueError, KeyError, TypeError):
        return State()


def write_state(kept: LocalCopy, state: State) -> None:
    """Write under another name, then rename.

    Raises:
        ToolUnavailable: the folder cannot be written.
    """
    write_json(kept.folder / STATE, asdict(state))


def write_json(path: Path, value: Any) -> None:
    """Write a file at once or not at all. Raises: ToolUnavailable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, unseen = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file)
        Path(unseen).replace(path)
    except OSError as error:
        raise ToolUnavailable(f"{path.parent} cannot be written: {error.strerror}") from error


@contextmanager
def hold(kept: LocalCopy, name: str = LOCK, *, wait: bool = False) -> Iterator[int | None]:
    """A lock of a copy, or None when someone else has it. It ends with this process and all that inherit it.

    Args:
        kept: the copy.
        name: `LOCK` for whoever fetches, `INDEXING` for whoever makes its indexes.
        wait: until whoever has it is done.

    Raises:
        ToolUnavailable: the folder cannot be written.
    """
    taken = False
    while not taken:
        try:
            kept.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(kept.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ToolUnavailable(f"{kept.folder} cannot be written: {error.strerror}") from error
        try:
            if wait:
                fcntl.flock(handle, fcntl.LOCK_EX)
            free = wait or take(handle)
            taken = not free or is_named(handle, kept.folder / name)
            if taken:
                yield handle if free else None
        finally:
            os.close(handle)


def is_named(handle: int, path: Path) -> bool:
    """Whether an open file is still the one of that name: the copy may have been taken away before it was locked."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def take(handle: int) -> bool:
    """Take a lock that a reader may hold for a moment."""
    for _ in range(TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE_S)
        else:
            return True
    return False


def is_free(kept: LocalCopy) -> bool:
    """Whether nobody renews a copy now."""
    try:
        handle = os.open(kept.folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(handle)


def ask_again(kept: LocalCopy) -> None:
    """Whoever renews this copy looks once more when done: something may have happened after its look began."""
    kept.folder.mkdir(parents=True, exist_ok=True)
    (kept.folder / AGAIN).touch()


def is_asked_again(kept: LocalCopy) -> bool:
    """Whether someone asked for another look."""
    return (kept.folder / AGAIN).exists()


def asked_again(kept: LocalCopy) -> bool:
    """Whether someone asked for another look; it is noted as seen."""
    try:
        (kept.folder / AGAIN).unlink()
    except FileNotFoundError:
        return False
    return True
