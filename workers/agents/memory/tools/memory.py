"""memory_search: code, documents, notes, threads and saved pages at once, ranked together, cut to a budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from workers.agents.memory.source.retrieval.assembly import assemble
from workers.agents.memory.source.retrieval.contract import Query, Shelf, SourceType, to_evidence
from workers.agents.memory.source.retrieval.hybrid_ranking import rank
from workers.agents.memory.source.retrieval.index_retriever import code_retriever, document_retriever
from workers.agents.memory.source.retrieval.memory_retriever import MemoryRetriever
from workers.agents.memory.source.retrieval.nearest import NearestRetriever, merged
from workers.agents.memory.source.retrieval.parallel_retrieval import retrieve_all
from workers.agents.memory.source.retrieval.query_analysis import analyse
from workers.agents.memory.source.retrieval.thread_retriever import ThreadRetriever
from workers.agents.memory.source.retrieval.vault_retriever import VaultRetriever
from workers.agents.memory.source.retrieval.web_retriever import WebRetriever
from workers.agents.memory.source.vault.open_vault import open_vault
from workers.contracts import ToolOutput
from workers.errors import OracleError, ToolArgumentError
from workers.ports import ALL_TEAMS, ToolContext
from workers.sources.connections.open_sources import open_code_sources, open_document_sources
from workers.sources.connections.saved_page_index import SavedPageIndex
from workers.sources.meanings import Meanings, open_meanings
from workers.toolkit.tool import Resources, Tool, ToolArgs

SOURCES: tuple[SourceType, ...] = get_args(SourceType)


class MemoryOptions(BaseModel):
    """Options of ``memory_search`` in ``config/tools.yaml``. ``deadline_ms``: how long each source may take."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    deadline_ms: int = Field(2_500, ge=50, le=60_000)
    per_source: int = Field(6, ge=1, le=20)


class MemoryArgs(ToolArgs):
    """What to look for, and where."""

    query: str = Field(min_length=1, max_length=4_000, description="question or words")
    sources: str = Field("", max_length=100, description=f"only these, separated by commas: {', '.join(SOURCES)}")
    k: int = Field(8, ge=1, le=20, description="how many passages at most")
    tokens: int = Field(3_000, ge=200, le=12_000, description="how many tokens they may take together")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown or out of range."""
    search = MemorySearch(
        MemoryOptions.model_validate(options), retrievers_of(resources), resources.shared(open_meanings)
    )
    return Tool(
        name="memory_search",
        purpose="search what is known",
        description="Search code, documents, notes, earlier threads and saved pages at once; passages ranked together.",
        access="read",
        args=MemoryArgs,
        run=search.run,
        refresh=search.refresh,
        personal=True,
    )


def retrievers_of(resources: Resources) -> tuple[Shelf, ...]:
    """All sources of memory."""
    database = resources.database
    notes = (VaultRetriever(resources.shared(open_vault)),) if resources.settings.shows("notes:vault") else ()
    pages = (WebRetriever(resources.shared(SavedPageIndex)),) if resources.settings.shows("pages:saved") else ()
    kept = (ThreadRetriever(database), MemoryRetriever(database)) if database else ()
    return (
        code_retriever(resources.shared(open_code_sources)),
        document_retriever(resources.shared(open_document_sources)),
        *notes,
        *kept,
        *pages,
    )


class MemorySearch:
    """The tool's state: its options and its sources."""

    def __init__(self, options: MemoryOptions, retrievers: tuple[Shelf, ...], meanings: Meanings) -> None:
        self.options, self.retrievers, self.meanings = options, retrievers, meanings

    def refresh(self) -> Iterator[tuple[str, bool]]:
        """Have what everybody may read encoded, in the background. Yields: a line, and whether that went well."""
        everybody = Query(text="", now=datetime.now(UTC), team=ALL_TEAMS)
        try:
            found = [one for r in self.retrievers if r.name != "code" for one in r.passages(everybody)]
            if self.meanings.want([text for one in found for text in one.texts]):
                yield f"meaning: {len(found):,} passages", True
        except OracleError as error:
            yield str(error), False

    def run(self, args: MemoryArgs, context: ToolContext) -> ToolOutput:
        """Answer one call.

        Returns: ``data = {"query_type", "results": [as `Retrieved`, without metadata], "failed": {source: why}}``.

        Raises:
            ToolArgumentError: the query is empty, or a source is named that is none.
        """
        if not args.query.strip():
            raise ToolArgumentError("query is empty; give a question or words")
        wanted = read_sources(args.sources)
        alone = context.user if context.space in {"", context.user} else ""  # a channel reads the answer too
        query = analyse(args.query, context.now, context.timezone, context.team, context.spaces, alone)
        chosen = [r for r in self.retrievers if r.name in wanted]
        near = NearestRetriever(tuple(r.passages for r in chosen if r.name != "code"), self.meanings)
        found = retrieve_all((*chosen, near), query, self.options.per_source, self.options.deadline_ms)
        kept = assemble(rank(merged(found.found), query)[: args.k], query.query_type, args.tokens)
        failed = dict(found.failed)
        data = {
            "query_type": query.query_type,
            "results": [{k: v for k, v in asdict(p).items() if k != "metadata"} for p in kept],
            "failed": failed,
        }
        said = "; ".join(f"{name}: {why}" for name, why in failed.items())
        if not kept:
            names = ", ".join(r.name for r in chosen)
            return ToolOutput(status="empty", reason=said or f"nothing in {names} speaks of this", data=data)
        first = kept[0]
        return ToolOutput(
            summary=f"{len(kept)} passages, first {first.source_type} {first.source_path}",
            data=data,
            evidence=tuple(map(to_evidence, kept)),
            reason=said,
        )


def read_sources(text: str) -> frozenset[str]:
    """The sources that are named; all of them when none is. Raises: ToolArgumentError: one is none."""
    named = frozenset(part.strip() for part in text.split(",") if part.strip())
    if wrong := sorted(named - set(SOURCES)):
        raise ToolArgumentError(f"there is no source {wrong[0]!r}; there are {', '.join(SOURCES)}", SOURCES)
    return named or frozenset(SOURCES)
