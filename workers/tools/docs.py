"""doc_search: runbooks, decision records, designs and guides in the configured folders, read only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.contracts import Evidence, Fact, Landscape, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.ports import ToolContext
from workers.sources.code.question_coverage import Coverage
from workers.sources.connections.index_warmup import Warmer
from workers.sources.connections.multi_index_search import Survey, ask_all, open_all
from workers.sources.connections.open_sources import OpenSources, Source, open_code_sources, open_document_sources
from workers.sources.connections.source_status import joined, refreshed
from workers.sources.documents.document_links import CodePlace
from workers.sources.documents.index import DocHit, DocIndex
from workers.sources.documents.question_coverage import DOUBT
from workers.sources.evidence.document_code import CodeNames
from workers.toolkit.tool import Resources, Tool, ToolArgs

MAX_STEPS = 12
MAX_LINKS = 5
Opened = Sequence[tuple[Source, DocIndex]]


class DocOptions(BaseModel):
    """Options of ``doc_search`` in ``config/tools.yaml``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    excerpt_lines: int = Field(24, ge=3, le=200)


class DocArgs(ToolArgs):
    """What to look for."""

    query: str = Field(max_length=4_000, description="question or words")
    kind: Literal["", "runbook", "adr", "design", "postmortem", "guide"] = Field("", description="only such documents")
    path: str = Field("", max_length=500, description="all sections of this document, best first")
    k: int = Field(5, ge=1, le=20, description="how many sections")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool.

    Raises:
        pydantic.ValidationError: an option is unknown or out of range.
    """
    shelf, code = open_document_sources(resources.settings), open_code_sources(resources.settings)
    search = DocSearch(DocOptions.model_validate(options), shelf, CodeNames(code))
    return Tool(
        name="doc_search",
        purpose="search the documents",
        description="Find the sections of runbooks, decision records, designs and guides that answer a question.",
        access="read",
        args=DocArgs,
        run=search.run,
        ping=search.ping,
        landscape=search.landscape,
        refresh=search.refresh,
        prepare=search.warmer.prepare,
    )


class DocSearch:
    """The tool's state: its options and the opened indexes."""

    def __init__(self, options: DocOptions, shelf: OpenSources[DocIndex], code: CodeNames) -> None:
        self.options = options
        self.shelf = shelf
        self.warmer = Warmer(shelf, lambda index, question: index.find(question, 1))
        self.code = code

    def run(self, args: DocArgs, context: ToolContext) -> ToolOutput:
        """Answer one call.

        Returns:
            ``data = {"sections", "missing", "absent", "unavailable"}``: the sections as evidence holds them, then
            specific things and plain words of the question that no document names.

        Raises:
            ToolArgumentError: the query is empty.
            ToolUnavailable: no configured folder can be read.
        """
        if not args.query.strip():
            raise ToolArgumentError("query is empty; give a question or words")
        opened, problems = open_all(self.shelf, context.team)
        if not opened:
            return ToolOutput(status="empty", reason="no documents are connected", data=shape(Survey()))

        def ask(index: DocIndex) -> tuple[Sequence[DocHit], Coverage]:
            lines = self.options.excerpt_lines
            found = index.find(args.query, args.k, kind=args.kind, path=args.path, max_lines=lines)
            return found.hits, found.coverage

        survey = ask_all(opened, ask, args.k, problems)
        if not survey.hits:
            return nothing(survey, opened, args)
        best = survey.hits[0][1]
        return ToolOutput(
            summary=f"{len(survey.hits)} section{'s' * (len(survey.hits) > 1)}, first {best.path}#{best.anchor}",
            data=shape(survey) | {"unnamed": [] if args.path else doubts(survey, opened)},
            evidence=tuple(self.evidence(source.name, hit) for source, hit in survey.hits),
            reason="; ".join(problems),
        )

    def evidence(self, source: str, hit: DocHit) -> Evidence:
        """A section, with the files of connected repositories that its lines name."""
        named = self.code.named(hit.excerpt.split("\n"), hit.start_line)
        found = doc_evidence(source, hit)
        return found.model_copy(update={"facts": found.facts | code_facts(named)}) if named else found

    def ping(self) -> str:
        """Name every source with the number of its documents, bringing its index up to date.

        Raises:
            ToolUnavailable: one of them cannot be read.
        """
        return joined(self.refresh()) or "no documents are connected"

    def refresh(self) -> Iterator[tuple[str, bool]]:
        """Bring the index of each source up to date. Yields: as `source_status.refreshed`."""
        return refreshed("doc_search", self.shelf)

    def landscape(self, context: ToolContext) -> Landscape:
        """Titles of all documents."""
        try:
            opened, _ = open_all(self.shelf, context.team)
        except ToolUnavailable:
            return Landscape()
        return Landscape(documents=tuple(dict.fromkeys(r.title for _, index in opened for r in index.records)))


