"""A folder of documents -> an index file, reading only files that the last index does not hold."""

from __future__ import annotations

import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from workers.errors import ToolUnavailable
from workers.search.git import Repository, list_files, open_repository, remote_url, resolve
from workers.search.parse import text_of, unpack
from workers.search.postings import Array, Postings, WordCounter, combine, from_arrays
from workers.search.sections import SUFFIXES, Document, Section, read_document
from workers.search.store import Container, fingerprint, read_container, write_container
from workers.search.tokens import WORD, routes_in, terms_of

SCHEMA = fingerprint("doc_build", "parse", "postings", "sections", "tokens")
FILE = "docs.index"
BODY, HEADING, CRUMBS = range(3)
FIELDS = 3
MAX_BYTES = 1_000_000
MAX_FILES = 20_000
SKIPPED = frozenset({"node_modules", "vendor", "__pycache__", "site-packages", "dist", "target"})
BY_NAME = (
    ("runbook", re.compile(r"run-?books?|play-?books?|on-?call|\bsops?\b|troubleshoot", re.IGNORECASE)),
    ("adr", re.compile(r"\badrs?\b|\bdecisions?\b|decision-?records?", re.IGNORECASE)),
    ("postmortem", re.compile(r"post-?mortems?|\brcas?\b|retrospective|incident-?(report|review)s?", re.IGNORECASE)),
    ("design", re.compile(r"\bdesigns?\b|\brfcs?\b|architecture|proposals?\b|\bhld\b", re.IGNORECASE)),
)
ADR_HEADINGS = frozenset({"status", "context", "decision", "consequences"})


@dataclass(frozen=True)
class DocRecord:
    """One document. ``mtime_ns`` and ``size`` tell whether it may have changed, ``blob`` (as git hashes) whether."""

    path: str
    blob: str
    mtime_ns: int
    size: int
    kind: str
    title: str
    sections: tuple[Section, ...]


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
    known = {row.record.path: row for row in old_rows(old)} if old else {}
    rows = [row for name, file, stat in scan(folder) if (row := read_row(name, file, stat, known.get(name)))]
    meta, repo = commit_of(folder)
    committed = {b.path.removeprefix(meta["prefix"]): b.hash for b in list_files(repo, meta["commit"])} if repo else {}
    tracked = [row.record.path for row in rows if committed.get(row.record.path) == row.record.blob]
    arrays = assemble(rows, from_arrays(old.arrays, "unit") if old else None)
    try:
        write_container(path, {"schema": SCHEMA, "root": str(folder), "tracked": tracked, **meta}, arrays)
    except OSError as error:
        raise ToolUnavailable(f"the index cannot be written to {index_dir}: {error.strerror}") from error
    return path


def open_folder(root: str | Path) -> Path:
    """A folder that exists, as an absolute path."""
    folder = Path(root).expanduser().resolve()
    if not folder.is_dir():
        raise ToolUnavailable(f"{root} {'is not a folder' if folder.exists() else 'does not exist'}")
    return folder


def scan(folder: Path) -> Iterator[tuple[str, Path, os.stat_result]]:
    """Documents of a folder by path; hidden and installed folders, symbolic links and large files are left out."""
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        for name in files:
            file = Path(place, name)
            if file.suffix.lower() not in SUFFIXES or name.startswith(".") or file.is_symlink():
                continue
            stat = file.stat()
            if 0 < stat.st_size <= MAX_BYTES:
                found.append((file.relative_to(folder).as_posix(), file, stat))
    return iter(sorted(found, key=lambda row: row[0])[:MAX_FILES])


def read_row(name: str, file: Path, stat: os.stat_result, known: Row | None) -> Row | None:
    """A document, taken over from the earlier index when it is the same; None when it is no text."""
    if known and (known.record.mtime_ns, known.record.size) == (stat.st_mtime_ns, stat.st_size):
        return known
    try:
        source = file.read_bytes()
    except OSError:
        return None  # it went away, or may not be read
    if b"\0" in source[:8_000]:
        return None
    blob = hashlib.sha1(b"blob %d\0%b" % (len(source), source), usedforsecurity=False).hexdigest()
    if known and known.record.blob == blob:
        return replace(known, record=replace(known.record, mtime_ns=stat.st_mtime_ns, size=stat.st_size))
    lines = text_of(source)
    document = read_document(name, lines)
    kind = kind_of(name, document)
    record = DocRecord(name, blob, stat.st_mtime_ns, stat.st_size, kind, document.title, document.sections)
    return Row(record, zlib.compress("\n".join(lines).encode(), 1), None)


def kind_of(path: str, document: Document) -> str:
    """Runbook, adr, postmortem, design or guide: by folder and file name, then title, then headings."""
    for text in (path, document.title):
        for kind, pattern in BY_NAME:
            if pattern.search(text.replace("_", "-").replace("/", " / ")):
                return kind
    own = {s.heading.lower() for s in document.sections}
    return "adr" if len(own & ADR_HEADINGS) >= 3 else "guide"


def commit_of(folder: Path) -> tuple[dict[str, str], Repository | None]:
    """The commit, remote and place of a folder in its repository; all empty without one."""
    try:
        repo = open_repository(folder)
        commit = resolve(repo)
    except ToolUnavailable:
        repo, commit = None, None
    if repo is None or commit is None or repo.root is None:
        return {"commit": "", "remote": "", "prefix": "", "top": ""}, None
    return {"commit": commit, "remote": remote_url(repo), "prefix": repo.prefix, "top": str(repo.root)}, repo


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
    return combine(parts, size, FIELDS).arrays("unit") | {
        "records": np.frombuffer(records.encode(), np.uint8),
        "packed": np.frombuffer(b"".join(packed), np.uint8),
        "ends": np.cumsum([0, *map(len, packed)], dtype=np.int64),
    }


def row_words(start: int, row: Row) -> Iterator[tuple[int, int, list[str]]]:
    """Words of a document's sections by field."""
    lines = unpack(row.packed)
    for unit, section in enumerate(row.record.sections, start):
        text = "\n".join(lines[section.start - 1 : section.end])
        yield unit, BODY, WORD.findall(text) + (routes_in(text) if "/" in text else [])
        yield unit, HEADING, WORD.findall(section.heading)
        above = (row.record.title, *section.breadcrumb[:-1], row.record.path.rpartition(".")[0])
        yield unit, CRUMBS, [w for crumb in dict.fromkeys(above) for w in WORD.findall(crumb)]


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


def read_record(raw: Mapping[str, object]) -> DocRecord:
    """One record from JSON."""
    found = dict(raw)
    sections = found.pop("sections")
    rebuilt = tuple(
        Section(**{**s, "breadcrumb": tuple(s["breadcrumb"]), "steps": tuple((t, n) for t, n in s["steps"])})
        for s in sections  # type: ignore[attr-defined]
    )
    return DocRecord(sections=rebuilt, **found)  # type: ignore[arg-type]
