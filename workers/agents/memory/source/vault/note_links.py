"""Prose of a note -> its links, embeds and tags, each with the characters that it takes.

What stands in code, math, comments and behind a backslash is none. Linear: every search that fails is not made again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote

MARK = re.compile(r"\\[\s\S]|`+|\$+|%%|<(?=[!a-zA-Z/])|\[|\]|#")
WIKILINK = re.compile(r"\[\[((?:[^\[\]\n]|\[(?!\[)|\](?!\])){1,1000})\]\]")
ANGLE = re.compile(r"<([^<>\n]{0,1500})>")
BARE = re.compile(r"(?:[^\s()<\\]|\\.|\((?:[^\s()\\]|\\.){0,300}\)){1,1500}")
TITLE = re.compile(r"\s{1,20}(?:\"[^\"]{0,600}\"|'[^']{0,600}'|\([^()]{0,600}\))")
SPACE = re.compile(r"[ \t]{0,20}\n?[ \t>]{0,20}")
DEFINITION = re.compile(r"[ ]{0,3}\[(?!\^)((?:[^\[\]\\\n]|\\.){1,300})\]:[ \t]{0,20}")
HTML_TAG = re.compile(r"<[a-zA-Z/][^<>]{0,1000}>")
MATH_END = re.compile(r"(?<![\s\\$])\$(?![\d$])")
TAG = re.compile(r"#([^\s\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]{1,200})")
EXTERNAL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,40}:|//")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
QUOTED = re.compile(r"([\"'])\[\[([^\[\]\n\"]{1,1000})\]\]\1")

Style = Literal["wikilink", "markdown", "definition", "property"]


class Link(NamedTuple):
    """A link to a note or an attachment.

    ``path`` is what it names, decoded: empty for a place in the note itself; ``subpath`` the heading or block after
    ``#``. ``start`` and ``end`` are all of it, ``path_start`` and ``path_end`` the path as written, which is what a
    move replaces (``raw``); ``angle``: it is written between < and >. ``label``: its words or alias. ``line``: from 1.
    """

    style: Style
    embed: bool
    path: str
    subpath: str
    label: str
    line: int
    start: int
    end: int
    path_start: int
    path_end: int
    raw: str = ""
    angle: bool = False


def read_piece(text: str, start: int, end: int, line_of: Callable[[int], int]) -> tuple[list[Link], list[str]]:
    """The links and tags of a piece of prose.

    Args:
        text: the whole note.
        start: where the piece begins.
        end: where it ends.
        line_of: the line of a place.
    """
    reader = PieceReader(text, start, end, line_of)
    reader.read()
    return reader.links, reader.tags


class PieceReader:
    """One pass over a piece, from mark to mark."""

    def __init__(self, text: str, start: int, end: int, line_of: Callable[[int], int]) -> None:
        self.text, self.start, self.end, self.line_of = text, start, end, line_of
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.open: list[tuple[int, bool]] = []
        self.runs: dict[int, list[int]] | None = None
        self.absent: set[str] = set()

    def read(self) -> None:
        """Find everything."""
        at = self.definitions(self.start)
        while found := MARK.search(self.text, at, self.end):
            at = self.at_mark(found[0], found.start(), found.end())

    def at_mark(self, mark: str, at: int, after: int) -> int:
        """Where to go on after a mark."""
        first = mark[0]
        if first == "\\":
            return after
        if first == "[":
            return self.opening(at)
        if first == "]":
            return self.closing(at)
        if first == "#":
            return self.tag(at)
        if first == "`":
            return self.code(at, len(mark))
        if first == "%":
            return self.until("%%", after)
        if first == "$":
            return self.math(mark, after)
        return self.html(at)

    def until(self, close: str, after: int) -> int:
        """Past the text that closes, or just past the mark when it does not come."""
        if close in self.absent:
            return after
        found = self.text.find(close, after, self.end)
        if found < 0:
            self.absent.add(close)
            return after
        return found + len(close)

    def math(self, mark: str, after: int) -> int:
        """Past a formula."""
        if len(mark) > 1:
            return self.until("$$", after) if len(mark) == 2 else after
        if "$" in self.absent or after >= self.end or self.text[after].isspace():
            return after
        found = MATH_END.search(self.text, after + 1, self.end)
        if found is None:
            self.absent.add("$")
            return after
        return found.end()

    def html(self, at: int) -> int:
        """Past a comment, a tag or an address in angle brackets."""
        if self.text.startswith("<!--", at):
            return self.until("-->", at + 4)
        found = HTML_TAG.match(self.text, at, self.end)
        return found.end() if found else at + 1

    def code(self, at: int, size: int) -> int:
        """Past a code span: to the next run of as many backticks."""
        if self.runs is None:
            self.runs = defaultdict(list)
            for run in re.finditer("`+", self.text[self.start : self.end]):
                self.runs[len(run[0])].append(run.start() + self.start)
            for places in self.runs.values():
                places.reverse()
        places = self.runs.get(size, [])
        while places and places[-1] <= at:
            places.pop()
        return (places[-1] if places else at) + size

    def tag(self, at: int) -> int:
        """Past a tag: one stands after white space, and is not a number."""
        before = self.text[at - 1] if at > self.start else " "
        found = TAG.match(self.text, at, self.end) if before.isspace() else None
        if found is None:
            return at + 1
        name = found[1].strip("/")
        if name and not name.replace("/", "").isdigit():
            self.tags.append(name)
        return found.end()

    def opening(self, at: int) -> int:
        """Past a wikilink, or into the words of a link."""
        embed = at > self.start and self.text[at - 1] == "!" and not self.escaped(at - 1)
        found = WIKILINK.match(self.text, at, self.end)
        if found and not found[1].startswith("["):
            self.links.append(wikilink(found[1], found.start(1), at - embed, found.end(), embed, self.line_of(at)))
            return found.end()
        self.open.append((at, embed))
        return at + 1

    def escaped(self, at: int) -> bool:
        """Whether a backslash stands before a place."""
        count = 0
        while at - count - 1 >= self.start and count < 20 and self.text[at - count - 1] == "\\":
            count += 1
        return count % 2 == 1

    def closing(self, at: int) -> int:
        """Past the target of a link whose words end here."""
        if not self.open:
            return at + 1
        begin, embed = self.open.pop()
        if at + 1 >= self.end or self.text[at + 1] != "(":
            return at + 1
        found = destination(self.text, at + 2, self.end)
        if found is None:
            return at + 1
        (path_start, path_end, angle), close = found
        closing = SPACE.match(self.text, close, self.end)
        close = closing.end() if closing else close
        if close >= self.end or self.text[close] != ")":
            return at + 1
        label = self.text[begin + 1 : at]
        spans = (begin - embed, close + 1, path_start, path_end)
        self.add_markdown("markdown", embed, label, spans, angle=angle)
        if not embed:
            self.open = [one for one in self.open if one[1]]
        return close + 1

    def definitions(self, at: int) -> int:
        """Past definitions of references, which stand at the start of a paragraph."""
        while at < self.end and (head := DEFINITION.match(self.text, at, self.end)):
            found = destination(self.text, head.end(), self.end)
            if found is None or found[0][0] == found[0][1]:
                break
            (path_start, path_end, angle), close = found
            line_end = self.text.find("\n", close, self.end)
            line_end = self.end if line_end < 0 else line_end + 1
            if self.text[close:line_end].strip():
                break
            spans = (at, close, path_start, path_end)
            self.add_markdown("definition", False, head[1], spans, angle=angle)
            at = line_end
        return at

    def add_markdown(
        self, style: Style, embed: bool, label: str, spans: tuple[int, int, int, int], *, angle: bool
    ) -> None:
        """Keep a link in Markdown's own form, unless it leads elsewhere."""
        start, end, path_start, path_end = spans
        raw = self.text[path_start:path_end]
        if EXTERNAL.match(raw):
            return
        path, sign, subpath = raw.partition("#")
        decoded = unquote(ESCAPED.sub(r"\1", path))
        below = unquote(subpath)
        if not decoded and not sign:
            return
        line = self.line_of(start)
        self.links.append(
            Link(style, embed, decoded, below, label, line, start, end, path_start, path_start + len(path), path, angle)
        )