def shape(survey: Survey[DocHit]) -> dict[str, Any]:
    """The tool's JSON object."""
    return {
        "sections": [asdict(hit) | {"source": source.name} for source, hit in survey.hits],
        "missing": list(survey.missing),
        "absent": list(survey.absent),
        "unavailable": list(survey.unavailable),
    }


def doubts(survey: Survey[DocHit], opened: Opened) -> list[str]:
    """A sentence where it is doubtful that what was found answers, with what no document names."""
    if survey.chance >= DOUBT:
        return []
    where = ", ".join(source.name for source, _ in opened)
    words = ", ".join(f"“{name}”" for name in (survey.missing or survey.absent)[:3])
    said = f"names {words}" if words else "clearly speaks of all of this"
    return [f"no document in {where} {said}; what is shown lies nearest"]


def nothing(survey: Survey[DocHit], opened: Opened, args: DocArgs) -> ToolOutput:
    """An empty answer that says what was looked for, with the nearest titles that exist."""
    where = ", ".join(source.name for source, _ in opened)
    wanted = (survey.missing or survey.absent)[:5]
    subject = ", ".join(wanted) or f"what {args.query.strip()[:80]!r} asks for"
    which = f"{args.kind} in {where}" if args.kind else f"document in {where}"
    titles = [r.title for _, index in opened for r in index.records]
    headings = [s.heading for _, index in opened for _, s in index.units]
    routes = [route for _, index in opened for route in index.words.routes]
    return ToolOutput(
        status="empty",
        reason=f"no {which} mentions {subject}",
        nearest=nearest_names((*wanted, args.query), [*titles, *headings, *routes]),
        data=shape(survey),
    )


def doc_evidence(source: str, hit: DocHit) -> Evidence:
    """A section. Facts: title, heading, breadcrumb, doc_kind, path, lines, anchor, source, score, step_1, step_1_line.

    Further steps follow, at most twelve; commit when the file is as committed; owner where the section names one;
    doc_status and doc_successor of a decision record; last_at and last_commit; link_1, link_1_title of documents that
    it links to. Text that was taken out of a file has the fact extracted and no lines.
    """
    entity = hit.path
    facts = {
        "title": Fact(value=hit.title, entity=entity),
        "heading": Fact(value=hit.heading, entity=entity),
        "breadcrumb": Fact(value=" › ".join(hit.breadcrumb), entity=entity),
        "doc_kind": Fact(value=hit.kind, entity=entity),
        "path": Fact(value=hit.path, unit="path", entity=entity),
        **place_facts(hit),
        "anchor": Fact(value=hit.anchor, entity=entity),
        "source": Fact(value=source, entity=entity),
        "score": Fact(value=hit.score, unit="ratio", entity=entity),
    }
    if hit.commit:
        facts["commit"] = Fact(value=hit.commit, unit="commit", entity=entity)
    if owner := owner_in(hit.excerpt):
        facts["owner"] = Fact(value=owner, entity=entity)
    for i, (text, line) in enumerate(hit.steps[:MAX_STEPS], 1):
        facts[f"step_{i}"] = Fact(value=text, entity=entity)
        facts[f"step_{i}_line"] = Fact(value=line, unit="line", entity=entity)
    for i, link in enumerate(hit.links[:MAX_LINKS], 1):
        facts[f"link_{i}"] = Fact(value=link.shown, entity=entity)
        facts[f"link_{i}_title"] = Fact(value=link.title, entity=link.path)
    locator = f"{hit.path}#{hit.anchor}" if hit.anchor else hit.path
    return Evidence(kind="doc", title=hit.title, locator=locator, url=hit.url, excerpt=hit.excerpt, facts=facts)


