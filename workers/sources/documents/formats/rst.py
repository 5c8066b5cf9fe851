"""reStructuredText, by docutils: what only Sphinx knows stays text, and nothing is printed or included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from docutils import ApplicationError, nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser, roles
from docutils.parsers.rst.languages import en
from docutils.parsers.rst.states import Inliner
from docutils.utils import new_document

from workers.sources.documents.document import Document, Heading, Link, cut, slug, title_of
from workers.sources.documents.formats.plain import text_items

QUIET = {
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "file_insertion_enabled": False,
    "syntax_highlight": "none",
    "auto_id_prefix": "id",  # as Sphinx numbers headings of the same words
    "line_length_limit": 1_000_000,
}
LONG_BLOCK, LONG_LINE = 8_000, 1_000
MOST_TITLES = 4_000
ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*$")
UNDER = re.compile(r"([!-/:-@\[-`{-~])\1*\s*$")
LABEL = re.compile(r"\.\. _(?!_)`?([^`:]+(?::[^`: ]+)*)`?:\s*$")
ROLE_TARGET = re.compile(r":(doc|ref|download|file):`(?:([^`<]*)<([^`<>]+)>|([^`<>]+))`")
LINK = re.compile(r"`([^`<]*)<([^`<>\s]+)>`_")
NUMBERED = re.compile(r"id\d+")
WITH_TARGET = re.compile(r"^[!~]?(.*?)(?<!\s)\s*<[^<>]*>$", re.DOTALL)
FAULTS = (
    ApplicationError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    UnicodeError,
)


def make_inliner() -> Any:
    """An inline parser that reads roles which docutils does not know as their words."""
    inliner = Inliner()
    known = inliner.interpreted

    def interpreted(rawsource: str, text: str, role: str, lineno: int) -> tuple[list[Any], list[Any]]:
        if not role or role.lower() in en.roles or role.lower() in roles._roles:
            return known(rawsource, text, role, lineno)  # type: ignore[no-any-return]
        shown = WITH_TARGET.sub(r"\1", nodes.unescape(text)).lstrip("~!")
        return [nodes.inline(rawsource, shown)], []

    inliner.interpreted = interpreted
    return inliner


def read_rst(path: str, lines: Sequence[str]) -> Document:
    """Cut a document at its section titles; those that docutils does not accept stay text."""
    shown = list(bounded([line.removeprefix("\ufeff").expandtabs(8) for line in lines]))
    many = sum(bool(UNDER.match(line)) for line in shown) > MOST_TITLES
    try:
        headings = list(adorned(shown) if many else rst_headings(shown))
    except FAULTS:  # docutils' own defects on odd input
        headings = list(adorned(shown))
    title = title_of(path, headings)
    return Document(
        title, tuple(cut(title, headings, text_items(lines), len(lines))), tuple(lines), links=tuple(rst_links(lines))
    )


def bounded(lines: Sequence[str]) -> Iterator[str]:
    """Lines as docutils gets them: those of a paragraph longer than anyone writes lose their words, which it would
    take hours over. Titles stay.
    """
    start = 0
    for end in [i for i, line in enumerate(lines) if not line.strip()] + [len(lines)]:
        block = lines[start : end + 1]
        if sum(map(len, block)) > LONG_BLOCK:
            beside = {j for i, line in enumerate(block) if UNDER.match(line) for j in (i - 1, i, i + 1)}
            block = [line if i in beside and len(line) < LONG_LINE else bare(line) for i, line in enumerate(block)]
        yield from block
        start = end + 1


def bare(line: str) -> str:
    """A line without words, indented as it was."""
    words = line.lstrip()
    return line[: len(line) - len(words)][:LONG_LINE] + ("x" if words else "")


@cache
def settings() -> Any:
    """Settings of the parser: nothing is included or printed."""
    known = get_default_settings(Parser)
    vars(known).update(QUIET)
    return known


def rst_headings(lines: Sequence[str]) -> Iterator[Heading]:
    """Titles with the ids that Sphinx gives them, and the labels right above as further names."""
    tree = new_document("", settings())
    Parser(inliner=make_inliner()).parse("\n".join(line.replace("\r", " ") for line in lines), tree)
    marks: dict[str, int] = {}
    after = 0
    for section in tree.findall(nodes.section):
        title = section[0]
        line = find_title(lines, title.rawsource, after)
        if line is None:
            continue
        over = line > after and line > 0 and lines[line - 1].rstrip() == lines[line + 1].rstrip()
        text = " ".join(title.astext().replace("\0", "").split())
        depth = 1
        while (section := section.parent) is not None and isinstance(section, nodes.section):
            depth += 1
        own = str(title.parent["ids"][0]) if title.parent["ids"] else ""
        start = line - over
        names = tuple(labels(lines, start))
        if names and NUMBERED.fullmatch(own):  # the label has the id that the title would have had
            own = nodes.make_id(names[0])
        yield Heading(text, depth, start + 1, own, slug(text, marks), names)
        after = line + 2


def find_title(lines: Sequence[str], raw: str, after: int) -> int | None:
    """The index of the next line that is this title, with an adornment below."""
    wanted = raw.strip()
    places = range(after, len(lines) - 1)
    return next((i for i in places if lines[i].strip() == wanted and UNDER.match(lines[i + 1])), None)


def labels(lines: Sequence[str], before: int) -> Iterator[str]:
    """The names that stand right above a line."""
    for line in reversed(lines[:before]):
        if match := LABEL.match(line):
            yield match[1].lower()
        elif line.strip():
            return


def adorned(lines: Sequence[str]) -> Iterator[Heading]:
    """Underlined titles by their look alone, levels in order of appearance."""
    styles: list[str] = []
    marks: dict[str, int] = {}
    for i, line in enumerate(lines):
        mark = ADORNED.match(line)
        text = lines[i - 1].strip() if i else ""
        if not mark or not text or ADORNED.match(text) or lines[i - 1][:1].isspace() or len(line.rstrip()) < len(text):
            continue
        over = i > 1 and lines[i - 2].rstrip() == line.rstrip()
        style = mark[1] * (2 if over else 1)
        if style not in styles:
            styles.append(style)
        yield Heading(text, styles.index(style) + 1, i - over, None, slug(text, marks))


def rst_links(lines: Sequence[str]) -> Iterator[Link]:
    """Links and Sphinx's roles; their targets: ``ref:label``, ``doc:path``, or as written."""
    for i, line in enumerate(lines, 1):
        if "`" in line:
            for m in ROLE_TARGET.finditer(line):
                yield Link(i, f"{m[1]}:{(m[3] or m[4]).strip()}", (m[2] or "").strip())
            yield from (Link(i, m[2], m[1].strip()) for m in LINK.finditer(line))
