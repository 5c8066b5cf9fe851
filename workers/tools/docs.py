"""doc_search and read_document: runbooks, decision records, designs and guides in the configured folders, read only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.contracts import Evidence, Landscape, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import SHOWN_NEAREST, nearest_names
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.sources.connections.index_warmup import Warmer
from workers.sources.connections.multi_index_search import Survey, ask_all, open_all
from workers.sources.connections.open_sources import OpenSources, Source, open_code_sources, open_document_sources
from workers.sources.connections.source_status import joined, refreshed
from workers.sources.documents.index import DocHit, DocIndex
from workers.sources.evidence.document_code import CodeNames
from workers.sources.evidence.document_evidence import code_facts, doc_evidence
from workers.sources.evidence.search_result import names_of, nearest_only
from workers.sources.evidence.whole_document import find_document, show_document
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

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
    search = DocSearch(DocOptions.model_validate(options), resources.shared(Documents))
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


class ReadArgs(ToolArgs):
    """Which document."""

    path_or_title: str = Field(
        "",
        max_length=500,
        description="path or the end of one, title, or address: runbooks/search-latency.md, Service level objectives",
    )
    section: str = Field(
        "", max_length=300, description="only the section of this heading or anchor, with those below it: Rollback"
    )


def build_read_document(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    search = DocSearch(DocOptions(), resources.shared(Documents))
    return Tool(
        name="read_document",
        purpose="read a document",
        description="Read a connected document: its headings and all text of its sections (at most 8 a call), "
        "tables and steps included. Use it when doc_search found a part of a runbook and the whole is needed. Example: "
        '{"path_or_title": "runbooks/checkout-errors.md", "section": "Retry storm"}.',
        access="read",
        args=ReadArgs,
        run=search.read,
        prepare=search.warmer.prepare,
    )


class Documents:
    """What both tools read: the opened indexes, and the files of code that documents name."""

    def __init__(self, settings: Settings) -> None:
        self.shelf: OpenSources[DocIndex] = open_document_sources(settings)
        self.warmer = Warmer(self.shelf, lambda index, question: index.find(question, 1))
        self.code = CodeNames(open_code_sources(settings))


class DocSearch:
    """A tool's state: its options and what it reads."""

    def __init__(self, options: DocOptions, documents: Documents) -> None:
        self.options = options
        self.shelf, self.warmer, self.code = documents.shelf, documents.warmer, documents.code

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

        lines = self.options.excerpt_lines
        survey = ask_all(
            opened,
            lambda index: index.find(args.query, args.k, kind=args.kind, path=args.path, max_lines=lines),
            args.k,
            problems,
        )
        if not survey.covered and not (args.path and survey.hits):
            return nothing(survey, opened, args)
        best = survey.hits[0][1]
        return ToolOutput(
            summary=f"{len(survey.hits)} section{'s' * (len(survey.hits) > 1)}, first {best.path}#{best.anchor}",
            data=shape(survey) | {"unnamed": [] if args.path else doubts(survey, opened)},
            evidence=tuple(self.evidence(source.name, hit) for source, hit in survey.hits),
            reason="; ".join(problems),
        )

    def read(self, args: ReadArgs, context: ToolContext) -> ToolOutput:
        """Read a document.

        Returns: ``data`` as `sources.evidence.whole_document.show_document` says.

        Raises:
            ToolArgumentError: no document is asked for.
            ToolUnavailable: no configured folder can be read.
        """
        if not args.path_or_title.strip():
            raise ToolArgumentError("path_or_title is empty; give a path, a title or an address of a document")
        opened, problems = open_all(self.shelf, context.team)
        if not opened:
            return ToolOutput(status="empty", reason="no documents are connected")
        found, anchor, near = find_document(opened, args.path_or_title)
        if len(found) == 1:
            return show_document(found[0], args.section or anchor, self.evidence, problems)
        where = names_of(opened)
        if not found:
            reason = f"no document in {where} has the path, title or address {args.path_or_title!r}"
            return ToolOutput(status="empty", reason=reason, nearest=near)
        named = [f"{place.path} ({place.title})" for place in found[:8]]
        reason = f"{args.path_or_title!r} may be any of {len(found)} documents: {', '.join(named)}"
        return ToolOutput(status="empty", reason=reason, nearest=tuple(place.path for place in found[:8]))

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
    if not survey.doubtful:
        return []
    where = names_of(opened)
    return [nearest_only(survey, f"no document in {where}") + SHOWN_NEAREST]


def nothing(survey: Survey[DocHit], opened: Opened, args: DocArgs) -> ToolOutput:
    """An empty answer that says what was looked for, with the nearest titles that exist."""
    where = names_of(opened)
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
