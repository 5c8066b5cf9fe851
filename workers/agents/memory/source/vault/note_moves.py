"""Which links a move makes lead elsewhere, and what they have to be so that they lead where they led."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from workers.agents.memory.source.vault.boards import CANVAS, Edits, edited, is_board, mend_canvas, named_in
from workers.agents.memory.source.vault.link_paths import LinkPaths, mention_key
from workers.agents.memory.source.vault.link_spelling import Place, encoded, leads_strictly, spell
from workers.agents.memory.source.vault.note import MOST_BODY_BYTES
from workers.agents.memory.source.vault.note_index import NoteIndex
from workers.agents.memory.source.vault.note_links import Link
from workers.agents.memory.source.vault.note_paths import folders_above, key_of
from workers.errors import ToolArgumentError


@dataclass
class Rewritten:
    """What a move does to links. ``texts``: by the path of a file before the move, what it holds afterwards. ``links``
    counts what is rewritten; ``caught``: links that led nowhere and now lead to what moved; ``unmended``: canvases and
    bases that name what moved and stay as they are.
    """

    mapping: Mapping[str, str]
    texts: dict[str, str] = field(default_factory=dict)
    links: int = 0
    caught: int = 0
    unmended: list[str] = field(default_factory=list)

    @property
    def note(self) -> str:
        """What is to be said beside the count, as the end of a sentence."""
        caught = f"; {self.caught} links that led nowhere now lead to it" if self.caught else ""
        left = f"; not mended, as it is no note: {', '.join(self.unmended)}" if self.unmended else ""
        return caught + left


def rewrite_links(
    index: NoteIndex, mapping: Mapping[str, str], read: Callable[[str], str], *, addresses: bool
) -> Rewritten:
    """Rewrite the links that have to change.

    Args:
        index: the vault before the move.
        mapping: every file that moves, with its path afterwards.
        read: gives the text of a file.
        addresses: Markdown links that can be read as relative addresses stay such.

    Raises:
        ToolArgumentError: a link could not be written so that it leads to its note.
    """
    after = index.paths.copy()
    for old in mapping:
        after.drop(old)
    for new in mapping.values():
        after.add(new)
    done = Rewritten(mapping)
    for source in sorted(concerned(index, mapping)):
        if edits := edits_of(index.notes[source].links, source, index.paths, after, done, addresses=addresses):
            done.texts[source] = edited(read(source), edits)
    for path in sorted(filter(is_board, index.paths.keys)):
        rewrite_board(path, read(path), index, after, done)
    return done


def edits_of(
    links: Iterable[Link], source: str, before: LinkPaths, after: LinkPaths, done: Rewritten, *, addresses: bool
) -> Edits:
    """Spans of a file's paths, and what stands there instead. Raises: ToolArgumentError: as `rewrite_links`."""
    edits: Edits = []
    for link in links:
        if not link.path:
            continue
        target = before.resolve(link.path, source)
        new_source = done.mapping.get(source, source)
        if target is None:
            done.caught += after.resolve(link.path, new_source) is not None
            continue
        place = Place(source, target, new_source, done.mapping.get(target, target))
        if after.resolve(link.path, new_source) == place.target and not loses_address(link, place, addresses):
            continue
        path = spell(link, place, after, addresses=addresses)
        if path is None:
            raise ToolArgumentError(
                f"{source}: no link can be written that leads to {place.target!r} and to nothing else"
            )
        edits.append((link.path_start, link.path_end, encoded(path, link, link.raw)))
    done.links += len(edits)
    return edits


def rewrite_board(path: str, text: str, index: NoteIndex, after: LinkPaths, done: Rewritten) -> None:
    """Mend a canvas; name a base, or a canvas that cannot be read, whose words no longer lead where they led."""
    if path.lower().endswith(CANVAS) and len(text) <= MOST_BODY_BYTES:
        by_key = {key_of(old): new for old, new in done.mapping.items()}
        with suppress(ValueError, RecursionError):
            of_card = partial(edits_of, source=path, before=index.paths, after=after, done=done, addresses=False)
            mended, count = mend_canvas(text, by_key, of_card)
            done.links += count
            done.texts |= {path: mended} if mended != text else {}
            return
    gone = {key_of(folder) for folder in folders_above(done.mapping) - folders_above(after.keys)}
    for word in set(named_in(text)):
        target = index.paths.resolve(word, path) or ""
        moved = target in done.mapping and after.resolve(word, done.mapping.get(path, path)) != done.mapping[target]
        if moved or key_of(word.strip("/")) in gone:
            done.unmended.append(path)
            return


def concerned(index: NoteIndex, mapping: Mapping[str, str]) -> set[str]:
    """The notes that move, and those with a link to a name that something had or gets."""
    names = {mention_key(path) for pair in mapping.items() for path in pair}
    found = {source for name in names for source in index.mentions.get(name, ())}
    return found | {path for path in mapping if path in index.notes}


def loses_address(link: Link, place: Place, addresses: bool) -> bool:
    """Whether a link could be read as an address before a move and could not after it."""
    if not addresses or link.style not in {"markdown", "definition"}:
        return False
    before = leads_strictly(link.path, place.old_source, place.old_target)
    return before and not leads_strictly(link.path, place.source, place.target)
