"""Which links a move makes lead elsewhere, and what they have to be so that they lead where they led."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workers.agents.memory.source.vault.link_paths import mention_key
from workers.agents.memory.source.vault.link_spelling import Place, encoded, leads_strictly, spell
from workers.agents.memory.source.vault.note_index import NoteIndex
from workers.agents.memory.source.vault.note_links import Link
from workers.errors import ToolArgumentError


@dataclass
class Rewritten:
    """What a move does to links. ``edits``: by the path of the note before the move, spans and what stands there
    instead. ``links`` counts them; ``caught``: links that led nowhere and now lead to what moved.
    """

    mapping: Mapping[str, str]
    edits: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)
    links: int = 0
    caught: int = 0


def rewrite_links(index: NoteIndex, mapping: Mapping[str, str], *, addresses: bool) -> Rewritten:
    """Find the links that have to change.

    Args:
        index: the vault before the move.
        mapping: every file that moves, with its path afterwards.
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
        for link in index.notes[source].links:
            if not link.path:
                continue
            target = index.paths.resolve(link.path, source)
            new_source = mapping.get(source, source)
            if target is None:
                done.caught += after.resolve(link.path, new_source) is not None
                continue
            place = Place(source, target, new_source, mapping.get(target, target))
            if after.resolve(link.path, new_source) == place.target and not loses_address(link, place, addresses):
                continue
            path = spell(link, place, after, addresses=addresses)
            if path is None:
                raise ToolArgumentError(
                    f"{source}: no link can be written that leads to {place.target!r} and to nothing else"
                )
            edit(done, source, link, path)
    return done


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


def edit(done: Rewritten, source: str, link: Link, path: str) -> None:
    """Note one link's new path."""
    done.links += 1
    done.edits.setdefault(source, []).append((link.path_start, link.path_end, encoded(path, link, link.raw)))
