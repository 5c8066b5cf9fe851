"""Ways to read a page of HTML: ours, and those that it is measured beside."""

from __future__ import annotations

from collections.abc import Callable

import trafilatura
from selectolax.lexbor import LexborHTMLParser

from workers.errors import ToolError
from workers.sources.documents.document import Unreadable
from workers.sources.documents.formats.html import read_html
from workers.sources.web.page_reading import read_page
from workers.sources.web.text_encoding import decode_text

Reader = Callable[[bytes], str]


def by_web_fetch(page: bytes) -> str:
    """As `web_fetch` reads it."""
    try:
        return read_page("https://example.org/page", "text/html", page).text
    except ToolError:
        return ""


def by_trafilatura(page: bytes) -> str:
    """The article alone, whatever the page is."""
    return trafilatura.extract(page, output_format="markdown", include_comments=False, include_formatting=True) or ""


def by_documents(page: bytes) -> str:
    """The main part, whatever the page is, as documents are read for their index."""
    try:
        return "\n".join(read_html("page.html", page).lines)
    except Unreadable:
        return ""


def by_plain_text(page: bytes) -> str:
    """All text of the body but scripts and styles: what a plain conversion of HTML to text gives."""
    tree = LexborHTMLParser(decode_text(page))
    for node in tree.css("script, style, noscript, template"):
        node.decompose()
    return tree.body.text(separator=" ") if tree.body else ""


READERS: dict[str, Reader] = {
    "web_fetch": by_web_fetch,
    "trafilatura alone": by_trafilatura,
    "reader of documents alone": by_documents,
    "plain text of the body": by_plain_text,
}
