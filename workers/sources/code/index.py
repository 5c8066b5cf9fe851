"""Search over the committed code of one repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from workers.errors import ToolUnavailable
from workers.language.stems import stem
from workers.language.tokens import NAME_PARTS, joined
from workers.sources.code.chunking import attached
from workers.sources.code.excerpt import MARKDOWN, front_matter_end, tighten
from workers.sources.code.file_kinds import HELD_DOWN, KINDS
from workers.sources.code.index_build import build_index, open_columns
from workers.sources.code.index_columns import Columns
from workers.sources.code.literal_places import LiteralPlace, literal_places
from workers.sources.code.permalinks import file_link, permalink
from workers.sources.code.posting_lists import idf
from workers.sources.code.question_coverage import Coverage, cover_code, weigh_hits
from workers.sources.code.ranking import Weights, best_chunks, first_files, restrict, score_parts
from workers.sources.code.ranking_model import rerank
from workers.sources.code.syntax_tree import Definition
from workers.sources.git import Repository, open_repository, resolve
from workers.sources.terms.query_terms import Query, read_query

IMPORT = re.compile(r"\s*(import|from|use|require|#include|using|export \{)\b")
PLAIN_WORD = re.compile(r"[a-z]+")
LITERAL = 0.99
"""The score of lines that hold a key as it is written: above that of anything ranked."""


@dataclass(frozen=True)
class CodeHit:
    """Lines of a file at a commit.

    Lines count from 1, both ends included; ``excerpt`` is exactly those lines. ``symbols`` are defined in the lines,
    or hold them. ``score`` is 0..1 and comparable between repositories. ``url`` is None when the repository is bare
    and its remote of no known host. ``kind`` is one of `files.KINDS`. ``key``: a name of the question that
    stands in the first line as it is written.
    """

    path: str
    start_line: int
    end_line: int
    symbols: tuple[str, ...]
    score: float
    excerpt: str
    commit: str
    url: str | None
    kind: str = "code"
    key: str = ""
    unmatched: tuple[str, ...] = ()


@dataclass(frozen=True)
class Use:
    """One line that uses a symbol."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Results:
    """Hits for a question, and what of it was found."""

    hits: tuple[CodeHit, ...]
    coverage: Coverage
    query: Query

    @property
    def likely_hits(self) -> tuple[CodeHit, ...]:
        """The hits, when they are likely to answer; else none."""
        return self.hits if self.coverage.likely else ()


