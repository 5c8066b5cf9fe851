"""The note, and the lines of it, that a path, a name or an alias means."""

from __future__ import annotations

from workers.agents.memory.source.vault.note import find_subpath
from workers.agents.memory.source.vault.note_paths import is_note
from workers.agents.memory.source.vault.vault import NotesView
from workers.errors import ToolArgumentError

PATH = "path of a note, such as projects/search.md; its name or an alias will do"


def find_note(vault: NotesView, name: str) -> str:
    """The file that a path, a name or an alias means. Raises: ToolArgumentError."""
    if not name.strip():
        raise ToolArgumentError("path is empty; give a note's path, name or alias")
    found = vault.index.find(name)
    if found is None:
        raise vault.missing(name.strip())
    return found


def find_lines(vault: NotesView, name: str) -> tuple[str, tuple[int, int]]:
    """The note and the lines that a path, a name or an alias with or without ``#heading`` means."""
    whole = vault.index.paths.with_key(name.strip())
    path = whole or find_note(vault, name)
    if not is_note(path):
        raise ToolArgumentError(f"{path} is an attachment, not a note")
    subpath = "" if whole else name.partition("#")[2].partition("|")[0].removesuffix("]]").strip()
    if not subpath:
        return path, (1, 0)
    note = vault.index.notes[path]
    span = find_subpath(note, subpath)
    if span is None:
        names = tuple(heading.text for heading in note.headings[:10])
        raise ToolArgumentError(f"{path} has no heading or block {subpath!r}", names)
    return path, span
