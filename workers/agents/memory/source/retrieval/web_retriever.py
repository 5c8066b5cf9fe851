"""The pages that are saved on this machine as a source of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workers.agents.memory.source.retrieval.contract import Passage, Query, Retrieved, from_evidence
from workers.agents.memory.source.retrieval.index_retriever import passages_of
from workers.sources.connections.open_sources import Source
from workers.sources.connections.saved_page_index import EXCERPT_LINES, SavedPageIndex
from workers.sources.documents.index import DocIndex
from workers.sources.evidence.web_evidence import result_evidence

METHOD = "web.local-index"


@dataclass(frozen=True)
class WebRetriever:
    """Implements `workers.agents.memory.source.retrieval.contract.Retriever`."""

    index: SavedPageIndex
    name: Literal["web"] = "web"

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """Saved pages, best first. Raises: ToolUnavailable: there are some, and none can be read."""
        if not self.index.shelf.sources:
            return ()
        found, survey, _ = self.index.search(query.text, k)
        return [
            from_evidence(result_evidence(result, METHOD, rank), "web", METHOD, survey.chance / rank)
            for rank, result in enumerate(found, 1)
        ]

    def passages(self, query: Query) -> Sequence[Passage]:
        """All sections of saved pages. Raises: ToolUnavailable."""
        return passages_of(self.index.shelf, query.team, self.shown)

    def shown(self, source: Source, index: DocIndex, unit: int, score: float) -> Retrieved:
        """A section as it is returned with a score."""
        result = self.index.result(source, index.hit(unit, score, {}, EXCERPT_LINES))
        return from_evidence(result_evidence(result, METHOD, 1), "web", "meaning", score)
