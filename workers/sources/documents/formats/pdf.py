"""PDF: the text of its pages, cut at its outline; an anchor opens the page."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from workers.sources.documents.document import Document, Heading, Unreadable, cut, title_of
from workers.sources.documents.formats.plain import text_items

MOST_PAGES = 2_000
MOST_ENTRIES = 5_000
FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    OSError,
    PyPdfError,
    RecursionError,
    TypeError,
    ValueError,
    UnicodeError,
)
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every oddity of every file


Pages = list[list[str]]
Entries = list[tuple[str, int, int]]


def read_pdf(path: str, source: bytes) -> Document:
    """The text of a PDF.

    Raises:
        Unreadable: it is broken, encrypted, or holds no text.
    """
    title, pages, entries = read_pdf_pages(source)
    return laid_out(path, title, pages, entries)


def read_pdf_pages(source: bytes) -> tuple[str, Pages, Entries]:
    """The title that a PDF gives itself, the lines of its pages, and the entries of its outline as `outline` has them.

    Raises:
        Unreadable: it is broken, encrypted, or holds no text.
    """
    try:
        reader = PdfReader(io.BytesIO(source))
        locked = reader.is_encrypted and not reader.decrypt("")
        pages = [] if locked else [page_lines(reader, n) for n in range(min(len(reader.pages), MOST_PAGES))]
        entries = [] if locked else list(outline(reader))
        named = "" if locked else str((reader.metadata and reader.metadata.get("/Title")) or "")
    except DependencyError as error:
        raise Unreadable("it is encrypted") from error
    except FAULTS as error:  # what pypdf meets in broken files
        raise Unreadable(f"it is broken: {str(error)[:80] or type(error).__name__}") from error
    if locked:
        raise Unreadable("it is encrypted")
    if not any(line.strip() for page in pages for line in page):
        raise Unreadable("it holds no text, only pictures of pages")
    return " ".join(named.split()), pages, entries


def page_lines(reader: PdfReader, number: int) -> list[str]:
    """The text of one page."""
    text = reader.pages[number].extract_text()
    return [
        line.rstrip()
        for line in re.split(r"[\n\r\f\v\x1c-\x1e\x85\u2028\u2029]", text.encode("utf-8", "replace").decode())
    ]


def outline(reader: PdfReader) -> Iterator[tuple[str, int, int]]:
    """The entries of the outline: title, level from 1, and index of the page."""
    waiting: list[tuple[Any, int]] = [(reader.outline, 0)]
    count = 0
    while waiting and count < MOST_ENTRIES:
        entry, level = waiting.pop()
        if isinstance(entry, list):
            waiting.extend((inner, level + 1) for inner in reversed(entry))
            continue
        count += 1
        page = reader.get_destination_page_number(entry)
        title = " ".join(str(entry.title or "").split())
        if title and page is not None and page >= 0:
            yield title, level, page


def laid_out(
    path: str, named: str, pages: Sequence[Sequence[str]], entries: Sequence[tuple[str, int, int]]
) -> Document:
    """Pages one after the other, with a section for each entry of the outline and for each page that goes on."""
    lines: list[str] = []
    headings: list[Heading] = []
    title = named or title_of(path, ())
    current = ("", 0)
    for number, page in enumerate(pages):
        own = [e for e in entries if e[2] == number]
        places = sorted(((place(page, text), i, text, level) for i, (text, level, _) in enumerate(own)))
        start = len(lines) + 1
        if page and (not places or places[0][0] > 0):
            text, level = current
            headings.append(Heading(text or f"Page {number + 1}", max(level, 1), start, f"page={number + 1}"))
        for at, _, text, level in places:
            current = (text, level)
            if at < len(page):
                found = f"page={number + 1}&search={quote(text)}"
                taken = headings and headings[-1].line == start + at
                if not taken:
                    headings.append(Heading(text, level, start + at, found))
        lines.extend(page)
    sections = cut(title, headings, text_items(lines), len(lines))
    return Document(title, tuple(sections), tuple(lines), extracted=True)


def place(page: Sequence[str], title: str) -> int:
    """The index of the line that a title of the outline begins on; the first when it is not found."""
    wanted = squeezed(title)
    for i, line in enumerate(page):
        shown = squeezed(line)
        if shown and (wanted in shown or (len(shown) > 3 and wanted.startswith(shown))):
            return i
    return 0


def squeezed(text: str) -> str:
    """Letters and digits only: a PDF may have lost the spaces."""
    return re.sub(r"[\W_]+", "", text).lower()