def destination(text: str, at: int, end: int) -> tuple[tuple[int, int, bool], int] | None:
    """The target of a link with its title: its span, whether it is in angle brackets, and where both end."""
    space = SPACE.match(text, at, end)
    at = space.end() if space else at
    if angle := ANGLE.match(text, at, end):
        span, close = (*angle.span(1), True), angle.end()
    elif at < end and text[at] != "<" and (bare := BARE.match(text, at, end)):
        span, close = (*bare.span(), False), bare.end()
    elif at < end and text[at] == ")":
        return (at, at, False), at
    else:
        return None
    title = TITLE.match(text, close, end)
    return span, title.end() if title else close


def wikilink(inner: str, at: int, start: int, end: int, embed: bool, line: int, style: Style = "wikilink") -> Link:
    """A link from what stands between its brackets, which begins at ``at``."""
    target, bar, label = inner.partition("|")
    if bar and target.endswith("\\"):
        target = target[:-1]
    path, _, subpath = target.partition("#")
    left = len(path) - len(path.lstrip())
    stripped = path.strip()
    first = at + left
    return Link(
        style, embed, stripped, subpath.strip(), label.strip(), line, start, end, first, first + len(stripped), stripped
    )


def property_links(text: str, end: int, line_of: Callable[[int], int]) -> Iterator[Link]:
    """Links of the front matter: values that are a quoted wikilink and nothing else."""
    for found in QUOTED.finditer(text, 0, end):
        yield wikilink(
            found[2], found.start(2), found.start(), found.end(), False, line_of(found.start()), style="property"
        )