def place_facts(hit: DocHit) -> dict[str, Fact]:
    """Where the text of a section stands, what its document says of its standing, and when it was changed last."""
    entity = hit.path
    if hit.extracted:
        facts = {"extracted": Fact(value=f"text taken out of {hit.path.rpartition('/')[2]}", entity=entity)}
    else:
        facts = {"lines": Fact(value=f"{hit.path}:{hit.start_line}-{hit.end_line}", unit="lines", entity=entity)}
    if hit.status:
        facts["doc_status"] = Fact(value=hit.status, entity=entity)
    if hit.successor:
        facts["doc_successor"] = Fact(value=hit.successor, unit="path", entity=entity)
    if hit.changed:
        at = datetime.fromisoformat(hit.changed)
        facts["last_at"] = Fact(value=hit.changed, unit="time", entity=entity, at=at)
    if hit.last_commit:
        facts["last_commit"] = Fact(value=hit.last_commit, unit="commit", entity=entity)
    return facts


def code_facts(named: Sequence[tuple[str, CodePlace]]) -> dict[str, Fact]:
    """Files that a section names: code_1, code_1_repository …"""
    facts = {}
    for i, (repository, place) in enumerate(named[:MAX_LINKS], 1):
        facts[f"code_{i}"] = Fact(value=place.shown, unit="lines" if place.start else "path", entity=place.path)
        facts[f"code_{i}_repository"] = Fact(value=repository, entity=place.path)
    return facts


NAME = r"(?P<{0}>[@#]?\w[\w&/@#-]*(?: (?!is\b|are\b|was\b|has\b|have\b|will\b|can\b|owns?\b)[\w&/@#-]+){{0,3}})"
END = r"(?=\s*(?:[.;,(|*]|$))"
START = r"(?:^|(?<=[.;!?)]\s)|(?<=[-*|]\s)|(?<=\*\*))"
OWNER = re.compile(
    rf"{START}(?:Team {NAME.format('team')}{END}"
    rf"|(?i:owners?|owning team|owned by|maintained by|maintainers?|escalate to|responsible)(?:\*\*)?\s*"
    rf"(?::|\||(?<=by)|(?<=to))(?:\*\*)?[ \t]*{NAME.format('named')}{END})",
    re.MULTILINE,
)
WRAPPED = re.compile(r"(?<!\n)\n(?!\s*(?:[-*#|>\n]|\d+[.)]))")
HEADER = re.compile(r"^[^|\n]*\|.*\n(?=[ \t|:-]*-[ \t|:-]*\n[^|\n]*\|)", re.MULTILINE)
"""The row above a table's rows: it names columns."""
NOBODY = re.compile(
    r"tb[acd]|to-?do|n/?a|none|nobody|no one|unknown|unowned|unassigned|unclear|pending|vacant|not .+|to be .+|see .+"
    r"|\w",
    re.IGNORECASE,
)
"""What stands where nobody is named."""


def owner_in(text: str) -> str:
    """The owner that a text names; empty when it names none."""
    for match in OWNER.finditer(WRAPPED.sub(" ", HEADER.sub("", text))):
        if not NOBODY.fullmatch((match["team"] or match["named"]).strip("_")):
            return f"team {match['team']}" if match["team"] else str(match["named"])
    return ""
