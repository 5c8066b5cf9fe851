"""The log of what was changed in a vault, kept outside of it: enough to take any of it back."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from workers.agents.memory.source.vault.note import sha256_of
from workers.contracts import Message, Moment
from workers.errors import ToolArgumentError, ToolUnavailable

MOST_ENTRIES = 500
MOST_KEPT_BYTES = 64 * 1024 * 1024
"""A deleted file that is larger cannot be taken back, so it is not deleted."""


class Step(Message):
    """One file of an entry. ``before`` and ``after`` are hashes; what had ``before`` is kept when it was replaced."""

    path: str
    moved_from: str = ""
    before: str | None = None
    after: str | None = None
    replaced: bool = False


class Entry(Message):
    """One set of changes. ``state``: pending while it is being made; undone: another entry took it back."""

    id: str
    at: Moment
    title: str
    user: str = ""
    state: Literal["pending", "applied", "undone", "failed"] = "pending"
    undoes: str = ""
    commit: str = ""
    steps: tuple[Step, ...] = ()


class ChangeLog:
    """A folder of entries, newest last, and of the bytes that were replaced, each by its hash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept = folder / "kept"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the vault for writing, so that of several processes one at a time changes it."""
        try:
            self.kept.mkdir(parents=True, exist_ok=True)
            with (self.folder / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise ToolUnavailable(f"the log of changes cannot be written: {error.strerror or error}") from error

    def new_id(self) -> str:
        """An id that sorts after all others."""
        return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{os.urandom(2).hex()}"

    def ids(self) -> list[str]:
        """The ids of all entries, oldest first."""
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def entries(self, most: int = 50) -> list[Entry]:
        """The entries, newest first."""
        return [self.entry(name) for name in reversed(self.ids()[-most:])]

    def entry(self, name: str) -> Entry:
        """One entry by its id or the start of it. Raises: ToolArgumentError: there is none, or several."""
        found = [one for one in self.ids() if one == name or (name and one.startswith(name))]
        if len(found) != 1:
            said = "no change" if not found else f"{len(found)} changes"
            raise ToolArgumentError(f"{said} with the id {name!r} in the log", tuple(reversed(self.ids()[-3:])))
        try:
            return Entry.model_validate_json((self.folder / f"{found[0]}.json").read_bytes())
        except (OSError, ValidationError) as error:
            raise ToolUnavailable(f"the log's entry {found[0]} cannot be read") from error

    def write(self, entry: Entry) -> None:
        """Write an entry; a half-written one is never seen."""
        place = self.folder / f"{entry.id}.json"
        replace_file(place, entry.model_dump_json(indent=1).encode())

    def keep(self, raw: bytes) -> str:
        """Keep bytes. Returns: their hash."""
        digest = sha256_of(raw)
        place = self.kept / digest
        if not place.exists():
            replace_file(place, raw)
        return digest

    def body(self, digest: str) -> bytes:
        """Bytes that were kept. Raises: ToolUnavailable: they are gone."""
        try:
            return (self.kept / digest).read_bytes()
        except OSError as error:
            raise ToolUnavailable("what this change replaced is no longer kept") from error

    def prune(self) -> None:
        """Forget the oldest entries, and bytes that no entry names."""
        ids = self.ids()
        if len(ids) <= MOST_ENTRIES + MOST_ENTRIES // 10:
            return
        for name in ids[:-MOST_ENTRIES]:
            (self.folder / f"{name}.json").unlink(missing_ok=True)
        named = {s.before for entry in self.entries(MOST_ENTRIES) for s in entry.steps if s.replaced}
        for place in self.kept.iterdir():
            if place.name not in named:
                place.unlink(missing_ok=True)


def replace_file(place: Path, raw: bytes) -> None:
    """Write a file so that it is seen whole or as it was before."""
    new = place.with_name(f".{place.name}.{os.urandom(4).hex()}.tmp")
    try:
        with new.open("xb") as opened:
            opened.write(raw)
            opened.flush()
            os.fsync(opened.fileno())
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)
