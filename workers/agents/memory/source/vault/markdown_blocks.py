"""A note's text -> the pieces that hold prose, each with its place; code, math, comments and HTML are left out.

One pass over the lines, with what CommonMark needs of containers: quotes, lists and footnotes. Offsets are of
characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

LINE = re.compile(r"[^\n]*\n?")
QUOTE = re.compile(r" {0,3}> ?")
MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t\r\n]|$)|\[\^[^\]\s]{1,100}\]:")
FENCE = re.compile(r"(`{3,})[^`\n]*$|(~{3,})")
ATX = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?[ \t]*$")
BEGINS = re.compile(r"[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}|<[a-zA-Z/!]|\[\^[^\]\s]{1,100}\]:")
"""What no paragraph goes on with: only plain text may stand further left than the list item that it belongs to."""
SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
RULE = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
HTML_RAW = re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
HTML_NAMED = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]{0,15})(?=[\s/>]|$)")
HTML_ALONE = re.compile(r"<(?:[a-zA-Z][a-zA-Z0-9-]{0,30}(?:\s[^<>]{0,500})?/?|/[a-zA-Z][a-zA-Z0-9-]{0,30}\s{0,9})>\s*$")
TAB = 4


class Heading(NamedTuple):
    """A heading: its level from 1 to 6, its text, and its line, from 1."""

    level: int
    text: str
    line: int


@dataclass
class Blocks:
    """``pieces``: spans of prose, one a paragraph, list item, heading or row of a table. ``body``: where it begins."""

    pieces: list[tuple[int, int]] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    body: int = 0


@dataclass
class Opaque:
    """What is skipped until it ends. ``close``: the text that ends it; empty: a fence or a blank line does."""

    close: str = ""
    fence: str = ""
    depth: int = 0
    offset: int = 0


def front_matter_end(text: str) -> int:
    """Where the body begins: after YAML between two lines of dashes at the very top."""
    start = 1 if text.startswith("\ufeff") else 0
    opening = LINE.match(text, start)
    if opening is None or opening[0].rstrip() != "---" or not text.startswith("---", start):
        return 0
    at = opening.end()
    while at < len(text):
        found = LINE.match(text, at)
        if found is None or not found[0]:
            break
        at = found.end()
        if found[0].rstrip() == "---":
            return at
    return 0


def read_blocks(text: str) -> Blocks:
    """Cut a note's text into pieces of prose and headings."""
    body = front_matter_end(text)
    reader = BlockReader(text, body)
    number = text.count("\n", 0, body)
    at = body or int(text.startswith("\ufeff"))
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        number += 1
        reader.read(at, end, number)
        at = end
    reader.close_piece()
    return reader.out


