"""Jupyter notebooks: cells one after the other, cut at the headings of the Markdown cells; results are left out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from workers.sources.documents.document import Document, Heading, Link, Unreadable, cut, title_of
from workers.sources.documents.formats.markdown import markdown_headings, markdown_items, markdown_links, parse


def read_notebook(path: str, source: bytes) -> Document:
    """The cells of a notebook.

    Raises:
        Unreadable: it is no notebook, or empty.
    """
    try:
        content = json.loads(source.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no JSON") from error
    cells = cells_of(content)
    lines: list[str] = []
    headings: list[Heading] = []
    items: list[tuple[str, int]] = []
    links: list[Link] = []
    for kind, own in cells:
        if lines:
            lines.append("")
        above = len(lines)
        lines.extend(own)
        if kind == "markdown":
            tokens = parse(own)
            headings += [replace(h, line=h.line + above, anchor=anchor_of(h)) for h in markdown_headings(tokens)]
            items += [(text, line + above) for text, line in markdown_items(tokens)]
            links += [link._replace(line=link.line + above) for link in markdown_links(tokens)]
    if not any(line.strip() for line in lines):
        raise Unreadable("it holds no text")
    title = title_of(path, headings)
    return Document(title, tuple(cut(title, headings, items, len(lines))), tuple(lines), True, tuple(links))


def anchor_of(heading: Heading) -> str:
    """The id that Jupyter gives a heading: its words between hyphens, case kept."""
    return heading.anchor or heading.text.replace(" ", "-")


def cells_of(content: Any) -> list[tuple[str, list[str]]]:
    """Kind and lines of each cell that holds text.

    Raises:
        Unreadable: the content is not that of a notebook.
    """
    if not isinstance(content, dict):
        raise Unreadable("it is no notebook")
    found = content.get("cells")
    if not isinstance(found, list):  # before version 4 cells stood in worksheets
        sheets = content.get("worksheets")
        found = (
            [c for s in sheets if isinstance(s, dict) for c in s.get("cells") or []]
            if isinstance(sheets, list)
            else None
        )
    if found is None:
        raise Unreadable("it is no notebook")
    out = []
    for cell in found:
        if isinstance(cell, dict):
            text = joined(cell.get("source", cell.get("input", "")))
            if cell.get("cell_type") == "heading":
                level = cell.get("level")
                text = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + text
            if text.strip():
                kind = "code" if cell.get("cell_type") == "code" else "markdown"
                out.append((kind, [line.removesuffix("\r") for line in text.strip("\n").split("\n")]))
    return out


def joined(source: Any) -> str:
    """The text of a cell: one string, or a list of lines with their ends."""
    parts = source if isinstance(source, list) else [source]
    text = "".join(p for p in parts if isinstance(p, str))
    return text.encode("utf-8", "replace").decode()
