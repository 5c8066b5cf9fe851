"""A folder of documents -> an index file, reading only files that the last index does not hold."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from workers.errors import ToolUnavailable
from workers.search.code.packed import pack, unpack
from workers.search.code.postings import Array, Postings, WordCounter, combine, from_arrays
from workers.search.code.store import Container, fingerprint, read_container, write_container
from workers.search.code.vectors import directions
from workers.search.documents.document import Document, Link
from workers.search.documents.exports import (
    is_contents,
    is_mirror,
    notion_crumbs,
    page_address,
    read_contents,
    without_ids,
)
from workers.search.documents.files import File, Stamp, commit_of, is_current, last_changes, open_folder, scan
from workers.search.documents.kinds import UNSAID, Standing, kind_of, standing_of, successors
from workers.search.documents.links import References
from workers.search.documents.sections import IS_BINARY, Section, Unreadable, is_too_large, read_source, suffix_of
from workers.search.git import Repository, list_files
from workers.search.progress import tell
from workers.search.words.tokens import WORD, routes_in, terms_of

__all__ = [
    "BODY",
    "FILE",
    "SCHEMA",
    "DocRecord",
    "build_docs",
    "commit_of",
    "is_current",
    "open_folder",
    "read_records",
]

FORMATS = ("asciidoc", "html", "markdown", "notebook", "openapi", "pdf", "plain", "rst")
SCHEMA = fingerprint(
    *(f"documents/{m}" for m in ("build", "exports", "files", "kinds", "links", "document", "sections")),
    *(f"documents/formats/{name}" for name in FORMATS),
    *("code/parse", "code/postings", "code/vectors", "words/tokens"),
)
FILE = "docs.index"
BODY, HEADING, CRUMBS = range(3)
FIELDS = 3
MOST_LINKS = 500
TOO_LARGE = "it is too large"


@dataclass(frozen=True)
class DocRecord:
    """One document. ``mtime_ns`` and ``size`` tell whether it may have changed, ``blob`` (as git hashes) whether.

    ``extracted``: its lines were taken out of the file, they are not the file's own. ``address``: of a page of a
    mirrored site. ``crumbs``: the pages that it lies under. ``standing``: what it says of itself; ``successor``: the
    path of the document that replaces it. ``last_commit`` and ``changed`` (epoch seconds): when it was changed last, as
    git knows, else as the disk does.
    """

    path: str
    blob: str
    mtime_ns: int
    size: int
    kind: str
    title: str
    sections: tuple[Section, ...]
    extracted: bool = False
    links: tuple[Link, ...] = ()
    address: str = ""
    crumbs: tuple[str, ...] = ()
    standing: Standing = UNSAID
    successor: str = ""
    last_commit: str = ""
    changed: int = 0

    @property
    def status(self) -> str:
        """Superseded, rejected, deprecated, accepted, proposed, or empty when it says nothing."""
        return "superseded" if self.successor else self.standing.status


@dataclass(frozen=True)
class Row:
    """A document on its way into an index: its text, and where its sections begin in the earlier index, if there."""

    record: DocRecord
    packed: bytes
    position: int | None


def build_docs(root: str | Path, index_dir: str | Path) -> Path:
    """Index the documents of a folder as they are on disk, and write ``index_dir/docs.index``.

    Raises:
        ToolUnavailable: the folder does not exist, or the index cannot be written.
    """
    folder = open_folder(root)
    path = Path(index_dir) / FILE
    old = read_container(path)
    if old and (old.meta.get("schema"), old.meta.get("root")) != (SCHEMA, str(folder)):
        old = None
    found = list(scan(folder))
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
        document = read_source(without_ids(name), source)
    except Unreadable as error:
        skipped[name] = str(error)
        return None
    if document is None:
        return None
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
        standing=standing_of(kind, document),
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


def assemble(rows: Sequence[Row], old: Postings | None) -> dict[str, Array]:
    """Lay records, texts and postings out as arrays."""
    starts = np.cumsum([0, *(len(r.record.sections) for r in rows)])
    size = int(starts[-1])
    kept = np.full(old.size if old else 0, -1, np.int64)
    fresh: list[tuple[int, Row]] = []
    for start, row in zip(starts.tolist(), rows, strict=False):
        if row.position is None:
            fresh.append((start, row))
        else:
            n = len(row.record.sections)
            kept[row.position : row.position + n] = np.arange(start, start + n)
    counter = WordCounter(FIELDS)
    for start, row in fresh:
        for unit, field, words in row_words(start, row):
            counter.add(unit, field, words)
    added = np.full(size, -1, np.int64)
    for start, row in fresh:
        added[start : start + len(row.record.sections)] = np.arange(start, start + len(row.record.sections))
    parts = [(counter.postings(size, terms_of), added)] + ([(old, kept)] if old else [])
    packed = [r.packed for r in rows]
    records = json.dumps([asdict(r.record) for r in rows])
    units = combine(parts, size, FIELDS)
    return (
        units.arrays("unit")
        | said_of([r.record for r in rows]).arrays("said")
        | {
            "directions": directions(units),
            "records": np.frombuffer(records.encode(), np.uint8),
            "packed": np.frombuffer(b"".join(packed), np.uint8),
            "ends": np.cumsum([0, *map(len, packed)], dtype=np.int64),
        }
    )


def said_of(records: Sequence[DocRecord]) -> Postings:
    """What the links of other documents say of each."""
    numbers, references = {r.path: i for i, r in enumerate(records)}, References(records)
    counter = WordCounter(1)
    for record in records:
        for path, words in references.said(record):
            counter.add(numbers[path], 0, set(WORD.findall(words)))
    return counter.postings(len(records), terms_of)


def row_words(start: int, row: Row) -> Iterator[tuple[int, int, list[str]]]:
    """Words of a document's sections by field."""
    lines = unpack(row.packed)
    for unit, section in enumerate(row.record.sections, start):
        text = "\n".join(lines[section.start - 1 : section.end])
        yield unit, BODY, WORD.findall(text) + (routes_in(text) if "/" in text else [])
        yield unit, HEADING, WORD.findall(section.heading)
        above = (row.record.title, *row.record.crumbs, *section.breadcrumb[:-1], name_of(row.record.path))
        yield unit, CRUMBS, [w for crumb in dict.fromkeys(above) for w in WORD.findall(crumb)]


def name_of(path: str) -> str:
    """The words of a path."""
    return without_ids(path).rpartition(".")[0]


def old_rows(old: Container) -> Iterator[Row]:
    """All documents of an earlier index."""
    at = 0
    ends, packed = old.arrays["ends"].tolist(), old.arrays["packed"]
    for i, record in enumerate(read_records(old)):
        yield Row(record, packed[ends[i] : ends[i + 1]].tobytes(), at)
        at += len(record.sections)


def read_records(container: Container) -> list[DocRecord]:
    """The records that `assemble` laid out."""
    return [read_record(r) for r in json.loads(container.arrays["records"].tobytes())]


def read_record(raw: Mapping[str, Any]) -> DocRecord:
    """One record from JSON."""
    sections = tuple(
        Section(
            **{
                **s,
                "breadcrumb": tuple(s["breadcrumb"]),
                "steps": tuple((t, n) for t, n in s["steps"]),
                "names": tuple(s["names"]),
            }
        )
        for s in raw["sections"]
    )
    own = raw["standing"]
    standing = Standing(own["status"], tuple(own["by"]), tuple(own["of"]))
    links = tuple(Link(*link) for link in raw["links"])
    return DocRecord(
        **{**raw, "sections": sections, "standing": standing, "links": links, "crumbs": tuple(raw["crumbs"])}
    )
