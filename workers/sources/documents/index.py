"""Search over a folder of documents, a section at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from workers.contracts import rfc3339
from workers.errors import ToolUnavailable
from workers.language.tokens import terms_of
from workers.sources.code.array_file import Container, read_container
from workers.sources.code.compressed_lines import line_reader
from workers.sources.code.excerpt import MARKDOWN, densest, front_matter_end
from workers.sources.code.permalinks import fill, heading_link, permalink
from workers.sources.code.posting_lists import Postings, WordCounter, from_arrays
from workers.sources.code.question_coverage import Coverage, weigh_hits
from workers.sources.documents.document_files import is_current, open_folder
from workers.sources.documents.document_links import Linked, References
from workers.sources.documents.index_build import FILE, SCHEMA, build_docs
from workers.sources.documents.index_records import DocRecord, read_records
from workers.sources.documents.question_coverage import cover_documents
from workers.sources.documents.ranking import Sections, add_similarity, score_sections
from workers.sources.documents.section_reader import DESCRIPTIONS, Section, suffix_of
from workers.sources.documents.section_vectors import SectionVectors
from workers.sources.documents.table_rows import best_rows, table_rows
from workers.sources.terms.query_terms import Query, read_query

SHOWN_AS_SOURCE = DESCRIPTIONS | {".txt"}
MOST_ROWS = 12
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


@dataclass(frozen=True)
class DocHit:
    """Lines of one section. ``start_line`` and ``end_line`` are those of ``excerpt``, which is exactly those lines.

    ``kind`` is runbook, adr, postmortem, design or guide; ``steps`` are all list items of the section with their
    lines; ``score`` is 0..1; ``commit`` is empty when the file differs from what is committed. ``extracted``: lines
    are those of the text taken out of the file. ``status`` is what a decision record says of itself, ``successor`` the
    document that replaced it. ``changed`` (RFC 3339) and ``last_commit`` say when the document was changed last.
    ``links`` are the documents that the shown lines link to; ``rows`` are those of the section's tables with their
    lines, the ones that hold most of the question first. ``unmatched``: what of the question no document names.
    """

    path: str
    start_line: int
    end_line: int
    title: str
    heading: str
    breadcrumb: tuple[str, ...]
    anchor: str
    kind: str
    url: str
    excerpt: str
    score: float
    commit: str
    symbols: tuple[str, ...] = ()
    steps: tuple[tuple[str, int], ...] = ()
    extracted: bool = False
    status: str = ""
    successor: str = ""
    changed: str = ""
    last_commit: str = ""
    links: tuple[Linked, ...] = ()
    rows: tuple[tuple[str, int], ...] = ()
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True)
class DocResults:
    """Hits for a question, and what of it was found."""

    hits: tuple[DocHit, ...]
    coverage: Coverage
    query: Query


class DocIndex:
    """An opened index. Safe to share between threads; nothing in it changes but which sections are encoded."""

    def __init__(self, container: Container, template: str = "", vectors: SectionVectors | None = None) -> None:
        self.container = container
        self.meta = container.meta
        self.template = template
        self.vectors = vectors
        self.records: list[DocRecord] = read_records(container)
        self.words: Postings = from_arrays(container.arrays, "unit")
        self.path_words: Postings = WordCounter(1).postings(0, terms_of)
        self.registered: frozenset[str] = frozenset()
        self.paths = [f"{self.meta['prefix']}{r.path}" for r in self.records]  # as the repository names them
        self.units: list[tuple[int, Section]] = [(f, s) for f, r in enumerate(self.records) for s in r.sections]
        self.file_of: NDArray[np.int64] = np.array([f for f, _ in self.units], np.int64)

    @property
    def standing(self) -> tuple[int, int]:
        """How many documents and sections there are."""
        return len(self.records), len(self.units)

    @classmethod
    def build(
        cls, root: str | Path, index_dir: str | Path, template: str = "", beside: Sequence[str] | None = None
    ) -> DocIndex:
        """Index the documents of a folder as they are on disk; unchanged ones are not read again.

        ``beside``: as `scan`.

        Raises:
            ToolUnavailable: the folder does not exist, or the index cannot be written.
        """
        build_docs(root, index_dir, beside)
        return cls.open(index_dir, template)

    @classmethod
    def open(cls, index_dir: str | Path, template: str = "") -> DocIndex:
        """Open an index.

        Raises:
            ToolUnavailable: it is missing, damaged or of another version.
        """
        container = read_container(Path(index_dir) / FILE)
        if container is None or container.meta.get("schema") != SCHEMA:
            raise ToolUnavailable(f"{index_dir} holds no readable document index; build it again")
        return cls(container, template, SectionVectors(Path(index_dir), container.identity))

    @classmethod
    def ensure(
        cls, root: str | Path, index_dir: str | Path, template: str = "", beside: Sequence[str] | None = None
    ) -> DocIndex:
        """Open the index when nothing changed on disk since, else bring it up to date first.

        ``beside``: as `scan`.

        Raises:
            ToolUnavailable: the folder does not exist, or the index cannot be written.
        """
        folder = open_folder(root)
        try:
            index = cls.open(index_dir, template)
        except ToolUnavailable:
            return cls.build(root, index_dir, template, beside)
        return index if index.is_current(folder, beside) else cls.build(root, index_dir, template, beside)

    def is_current(self, folder: Path, beside: Sequence[str] | None = None) -> bool:
        """True when no document was added, removed or touched since, and the commit is the same."""
        return is_current(self.meta, folder, beside)

    @cached_property
    def lines_of(self) -> Callable[[int], list[str]]:
        """Lines of a document, kept for those asked for most recently."""
        ends, packed = self.container.arrays["ends"], self.container.arrays["packed"]
        return line_reader(lambda i: packed[ends[i] : ends[i + 1]].tobytes(), 256)

    @cached_property
    def sections(self) -> Sections:
        """What is ranked."""
        said, directions = from_arrays(self.container.arrays, "said"), self.container.arrays["directions"]
        return Sections(self.records, self.units, self.file_of, self.words, self.lines_of, self.paths, said, directions)

    @cached_property
    def references(self) -> References:
        """Links between the documents."""
        return References(self.records)

    @cached_property
    def tracked(self) -> frozenset[str]:
        """Documents that are on disk as they are committed."""
        return frozenset(self.meta["tracked"])

    def search(self, query: str, k: int = 10, *, kind: str = "", max_lines: int = 24) -> list[DocHit]:
        """Find the sections nearest to a question, best first; ``unmatched`` of a hit says what no document names.

        Args:
            query: a question or words.
            k: how many hits.
            kind: only runbook, adr, postmortem, design or guide.
            max_lines: longer sections are shown by the lines that answer best.
        """
        return list(self.find(query, k, kind=kind, max_lines=max_lines).hits)

    def find(self, query: str, k: int = 10, *, kind: str = "", path: str = "", max_lines: int = 24) -> DocResults:
        """As `search`, with what of the question was found; with ``path``, all sections of that one document."""
        asked = read_query(query, prose=True)
        if not self.units or not asked.terms:
            return DocResults((), Coverage(False, asked.routes, asked.words), asked)
        scores, rarity = score_sections(self.sections, asked)
        coverage = cover_documents(self, self.sections, asked, scores, rarity)
        near = self.vectors.similarity(query) if self.vectors else None
        if kind:
            scores = scores * (self.sections.kinds == kind)
        if near is not None:
            scores = add_similarity(scores, np.where(self.sections.kinds == kind, near, np.nan) if kind else near)
        found = np.flatnonzero([self.records[f].path == path for f in self.file_of] if path else scores > 0)
        ranked = found[np.argsort(-scores[found], kind="stable")].tolist()
        best = islice((i for i in ranked if not self.is_front_matter(i)), k)
        hits = weigh_hits((self.hit(i, float(scores[i]), rarity, max_lines) for i in best), coverage)
        return DocResults(hits, replace(coverage, covered=coverage.covered and bool(hits)), asked)

    def texts(self) -> Iterator[tuple[int, str, str]]:
        """Each section that says something: its number, what stands above it, its lines below its heading."""
        for unit, (file, section) in enumerate(self.units):
            if not self.is_front_matter(unit):
                above = dict.fromkeys((self.records[file].title, *section.breadcrumb, section.heading))
                lines = self.lines_of(file)
                head = front_matter_end(lines) if self.records[file].path.endswith(MARKDOWN) else 0
                first = max(section.start - 1, head) + bool(section.heading)
                yield unit, " > ".join(filter(None, above)), "\n".join(lines[first : section.end]).strip()

    def is_front_matter(self, unit: int) -> bool:
        """Whether a section holds nothing else."""
        file, section = self.units[unit]
        opens = section.start == 1 and self.records[file].path.endswith(MARKDOWN)
        return opens and front_matter_end(self.lines_of(file)) >= section.end

    def hit(self, unit: int, score: float, rarity: dict[str, float], max_lines: int) -> DocHit:
        """Show one section."""
        file, section = self.units[unit]
        record, lines = self.records[file], self.lines_of(file)
        head = front_matter_end(lines) if record.path.endswith(MARKDOWN) else 0
        first = max(section.start, head + 1) if head < section.end else section.start
        start, end = densest(lines, (first, section.end), rarity, max_lines)
        rows = table_rows(lines[first - 1 : section.end], first, extracted=record.extracted)
        return DocHit(
            path=record.path,
            start_line=start,
            end_line=end,
            title=record.title,
            heading=section.heading,
            breadcrumb=(*record.crumbs, *section.breadcrumb),
            anchor=section.anchor,
            kind=record.kind,
            url=address_of(
                self.meta, record, section, (start, end), self.template, tracked=record.path in self.tracked
            ),
            excerpt="\n".join(lines[start - 1 : end]),
            score=round(score / (1 + score), 4),
            commit=self.meta["commit"] if record.path in self.tracked else "",
            steps=section.steps,
            extracted=record.extracted,
            status=record.status,
            successor=record.successor,
            changed=rfc3339(datetime.fromtimestamp(record.changed, UTC)) if record.changed else "",
            last_commit=record.last_commit,
            links=tuple(self.references.of(record, start, end)),
            rows=tuple((row.text, row.line) for row in best_rows(rows, rarity, MOST_ROWS)),
        )
