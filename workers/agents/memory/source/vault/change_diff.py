"""What a set of changes does, as a person reads it: moves, links one a line, and short unified diffs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

from workers.agents.memory.source.vault.changes import Change, ChangeSet
from workers.agents.memory.source.vault.note import read_note, text_of
from workers.agents.memory.source.vault.note_links import Link

MOST_LINES, MOST_FILE_LINES, MOST_LINE_CHARS, MOST_MOVES = 400, 60, 300, 3
MOST_COMPARED = 4_000
AROUND = 1


def diff(changes: ChangeSet, read: Callable[[str], bytes], most: int = MOST_LINES) -> str:
    """Say what changes.

    Args:
        changes: as they stand in a change set.
        read: gives what a file holds now.
        most: so many lines; what is left out is counted.
    """
    plain = [change for change in changes.changes if change.moved_from and change.after is None]
    others = [change for change in changes.changes if not change.moved_from or change.after is not None]
    lines = [*(line for change in others for line in of_change(change, read)), *moved(plain)]
    shown = [line if len(line) <= MOST_LINE_CHARS else f"{line[: MOST_LINE_CHARS - 1]}…" for line in lines[:most]]
    if len(lines) > most:
        shown.append(f"… {len(lines) - most:,} more lines")
    return "\n".join(shown)


def moved(changes: list[Change]) -> Iterator[str]:
    """Files that move and are otherwise the same: one line for those that move with their folder."""
    together: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        together.setdefault(folders(change), []).append(change)
    for (old, new), group in together.items():
        if len(group) > MOST_MOVES:
            yield f"{old or '.'}/ → {new or '.'}/ ({len(group):,} files)"
        else:
            yield from (f"{change.moved_from} → {change.path}" for change in group)


def folders(change: Change) -> tuple[str, str]:
    """The folders that a move is between, without the parts below them that stay."""
    old, new = change.moved_from.split("/"), change.path.split("/")
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return "/".join(old), "/".join(new)


def of_change(change: Change, read: Callable[[str], bytes]) -> Iterator[str]:
    """One file's lines."""
    if change.moved_from:
        yield f"{change.moved_from} → {change.path}"
    before = "" if change.before is None else text_of(read(change.source))
    after = "" if change.after is None else text_of(change.after)
    links = changed_links(change, before, after)
    if links:
        yield from ([] if change.moved_from else [change.path])
        yield from links[:MOST_FILE_LINES]
        if len(links) > MOST_FILE_LINES:
            yield f"  … {len(links) - MOST_FILE_LINES:,} more links"
        return
    if change.deletes:
        yield f"--- {change.source} (deleted, {before.count(chr(10)) + 1} lines)"
        return
    yield f"--- {change.source if change.before else '(new)'}"
    yield f"+++ {change.path}"
    yield from changed_lines(before, after)


def changed_links(change: Change, before: str, after: str) -> list[str]:
    """The links that are other ones, when nothing else is: ``  12  [[Old]] → [[New]]``."""
    if change.before is None or change.after is None:
        return []
    old, new = read_note(before.encode("utf-8", "surrogateescape")), read_note(change.after)
    if len(old.links) != len(new.links) or without(before, old.links) != without(after, new.links):
        return []
    pairs = zip(old.links, new.links, strict=True)
    other = [(a, b) for a, b in pairs if a.raw != b.raw]
    return [f"  {a.line}  {flat(before[a.start : a.end])} → {flat(after[b.start : b.end])}" for a, b in other]


def flat(text: str) -> str:
    """A link on one line."""
    return " ".join(text.split())


def without(text: str, links: tuple[Link, ...]) -> list[str]:
    """A text's parts between the paths of its links."""
    parts, at = [], 0
    for link in sorted(links, key=lambda one: one.path_start):
        parts.append(text[at : link.path_start])
        at = link.path_end
    return [*parts, text[at:]]


def changed_lines(before: str, after: str) -> Iterator[str]:
    """A unified diff with little around it, of at most `MOST_FILE_LINES` lines."""
    old, new = before.splitlines(), after.splitlines()
    first = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - first
    last = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    start = max(first - AROUND, 0)
    old, new = old[start : len(old) - max(last - AROUND, 0)], new[start : len(new) - max(last - AROUND, 0)]
    if len(old) + len(new) > MOST_COMPARED:
        yield f"@@ line {start + 1}: {len(old):,} lines become {len(new):,} @@"
        return
    lines = list(hunks(old, new, start))
    yield from lines[:MOST_FILE_LINES]
    if len(lines) > MOST_FILE_LINES:
        yield f"… {len(lines) - MOST_FILE_LINES:,} more lines of this note"


def hunks(old: list[str], new: list[str], start: int) -> Iterator[str]:
    """The hunks between two lists of lines, of which the first is line ``start`` + 1."""
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(AROUND):
        yield f"@@ line {group[0][1] + start + 1} @@"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a:b])
            else:
                yield from (f"-{line}" for line in old[a:b])
                yield from (f"+{line}" for line in new[c:d])
