"""A document whole, or one of its sections with those below it, as a tool's output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workers.contracts import Evidence, Fact, ToolOutput
from workers.language.nearest_names import nearest_names, ranked_names
from workers.sources.connections.open_sources import Source
from workers.sources.documents.index import DocHit, DocIndex
from workers.sources.evidence.code_files_result import PIECE_CHARS
from workers.sources.history.file_lines import pieces
from workers.sources.history.hidden_values import whole_hidden
from workers.sources.history.path_matching import match_path

MOST_SECTIONS = 8
MOST_HEADINGS = 60
WHOLE = 100_000
Opened = Sequence[tuple[Source, DocIndex]]
Shown = Callable[[str, DocHit], Evidence]


@dataclass(frozen=True)
class Place:
    """A document of a source, by its number in the index."""

    source: Source
    index: DocIndex
    number: int

    @property
    def path(self) -> str:
        """Its path."""
        return self.index.records[self.number].path

    @property
    def title(self) -> str:
        """Its title."""
        return self.index.records[self.number].title

    def hits(self) -> list[DocHit]:
        """Its sections with all of their text, front matter left out."""
        units = [i for i, (file, _) in enumerate(self.index.units) if file == self.number]
        return [self.index.hit(i, 0.0, {}, WHOLE) for i in units if not self.index.is_front_matter(i)]


def find_document(opened: Opened, asked: str) -> tuple[list[Place], str, tuple[str, ...]]:
    """The documents that a path, title or address means, the anchor that it names, and else what comes near."""
    name, _, anchor = asked.strip().partition("#")
    places = [Place(source, index, n) for source, index in opened for n in range(len(index.records))]
    if re.match(r"[a-z][a-z0-9+.-]*://", name):
        return [p for p in places if at_address(p, name)], anchor, ()
    plain = " ".join(name.casefold().split())
    titled = [p for p in places if p.title.casefold() == plain]
    if titled:
        return titled, anchor, ()
    match = match_path(name, tuple(p.path for p in places))
    meant = [p for p in places if p.path in match.paths]
    if meant and re.search(r"[./]", name):
        return meant, anchor, ()
    words = plain.split()
    holding = [p for p in places if words and all(w in f"{p.title} {p.path}".casefold() for w in words)]
    holding += [p for p in meant if p not in holding]
    titles = list(dict.fromkeys(p.title for p in places))
    near = nearest_names([name], titles, limit=5, least=55) or match.nearest or ranked_names(name, titles, 3)
    return holding, anchor, near


def at_address(place: Place, address: str) -> bool:
    """Whether a document stands at an address, apart from the section that it names and how it is shown."""
    own = place.index.records[place.number].address
    known = {own} if own else {hit.url for hit in place.hits()[:1]}
    return bare(address) in {bare(k) for k in known}


def bare(address: str) -> str:
    """An address without its query, section and closing slash."""
    return re.split(r"[?#]", address)[0].rstrip("/")


def chosen_sections(hits: Sequence[DocHit], section: str) -> list[DocHit]:
    """The section of a heading or an anchor, else the first whose heading holds the words, with those below it."""
    wanted = section.strip().lstrip("#").strip().casefold()
    exact = [h for h in hits if wanted in {h.heading.casefold(), h.anchor.casefold()}]
    words = re.findall(r"\w+", wanted)
    holding = [h for h in hits if words and all(w in h.heading.casefold() for w in words)]
    found = (exact or holding)[:1]
    return [h for h in hits if found and h.breadcrumb[: len(found[0].breadcrumb)] == found[0].breadcrumb]


def show_document(place: Place, section: str, shown: Shown, problems: Sequence[str]) -> ToolOutput:
    """The document's headings, then its sections with all of their text; long ones in several pieces.

    ``data = {"path", "title", "source", "url", "headings": [{"heading", "level", "anchor"}], "sections", "cut"}``: the
    sections that are shown with heading, start_line, end_line and text, and what was left out.
    """
    hits = place.hits()
    wanted = chosen_sections(hits, section) if section else hits
    if not wanted:
        headings = [h.heading for h in hits]
        near = nearest_names([section], headings, limit=5, least=55) or tuple(headings[:5])
        return ToolOutput(status="empty", reason=f"{place.path} has no section {section!r}", nearest=near)
    some = wanted[:MOST_SECTIONS]
    left = [h.heading for h in wanted[MOST_SECTIONS:]]
    cut = f"left out, give one as section: {', '.join(left[:12])}{', …' if len(left) > 12 else ''}" if left else ""
    evidence = [e for hit in some for e in split(shown(place.source.name, hit), hit)]
    about = [] if len(hits) == 1 or section else [overview(place, hits, evidence[0])]
    count = f"{len(some)} of {len(hits)} sections" if len(some) < len(hits) else f"{len(hits)} sections"
    return ToolOutput(
        summary=f"{place.title} ({place.path}), {count}: {', '.join(h.heading for h in some)}",
        data=data_of(place, hits, some, cut),
        evidence=(*about, *evidence),
        reason="; ".join(filter(None, [cut, *problems])),
    )


def split(whole: Evidence, hit: DocHit) -> Iterator[Evidence]:
    """A section in pieces that can be shown whole."""
    whole = whole.model_copy(update={"facts": {n: f for n, f in whole.facts.items() if n != "score"}})
    lines = whole_hidden(hit.excerpt.split("\n"))
    spans = pieces(lines, hit.start_line, PIECE_CHARS)
    if len(spans) < 2:
        yield whole
        return
    for i, (start, end) in enumerate(spans, 1):
        facts = dict(whole.facts)
        if "lines" in facts:
            facts["lines"] = Fact(value=f"{hit.path}:{start}-{end}", unit="lines", entity=hit.path)
        text = "\n".join(lines[start - hit.start_line : end - hit.start_line + 1])
        title = f"{whole.title}, part {i} of {len(spans)}"
        yield whole.model_copy(update={"title": title, "excerpt": text, "facts": facts})


def overview(place: Place, hits: Sequence[DocHit], first: Evidence) -> Evidence:
    """The headings. Facts: title, path, doc_kind, source, sections; last_at, last_commit and doc_status where known."""
    top = min(len(h.breadcrumb) for h in hits)
    rows = [f"{'  ' * (len(h.breadcrumb) - top)}- {h.heading}" for h in hits[:MOST_HEADINGS]]
    more = [f"and {len(hits) - MOST_HEADINGS} more"] if len(hits) > MOST_HEADINGS else []
    names = ("title", "path", "doc_kind", "source", "last_at", "last_commit", "doc_status", "doc_successor")
    facts = {name: first.facts[name] for name in names if name in first.facts}
    facts["sections"] = Fact(value=len(hits), unit="count", entity=place.path)
    text = "\n".join([f"{place.title}, {hits[0].kind}, sections:", *rows, *more])[:PIECE_CHARS]
    link = (first.url or "").partition("#")[0] or None
    return Evidence(kind="doc", title=place.title, locator=place.path, url=link, excerpt=text, facts=facts)


def data_of(place: Place, hits: Sequence[DocHit], some: Sequence[DocHit], cut: str) -> dict[str, Any]:
    """The document as plain data."""
    return {
        "path": place.path,
        "title": place.title,
        "source": place.source.name,
        "url": hits[0].url,
        "headings": [{"heading": h.heading, "level": len(h.breadcrumb), "anchor": h.anchor} for h in hits],
        "sections": [
            {"heading": h.heading, "start_line": h.start_line, "end_line": h.end_line, "text": h.excerpt} for h in some
        ],
        "cut": cut,
    }
