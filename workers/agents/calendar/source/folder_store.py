"""A calendar as a folder of .ics files, one appointment a file, as vdirsyncer keeps it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from workers.agents.calendar.source.appointments import Resource
from workers.agents.calendar.source.calendar_store import CalendarConflict
from workers.agents.calendar.source.calendar_texts import decode
from workers.errors import ToolUnavailable

FILE_NAME = re.compile(r"[^/\\\0]{1,250}\.ics")


class FolderStore:
    """Reads and writes the files. Versions are hashes of their bytes; writers of several processes wait for each other.

    Args:
        folder: which must exist.
    """

    schedules = False
    ahead: timedelta | None = None

    def __init__(self, folder: Path, *, writable: bool) -> None:
        self.folder, self.writable = folder, writable
        self.stamps: dict[str, tuple[tuple[int, int], Resource]] = {}

    def read(self, known: Mapping[str, Resource]) -> dict[str, Resource]:
        """All files; one is read again when its size or time of change is another. Raises: ToolUnavailable."""
        del known
        found: dict[str, tuple[tuple[int, int], Resource]] = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if not FILE_NAME.fullmatch(entry.name) or entry.name.startswith("."):
                        continue
                    stat = entry.stat()
                    stamp, held = (stat.st_mtime_ns, stat.st_size), self.stamps.get(entry.name)
                    if held and held[0] == stamp:
                        found[entry.name] = held
                    elif resource := self.get(entry.name):
                        found[entry.name] = stamp, resource
        except OSError as error:
            raise ToolUnavailable(f"the folder {self.folder} cannot be read ({error.strerror})") from error
        self.stamps = found
        return {name: resource for name, (_, resource) in found.items()}

    def get(self, href: str) -> Resource | None:
        """One file. Raises: ToolUnavailable: it cannot be read."""
        try:
            data = self.place(href).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ToolUnavailable(f"{href} cannot be read ({error.strerror})") from error
        return Resource(href, hashlib.sha256(data).hexdigest(), decode(data))

    def put(self, href: str, text: str, version: str) -> str:
        """Write a file as a whole or not at all. Raises: CalendarConflict, ToolUnavailable."""
        data = text.encode()
        with self.locked(href, version):
            try:
                self.replace(href, data)
            except OSError as error:
                raise ToolUnavailable(f"{href} cannot be written ({error.strerror})") from error
        return hashlib.sha256(data).hexdigest()

    def delete(self, href: str, version: str) -> None:
        """Delete a file. Raises: CalendarConflict, ToolUnavailable."""
        with self.locked(href, version):
            try:
                self.place(href).unlink()
            except OSError as error:
                raise ToolUnavailable(f"{href} cannot be deleted ({error.strerror})") from error

    def place(self, href: str) -> Path:
        """Where a file lies. Raises: ToolUnavailable: the name leads elsewhere."""
        if not FILE_NAME.fullmatch(href):
            raise ToolUnavailable(f"{href[:80]!r} is no file of this calendar")
        return self.folder / href

    def replace(self, href: str, data: bytes) -> None:
        """Put a file in place of another at once."""
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(0o644)
            Path(name).replace(self.place(href))
        except OSError:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise

    @contextmanager
    def locked(self, href: str, version: str) -> Iterator[None]:
        """Nobody else of ours writes meanwhile. Raises: CalendarConflict: the file has another version."""
        try:
            handle = os.open(self.folder / ".oracle.lock", os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise ToolUnavailable(f"the folder {self.folder} cannot be written ({error.strerror})") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            held = self.get(href)
            if (held.version if held else "") != version:
                raise CalendarConflict("it was changed meanwhile; nothing was changed")
            yield
        finally:
            os.close(handle)