class CodeIndex:
    """An opened index. Safe to share between threads; nothing in it changes."""

    def __init__(self, columns: Columns, template: str = "") -> None:
        self.columns = columns
        self.meta = columns.container.meta
        self.commit: str = self.meta["commit"]
        self.template = template or str(self.meta["remote"])

    @classmethod
    def build(cls, repo: str | Path, index_dir: str | Path, branch: str = "", template: str = "") -> CodeIndex:
        """Index the committed tree of HEAD or a branch; blobs already in an index there are not parsed again.

        Raises:
            ToolUnavailable: no repository, no such branch, or the folder cannot be written.
        """
        build_index(repo, index_dir, branch)
        return cls.open(index_dir, template)

    @classmethod
    def open(cls, index_dir: str | Path, template: str = "") -> CodeIndex:
        """Open an index.

        Raises:
            ToolUnavailable: it is missing, damaged or of another version.
        """
        columns = open_columns(Path(index_dir))
        if columns is None:
            raise ToolUnavailable(f"{index_dir} holds no readable code index; build it again")
        return cls(columns, template)

    @classmethod
    def ensure(cls, repo: str | Path, index_dir: str | Path, branch: str = "", template: str = "") -> CodeIndex:
        """Open the index when it is of the present commit, else bring it up to date first.

        Raises:
            ToolUnavailable: no repository, no such branch, or the folder cannot be written.
        """
        source = open_repository(repo)
        try:
            index = cls.open(index_dir, template)
        except ToolUnavailable:
            return cls.build(repo, index_dir, branch, template)
        return index if index.is_current(source, branch) else cls.build(repo, index_dir, branch, template)

    def is_current(self, source: Repository, branch: str = "") -> bool:
        """True when the index is of this repository's present commit."""
        same = (self.meta["repository"], self.meta["branch"]) == (str(source.path), branch)
        return same and self.commit == (resolve(source, branch) or "")

    @cached_property
    def root(self) -> Path | None:
        """The work tree, None when there is none."""
        return Path(self.meta["root"]) if self.meta["root"] else None

    def search(self, query: str, k: int = 10, *, path: str = "", max_lines: int | None = None) -> list[CodeHit]:
        """Find the code that lies nearest to a question, best first; ``unmatched`` of a hit says what nothing names.

        Args:
            query: a question, identifier, path, endpoint, environment variable or error message.
            k: how many hits.
            path: only files whose path begins so.
            max_lines: shorten each hit to the lines that answer best.
        """
        return list(self.find(query, k, path=path, max_lines=max_lines).hits)

    def find(self, query: str, k: int = 10, *, path: str = "", max_lines: int | None = None) -> Results:
        """As `search`, with what of the question was found.

        Where a key that the question names stands as it is written comes before what only resembles it.
        """
        asked = read_query(query)
        if not len(self.columns.chunks) or not (asked.terms or asked.routes):
            return Results((), Coverage(False, asked.routes, asked.words), asked)
        parts = score_parts(self.columns, asked, Weights())
        coverage = cover_code(self.columns, asked, parts)
        if path:
            parts = restrict(self.columns, parts, path)
        chunks, scores = rerank(self.columns, asked, parts)
        first = first_files(self.columns, chunks, scores) if asked.keys else {}
        literal = [self.literal_hit(place) for place in literal_places(self.columns, asked, max_lines, first, path)]
        if literal:
            coverage = replace(coverage, covered=True, chance=1.0)
        rarity = self.rarity(asked) if max_lines else {}
        found = (
            self.hit(i, score, asked, rarity, max_lines) for i, score in best_chunks(self.columns, chunks, scores, k)
        )
        rest = (hit for hit in found if not any(shares_lines(hit, other) for other in literal))
        hits = weigh_hits((*literal, *rest)[:k], coverage)
        return Results(hits, replace(coverage, covered=coverage.covered and bool(hits)), asked)

    def literal_hit(self, place: LiteralPlace) -> CodeHit:
        """Show lines that hold a key."""
        columns, path = self.columns, self.columns.paths[place.file]
        return CodeHit(
            path=path,
            start_line=place.start,
            end_line=place.end,
            symbols=(place.symbol,),
            score=LITERAL,
            excerpt="\n".join(columns.lines_of(place.file)[place.start - 1 : place.end]),
            commit=self.commit,
            url=self.link(path, place.start, place.end),
            kind=KINDS[int(columns.kinds[place.file])],
            key=place.key,
        )

    def hit(
        self, chunk: int, score: float, query: Query, rarity: Mapping[str, float], max_lines: int | None
    ) -> CodeHit:
        """Show one chunk."""
        columns = self.columns
        file, first, last = columns.chunks[chunk].tolist()
        lines, definitions = columns.lines_between(file, first, last + (max_lines or 0)), columns.outline_of(chunk)
        start, end = 1, last - first + 1
        if max_lines:
            named = named_definition(definitions, query, start, end)
            config = "config" in query.wants
            start, end = (
                (named.start, min(named.end, named.start + max_lines - 1))
                if named
                else tighten(lines, (start, end), definitions, rarity, max_lines, settings=config)
            )
        end = min(end, len(lines))
        path, above = columns.paths[file], first - 1
        if path.endswith(MARKDOWN) and (head := front_matter_end(columns.lines_of(file)) - above) < end:
            start = max(start, head + 1)
        return CodeHit(
            path=path,
            start_line=start + above,
            end_line=end + above,
            symbols=symbols(lines, definitions, start, end),
            score=round(score / (1 + score), 4),
            excerpt="\n".join(lines[start - 1 : end]),
            commit=self.commit,
            url=self.link(path, start + above, end + above),
            kind=KINDS[int(columns.kinds[file])],
        )

    def rarity(self, query: Query) -> dict[str, float]:
        """What each term, compound and route of a question is worth here."""
        terms = query.terms | dict.fromkeys((f"={c}" for c in query.compounds), 1.0) | dict.fromkeys(query.routes, 2.0)
        _, size = self.columns.standing
        return {t: w * idf(size, len(self.columns.words.get(t)[0])) for t, w in terms.items()}

    def link(self, path: str, start: int, end: int) -> str | None:
        """The address of lines at this commit, else of the file in the work tree."""
        known = permalink(self.template, self.commit, path, start, end)
        return known or (file_link(self.root, path, start, end) if self.root else None)

    def lines(self, path: str, start: int, end: int) -> str | None:
        """Lines of an indexed file, None when it is not indexed."""
        file = self.numbers.get(path)
        return None if file is None else "\n".join(self.columns.lines_of(file)[start - 1 : end])

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Path -> number of its file."""
        return {path: i for i, path in enumerate(self.columns.paths) if path}

    @cached_property
    def used_paths(self) -> dict[int, set[str]]:
        """Number of a file -> paths of the files that it uses; of those that were asked for so far."""
        return {}

    @cached_property
    def modules(self) -> dict[str, list[int]]:
        """Stem of a path -> numbers of its files."""
        out: dict[str, list[int]] = {}
        for path, i in self.numbers.items():
            out.setdefault(PurePosixPath(path).stem, []).append(i)
        return out

    def definitions(self, symbol: str) -> list[CodeHit]:
        """Where a symbol is defined, in any spelling (``retry_policy``, ``RetryPolicy``); sources before tests."""
        *scope, name = re.split(r"\.|::|#", symbol)
        columns = self.columns
        out = []
        for i in columns.defined(joined(name)):
            if scope and joined(scope[-1]) != joined(columns.scopes[i].rpartition(".")[2]):
                continue
            d, file = columns.definition(i), int(columns.chunks[columns.definition_rows[i, 0], 0])
            lines, path = columns.lines_of(file), columns.paths[file]
            kind = KINDS[int(columns.kinds[file])]
            score = (1.0 if d.name == name else 0.9) * (0.5 if kind in HELD_DOWN else 1.0)
            text = "\n".join(lines[d.start - 1 : d.end])
            url = self.link(path, d.start, d.end)
            out.append(CodeHit(path, d.start, d.end, (d.qualified,), score, text, self.commit, url, kind))
        return sorted(out, key=lambda h: (-h.score, h.path, h.start_line))

    def references(self, symbol: str, k: int = 20) -> list[Use]:
        """Lines that use a symbol, without those that define it; sources before tests, imports last."""
        name = re.split(r"\.|::|#", symbol)[-1]
        rows = sorted(self.uses(name), key=lambda r: r[:3])
        return [use for *_, use in rows[:k]]

    def uses(self, name: str) -> Iterator[tuple[int, str, int, Use]]:
        """Uses of a name with their sorting key."""
        columns, whole = self.columns, joined(name)
        pattern = use_of(name)
        units = {*columns.words.get(f"={whole}")[0].tolist(), *columns.words.get(stem(whole))[0].tolist()}
        defined = {(int(columns.chunks[c, 0]), s) for c, _, s, _ in columns.definition_rows[columns.defined(whole)]}
        for unit in sorted(units):
            file, start, end = columns.chunks[unit].tolist()
            held = 2 * (KINDS[int(columns.kinds[file])] in HELD_DOWN)
            lines = columns.lines_of(file)
            for n in range(start, min(end, len(lines)) + 1):
                text = lines[n - 1]
                if (file, n) not in defined and pattern.search(text):
                    late = held + bool(IMPORT.match(text))
                    yield late, columns.paths[file], n, Use(columns.paths[file], n, text.strip())

    def routes(self) -> list[str]:
        """Endpoints that the code registers, once each, in order of their files; regular expressions left out."""
        return list(dict.fromkeys(route for route, _, _ in self.columns.routes if "\\" not in route))


def shares_lines(one: CodeHit, other: CodeHit) -> bool:
    """True when two places of a file share lines."""
    return one.path == other.path and one.start_line <= other.end_line and other.start_line <= one.end_line


def named_definition(definitions: Sequence[Definition], query: Query, start: int, end: int) -> Definition | None:
    """The definition in a range that the question names as an identifier."""
    wanted = {joined(NAME_PARTS.split(name)[-1]) for name in query.names}
    return next((d for d in definitions if start <= d.start <= end and joined(d.name) in wanted), None)


def symbols(lines: list[str], definitions: Sequence[Definition], start: int, end: int) -> tuple[str, ...]:
    """The definition that a range opens inside of, if any, then those that begin in it."""
    begun = [d for d in definitions if start <= d.start <= end]
    opens_with_one = any(attached(lines, d.start, start) == start for d in begun)
    around = [] if opens_with_one else [d for d in definitions if d.start < start < d.end]
    inner = [min(around, key=lambda d: d.end - d.start)] if around else []
    return tuple(dict.fromkeys(d.qualified for d in (*inner, *begun)))


def use_of(name: str) -> re.Pattern[str]:
    """What a use of a name looks like; one that is also a plain word must be called, accessed or imported."""
    whole = rf"(?<!\w){re.escape(name)}(?!\w)"
    if not PLAIN_WORD.fullmatch(name):
        return re.compile(whole)
    return re.compile(rf"(?:\.|::|->){whole}|{whole}\s*\(|^\s*(?:from|import|use|require)\b.*{whole}")


NEAR = 20
"""A type and what is implemented for it are one when no more lines than these lie between them."""


def whole_lines(index: CodeIndex, hit: CodeHit) -> tuple[int, int]:
    """First and last line of the definition that begins in a hit, with those of its name beside it; else the hit's."""
    start, end = hit.start_line, hit.end_line
    if not hit.symbols:
        return start, end
    found = [d for d in index.definitions(hit.symbols[0]) if d.path == hit.path and d.symbols == hit.symbols[:1]]
    spans = sorted((d.start_line, d.end_line) for d in found)
    if not any(start <= first <= end for first, _ in spans):
        return start, end
    for _ in spans:
        near = [s for s in spans if s[0] <= end + NEAR and s[1] >= start - NEAR]
        start, end = min([start, *(s[0] for s in near)]), max([end, *(s[1] for s in near)])
    return start, end
