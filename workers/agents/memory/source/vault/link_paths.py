"""What a link's path leads to among the files of a vault, by the rules that Obsidian follows.

A name alone is looked for everywhere, small and capital letters alike. Of several files: the one at exactly this path
from the vault's folder; else those whose path ends so, the ones below the linking note's folder first, then the
shortest path. ``./`` and ``../`` start at the note's folder, ``/`` at the vault's. A note may be named without ``.md``.
"""

from __future__ import annotations

from collections.abc import Iterable

from workers.agents.memory.source.vault.note_paths import folder_of, is_note, joined, key_of, name_of


class LinkPaths:
    """The paths of all files, by name."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self.by_name: dict[str, list[str]] = {}
        self.keys: dict[str, str] = {}
        for path in paths:
            self.add(path)

    def copy(self) -> LinkPaths:
        """The same paths, to be changed apart."""
        other = LinkPaths()
        other.by_name = {name: list(paths) for name, paths in self.by_name.items()}
        other.keys = dict(self.keys)
        return other

    def add(self, path: str) -> None:
        """One more file."""
        if path not in self.keys:
            key = self.keys[path] = key_of(path)
            self.by_name.setdefault(name_of(key), []).append(path)

    def drop(self, path: str) -> None:
        """One file less."""
        key = self.keys.pop(path, None)
        if key is not None:
            name = name_of(key)
            left = [other for other in self.by_name[name] if other != path]
            if left:
                self.by_name[name] = left
            else:
                del self.by_name[name]

    def with_key(self, path: str) -> str | None:
        """The file that stands at a path, small and capital letters alike."""
        key = key_of(path)
        found = [other for other in self.by_name.get(name_of(key), ()) if self.keys[other] == key]
        return path if path in found else min(found, default=None)

    def resolve(self, target: str, source: str) -> str | None:
        """The file that a link leads to.

        Args:
            target: the link's path, decoded; empty for the note itself.
            source: the path of the note that holds it.
        """
        if not target:
            return source
        wanted = key_of(target.strip())
        name = name_of(wanted)
        found = self.by_name.get(name, ()) if "." in name else ()
        if not found:
            wanted, name = f"{wanted}.md", f"{name}.md"
            found = self.by_name.get(name, ())
        if not found:
            return None
        if len(found) == 1 and name == wanted:
            return found[0]
        folder = key_of(folder_of(source))
        if wanted.startswith(("./", "../")):
            wanted = joined(folder, wanted)
        rooted = wanted.startswith("/")
        wanted = wanted.lstrip("/")
        exact = [path for path in found if self.keys[path] == wanted]
        if exact or rooted:
            return min(exact, default=None)
        below = f"{folder}/" if folder else ""
        fits = (path for path in found if self.keys[path].endswith(wanted))
        return min(fits, key=lambda p: (not self.keys[p].startswith(below), len(p), p), default=None)


def mention_key(path: str) -> str:
    """What links to a file have in common: its name in small letters, without ``.md``."""
    name = name_of(key_of(path.strip()))
    return name[:-3] if is_note(name) else name
