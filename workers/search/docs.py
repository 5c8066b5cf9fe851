"""Search over a folder of documents, a section at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from workers.errors import ToolUnavailable
from workers.search.cover import Coverage, check_coverage
from workers.search.doc_build import (
    BODY,
    FILE,
    SCHEMA,
    DocRecord,
    build_docs,
    commit_of,
    open_folder,
    read_records,
    scan,
)
from workers.search.excerpt import densest
from workers.search.files import HISTORY
from workers.search.links import fill, heading_link
from workers.search.parse import unpack
from workers.search.postings import Postings, WordCounter, from_arrays, idf
from workers.search.query import Query, read_query
from workers.search.rank import Floats
from workers.search.routes import resolve_route
from workers.search.sections import Section
from workers.search.store import Container, read_container
from workers.search.tokens import terms_of
from workers.search.vocabulary import ALTERNATES

K1, B = 1.6, 0.6
FIELD_WEIGHTS = np.array([1.0, 5.0, 0.8])
WHOLE_DOCUMENT, FILE_K1 = 0.5, 6.0
ALTERNATE, COMPOUND, ROUTE, PHRASE = 0.3, 0.25, 0.6, 0.6
TOP_SECTION, BARE_TITLE, BARE_WORDS = 0.85, 0.65, 20
ASKED_KIND = 1.35
LOGBOOK = 0.6
LOOK_AT = 40
KIND_INTENTS = {
    kind: re.compile(rf"\b({words})\b", re.IGNORECASE)
    for kind, words in {
        "runbook": r"run-?books?|play-?books?|mitigat\w*|on-?call|what (should|do) (i|we) do|recover|roll(ing)? ?back"
        r"|how (do|to|can) (i|we)? ?(fix|restore|debug)|spik\w+|slow|outage|failing|latency|errors?",
        "adr": r"adrs?|why (did|do|have|are) we|why (was|were)|decid\w*|decisions?|rationale|chose|chosen|trade-?offs?",
        "postmortem": r"post-?mortems?|rca|(last|previous|past) (incident|outage)s?|happened before",
        "design": r"design\w*|architecture|overview|how (is|are|does) .*(work|works|wired|built|structured)",
    }.items()
}


@dataclass(frozen=True)
class DocHit:
    """Lines of one section. ``start_line`` and ``end_line`` are those of ``excerpt``, which is exactly those lines.

    ``kind`` is runbook, adr, postmortem, design or guide; ``steps`` are all list items of the section with their
    lines; ``score`` is 0..1; ``commit`` is empty when the file differs from what is committed.
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


@dataclass(frozen=True)
class DocResults:
    """Hits for a question, and what of it was found."""

    hits: tuple[DocHit, ...]
    coverage: Coverage
    query: Query


