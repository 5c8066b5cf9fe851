"""Where a person can open a section of a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from workers.sources.code.permalinks import fill, heading_link, permalink
from workers.sources.documents.index_records import DocRecord
from workers.sources.documents.section_reader import DESCRIPTIONS, Section, suffix_of

SHOWN_AS_SOURCE = DESCRIPTIONS | {".txt"}
NO_ANCHORS = frozenset({".html", ".htm", ".xhtml", ".ipynb"})  # a code host shows their source, or draws them apart


def address_of(
    meta: Mapping[str, Any],
    record: DocRecord,
    section: Section,
    lines: tuple[int, int],
    template: str,
    *,
    tracked: bool,
) -> str:
    """The address of a section: by the template, else of the page itself, else at the commit, else of the file on disk.

    Args:
        meta: of the index: commit, remote, prefix and root.
        record: the document.
        section: one of its sections.
        lines: first and last line that are shown.
        template: with ``{path}`` and ``{anchor}``, or empty.
        tracked: the file is as the commit has it.
    """
    anchor = section.anchor
    if template:
        filled = fill(template, {"path": quote(record.path), "anchor": anchor})
        return filled if anchor else filled.removesuffix("#")
    if record.address:
        return f"{record.address}#{anchor}" if anchor else record.address
    if tracked:
        known = forge_link(meta, record, section, lines)
        if known:
            return known
    archive, inside, _ = record.path.partition(".zip/")
    if inside:
        return (Path(meta["root"]) / f"{archive}.zip").as_uri()
    local = (Path(meta["root"]) / record.path).as_uri()
    return f"{local}#{anchor}" if anchor else local


def forge_link(meta: Mapping[str, Any], record: DocRecord, section: Section, lines: tuple[int, int]) -> str | None:
    """The address at the commit, by the anchor that a code host makes, or by lines where it shows the source."""
    path, suffix = meta["prefix"] + record.path, suffix_of(record.path)
    if suffix in SHOWN_AS_SOURCE and not record.extracted:
        return permalink(meta["remote"], meta["commit"], path, *lines)
    anchor = "" if suffix in NO_ANCHORS or suffix in DESCRIPTIONS else section.mark or section.anchor
    return heading_link(meta["remote"], meta["commit"], path, anchor)
