"""Plain text, and the list items of formats that are read line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.sources.documents.document import Document, cut, title_of

LONGEST = 4_000
ITEM = re.compile(r"(?<!\s)\s*(?:[-*+•]|\d+[.)]|#\.)\s+(.*)")


def read_plain(path: str, lines: Sequence[str]) -> Document:
    """A document without headings."""
    title = title_of(path, ())
    return Document(title, tuple(cut(title, (), text_items(lines), len(lines))), tuple(lines))


def text_items(
    lines: Sequence[str], item: re.Pattern[str] = ITEM, ends: re.Pattern[str] | None = None
) -> list[tuple[str, int]]:
    """List items with the lines that continue them.

    Args:
        lines: the whole text.
        item: matches the line of an item, its text as the first group.
        ends: matches lines that do not continue an item; without it those that are not indented do not.
    """
    out: list[tuple[str, int]] = []
    depth = -1
    for i, line in enumerate(lines, 1):
        inside = bool(out) and depth >= 0 and bool(line.strip())
        indented = len(line) - len(line.lstrip()) >= depth
        if match := item.match(line):
            out.append((match[1].strip(), i))
            depth = match.start(1)
        elif inside and (indented if ends is None else not ends.match(line)):
            out[-1] = (f"{out[-1][0]} {line.strip()}", out[-1][1]) if len(out[-1][0]) < LONGEST else out[-1]
        else:
            depth = -1 if line.strip() or ends else depth
    return [found for found in out if found[0]]