class BlockReader:
    """The state between lines."""

    def __init__(self, text: str, body: int) -> None:
        self.text = text
        self.out = Blocks(body=body)
        self.opaque: Opaque | None = None
        self.piece: tuple[int, int] | None = None
        self.piece_line = 0
        self.piece_depth = 0
        self.offsets: list[int] = []  # where the content of each open list item begins
        self.blank = True
        self.indented = False
        self.has_comment_end = text.rfind("%%")
        self.has_math_end = text.rfind("$$")

    def read(self, start: int, end: int, number: int) -> None:
        """One line."""
        line = self.text[start:end].rstrip("\r\n")
        depth, at, column = quotes(line)
        rest = line[at:]
        if self.opaque and self.skip(line, rest, depth, column, start):
            return
        if not rest.strip():
            self.close_piece()
            self.blank = True
            return
        after_blank, self.blank = self.blank, False
        indent, width = indentation(rest, column)
        lazy = self.piece is not None and not after_blank and not BEGINS.match(rest, width)
        if not lazy or depth > self.piece_depth:
            if depth != self.piece_depth and not lazy:
                self.offsets.clear()
            while self.offsets and indent < self.offsets[-1]:
                self.offsets.pop()
        base = self.offsets[-1] if self.offsets else 0
        if indent - base >= TAB and (self.indented or not lazy):
            self.indented = True
            self.close_piece()
            return
        self.indented = False
        self.content(start + at + width, end, depth, indent, number)

    def content(self, at: int, end: int, depth: int, indent: int, number: int) -> None:
        """A line's content, after quotes and indentation."""
        rest = self.text[at:end].rstrip("\r\n")
        if RULE.fullmatch(rest) and not (self.piece and SETEXT.fullmatch(rest)):
            self.close_piece()
            return
        while marker := MARKER.match(rest):
            self.close_piece()
            inner = rest[marker.end() :]
            width = len(inner) - len(inner.lstrip(" \t"))
            is_footnote = rest.startswith("[^")
            self.offsets.append(TAB if is_footnote else indent + marker.end() + (width if 0 < width <= TAB else 1))
            indent += marker.end() + width
            at, rest = at + marker.end() + width, inner[width:]
            if not rest:
                return
        if self.opens(rest, depth, at) or self.heading(rest, at, end, depth, number):
            return
        if self.piece is None or depth != self.piece_depth or rest.startswith("|"):
            self.close_piece()
            self.piece, self.piece_line, self.piece_depth = (at, end), number, depth
        else:
            self.piece = (self.piece[0], end)

    def heading(self, rest: str, at: int, end: int, depth: int, number: int) -> bool:
        """Whether a line is a heading, or makes one of the lines before it."""
        if rest.startswith("#") and (atx := ATX.fullmatch(rest)):
            self.close_piece()
            self.out.pieces.append((at, end))
            if depth == 0 and not self.offsets:
                self.out.headings.append(Heading(len(atx[1]), without_closing_marks(atx[2] or ""), number))
            return True
        if self.piece and depth == self.piece_depth and SETEXT.fullmatch(rest):
            shown = " ".join(self.text[slice(*self.piece)].split())
            if depth == 0 and not self.offsets:
                self.out.headings.append(Heading(1 if rest[0] == "=" else 2, shown, self.piece_line))
            self.close_piece()
            return True
        return False

    def opens(self, rest: str, depth: int, at: int) -> bool:
        """Whether a line begins code, math, a comment or HTML, which ends on it or later."""
        offset = self.offsets[-1] if self.offsets else 0
        opaque: Opaque | None = None
        if rest[:3] in {"```", "~~~"} and (fence := FENCE.match(rest)):
            opaque = Opaque(fence=fence[1] or fence[2], depth=depth, offset=offset)
        elif rest.startswith("%%") and rest.count("%%") == 1:
            opaque = Opaque("%%")
        elif rest.startswith("$$") and rest.count("$$") == 1 and self.has_math_end > at:
            opaque = Opaque("$$")
        elif rest.startswith("<"):
            opaque = self.opens_html(rest, depth, offset)
            if opaque and opaque.close and opaque.close in rest.lower():
                self.close_piece()
                return True
        if opaque is None:
            return False
        self.close_piece()
        self.opaque = opaque
        return True

    def opens_html(self, rest: str, depth: int, offset: int) -> Opaque | None:
        """The block of HTML that a line begins."""
        if rest.startswith("<!--"):
            return Opaque("-->")
        if raw := HTML_RAW.match(rest):
            return Opaque(f"</{raw[1].lower()}>")
        named = HTML_NAMED.match(rest)
        if (named and named[1].lower() in html_blocks()) or (self.piece is None and HTML_ALONE.match(rest)):
            return Opaque(depth=depth, offset=offset)
        return None

    def skip(self, line: str, rest: str, depth: int, column: int, start: int) -> bool:
        """Whether a line belongs to what is skipped."""
        opaque = self.opaque
        if opaque is None:
            return False
        if opaque.close:
            found = line.lower().find(opaque.close)
            if found >= 0:
                self.opaque, self.blank = None, True
                after = start + found + len(opaque.close)
                if opaque.close == "%%" and line[found + 2 :].strip():
                    self.out.pieces.append((after, start + len(line)))
            return True
        indent, width = indentation(rest, column)
        outside = depth < opaque.depth or bool(rest.strip() and indent < opaque.offset)
        if outside:
            self.opaque = None
            return False
        if not opaque.fence:
            if not rest.strip():
                self.opaque = None
                return False
            return True
        inner = rest[width:].rstrip()
        if len(inner) >= len(opaque.fence) and not inner.strip(opaque.fence[0]):
            self.opaque, self.blank = None, True
        return True

    def close_piece(self) -> None:
        """End the paragraph that is open."""
        if self.piece:
            self.out.pieces.append(self.piece)
        self.piece = None


def without_closing_marks(text: str) -> str:
    """A heading's text without the marks that may close it: ``Title ##``."""
    text = text.strip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare != bare.rstrip() or not bare else text


@cache
def html_blocks() -> frozenset[str]:
    """The tags that begin a block of HTML by CommonMark."""
    from markdown_it.common.html_blocks import block_names  # noqa: PLC0415 - needed when a note has HTML, not to start

    return frozenset(block_names)


def quotes(line: str) -> tuple[int, int, int]:
    """How deep a line is quoted, where its content begins, and in which column."""
    depth, at = 0, 0
    while found := QUOTE.match(line, at):
        depth, at = depth + 1, found.end()
    return depth, at, 0 if depth else at


def indentation(rest: str, column: int) -> tuple[int, int]:
    """The columns of white space before a line's content, and its characters."""
    width, first = 0, column
    for character in rest:
        if character == " ":
            column += 1
        elif character == "\t":
            column += TAB - column % TAB
        else:
            break
        width += 1
    return column - first, width
