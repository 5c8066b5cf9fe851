"""Markdown: CommonMark with front matter, ids in braces, and headings written as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from workers.sources.documents.document import Document, Heading, Link, cut, slug, title_of

if TYPE_CHECKING:
    from markdown_it.token import Token

TASK = re.compile(r"\[[ xX]\]\s+")
FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
OWN_ID = re.compile(r"(?<!\s)\s*\{:?\s*#([\w:.-]+)[^}]*\}\s*$")
HTML_HEADING = re.compile(r"<h([1-6])\b([^>]{0,500})>(.{0,1000}?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
HTML_ID = re.compile(r"""\b(?:id|name)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
TAG = re.compile(r"<[^<>]*>")


def read_markdown(path: str, lines: Sequence[str]) -> Document:
    """Cut a document at its headings."""
    front, first = front_matter(lines)
    tokens = parse(["" if i < first else line for i, line in enumerate(lines, 1)])
    headings = markdown_headings(tokens)
    named = FRONT_TITLE.search(front)
    title = title_of(path, headings, named[1] if named else "")
    sections = cut(title, headings, markdown_items(tokens), len(lines))
    return Document(title, tuple(sections), tuple(lines), links=tuple(markdown_links(tokens)))


def parse(lines: Sequence[str]) -> list[Token]:
    """The tokens of some lines; a line is a line, whatever else Markdown ends lines at."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - needed when a document changed, not to search

    return MarkdownIt("commonmark").parse("\n".join(line.replace("\r", " ").removeprefix("\ufeff") for line in lines))


def front_matter(lines: Sequence[str]) -> tuple[str, int]:
    """YAML between two lines of dashes at the top, and the first line after it."""
    if lines and lines[0].strip("\ufeff \t") == "---":
        for i, line in enumerate(lines[1:200], 2):
            if line.strip() in {"---", "..."}:
                return "\n".join(lines[1 : i - 1]), i + 1
    return "", 1


def markdown_headings(tokens: Sequence[Token]) -> list[Heading]:
    """Headings that stand at the top level, so not those in quotes, lists and fences."""
    out = []
    marks: dict[str, int] = {}
    for token, after in pairwise([*tokens, *tokens[-1:]]):
        if token.type == "heading_open" and token.level == 0 and token.map:
            out.append(heading(plain(after), int(token.tag[1:]), token.map[0] + 1, marks))
        elif token.type == "html_block" and token.level == 0 and token.map:
            for match in HTML_HEADING.finditer(token.content):
                text = " ".join(TAG.sub(" ", match[3]).split())
                line = token.map[0] + 1 + token.content[: match.start()].count("\n")
                own = HTML_ID.search(match[2])
                if text and not any(h.line == line for h in out):
                    out.append(heading(f"{text} {{#{own[1]}}}" if own else text, int(match[1]), line, marks))
    return out


def heading(text: str, level: int, line: int, marks: dict[str, int]) -> Heading:
    """A heading with the id that it may give itself."""
    own = OWN_ID.search(text)
    shown = text[: own.start()] if own else text
    return Heading(shown, level, line, own[1] if own else None, slug(text, marks))


def markdown_items(tokens: Sequence[Token]) -> list[tuple[str, int]]:
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


def markdown_links(tokens: Sequence[Token]) -> Iterator[Link]:
    """All links, in order."""
    for token in tokens:
        line, children = token.map[0] + 1 if token.map else 1, token.children or []
        for i, child in enumerate(children):
            if child.type in {"softbreak", "hardbreak"}:
                line += 1
            elif child.type == "link_open" and (target := child.attrGet("href")):
                yield Link(line, str(target), text_of(takewhile(lambda t: t.type != "link_close", children[i + 1 :])))


def plain(inline: Token) -> str:
    """Inline Markdown as text, on one line."""
    return text_of(inline.children or [])


def text_of(tokens: Iterable[Token]) -> str:
    """Parts of inline Markdown as text, on one line."""
    parts = []
    for child in tokens:
        if child.type in {"softbreak", "hardbreak"}:
            parts.append(" ")
        elif child.type in {"text", "code_inline", "image"}:
            parts.append(child.content)
    return " ".join("".join(parts).split())
