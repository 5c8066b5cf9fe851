"""Documents as they are laid out in an index file: records, texts, and the words of sections."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from workers.language.tokens import WORD, routes_in, terms_of
from workers.sources.code.array_file import Container
from workers.sources.code.compressed_lines import unpack
from workers.sources.code.posting_lists import Array, Postings, WordCounter, combine
from workers.sources.code.word_vectors import directions
from workers.sources.documents.document import Link
from workers.sources.documents.document_kinds import UNSAID, DecisionStatus
from workers.sources.documents.document_links import References
from workers.sources.documents.export_names import without_ids
from workers.sources.documents.section_reader import Section

BODY, HEADING, CRUMBS = range(3)
FIELDS = 3


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
    standing: DecisionStatus = UNSAID
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
    standing = DecisionStatus(own["status"], tuple(own["by"]), tuple(own["of"]))
    links = tuple(Link(*link) for link in raw["links"])
    return DocRecord(
        **{**raw, "sections": sections, "standing": standing, "links": links, "crumbs": tuple(raw["crumbs"])}
    )
