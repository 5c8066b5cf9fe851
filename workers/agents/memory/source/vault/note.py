"""A note's bytes -> what is known of it: links, headings, blocks, tags, aliases, properties."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date as calendar_date
from functools import cached_property
from typing import Any

import yaml

from workers.agents.memory.source.vault.markdown_blocks import Heading, front_matter_end, read_blocks
from workers.agents.memory.source.vault.note_links import Link, property_links, read_piece

MOST_BODY_BYTES = 1024 * 1024
MOST_FRONT_CHARS, MOST_AUTHOR_CHARS = 64_000, 100
DATED = ("date", "created")
"""Properties that say of which day a note is."""
DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]{1,100})[ \t\r]*$", re.MULTILINE)
HEADING_NOISE = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Note:
    """What a note holds. ``sha256`` is of its bytes; ``tags`` are without ``#``, in order, those of the front matter
    first; ``blocks`` are ids with their lines. ``date``: the day, ISO, that its front matter says it is of, and
    ``author`` who wrote it by the same; empty when it says none.
    """

    sha256: str
    size: int
    links: tuple[Link, ...]
    headings: tuple[Heading, ...]
    blocks: tuple[tuple[str, int], ...]
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    date: str = ""
    author: str = ""

    @cached_property
    def blocks_by_id(self) -> dict[str, int]:
        """Block ids in small letters and their lines."""
        return {name.lower(): line for name, line in self.blocks}


def text_of(raw: bytes) -> str:
    """A note's text. Bytes that are not UTF-8 are kept so that `bytes_of` gives them back."""
    return raw.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """The bytes that `text_of` was made from."""
    return text.encode("utf-8", "surrogateescape")


def sha256_of(raw: bytes) -> str:
    """The hash that says whether a file is as it was."""
    return hashlib.sha256(raw).hexdigest()


def read_note(raw: bytes) -> Note:
    """Read a note; one of more than 1 MiB is kept track of, and its links are not read."""
    if len(raw) > MOST_BODY_BYTES:
        return Note(sha256_of(raw), len(raw), (), (), (), (), ())
    text = text_of(raw)
    blocks = read_blocks(text)
    line_of = line_finder(text)
    links: list[Link] = list(property_links(text, blocks.body, line_of)) if blocks.body else []
    tags: list[str] = []
    for start, end in blocks.pieces:
        found, named = read_piece(text, start, end, line_of)
        links += found
        tags += named
    properties = front_matter(text, blocks.body)
    own = [*words_of(properties.get("tags")), *words_of(properties.get("tag"))]
    tags = [tag.removeprefix("#").strip("/") for tag in own] + tags
    aliases = [*texts_of(properties.get("aliases")), *texts_of(properties.get("alias"))]
    return Note(
        sha256=sha256_of(raw),
        size=len(raw),
        links=tuple(links),
        headings=tuple(blocks.headings),
        blocks=tuple(block_ids(text, blocks.pieces, line_of)),
        tags=tuple(dict.fromkeys(filter(None, tags))),
        aliases=tuple(dict.fromkeys(aliases)),
        date=day_of(next((properties[name] for name in DATED if properties.get(name)), "")),
        author=", ".join(texts_of(properties.get("author") or properties.get("authors")))[:MOST_AUTHOR_CHARS],
    )


def day_of(value: Any) -> str:
    """The day that a value of front matter, or the beginning of a name, says; empty when it is none."""
    found = DAY.match(str(value))
    try:
        return calendar_date.fromisoformat(found[0]).isoformat() if found else ""
    except ValueError:
        return ""


def line_finder(text: str) -> Callable[[int], int]:
    """A function that gives the line of a place, from 1. The starts of lines are found when it is first asked."""
    starts: list[int] = []

    def line_of(place: int) -> int:
        if not starts:
            starts.append(0)
            starts.extend(found.end() for found in re.finditer("\n", text))
        return bisect_right(starts, place)

    return line_of


def block_ids(text: str, pieces: list[tuple[int, int]], line_of: Callable[[int], int]) -> Iterator[tuple[str, int]]:
    """Ids of blocks, which stand at the end of a line, each with that line."""
    if "^" not in text:
        return
    for start, end in pieces:
        for found in BLOCK_ID.finditer(text, start, end):
            yield found[1], line_of(found.start(1))


def front_matter(text: str, end: int | None = None) -> dict[str, Any]:
    """The properties of a note; empty when there are none or they cannot be read."""
    end = front_matter_end(text) if end is None else end
    if not 0 < end <= MOST_FRONT_CHARS:
        return {}
    head = text[:end].removeprefix("\ufeff").strip().removeprefix("---").removesuffix("---")
    try:
        if "&" in head and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(head, Loader)):
            return {}  # aliases of YAML can stand for millions of values
        found = yaml.load(head, Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else {}


def words_of(value: Any) -> list[str]:
    """Tags as properties hold them: a list, or words divided by spaces or commas."""
    if isinstance(value, str):
        return value.replace(",", " ").split()
    return [str(item).strip() for item in value if isinstance(item, str | int | float)] if is_list(value) else []


def texts_of(value: Any) -> list[str]:
    """Aliases as properties hold them: a list, or texts divided by commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [str(item).strip() for item in value if isinstance(item, str | int | float)] if is_list(value) else []


def is_list(value: Any) -> bool:
    """Whether a property is a list."""
    return isinstance(value, list)


def same_heading(text: str) -> str:
    """A heading as links name it: without punctuation, in small letters."""
    return HEADING_NOISE.sub(" ", text).strip().lower()


def find_subpath(note: Note, subpath: str) -> tuple[int, int] | None:
    """The lines that a link's ``#heading``, ``#heading#below`` or ``#^block`` names.

    Returns: first line and last, from 1, 0 for the end of the note; None when there is no such place.
    """
    if subpath.startswith("^"):
        line = note.blocks_by_id.get(subpath[1:].strip().lower())
        return (line, line) if line else None
    at, end, found = 0, len(note.headings), None
    for part in filter(None, map(same_heading, subpath.split("#"))):
        found = next((i for i in range(at, end) if same_heading(note.headings[i].text) == part), None)
        if found is None:
            return None
        at, level = found + 1, note.headings[found].level
        end = next((i for i in range(at, end) if note.headings[i].level <= level), end)
    if found is None:
        return None
    heading = note.headings[found]
    after = (h.line - 1 for h in note.headings[found + 1 :] if h.level <= heading.level)
    return heading.line, next(after, 0)
