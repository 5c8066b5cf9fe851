"""Links between documents, and the files of a repository that a section names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Protocol
from urllib.parse import unquote, urljoin

from workers.sources.documents.document import Link, Section

SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
TRIED = (
    "",
    ".md",
    ".rst",
    ".adoc",
    ".html",
    ".mdx",
    ".ipynb",
    "/index.md",
    "/index.rst",
    "/index.html",
    "/README.md",
    "/_index.md",
)
NAMED = re.compile(
    r"(?<![\w./@:-])((?:\.{1,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+(?:Dockerfile|Makefile))"
    r"(?:(?::|#L|#lines-)(\d{1,6})(?:(?:-L?|:)(\d{1,6}))?)?(?![\w/])"
)
ON_FORGE = re.compile(
    r"https?://[^\s)>\]]+?/(?:-/)?(?:blob|tree|src)/[^/\s]+/([^\s)>\]#?]+)(?:[^\s)>\]#]*#L(\d+)(?:-L?(\d+))?)?"
)
MOST = 40
LONGEST = 2_000


@dataclass(frozen=True)
class CodePlace:
    """A file of a repository that a line of a document names. ``start`` and ``end`` are 0 when it names no lines."""

    line: int
    path: str
    start: int = 0
    end: int = 0

    @property
    def shown(self) -> str:
        """As a person writes it."""
        if not self.start:
            return self.path
        return f"{self.path}:{self.start}" + (f"-{self.end}" if self.end > self.start else "")


def resolve(path: str, target: str, paths: Container[str]) -> tuple[str, str] | None:
    """The document and the anchor that a link of another document leads to.

    Args:
        path: the document that holds the link.
        target: as written; ``doc:`` before a Sphinx document.
        paths: all documents.
    """
    sphinx = target.startswith(("doc:", "download:", "file:"))
    written = target.partition(":")[2] if sphinx else target
    place, _, anchor = written.partition("#")
    place = unquote(place.partition("?")[0])
    if not place:
        return path, unquote(anchor)
    if SCHEME.match(place) or place.startswith("//"):
        return None
    folder = path.rpartition("/")[0]
    for base in ([""] if place.startswith("/") else [folder]) + ([folder] if place.startswith("/") and sphinx else []):
        full = normpath("/".join(p for p in (base, place.strip("/")) if p)).removeprefix("./")
        stem = re.sub(r"\.(html?|md)$", "", full)
        for tried in dict.fromkeys([f"{full}{end}" for end in TRIED] + [f"{stem}{end}" for end in TRIED[1:]]):
            if tried in paths:
                return tried, unquote(anchor)
    return None


def code_places(lines: Sequence[str], first: int, files: Mapping[str, Sequence[str]]) -> Iterator[CodePlace]:
    """The files of a repository that lines name, each once, in order.

    Args:
        lines: some lines of a document.
        first: the number of the first one.
        files: paths of the repository by the name of the file, as `by_name` makes them.
    """
    seen: set[str] = set()
    for number, line in enumerate(lines, first):
        for pattern in (ON_FORGE, NAMED):
            for match in pattern.finditer(line[:LONGEST]):
                path = same_file(match[1], files)
                if path and path not in seen and len(seen) < MOST:
                    seen.add(path)
                    start = int(match[2] or 0)
                    yield CodePlace(number, path, start, max(int(match[3] or 0), start))


def may_name_code(lines: Sequence[str]) -> bool:
    """True when some line holds what looks like the name of a file."""
    return any(pattern.search(line[:LONGEST]) for line in lines for pattern in (ON_FORGE, NAMED))


def by_name(paths: Sequence[str]) -> dict[str, list[str]]:
    """Paths by the name of the file."""
    out: dict[str, list[str]] = {}
    for path in paths:
        out.setdefault(path.rpartition("/")[2], []).append(path)
    return out


def same_file(written: str, files: Mapping[str, Sequence[str]]) -> str:
    """The one file that a path or its end stands for; empty when there is none, or more than one."""
    wanted = re.sub(r"^(?:\.{0,2}/)+", "", unquote(written)).rstrip(".")
    pool = files.get(wanted.rpartition("/")[2], ())
    if wanted in pool:
        return wanted if "/" in wanted or len(pool) == 1 else ""
    ends = [p for p in pool if p.endswith(f"/{wanted}")]
    return ends[0] if len(ends) == 1 else ""


@dataclass(frozen=True)
class Linked:
    """A link of a document to another: its line, and where it leads."""

    line: int
    path: str
    anchor: str
    title: str

    @property
    def shown(self) -> str:
        """The place, as evidence names it."""
        return f"{self.path}#{self.anchor}" if self.anchor else self.path


class Linkable(Protocol):
    """What links need of a document."""

    @property
    def path(self) -> str:
        """Where it stands."""
        ...

    @property
    def title(self) -> str:
        """What it is called."""
        ...

    @property
    def address(self) -> str:
        """The page that it was, empty for none."""
        ...

    @property
    def links(self) -> tuple[Link, ...]:
        """Where it leads."""
        ...

    @property
    def sections(self) -> tuple[Section, ...]:
        """With anchors and names."""
        ...


class References:
    """The documents of one index, for links between them: by path, by label, and by the address of a page."""

    def __init__(self, records: Sequence[Linkable]) -> None:
        self.titles = {r.path: r.title for r in records}
        self.names = {name: (r.path, s.anchor) for r in records for s in r.sections for name in s.names}
        self.pages = {r.address.rstrip("/"): r.path for r in records if r.address}

    def of(self, record: Linkable, start: int, end: int) -> Iterator[Linked]:
        """Where the links of some lines lead, each place once; not those that lead nowhere or to the same section."""
        seen: set[tuple[str, str]] = set()
        for line, target, _ in record.links:
            place = self.place(record, target) if start <= line <= end else None
            if place and place not in seen and place != (record.path, ""):
                seen.add(place)
                yield Linked(line, *place, self.titles[place[0]])

    def said(self, record: Linkable) -> Iterator[tuple[str, str]]:
        """The other documents that one leads to, each with the words of the link."""
        for _, target, words in record.links:
            place = self.place(record, target) if words else None
            if place and place[0] != record.path:
                yield place[0], words

    def place(self, record: Linkable, target: str) -> tuple[str, str] | None:
        """The document and the anchor of one link."""
        if target.startswith("ref:"):
            return self.names.get(target[4:].strip().lower())
        if record.address:
            try:
                address, _, anchor = urljoin(record.address, target).partition("#")
            except ValueError:
                return None
            path = self.pages.get(address.partition("?")[0].rstrip("/")) or self.pages.get(address.rstrip("/"))
            if path:
                return path, unquote(anchor)
        return resolve(record.path, target, self.titles)
