"""What every format is read into: lines, the sections that they fall into, and links."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

VERSION = re.compile(r"\A\W*v?\d+\.\d+")


class Unreadable(ValueError):
    """A file that cannot be read as what it says it is; the message says why, without the file's name."""


@dataclass(frozen=True)
class Heading:
    """A heading and the line that it begins on, from 1.

    ``anchor`` is what the format's own renderer makes of it, None for GitHub's; ``mark`` is GitHub's where that
    differs. ``names`` are further ones that links may use.
    """

    text: str
    level: int
    line: int
    anchor: str | None = None
    mark: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """Lines ``start`` to ``end`` (from 1, both included) below one heading, the heading included.

    ``breadcrumb`` holds the headings above it and its own, outermost first; ``steps`` its list items with their lines;
    ``anchor``, ``mark`` and ``names`` are as in `Heading`.
    """

    heading: str
    level: int
    start: int
    end: int
    anchor: str
    breadcrumb: tuple[str, ...]
    steps: tuple[tuple[str, int], ...] = ()
    mark: str = ""
    names: tuple[str, ...] = ()


class Link(NamedTuple):
    """A link: the line that it begins on, its target as written, and its words, empty where it has none."""

    line: int
    target: str
    words: str = ""


@dataclass(frozen=True)
class Document:
    """A document's title and its sections, which cover all of its lines without overlap.

    ``lines`` are the file's own, or, when ``extracted``, text taken out of it. ``address`` is where the page says that
    it stands, ``crumbs`` the pages that it says it is under, outermost first.
    """

    title: str
    sections: tuple[Section, ...]
    lines: tuple[str, ...] = ()
    extracted: bool = False
    links: tuple[Link, ...] = ()
    address: str = ""
    crumbs: tuple[str, ...] = ()


def cut(title: str, headings: Sequence[Heading], items: Iterable[tuple[str, int]], size: int) -> Iterator[Section]:
    """One section a heading, and one for what stands before the first."""
    used: dict[str, int] = {}
    steps = sorted(items, key=lambda item: item[1])
    at = [line for _, line in steps]
    if size and (not headings or headings[0].line > 1):
        end = headings[0].line - 1 if headings else size
        yield Section(title, 0, 1, end, "", (title,), tuple(i for i in steps if i[1] <= end))
    above: list[Heading] = []
    for i, heading in enumerate(headings):
        end = headings[i + 1].line - 1 if i + 1 < len(headings) else size
        above = [h for h in above if h.level < heading.level]
        crumbs = [h.text for h in (*above, heading)]
        if crumbs[0] != title and heading.level > 1 and not any(h.level == 1 for h in above):
            crumbs.insert(0, title)
        above.append(heading)
        inside = tuple(steps[bisect_left(at, heading.line) : bisect_right(at, end)])
        anchor = slug(heading.text, used) if heading.anchor is None else only(heading.anchor, used)
        mark = heading.mark if heading.mark != anchor else ""
        yield Section(
            heading.text, heading.level, heading.line, end, anchor, tuple(crumbs), inside, mark, heading.names
        )


def only(anchor: str, used: dict[str, int]) -> str:
    """An anchor that a document gives itself; a second one of the same name leads nowhere, so it is empty."""
    if anchor in used:
        return ""
    if anchor:
        used[anchor] = 0
    return anchor


def slug(text: str, used: dict[str, int]) -> str:
    """A heading's anchor as GitHub makes it; ``used`` counts repeats within one document."""
    base = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    anchor = base
    while anchor in used:
        used[base] += 1
        anchor = f"{base}-{used[base]}"
    used[anchor] = 0
    return anchor


def title_of(path: str, headings: Sequence[Heading], named: str = "") -> str:
    """What a document is called: as it says, else by its first heading of level 1, else its first, else its file.

    Of a log of changes, the first heading is its newest version: its file's name says what it is.
    """
    top = next((h.text for h in headings if h.level == 1), "") or (headings[0].text if headings else "")
    top = "" if VERSION.match(top) else top
    return named or top or PurePosixPath(path).stem.replace("-", " ").replace("_", " ").strip() or path
