"""A folder of documents -> an index file, reading only files that the last index does not hold."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workers.errors import ToolUnavailable
from workers.sources.code.array_file import REDACTION, TOKENS, Container, fingerprint, read_container, write_container
from workers.sources.code.compressed_lines import pack
from workers.sources.code.posting_lists import from_arrays
from workers.sources.documents.document import Document
from workers.sources.documents.document_files import File, Stamp, commit_of, last_changes, open_folder, scan
from workers.sources.documents.document_kinds import decision_status, kind_of, successors
from workers.sources.documents.export_names import (
    is_contents,
    is_mirror,
    notion_crumbs,
    page_address,
    read_contents,
    without_ids,
)
from workers.sources.documents.index_records import DocRecord, Row, assemble, old_rows
from workers.sources.documents.section_reader import IS_BINARY, Unreadable, is_too_large, read_source, suffix_of
from workers.sources.git import Repository, list_files
from workers.sources.index_progress import tell
from workers.toolkit.redaction import redact_source, redact_text

SHAPES = "document document_files document_kinds document_links export_names index_build index_records section_reader"
FORMATS = ("asciidoc", "html", "markdown", "notebook", "openapi", "pdf", "plain", "rst")
SCHEMA = fingerprint(
    *(f"documents/{m}" for m in SHAPES.split()),
    *(f"documents/formats/{name}" for name in FORMATS),
    *("code/compressed_lines", "code/file_parsing", "code/posting_lists", "code/word_vectors", "code/vectors.npz"),
    *TOKENS,
    *REDACTION,
)
FILE = "docs.index"
MOST_LINKS = 500
TOO_LARGE = "it is too large"


def build_docs(root: str | Path, index_dir: str | Path, beside: Sequence[str] | None = None) -> Path:
    """Index the documents of a folder as they are on disk, and write ``index_dir/docs.index``; ``beside``: as `scan`.

    Raises:
        ToolUnavailable: the folder does not exist, or the index cannot be written.
    """
    folder = open_folder(root)
    path = Path(index_dir) / FILE
    old = read_container(path)
    if old and (old.meta.get("schema"), old.meta.get("root")) != (SCHEMA, str(folder)):
        old = None
    found = list(scan(folder, beside))
    rows, skipped, contents = read_rows(found, old)
    meta, repo = commit_of(folder)
    committed = {b.path.removeprefix(meta["prefix"]): b.hash for b in list_files(repo, meta["commit"])} if repo else {}
    tracked = [row.record.path for row in rows if committed.get(row.record.path) == row.record.blob]
    rows = dated(placed(rows, contents), repo, meta["commit"], set(tracked), old.meta["commit"] if old else "")
    told = {"files": [[name, *stamp] for name, _, stamp in found], "skipped": skipped, "tracked": tracked}
    arrays = assemble(rows, from_arrays(old.arrays, "unit") if old else None)
    try:
        write_container(path, {"schema": SCHEMA, "root": str(folder), **told, **meta}, arrays)
    except OSError as error:
        raise ToolUnavailable(f"the index cannot be written to {index_dir}: {error.strerror}") from error
    return path


def read_rows(
    found: Sequence[tuple[str, File, Stamp]], old: Container | None
) -> tuple[list[Row], dict[str, str], dict[str, tuple[str, ...]]]:
    """The documents, why the others were not read, and what pages of contents say that pages lie under."""
    known = {row.record.path: row for row in old_rows(old)} if old else {}
    before = {name: (mtime, size) for name, mtime, size in old.meta["files"]} if old else {}
    why = old.meta["skipped"] if old else {}
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    contents: dict[str, tuple[str, ...]] = {}
    for number, (name, file, stamp) in enumerate(found):
        tell(number, len(found))
        same = before.get(name) == tuple(stamp)
        if same and name in why:
            skipped[name] = why[name]
        elif same and name in known:
            rows.append(known[name])
        elif is_too_large(name, stamp.st_size):
            skipped[name] = TOO_LARGE
        elif not same or name.lower().endswith(("index.html", "index.htm")):
            try:
                source = file.read_bytes()
            except OSError as error:
                skipped[name] = str(error.strerror or error)  # it went away, or may not be read
                continue
            folder = name.rpartition("/")[0]
            if is_contents(name, source):
                contents |= {"/".join(p for p in (folder, page) if p): c for page, c in read_contents(source).items()}
                continue
            row = read_row(name, source, stamp, known.get(name), skipped)
            rows += [row] if row else []
    tell(len(found), len(found))
    return rows, skipped, contents


def count_skipped(reasons: Iterable[str]) -> dict[str, int]:
    """How many files were left out as too large, binary or unreadable, most first."""
    kinds = {TOO_LARGE: "too large", IS_BINARY: "binary"}
    return dict(Counter(kinds.get(why, "unreadable") for why in reasons).most_common())


def read_row(name: str, source: bytes, stamp: Stamp, known: Row | None, skipped: dict[str, str]) -> Row | None:
    """A document, taken over from the earlier index when it is the same; None when it is none."""
    blob = hashlib.sha1(b"blob %d\0%b" % (len(source), source), usedforsecurity=False).hexdigest()
    if known and known.record.blob == blob:
        return replace(known, record=replace(known.record, mtime_ns=stamp.st_mtime_ns, size=stamp.st_size))
    try:
        document = read_source(without_ids(name), redact_source(source))
    except Unreadable as error:
        skipped[name] = str(error)
        return None
    if document is None:
        return None
    if document.extracted:  # what was no text before
        document = replace(document, lines=tuple(redact_text("\n".join(document.lines)).split("\n")))
    return Row(record_of(name, blob, stamp, document), pack(document.lines), None)


def record_of(name: str, blob: str, stamp: Stamp, document: Document) -> DocRecord:
    """What is known of a document by itself."""
    kind = kind_of(name, document)
    return DocRecord(
        path=name,
        blob=blob,
        mtime_ns=stamp.st_mtime_ns,
        size=stamp.st_size,
        kind=kind,
        title=document.title,
        sections=document.sections,
        extracted=document.extracted,
        links=document.links[:MOST_LINKS],
        address=document.address,
        crumbs=document.crumbs or notion_crumbs(name),
        standing=decision_status(kind, document),
    )


def placed(rows: Sequence[Row], contents: Mapping[str, tuple[str, ...]]) -> list[Row]:
    """Give documents what only the others tell: their successor, the pages above them, their address on a site."""
    newer = successors({row.record.path: row.record.standing for row in rows})
    pages = is_mirror(row.record.path for row in rows)
    out = []
    for row in rows:
        record = row.record
        more: dict[str, Any] = {"successor": newer.get(record.path, "")}
        if not record.crumbs and contents.get(record.path):
            more["crumbs"] = contents[record.path]
        if suffix_of(record.path) in {".html", ".htm", ".xhtml"}:
            more["address"] = page_address(record.path, record.address) if pages else ""
        out.append(replace(row, record=replace(record, **more)))
    return out


def dated(rows: Sequence[Row], repo: Repository | None, commit: str, tracked: set[str], before: str) -> list[Row]:
    """Say when each document was changed last: the commit that touched it, else when it was written to disk."""
    known = {r.record.path for r in rows if r.record.last_commit} & tracked
    found: dict[str, tuple[str, int]] = {}
    if repo and known and before != commit:
        found = last_changes(repo, commit, known, since=before)
    if repo and tracked - known:
        found |= last_changes(repo, commit, tracked - known)
    out = []
    for row in rows:
        record = row.record
        if record.path not in tracked:
            last = ("", record.mtime_ns // 1_000_000_000)
        else:
            last = found.get(record.path, (record.last_commit, record.changed if record.last_commit else 0))
        out.append(replace(row, record=replace(record, last_commit=last[0], changed=last[1])))
    return out
