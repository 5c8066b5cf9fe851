"""All notes and files of a vault in memory: what links where, tags, aliases. Changed file by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from workers.agents.memory.source.vault.link_paths import LinkPaths, mention_key
from workers.agents.memory.source.vault.note import Note, find_subpath
from workers.agents.memory.source.vault.note_links import Link
from workers.agents.memory.source.vault.note_paths import bare, folders_above, key_of, name_of


class Backlink(NamedTuple):
    """A link to a note, and the note that holds it."""

    source: str
    link: Link


class NoteIndex:
    """Notes by path, and the paths of all files. ``mentions``: by what name, which notes hold a link."""

    def __init__(self) -> None:
        self.paths = LinkPaths()
        self.notes: dict[str, Note] = {}
        self.mentions: dict[str, set[str]] = {}

    def copy(self) -> NoteIndex:
        """The same notes, to be changed apart."""
        other = NoteIndex()
        other.paths, other.notes = self.paths.copy(), dict(self.notes)
        other.mentions = {key: set(sources) for key, sources in self.mentions.items()}
        return other

    def put(self, path: str, note: Note | None) -> None:
        """A note as it is now; None for a file that is no note."""
        self.forget(path)
        self.paths.add(path)
        if note is not None:
            self.notes[path] = note
            for key in mentioned(note):
                self.mentions.setdefault(key, set()).add(path)

    def drop(self, path: str) -> None:
        """A file that is gone."""
        self.forget(path)
        self.paths.drop(path)

    def forget(self, path: str) -> None:
        """Take out what was known of a note's links."""
        note = self.notes.pop(path, None)
        for key in mentioned(note) if note else ():
            sources = self.mentions[key]
            sources.discard(path)
            if not sources:
                del self.mentions[key]

    @property
    def files(self) -> list[str]:
        """All paths, sorted."""
        return sorted(self.paths.keys)

    def below(self, folder: str) -> list[str]:
        """All paths below a folder, sorted."""
        start = f"{folder}/" if folder else ""
        return sorted(path for path in self.paths.keys if path.startswith(start))

    def folders(self) -> set[str]:
        """Every folder that holds a file, at whatever depth."""
        return folders_above(self.paths.keys)

    def target(self, source: str, link: Link) -> str | None:
        """The file that a link of a note leads to."""
        return self.paths.resolve(link.path, source)

    def links(self, source: str) -> Iterator[tuple[Link, str | None]]:
        """The links of a note, each with the file that it leads to."""
        for link in self.notes[source].links:
            yield link, self.target(source, link)

    def backlinks(self, path: str) -> list[Backlink]:
        """The links that lead to a file from others, by path and line."""
        found = []
        for source in sorted(self.mentions.get(mention_key(path), ())):
            if source != path:
                links = self.notes[source].links
                found += [Backlink(source, link) for link in links if link.path and self.target(source, link) == path]
        return found

    def unresolved(self) -> list[Backlink]:
        """The links that lead nowhere."""
        return [
            Backlink(source, link)
            for source, note in sorted(self.notes.items())
            for link in note.links
            if self.target(source, link) is None
        ]

    def tags(self) -> Counter[str]:
        """How many notes hold each tag; tags that differ in capital letters are one, as it is written first."""
        spelled: dict[str, str] = {}
        count: Counter[str] = Counter()
        for _, note in sorted(self.notes.items()):
            for key in {tag.lower(): tag for tag in note.tags}:
                count[key] += 1
            for tag in note.tags:
                spelled.setdefault(tag.lower(), tag)
        return Counter({spelled[key]: n for key, n in count.items()})

    def tagged(self, tag: str) -> list[str]:
        """The notes with a tag or one below it."""
        wanted = tag.removeprefix("#").lower().strip("/")
        return sorted(p for p, note in self.notes.items() if any(under(t.lower(), wanted) for t in note.tags))

    def find(self, name: str) -> str | None:
        """The file that a person means by a path, a name or an alias, with or without ``#heading``."""
        asked = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0].partition("#")[0].strip()
        if not asked:
            return None
        found = self.paths.with_key(asked) or self.paths.resolve(asked, "")
        if found:
            return found
        key = key_of(asked)
        return next((p for p, n in sorted(self.notes.items()) if key in map(key_of, n.aliases)), None)

    def lines(self, path: str, subpath: str) -> tuple[int, int] | None:
        """The lines of a note that a heading or block names, see `note.find_subpath`."""
        note = self.notes.get(path)
        return find_subpath(note, subpath) if note else None


def under(tag: str, wanted: str) -> bool:
    """Whether a tag is another one, or below it."""
    return tag == wanted or tag.startswith(f"{wanted}/")


def mentioned(note: Note) -> set[str]:
    """The names that a note's links hold."""
    return {mention_key(link.path) for link in note.links if link.path}


def title_of(path: str) -> str:
    """What a note is called."""
    return bare(name_of(path))
