"""Paths of notes and attachments: which are allowed, how they are compared, and how one is seen from another.

A path is relative to the vault's folder, with ``/`` between its parts.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from workers.errors import ToolArgumentError

MOST_PATH_CHARS = 256
MOST_NAME_BYTES = 240
NOTE_SUFFIX = ".md"
FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]')
BREAKS_LINKS = re.compile(r"[#^\[\]]")
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..{0,250})?", re.IGNORECASE)


@lru_cache(maxsize=200_000)
def key_of(path: str) -> str:
    """A path as paths are compared: composed characters, small letters, plain spaces."""
    return unicodedata.normalize("NFC", path.replace("\u00a0", " ")).lower()


def is_note(path: str) -> bool:
    """Whether a path is a note's."""
    return path[-3:].lower() == NOTE_SUFFIX


def folder_of(path: str) -> str:
    """The folder that a path lies in; empty for the vault's own."""
    return path.rpartition("/")[0]


def folders_above(paths: Iterable[str]) -> set[str]:
    """Every folder that holds one of some files, at whatever depth."""
    found: set[str] = set()
    for path in paths:
        while (path := folder_of(path)) and path not in found:
            found.add(path)
    return found


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def bare(path: str) -> str:
    """A note's path without its suffix; an attachment's as it is."""
    return path[:-3] if is_note(path) else path


def is_hidden(path: str) -> bool:
    """Whether a part of a path begins with a dot, as those of programs do (.obsidian, .git, .trash)."""
    return path.startswith(".") or "/." in path


def joined(folder: str, path: str) -> str:
    """A relative path as one from the vault's folder; ``..`` stops there."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def relative(path: str, folder: str) -> str:
    """A path as it is written in a note of a folder: ``b.md``, ``sub/b.md``, ``../b.md``."""
    return posixpath.relpath(f"/{path}", f"/{folder}")


def check_path(path: str) -> str:
    """A path that may be read or changed.

    Returns: the path in composed characters.

    Raises:
        ToolArgumentError: it is empty, absolute, hidden, too long, or leads out of the vault.
    """
    clean = unicodedata.normalize("NFC", path)
    if not clean or clean.startswith("/"):
        raise ToolArgumentError(f"{path!r}: give a path below the vault's folder, such as projects/search.md")
    if len(clean) > MOST_PATH_CHARS:
        raise ToolArgumentError(f"{path[:60]!r}…: a path has at most {MOST_PATH_CHARS} characters")
    parts = clean.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        raise ToolArgumentError(f"{path!r}: a path has no empty parts, no . and no ..")
    if is_hidden(clean):
        raise ToolArgumentError(f"{path!r}: names that begin with a dot belong to programs and are left alone")
    try:
        clean.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ToolArgumentError(f"{path!r}: it is not text") from error
    if "\0" in clean or "\\" in clean:
        raise ToolArgumentError(f"{path!r}: parts of a path are divided by /")
    return clean


def check_new_path(path: str) -> str:
    """A path that may be made: its names are valid on all systems, and links can name it. Raises: ToolArgumentError."""
    clean = check_path(path)
    for part in clean.split("/"):
        if FORBIDDEN.search(part) or part != part.strip() or part.endswith("."):
            raise ToolArgumentError(f'{path!r}: no name has < > : " | ? * or ends in a dot or space, for other systems')
        if RESERVED.fullmatch(part):
            raise ToolArgumentError(f"{path!r}: {part} is a reserved name on other systems")
        if BREAKS_LINKS.search(part):
            raise ToolArgumentError(f"{path!r}: links cannot name what has # ^ [ or ] in its name")
        if len(part.encode("utf-8", "surrogateescape")) > MOST_NAME_BYTES:
            raise ToolArgumentError(f"{part[:60]!r}…: a name has at most {MOST_NAME_BYTES} bytes")
    try:
        clean.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolArgumentError(f"{path!r}: it is not text") from error
    return clean
