"""A vault as it would be: changes are made here first, see each other, and touch no file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workers.agents.memory.source.vault.changes import Change, ChangeSet
from workers.agents.memory.source.vault.note import MOST_BODY_BYTES, bytes_of, read_note, sha256_of, text_of
from workers.agents.memory.source.vault.note_index import NoteIndex
from workers.agents.memory.source.vault.note_moves import Rewritten, rewrite_links
from workers.agents.memory.source.vault.note_paths import (
    NOTE_SUFFIX,
    check_new_path,
    check_path,
    folder_of,
    is_note,
    key_of,
    name_of,
)
from workers.agents.memory.source.vault.vault import NotesView, Stamp
from workers.errors import ToolArgumentError, VaultConflict


class Staging:
    """An overlay on a vault. ``index`` answers as if all changes were made.

    `change_set` is what they come to.

    ``read``, ``write``, ``delete`` and ``move`` raise `ToolArgumentError` for paths that do not exist or may not be
    used, with the nearest names, and `VaultConflict` when a file is no longer what the index was made from.
    """

    def __init__(self, vault: NotesView) -> None:
        self.vault = vault
        with vault.lock:
            self.index: NoteIndex = vault.index.copy()
        self.disk = frozenset(self.index.paths.keys)
        self.bodies: dict[str, bytes] = {}
        self.origins: dict[str, str] = {}  # of a touched file of the overlay: where it stands on disk
        self.gone: set[str] = set()  # files of the disk that do not stand at their own path
        self.hashes: dict[str, str] = {}  # of files of the disk, as they were when they were first touched

    def copy(self) -> Staging:
        """The same, to be changed by itself."""
        other = Staging(self.vault)
        other.index, other.disk = self.index.copy(), self.disk
        other.bodies, other.origins = dict(self.bodies), dict(self.origins)
        other.gone, other.hashes = set(self.gone), dict(self.hashes)
        return other

    @property
    def root(self) -> Path:
        """The vault's folder."""
        return self.vault.root

    @property
    def stamps(self) -> Mapping[str, Stamp]:
        """When the files of the disk were written."""
        return self.vault.stamps

    @property
    def lock(self) -> Any:
        """The vault's own."""
        return self.vault.lock

    def configuration(self) -> bytes:
        """Obsidian's own settings of the vault."""
        return self.vault.configuration()

    def exists(self, path: str) -> bool:
        """Whether a file stands at a path."""
        return path in self.index.paths.keys

    def read(self, path: str) -> bytes:
        """What a file holds."""
        clean = check_path(path)
        if clean in self.bodies:
            return self.bodies[clean]
        if not self.exists(clean):
            raise self.missing(path)
        raw = self.vault.read(self.origin_of(clean))
        note = self.index.notes.get(clean)
        if note and note.sha256 != sha256_of(raw):
            raise VaultConflict(f"{path} was changed by somebody else just now; nothing was changed", (path,))
        return raw

    def text(self, path: str) -> str:
        """What a note holds, as text."""
        return text_of(self.read(path))

    def origin_of(self, path: str) -> str:
        """Where a file of the overlay stands on disk; empty when it is new."""
        if path in self.origins:
            return self.origins[path]
        return path if path in self.disk and path not in self.gone and path not in self.bodies else ""

    def write(self, path: str, body: bytes | str) -> None:
        """Make a note, or give it another text. Raises: ToolArgumentError: also when it is over 1 MiB, or no note."""
        try:
            raw = bytes_of(body) if isinstance(body, str) else body
        except UnicodeEncodeError as error:
            raise ToolArgumentError(f"{path}: the text cannot be written as UTF-8") from error
        if len(raw) > MOST_BODY_BYTES:
            raise ToolArgumentError(f"{path}: a note holds at most 1 MiB, this has {len(raw):,} bytes")
        clean = check_path(path) if self.exists(path) else self.free(check_new_path(path))
        if not is_note(clean):
            raise ToolArgumentError(f"{path!r}: a note's name ends in .md")
        self.put(clean, raw)

    def put(self, path: str, raw: bytes) -> None:
        """Put a text where a note stands or may stand."""
        if path in self.gone and path not in self.origins and path not in self.origins.values():
            self.gone.discard(path)  # it was deleted, and stands there again
            self.origins[path] = path
        elif origin := self.remember(path):
            self.origins[path] = origin
        self.bodies[path] = raw
        self.index.put(path, read_note(raw) if is_note(path) else None)

    def free(self, path: str) -> str:
        """A path that nothing takes. Raises: ToolArgumentError: something has it, but for capital letters perhaps."""
        other = self.index.paths.with_key(path)
        if other is not None:
            raise ToolArgumentError(f"{path!r}: {other!r} stands there")
        if key_of(path) in {key_of(folder) for folder in self.index.folders()}:
            raise ToolArgumentError(f"{path!r}: there is a folder of this name")
        above = path
        while above := folder_of(above):
            if self.index.paths.with_key(above):
                raise ToolArgumentError(f"{path!r}: {above!r} is a file, not a folder")
        return path

    def delete(self, path: str) -> None:
        """Take a file away."""
        clean = check_path(path)
        if not self.exists(clean):
            raise self.missing(path)
        self.take_out(clean)

    def take_out(self, path: str) -> str:
        """Forget a path of the overlay. Returns: where its file stands on disk; empty when it has none."""
        origin = self.remember(path)
        self.bodies.pop(path, None)
        self.origins.pop(path, None)
        if origin:
            self.gone.add(origin)
        self.index.drop(path)
        return origin

    def move(self, source: str, target: str) -> Rewritten:
        """Move or rename a note, an attachment or a folder, and rewrite the links that would lead elsewhere.

        Args:
            source: its path; a note's may be without ``.md``.
            target: its path afterwards; with a ``/`` at the end, or when it is a folder, the name stays.

        Returns: what was rewritten.

        Raises:
            ToolArgumentError: there is nothing at ``source``, something at ``target``, or a link could not be kept.
        """
        mapping = self.mapping(source, target)
        done = self.rewrite(mapping)
        held = {old: (self.bodies.get(old), self.index.notes.get(old)) for old in mapping}
        origins = {old: self.take_out(old) for old in mapping}
        for old, new in mapping.items():
            (body, note), origin = held[old], origins[old]
            if origin:
                self.origins[new] = origin
            if origin == new:
                self.gone.discard(new)
            if body is not None:
                self.bodies[new] = body
            self.index.put(new, note)
        for path, text in done.texts.items():
            self.put(mapping.get(path, path), bytes_of(text))
        return done

    def rewrite(self, mapping: Mapping[str, str]) -> Rewritten:
        """What a move does to links. Raises: ToolArgumentError, VaultConflict."""
        return rewrite_links(self.index, mapping, self.text, addresses=self.writes_addresses())

    def mapping(self, source: str, target: str) -> dict[str, str]:
        """Every file that a move takes along, with its path afterwards. Raises: ToolArgumentError."""
        source = source.strip().removeprefix("./")
        folder = source.rstrip("/")
        if folder in self.index.folders() and not self.exists(source):
            new = self.destination(folder, target, is_folder=True)
            if key_of(new).startswith(f"{key_of(folder)}/"):
                raise ToolArgumentError(f"{target!r}: a folder cannot move into itself")
            files = self.index.below(folder)
            pairs = {path: new + path[len(folder) :] for path in files}
        else:
            found = self.find(source)
            new = self.destination(found, target, is_folder=False)
            pairs = {found: new}
        if any(old == new for old, new in pairs.items()):
            raise ToolArgumentError(f"{source!r} stands there already")
        for old, new in pairs.items():
            check_path(new)
            other = self.index.paths.with_key(new)
            if other is not None and other not in pairs:
                raise ToolArgumentError(f"{new!r}: {other!r} stands there")
            if key_of(old) != key_of(new) and other is None:
                self.free(new)
        return pairs

    def destination(self, source: str, target: str, *, is_folder: bool) -> str:
        """The path that a file or folder moves to, checked."""
        cleaned = target.strip().removeprefix("./")
        if cleaned.startswith("/") and cleaned != "/":
            check_path(cleaned)
        stays = cleaned in {"", "/"} or cleaned.endswith("/") or (cleaned in self.index.folders() and cleaned != source)
        cleaned = cleaned.strip("/") if cleaned != "/" else ""
        if stays:
            cleaned = f"{cleaned}/{name_of(source)}".lstrip("/")
        elif not is_folder:
            suffix = NOTE_SUFFIX if is_note(source) else suffix_of(source)
            if suffix and not cleaned.lower().endswith(suffix.lower()):
                cleaned += suffix
        return check_new_path(cleaned)

    def find(self, name: str) -> str:
        """The file that a path, a name or an alias means. Raises: ToolArgumentError: there is none."""
        found = self.index.find(name)
        if found is None:
            raise self.missing(name)
        return found

    def missing(self, name: str) -> ToolArgumentError:
        """The sentence on a file that does not exist."""
        return self.vault.missing(name)

    def writes_addresses(self) -> bool:
        """Whether Markdown links are relative addresses here, as other programs than Obsidian read them too."""
        try:
            found = json.loads(self.vault.configuration() or b"{}")
        except ValueError:
            return True
        format_ = found.get("newLinkFormat") if isinstance(found, dict) else None
        return format_ in {None, "relative"}

    def remember(self, path: str) -> str:
        """Note what a file holds before it is first touched, so that a change by another is seen.

        Returns: where it stands on disk.
        """
        origin = self.origin_of(path)
        if origin and origin not in self.hashes:
            note = self.index.notes.get(path)
            self.hashes[origin] = note.sha256 if note else sha256_of(self.vault.read(origin))
        return origin

    def change_set(self, title: str) -> ChangeSet:
        """What all of it comes to, by path."""
        deleted = self.gone - set(self.origins.values())
        out = [Change(path=path, before=self.hashes[path]) for path in deleted]
        for path in {*self.bodies, *self.origins}:
            origin, body = self.origins.get(path, ""), self.bodies.get(path)
            before = self.hashes[origin] if origin else None
            if origin and origin != path:
                same = body is None or sha256_of(body) == before
                out.append(Change(path=path, before=before, after=None if same else body, moved_from=origin))
            elif body is not None and sha256_of(body) != before:
                out.append(Change(path=path, before=before, after=body))
        return ChangeSet(title=title, changes=tuple(sorted(out, key=lambda c: (c.path, c.source))))


def suffix_of(path: str) -> str:
    """The suffix of an attachment's name, with its dot."""
    stem, dot, suffix = name_of(path).rpartition(".")
    return f".{suffix}" if stem and dot else ""
