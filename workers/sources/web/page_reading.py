"""A fetched page -> its title, its date and its readable text as Markdown, without what frames it."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from workers.errors import ToolUnavailable
from workers.sources.documents.document import Document, Section, Unreadable
from workers.sources.web.text_encoding import decode_text

HTML = frozenset({"text/html", "application/xhtml+xml"})
PDF = "application/pdf"
READ_TYPES = re.compile(
    r"text/(?!css\b|javascript\b)[\w.+-]{1,60}|application/(?:pdf|xhtml\+xml|x-yaml|yaml|toml|x-ndjson)"
    r"|application/(?:[\w.-]{1,60}\+)?json"
)
MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
MARKDOWN_NAMES = (".md", ".markdown", ".mdx")
MOST_EXTRACTED, MOST_TAGS = 1_500_000, 12_000
"""Characters and tags of a page whose article is looked for, which takes up to half a millisecond a tag. One with more
is read from top to bottom.
"""
CODE = re.compile(r"<(?:pre|code)\b", re.IGNORECASE)
HEAD_CHARS, MOST_DATES = 200_000, 50
DATES = "head meta, script[type='application/ld+json'], time[pubdate], time[itemprop=datePublished], time.published"
MARKUP = re.compile(r"(`{1,3}[^`\n]{0,2000}`{1,3})|\\([!-/:-@\[-`{-~])|\*{1,3}")
FENCE = "```"
BLANK_LINES = re.compile(r"\n{3,}")
TITLE_CHARS = 300


@dataclass(frozen=True)
class PageText:
    """What a page says. ``published``: an ISO date, empty when it names none. ``suffix``: its format (``.html``)."""

    title: str
    text: str
    suffix: str
    published: str = ""


def read_page(url: str, content_type: str, body: bytes) -> PageText:
    """The text of a page.

    Raises:
        ToolUnavailable: it holds none, or cannot be read as what it says it is.
    """
    kind = kind_of(content_type, body)
    read = READERS.get(kind, read_text)
    try:
        page = read(url, content_type, body)
    except Unreadable as error:
        raise ToolUnavailable(f"the page cannot be read: {error}") from error
    if not page.text.strip():
        raise ToolUnavailable("the page holds no text; it may be made by a program in the browser")
    return PageText(" ".join(page.title.split())[:TITLE_CHARS] or url, page.text, page.suffix, page.published)


def kind_of(content_type: str, body: bytes) -> str:
    """The media type that a page is read as: as it says, and as it looks when it says nothing."""
    said = content_type.partition(";")[0].strip().lower()
    if body.startswith(b"%PDF-"):
        return PDF
    if said:
        return said
    return "text/html" if body[:1_000].lstrip(codecs.BOM_UTF8).lstrip()[:1] == b"<" else "text/plain"


# --- HTML ---------------------------------------------------------------------------------------------------------


def read_html_page(url: str, content_type: str, body: bytes) -> PageText:
    """The text of a page of HTML.

    Where there is code, it is read as documentation is: all of its main part, with every heading and cell. Of other
    pages the article is looked for.
    """
    from workers.sources.documents.formats.html import MOST_DEEP, deepest, read_html  # noqa: PLC0415 - large

    text = decode_text(body, content_type)
    if deepest(text) > MOST_DEEP:
        raise Unreadable("it is nested too deeply")
    try:
        whole = read_html(path_of(url), codecs.BOM_UTF8 + text.encode("utf-8", "replace"))
    except Unreadable:
        whole = Document("", (), ())
    large = len(text) > MOST_EXTRACTED or text.count("<") > MOST_TAGS
    article = "" if large or CODE.search(text) else article_of(text)
    return PageText(whole.title, article or markdown_of(whole.lines, whole.sections), ".html", published_at(text))


def article_of(text: str) -> str:
    """The article of a page; empty when none is found."""
    import trafilatura  # noqa: PLC0415 - large, and not needed to search

    found = trafilatura.extract(
        text, output_format="markdown", include_comments=False, include_tables=True, include_formatting=True
    )
    return without_marks(found or "")


def without_marks(markdown: str) -> str:
    """Markdown as people read it: no emphasis and no backslashes, so that it can be quoted; code stays as it is."""
    lines, code = [], False
    for line in markdown.split("\n"):
        if line.startswith(FENCE):
            code = not code
        lines.append(line if code or line.startswith(FENCE) else MARKUP.sub(plain_mark, line).rstrip())
    return "\n".join(lines).strip()


def plain_mark(found: re.Match[str]) -> str:
    """What stands for a piece of Markdown."""
    return found[1] or found[2] or ""


def markdown_of(lines: Sequence[str], sections: Sequence[Section]) -> str:
    """The lines of a document that was taken out of a file, with its headings marked."""
    levels = {s.start: s.level for s in sections if s.level and s.heading}
    rows = []
    for number, line in enumerate(lines, 1):
        level = levels.get(number, 0)
        rows.append(f"\n{'#' * min(level, 6)} {line.strip()}\n" if level else line)
    return BLANK_LINES.sub("\n\n", "\n".join(rows)).strip()


def published_at(text: str) -> str:
    """The day that a page says it was published, as an ISO date; empty when its head and its marks do not say so.

    What stands in its text may be any other day.
    """
    from htmldate import find_date  # noqa: PLC0415 - comes with trafilatura
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - large

    tree = LexborHTMLParser(text)
    marks = "".join(node.html or "" for node in tree.css(DATES)[:MOST_DATES])
    if not marks:
        return ""
    try:
        found = find_date(
            f"<html><head>{marks[:HEAD_CHARS]}</head><body></body></html>", extensive_search=False, original_date=True
        )
    except (ValueError, TypeError, RecursionError):
        return ""
    return found if found and found <= datetime.now(UTC).date().isoformat() else ""


# --- other formats ------------------------------------------------------------------------------------------------


def read_pdf_page(url: str, content_type: str, body: bytes) -> PageText:
    """The text of a PDF, each page below a heading with its number."""
    from workers.sources.documents.formats.pdf import read_pdf_pages  # noqa: PLC0415 - large

    del content_type
    title, pages, _ = read_pdf_pages(body)
    parts = [f"## Page {number}\n\n" + "\n".join(lines).strip() for number, lines in enumerate(pages, 1)]
    return PageText(title or name_of(url), BLANK_LINES.sub("\n\n", "\n\n".join(parts)), ".pdf")


def read_text(url: str, content_type: str, body: bytes) -> PageText:
    """Text, Markdown, JSON and their like, as they are."""
    if b"\0" in body[:8_000] and not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Unreadable("it is binary")
    text = decode_text(body, content_type).replace("\r\n", "\n").replace("\r", "\n")
    said = content_type.partition(";")[0].strip().lower()
    marked = said in MARKDOWN or path_of(url).lower().endswith(MARKDOWN_NAMES)
    heading = re.search(r"^# {1,4}(\S.{0,200})$", text[:20_000], re.MULTILINE) if marked else None
    title = heading[1].strip() if heading else name_of(url)
    if said.endswith("json"):
        text = readable_json(text)
    return PageText(title, text.strip("\n"), ".md" if marked else ".txt")


def readable_json(text: str) -> str:
    """JSON with a line a value when it came in one; as it is when that cannot be read."""
    if text.count("\n") > 2:
        return text
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


READERS: dict[str, Callable[[str, str, bytes], PageText]] = {
    **dict.fromkeys(HTML, read_html_page),
    PDF: read_pdf_page,
}


def path_of(url: str) -> str:
    """The path of an address, as the name of a file."""
    return unquote(urlsplit(url).path).rstrip("/") or "/"


def name_of(url: str) -> str:
    """What a page without a title is called: its file, else its host."""
    return PurePosixPath(path_of(url)).name or urlsplit(url).netloc
