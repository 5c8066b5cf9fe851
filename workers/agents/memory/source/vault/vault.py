"""The vault on disk: which files there are, what is in them, and what changed since."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Protocol

from workers.agents.memory.source.vault.note import read_note
from workers.agents.memory.source.vault.note_index import NoteIndex, title_of
from workers.agents.memory.source.vault.note_paths import bare, check_path, folder_of, is_hidden, is_note, name_of
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names

MOST_FILES = 200_000
CONFIGURATION = ".obsidian/app.json"


class Stamp(NamedTuple):
    """What tells that a file may have changed."""

    mtime_ns: int
    size: int
    inode: int


class NotesView(Protocol):
    """What shows notes: the vault on disk, or an overlay on it."""

    index: NoteIndex

    @property
    def root(self) -> Path:
        """The vault's folder."""
        ...

    @property
    def stamps(self) -> Mapping[str, Stamp]:
        """When the files of the disk were written."""
        ...

    @property
    def lock(self) -> Any:
        """Held while the index changes."""
        ...

    def read(self, path: str) -> bytes:
        """What a file holds. Raises: ToolArgumentError, ToolUnavailable."""
        ...

    def missing(self, name: str) -> ToolArgumentError:
        """The sentence on a note that does not exist."""
        ...

    def configuration(self) -> bytes:
        """Obsidian's own settings of the vault."""
        ...


class Vault:
    """A folder of notes, held in memory. Safe to share between threads.

    ``index`` is never changed: `refresh`, which reads the files that changed, puts another one in its place. A folder
    that does not exist is an empty vault. Hidden folders and symbolic links are no part of it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.index = NoteIndex()
        self.stamps: dict[str, Stamp] = {}
        self.lock: Any = RLock()

    @classmethod
    def open(cls, root: str | Path) -> Vault:
        """Read a vault.

        Raises:
            ToolUnavailable: it is a file, or cannot be read.
        """
        vault = cls(Path(root).expanduser().resolve())
        vault.refresh()
        return vault

    def refresh(self, paths: Iterable[str] | None = None) -> set[str]:
        """Read what changed on disk.

        Args:
            paths: only these files, and those below these folders; all when None.

        Returns: the paths that changed.

        Raises:
            ToolUnavailable: the folder cannot be read.
        """
        with self.lock:
            if paths is None:
                present = dict(scan(self.root))
                gone = [path for path in self.stamps if path not in present]
            else:
                asked = {path for path in paths if path and not is_hidden(path)}
                present = {path: stamp for one in asked for path, stamp in scan(self.root, one)}
                gone = [path for path in self.stamps if path not in present and is_below(path, asked)]
            touched = [(path, stamp) for path, stamp in present.items() if self.stamps.get(path) != stamp]
            if not gone and not touched:
                return set()
            changed, index = set(gone), self.index.copy()  # who reads the index that stands goes on with it
            for path in gone:
                del self.stamps[path]
                index.drop(path)
            changed |= {path for path, stamp in touched if self.take(index, path, stamp)}
            self.index = index
            return changed

    def take(self, index: NoteIndex, path: str, stamp: Stamp) -> bool:
        """Read one file. Returns: False when it went away meanwhile, or what it holds is what was known."""
        if not is_note(path):
            self.stamps[path] = stamp
            index.put(path, None)
            return True
        try:
            note = read_note((self.root / path).read_bytes())
        except OSError:
            return False
        known = index.notes.get(path)
        self.stamps[path] = stamp
        if known and known.sha256 == note.sha256:
            return False
        index.put(path, note)
        return True

    def snapshot(self) -> Snapshot:
        """The notes as they are known now, which stay so while the vault follows the disk."""
        return Snapshot(self)

    def read(self, path: str) -> bytes:
        """A file as it is on disk now.

        Raises:
            ToolArgumentError: there is none; the nearest names are with it.
            ToolUnavailable: it cannot be read.
        """
        clean = check_path(path)
        try:
            return self.place(clean).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise self.missing(path) from error
        except OSError as error:
            raise ToolUnavailable(f"{path} cannot be read: {error.strerror}") from error

    def place(self, path: str) -> Path:
        """Where a checked path lies on disk. Raises: ToolArgumentError: a symbolic link leads it elsewhere."""
        return place_below(self.root, path)

    def missing(self, name: str) -> ToolArgumentError:
        """The sentence on a note that does not exist, with the nearest that do."""
        named = {title_of(path): path for path in self.index.notes}
        named |= {alias: path for path, note in self.index.notes.items() for alias in note.aliases}
        near = [
            named.get(found, found) for found in nearest_names([name, name_of(bare(name))], [*self.index.notes, *named])
        ]
        return ToolArgumentError(f"there is no note {name!r}", tuple(dict.fromkeys(near))[:5])

    def configuration(self) -> bytes:
        """Obsidian's own settings of the vault; empty when there are none."""
        try:
            with (self.root / CONFIGURATION).open("rb") as opened:
                return opened.read(100_000)
        except OSError:
            return b""


class Snapshot:
    """A vault's notes as they were known at one moment. What files hold is read from disk when it is asked for."""

    def __init__(self, vault: Vault) -> None:
        self.index = vault.index
        self.root, self.stamps, self.lock = vault.root, vault.stamps, vault.lock
        self.read, self.missing, self.configuration = vault.read, vault.missing, vault.configuration


def place_below(root: Path, path: str) -> Path:
    """A path below a folder. Raises: ToolArgumentError: a symbolic link stands in its way."""
    place = root
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            raise ToolArgumentError(f"{path!r}: a symbolic link is no part of the vault")
    return place


def scan(root: Path, below: str = "") -> Iterator[tuple[str, Stamp]]:
    """The files of a vault, or those at and below one path.

    Raises:
        ToolUnavailable: it is a file, holds too many files, or cannot be read.
    """
    if root.exists() and not root.is_dir():
        raise ToolUnavailable(f"{root} is not a folder")
    if below:
        try:
            place = place_below(root, below)
            if place.is_file():
                yield below, stamp_of(place.stat())
                return
        except (ToolArgumentError, OSError):
            return
    yield from walk(root, below)


def walk(root: Path, below: str) -> Iterator[tuple[str, Stamp]]:
    """The files below a folder of a vault. Raises: ToolUnavailable: as `scan`."""
    folders = [below]
    count = 0
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(root / folder if folder else root), key=lambda e: e.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise ToolUnavailable(f"{root / folder} cannot be read: {error.strerror}") from error
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif entry.is_file(follow_symlinks=False):
                count += 1
                if count > MOST_FILES:
                    raise ToolUnavailable(f"{root} holds more than {MOST_FILES:,} files")
                yield path, stamp_of(entry.stat(follow_symlinks=False))


def is_below(path: str, places: set[str]) -> bool:
    """Whether a path is one of some, or below one."""
    while path:
        if path in places:
            return True
        path = folder_of(path)
    return False


def stamp_of(stat: os.stat_result) -> Stamp:
    """A file's stamp."""
    return Stamp(stat.st_mtime_ns, stat.st_size, stat.st_ino)