class DocIndex:
    """An opened index. Safe to share between threads; nothing in it changes."""

    def __init__(self, container: Container, template: str = "") -> None:
        self.container = container
        self.meta = container.meta
        self.template = template
        self.records: list[DocRecord] = read_records(container)
        self.words: Postings = from_arrays(container.arrays, "unit")
        self.path_words: Postings = WordCounter(1).postings(0, terms_of)
        self.registered: frozenset[str] = frozenset()
        self.paths = [r.path for r in self.records]
        self.units: list[tuple[int, Section]] = [(f, s) for f, r in enumerate(self.records) for s in r.sections]
        self.file_of: NDArray[np.int64] = np.array([f for f, _ in self.units], np.int64)

    @property
    def standing(self) -> tuple[int, int]:
        """How many documents and sections there are."""
        return len(self.records), len(self.units)

    @classmethod
    def build(cls, root: str | Path, index_dir: str | Path, template: str = "") -> DocIndex:
        """Index the documents of a folder as they are on disk; unchanged ones are not read again.

        Raises:
            ToolUnavailable: the folder does not exist, or the index cannot be written.
        """
        build_docs(root, index_dir)
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
        return cls(container, template)

    @classmethod
    def ensure(cls, root: str | Path, index_dir: str | Path, template: str = "") -> DocIndex:
        """Open the index when nothing changed on disk since, else bring it up to date first.

        Raises:
            ToolUnavailable: the folder does not exist, or the index cannot be written.
        """
        folder = open_folder(root)
        try:
            index = cls.open(index_dir, template)
        except ToolUnavailable:
            return cls.build(root, index_dir, template)
        return index if index.is_current(folder) else cls.build(root, index_dir, template)

    def is_current(self, folder: Path) -> bool:
        """True when no document was added, removed or touched since, and the commit is the same."""
        before = [(r.path, r.mtime_ns, r.size) for r in self.records]
        now = [(name, stat.st_mtime_ns, stat.st_size) for name, _, stat in scan(folder)]
        same = self.meta["root"] == str(folder) and commit_of(folder)[0].items() <= self.meta.items()
        return same and before == now

    @cached_property
    def lines_of(self) -> Callable[[int], list[str]]:
        """Lines of a document, kept for those asked for most recently."""
        ends, packed = self.container.arrays["ends"], self.container.arrays["packed"]

        @lru_cache(maxsize=256)
        def read(file: int) -> list[str]:
            return unpack(packed[ends[file] : ends[file + 1]].tobytes())

        return read

    @cached_property
    def tracked(self) -> frozenset[str]:
        """Documents that are on disk as they are committed."""
        return frozenset(self.meta["tracked"])

    def search(self, query: str, k: int = 10, *, kind: str = "", max_lines: int = 24) -> list[DocHit]:
        """Find the sections that answer a question, best first; nothing when no document speaks of it.

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
        scores, rarity = self.score(asked)
        coverage = check_coverage(self, asked, scores, prose=True)
        if kind:
            scores = scores * np.array([self.records[f].kind == kind for f in self.file_of])
        found = np.flatnonzero(scores > 0) if coverage.covered else np.empty(0, np.int64)
        if path:
            found = np.flatnonzero([self.records[f].path == path for f in self.file_of])
        best = found[np.argsort(-scores[found], kind="stable")][:k]
        hits = tuple(self.hit(i, float(scores[i]), rarity, max_lines) for i in best.tolist())
        return DocResults(hits, coverage, asked)

    def score(self, query: Query) -> tuple[Floats, dict[str, float]]:
        """Score every section, and say what each term is worth."""
        size, files = len(self.units), len(self.records)
        length = self.words.lengths[:, BODY].astype(np.float64)
        norm = 1 - B + B * length / max(float(length.mean()), 1.0)
        own, whole, total = np.zeros(size), np.zeros(files), 0.0
        rarity: dict[str, float] = {}
        for term, weight in query.terms.items():
            dense = np.zeros(size)
            for other in (term, *ALTERNATES.get(term, ())):
                units, counts = self.words.get(other)
                dense[units] += (counts @ FIELD_WEIGHTS) * (1.0 if other == term else ALTERNATE)
            rarity[term] = weight * idf(size, len(self.words.get(term)[0]))
            total += rarity[term]
            own += rarity[term] * dense / (dense + K1 * norm)
            document = np.bincount(self.file_of, dense, files)
            whole += rarity[term] * document / (document + FILE_K1)
        scores = (own + WHOLE_DOCUMENT * whole[self.file_of] * (own > 0)) / (total or 1.0)
        for compound in query.compounds:
            scores[self.words.get(f"={compound}")[0]] += COMPOUND
        for route in query.routes:
            known = resolve_route(self.words, self.registered, route)
            scores[self.words.get(known)[0] if known else []] += ROUTE
        self.boost_phrases(query, scores)
        return scores * self.prior(query.text), rarity

    def boost_phrases(self, query: Query, scores: Floats) -> None:
        """Raise those of the best sections that hold quoted text word for word."""
        for i in np.argsort(-scores)[:LOOK_AT].tolist() if query.phrases else ():
            file, section = self.units[i]
            text = " ".join(self.lines_of(file)[section.start - 1 : section.end]).lower()
            scores[i] += PHRASE * sum(phrase in text for phrase in query.phrases)

    def prior(self, text: str) -> Floats:
        """Factors: sections of the kind that is asked for count more, a document's opening and change logs less."""
        wanted = [kind for kind, pattern in KIND_INTENTS.items() if pattern.search(text)]
        kinds = [
            (ASKED_KIND if r.kind in wanted else 1.0) * (LOGBOOK if HISTORY.search(r.path) else 1.0)
            for r in self.records
        ]
        factors = np.array(kinds)[self.file_of] if kinds else np.empty(0)
        return factors * self.openings

    @cached_property
    def openings(self) -> Floats:
        """Factors of the sections that open a document of several, less where they are hardly more than a title."""
        several = [len(r.sections) > 1 for r in self.records]
        words = self.words.lengths[:, BODY]
        return np.array(
            [
                1.0 if s.level > 1 or not several[f] else TOP_SECTION if words[i] >= BARE_WORDS else BARE_TITLE
                for i, (f, s) in enumerate(self.units)
            ]
        )

    def hit(self, unit: int, score: float, rarity: dict[str, float], max_lines: int) -> DocHit:
        """Show one section."""
        file, section = self.units[unit]
        record, lines = self.records[file], self.lines_of(file)
        start, end = densest(lines, (section.start, section.end), rarity, max_lines)
        return DocHit(
            path=record.path,
            start_line=start,
            end_line=end,
            title=record.title,
            heading=section.heading,
            breadcrumb=section.breadcrumb,
            anchor=section.anchor,
            kind=record.kind,
            url=self.link(record.path, section.anchor),
            excerpt="\n".join(lines[start - 1 : end]),
            score=round(score / (1 + score), 4),
            commit=self.meta["commit"] if record.path in self.tracked else "",
            steps=section.steps,
        )

    def link(self, path: str, anchor: str) -> str:
        """The address of a heading: by the template, else at the commit, else of the file on disk."""
        if self.template:
            filled = fill(self.template, {"path": quote(path), "anchor": anchor})
            return filled if anchor else filled.removesuffix("#")
        if path in self.tracked:
            known = heading_link(self.meta["remote"], self.meta["commit"], self.meta["prefix"] + path, anchor)
            if known:
                return known
        local = (Path(self.meta["root"]) / path).as_uri()
        return f"{local}#{anchor}" if anchor else local
