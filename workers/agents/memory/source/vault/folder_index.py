"""The index note of a folder: its notes as links with half a sentence of each, between two marks.

What a person writes around the marks stays. The index of the vault's own folder is its overview.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from workers.agents.memory.source.vault.note_index import NoteIndex, title_of
from workers.agents.memory.source.vault.note_paths import bare, folder_of, name_of
from workers.agents.memory.source.vault.note_text import hint
from workers.agents.memory.source.vault.staging import Staging
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names

BEGIN, END = "%% index: written by Oracle, changed when it is written again %%", "%% end of the index %%"
MARKED = re.compile(re.escape(BEGIN) + r".*?" + re.escape(END), re.DOTALL)
USUAL, OVERVIEWS = ("index", "README", "_index"), ("Overview", "Index", "Home")
MOST_IN_GROUP, MOST_TAGS, MOST_LINKED = 60, 15, 10
LEAST_BY_TAG = 12
MOST_SHARED = 3
"""What so many notes begin with tells nothing of any of them."""


def create_index(staging: Staging, folder: str = "") -> str:
    """Write a folder's index note, or bring it up to date.

    Args:
        staging: where it is written.
        folder: a folder of the vault; empty for the vault's overview.

    Returns: the note's path.

    Raises:
        ToolArgumentError: there is no such folder, or it has no notes.
    """
    folder = folder.strip().strip("/")
    notes = [path for path in staging.index.below(folder) if path in staging.index.notes]
    if folder and not notes:
        near = nearest_names([folder], sorted(staging.index.folders()))
        raise ToolArgumentError(f"there are no notes in a folder {folder!r}", tuple(near[:5]))
    place = index_place(staging.index, folder)
    held = staging.text(place) if staging.exists(place) else f"# {name_of(folder) or 'Overview'}\n\n{BEGIN}\n{END}\n"
    lines = list(overview(staging, place) if not folder else listing(staging, place, folder))
    ending = "\r\n" if "\r\n" in held else "\n"
    written = ending.join([BEGIN, "", *"\n".join(lines).strip().split("\n"), "", END])
    if MARKED.search(held):
        text = MARKED.sub(lambda _: written, held, count=1)
    else:
        text = held.rstrip() + ending * 2 + written + ending
    staging.write(place, text)
    return place


def index_place(index: NoteIndex, folder: str) -> str:
    """Where a folder's index note stands: the one that is there, else a note of the folder's name in it."""
    names = (name_of(folder), *USUAL) if folder else OVERVIEWS
    for name in names:
        found = index.paths.with_key(f"{folder}/{name}.md".lstrip("/"))
        if found:
            return found
    return f"{folder}/{name_of(folder)}.md" if folder else "Overview.md"


def listing(staging: Staging, place: str, folder: str) -> Iterator[str]:
    """The notes of a folder: those in it, by tag when they are many, then those of each folder in it."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in staging.index.below(folder):
        if path in staging.index.notes and path != place:
            groups[path[len(folder) + 1 :].rpartition("/")[0].partition("/")[0]].append(path)
    own = groups.pop("", [])
    for tag, paths in by_tag(staging.index, own):
        if tag:
            yield from ("", f"**#{tag}**")
        yield from entries(staging, place, paths)
    for name, paths in sorted(groups.items()):
        below = index_place(staging.index, f"{folder}/{name}")
        linked = link_to(staging.index, place, below, name) if staging.exists(below) else name
        yield from ("", f"### {linked}", "")
        yield from entries(staging, place, [path for path in paths if path != below])


def by_tag(index: NoteIndex, paths: list[str]) -> list[tuple[str, list[str]]]:
    """Notes in groups: one of all when they are few, else by the tag that most of them share."""
    counted = Counter(tag.lower() for path in paths for tag in index.notes[path].tags)
    if len(paths) < LEAST_BY_TAG or not any(n > 1 for n in counted.values()):
        return [("", paths)]
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        shared = [tag.lower() for tag in index.notes[path].tags if 1 < counted[tag.lower()] < len(paths)]
        groups[min(shared, key=lambda tag: (-counted[tag], tag), default="")].append(path)
    return sorted(groups.items(), key=lambda group: (group[0] == "", -len(group[1]), group[0]))


def entries(staging: Staging, place: str, paths: Iterable[str]) -> Iterator[str]:
    """One line a note, those that say what they are about first."""
    told = [(path, hint(staging.text(path))) for path in paths]
    common = {said for said, count in Counter(said for _, said in told).items() if count >= MOST_SHARED}
    told = [(path, "" if said in common else said) for path, said in told]
    told.sort(key=lambda pair: (not pair[1], title_of(pair[0]).lower()))
    for path, said in told[:MOST_IN_GROUP]:
        linked = link_to(staging.index, place, path)
        yield f"- {linked}: {said}" if said else f"- {linked}"
    if len(told) > MOST_IN_GROUP:
        yield f"- … and {len(told) - MOST_IN_GROUP} more"


def overview(staging: Staging, place: str) -> Iterator[str]:
    """What a vault holds: its folders, tags, the notes that most others link to, and those that none does."""
    index = staging.index
    notes = [path for path in index.notes if path != place]
    yield f"{len(notes):,} notes in {len(index.folders()):,} folders."
    yield from ("", "### Folders", "")
    counted = Counter(path.partition("/")[0] for path in notes if "/" in path)
    for name, count in sorted(counted.items()):
        below = index_place(index, name)
        linked = link_to(index, place, below, name) if staging.exists(below) else name
        yield f"- {linked}: {count:,} notes"
    top = [path for path in notes if not folder_of(path)]
    if top:
        yield from ("", "### Notes", "")
        yield from entries(staging, place, top)
    leads = ((path, target) for path in notes for _, target in index.links(path))
    linked_to = Counter(target for path, target in leads if target in index.notes and target not in {path, place})
    if linked_to:
        yield from ("", "### Linked most", "")
        for path, count in sorted(linked_to.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_LINKED]:
            yield f"- {link_to(index, place, path)}: {count:,} links"
    tags = index.tags().most_common(MOST_TAGS)
    if tags:
        yield from ("", "### Tags", "", ", ".join(f"#{tag} ({count})" for tag, count in tags))
    alone = sum(1 for path in notes if path not in linked_to)
    yield from ("", f"{alone:,} notes have no link from another note; {len(index.unresolved()):,} links lead nowhere.")


def link_to(index: NoteIndex, source: str, path: str, words: str = "") -> str:
    """A wikilink in its shortest form that leads there."""
    full = bare(path)
    shown = words or title_of(path)
    for target in (name_of(full), full, f"/{full}", path, f"/{path}"):
        if index.paths.resolve(target, source) == path:
            return f"[[{target}]]" if target == shown else f"[[{target}|{shown}]]"
    return shown
