"""Files of a vault that are no notes and link to some: canvases, which a move mends, and bases, which it names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from workers.agents.memory.source.vault.note import bytes_of, read_note
from workers.agents.memory.source.vault.note_links import Link
from workers.agents.memory.source.vault.note_paths import key_of

CANVAS, BASE = ".canvas", ".base"
VALUE = re.compile(r'"(file|background|text)"(\s*:\s*)("(?:[^"\\]|\\.)*")')
"""A path or a card of a canvas. No value of JSON can hold a text of this form: a quote in it is escaped."""
DIVIDES = re.compile(r"[\"'\[\]|#\n]|:\s|^\s*-\s", re.MULTILINE)
Edits = list[tuple[int, int, str]]


def is_board(path: str) -> bool:
    """Whether a file is a canvas or a base."""
    return path.lower().endswith((CANVAS, BASE))


def mend_canvas(
    text: str, mapping: Mapping[str, str], edits_of: Callable[[tuple[Link, ...]], Edits]
) -> tuple[str, int]:
    """A canvas after a move, and how many of its paths changed, besides the links of its cards; no other byte does.

    Args:
        text: the canvas, JSON.
        mapping: where files stand afterwards, by `key_of` their paths.
        edits_of: what has to stand in place of the links of a card's text.

    Raises:
        ValueError: it is no JSON.
    """
    json.loads(text)
    count = 0

    def mended(found: re.Match[str]) -> str:
        nonlocal count
        value = json.loads(found[3])
        if found[1] == "text":
            edits = edits_of(read_note(bytes_of(value)).links)
        else:
            edits = [(0, len(value), mapping[key_of(value)])] if key_of(value) in mapping else []
            count += len(edits)
        new = json.dumps(edited(value, edits), ensure_ascii=found[3].isascii()) if edits else found[3]
        return f'"{found[1]}"{found[2]}{new}'

    return VALUE.sub(mended, text), count


def named_in(text: str) -> Iterator[str]:
    """What a text may name a file or folder by: all between quotes, brackets, colons and line ends."""
    yield from filter(None, (part.strip() for part in DIVIDES.split(text)))


def edited(text: str, edits: Edits) -> str:
    """A text with some spans replaced."""
    parts, at = [], 0
    for start, end, new in sorted(edits):
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])
