"""Documents -> sections: Markdown, reStructuredText, AsciiDoc and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
SUFFIXES = MARKDOWN | {".rst", ".adoc", ".asciidoc", ".txt"}
ADORNED = re.compile(r"([=\-~^\"'*+#`.:_])\1{2,}\s*$")
ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)]|#\.)\s+(.*)")
TASK = re.compile(r"\[[ xX]\]\s+")
FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Heading:
    """A heading and the line that it begins on, from 1. ``body`` is the first line after it."""

    text: str
    level: int
    line: int
    body: int


@dataclass(frozen=True)
class Section:
    """Lines ``start`` to ``end`` (from 1, both included) below one heading, the heading included.

    ``breadcrumb`` holds the headings above it and its own, outermost first; ``steps`` its list items with their lines.
    """

    heading: str
    level: int
    start: int
    end: int
    anchor: str
    breadcrumb: tuple[str, ...]
    steps: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Document:
    """A document's title and its sections, which cover all of its lines without overlap."""

    title: str
    sections: tuple[Section, ...]


def read_document(path: str, lines: list[str]) -> Document:
    """Cut a document at its headings.

    Args:
        path: names the format by its suffix, and the document when it has no title.
        lines: without line ends.
    """
    suffix = PurePosixPath(path).suffix.lower()
    front, first = front_matter(lines) if suffix in MARKDOWN else ("", 1)
    if suffix in MARKDOWN:
        shown = ["" if i < first else line.replace("\r", " ") for i, line in enumerate(lines, 1)]
        tokens = MarkdownIt("commonmark").parse("\n".join(shown))
        headings, items = markdown_headings(tokens), markdown_items(tokens)
    else:
        headings, items = text_headings(lines, suffix), text_items(lines)
    named = FRONT_TITLE.search(front)
    top = next((h.text for h in headings if h.level == 1), "") or (headings[0].text if headings else "")
    title = (named[1] if named else "") or top or PurePosixPath(path).stem.replace("-", " ").replace("_", " ")
    return Document(title, tuple(sections(title, headings, items, len(lines))))


def sections(title: str, headings: list[Heading], items: list[tuple[str, int]], size: int) -> Iterator[Section]:
    """One section a heading, and one for what stands before the first."""
    used: dict[str, int] = {}
    if size and (not headings or headings[0].line > 1):
        end = headings[0].line - 1 if headings else size
        yield Section(title, 0, 1, end, "", (title,), tuple(i for i in items if i[1] <= end))
    above: list[Heading] = []
    for i, heading in enumerate(headings):
        end = headings[i + 1].line - 1 if i + 1 < len(headings) else size
        above = [h for h in above if h.level < heading.level]
        crumbs = [h.text for h in (*above, heading)]
        if crumbs[0] != title and heading.level > 1 and not any(h.level == 1 for h in above):
            crumbs.insert(0, title)
        above.append(heading)
        inside = tuple(item for item in items if heading.line <= item[1] <= end)
        yield Section(heading.text, heading.level, heading.line, end, slug(heading.text, used), tuple(crumbs), inside)


def front_matter(lines: list[str]) -> tuple[str, int]:
    """YAML between two lines of dashes at the top, and the first line after it."""
    if lines and lines[0].strip() == "---":
        for i, line in enumerate(lines[1:200], 2):
            if line.strip() in {"---", "..."}:
                return "\n".join(lines[1 : i - 1]), i + 1
    return "", 1


def slug(text: str, used: dict[str, int]) -> str:
    """A heading's anchor as GitHub makes it; ``used`` counts repeats within one document."""
    base = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    anchor = base
    while anchor in used:
        used[base] += 1
        anchor = f"{base}-{used[base]}"
    used[anchor] = 0
    return anchor


def markdown_headings(tokens: list[Token]) -> list[Heading]:
    """Headings that stand at the top level, so not those in quotes, lists and fences."""
    out = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            out.append(Heading(plain(inline), int(token.tag[1:]), token.map[0] + 1, token.map[1] + 1))
    return out


def markdown_items(tokens: list[Token]) -> list[tuple[str, int]]:
    """All list items in order, each without the lists inside it."""
    out: list[tuple[str, int]] = []
    open_: list[tuple[int, list[str]]] = []
    places: list[int] = []
    for token in tokens:
        if token.type == "list_item_open" and token.map:
            open_.append((token.map[0] + 1, []))
            places.append(len(out))
            out.append(("", token.map[0] + 1))
        elif token.type == "list_item_close" and open_:
            line, texts = open_.pop()
            out[places.pop()] = (TASK.sub("", " ".join(texts), count=1), line)
        elif open_ and token.type == "inline":
            open_[-1][1].append(plain(token))
        elif open_ and token.type in {"fence", "code_block"}:
            open_[-1][1].append(" ".join(token.content.split()))
    return [item for item in out if item[0]]


def plain(inline: Token) -> str:
    """Inline Markdown as text, on one line."""
    parts = []
    for child in inline.children or []:
        if child.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif child.type in {"text", "code_inline", "image"}:
            parts.append(child.content)
    return " ".join("".join(parts).split())


def text_headings(lines: list[str], suffix: str) -> list[Heading]:
    """Headings of reStructuredText (underlined; levels in order of appearance) and of AsciiDoc."""
    out: list[Heading] = []
    styles: list[str] = []
    if suffix == ".txt":
        return out
    for i, line in enumerate(lines, 1):
        if suffix != ".rst":
            if match := re.match(r"(={1,6})\s+(\S.*)", line):
                out.append(Heading(match[2].strip(), len(match[1]), i, i + 1))
            continue
        mark = ADORNED.match(line)
        text = lines[i - 2].strip() if i > 1 else ""
        if not mark or not text or ADORNED.match(text) or lines[i - 2][:1].isspace() or len(line.rstrip()) < len(text):
            continue
        over = i > 2 and lines[i - 3].rstrip() == line.rstrip()
        style = mark[1] * (2 if over else 1)
        if style not in styles:
            styles.append(style)
        out.append(Heading(text, styles.index(style) + 1, i - 2 if over else i - 1, i + 1))
    return out


def text_items(lines: list[str]) -> list[tuple[str, int]]:
    """List items with the indented lines that continue them."""
    out: list[tuple[str, int]] = []
    depth = -1
    for i, line in enumerate(lines, 1):
        if match := ITEM.match(line):
            out.append((match[1].strip(), i))
            depth = match.start(1)
        elif out and depth >= 0 and line.strip() and len(line) - len(line.lstrip()) >= depth:
            out[-1] = (f"{out[-1][0]} {line.strip()}", out[-1][1])
        else:
            depth = -1 if line.strip() else depth
    return [item for item in out if item[0]]
