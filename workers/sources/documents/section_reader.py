"""A file of any format that documents are written in -> its text, cut at its headings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from workers.sources.code.file_parsing import text_of
from workers.sources.documents.document import Document, Heading, Section, Unreadable, slug
from workers.sources.documents.formats.asciidoc import read_asciidoc
from workers.sources.documents.formats.markdown import front_matter, read_markdown
from workers.sources.documents.formats.openapi import is_openapi, read_openapi
from workers.sources.documents.formats.plain import read_plain

__all__ = ["SUFFIXES", "Document", "Heading", "Section", "Unreadable", "front_matter", "read_document", "slug"]


def later(name: str) -> Callable[..., Document]:
    """The function ``read_NAME`` of a format, whose large library is loaded when a first file asks for it."""

    def read(path: str, source: Any) -> Document:
        module = import_module(f"workers.sources.documents.formats.{name}")
        document: Document = getattr(module, f"read_{name}")(path, source)
        return document

    return read


KB, MB = 1_000, 1_000_000
MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
BY_LINES: dict[str, Callable[[str, Sequence[str]], Document]] = {
    **dict.fromkeys(MARKDOWN, read_markdown),
    **dict.fromkeys((".rst", ".rest"), later("rst")),
    **dict.fromkeys((".adoc", ".asciidoc"), read_asciidoc),
    ".txt": read_plain,
}
BY_BYTES: dict[str, Callable[[str, bytes], Document]] = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), later("html")),
    ".pdf": later("pdf"),
    ".ipynb": later("notebook"),
}
DESCRIPTIONS = frozenset({".yaml", ".yml", ".json"})
SUFFIXES = frozenset(BY_LINES)
READ = frozenset({*BY_LINES, *BY_BYTES, *DESCRIPTIONS})
IS_BINARY = "it is binary"
MOST_BYTES = {".pdf": 50 * MB, ".ipynb": 30 * MB, ".html": 5 * MB, ".htm": 5 * MB, ".yaml": 5 * MB, ".json": 5 * MB}


def suffix_of(path: str) -> str:
    """The suffix that tells a file's format; ``page.html?q=1`` is how a crawl may call a page."""
    stem, dot, end = path.partition("?")[0].rpartition("/")[2].rpartition(".")
    return f".{end.lower()}" if stem and dot else ""


def is_too_large(path: str, size: int) -> bool:
    """Whether a file of its format is not read."""
    return size > MOST_BYTES.get(suffix_of(path), MB)


def read_document(path: str, lines: Sequence[str]) -> Document:
    """Cut a document of a format that is written line by line.

    Args:
        path: names the format by its suffix, and the document when it has no title.
        lines: without line ends.
    """
    return BY_LINES.get(suffix_of(path), read_plain)(path, lines)


def read_source(path: str, source: bytes) -> Document | None:
    """Read a file of any of the formats; None for YAML and JSON that describe no interface.

    Raises:
        Unreadable: it cannot be read; the message says why.
    """
    suffix = suffix_of(path)
    if suffix in BY_BYTES:
        return BY_BYTES[suffix](path, source)
    if suffix in DESCRIPTIONS and not is_openapi(source):
        return None
    if b"\0" in source[:8_000]:
        raise Unreadable(IS_BINARY)
    lines = text_of(source)
    return read_openapi(path, lines) if suffix in DESCRIPTIONS else read_document(path, lines)
