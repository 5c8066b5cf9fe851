"""The connected repositories and documents as sources of memory, ranked by their own indexes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from workers.agents.memory.source.retrieval.contract import Passage, Query, Retrieved, from_evidence
from workers.contracts import Evidence
from workers.sources.connections.multi_index_search import ask_all, open_all
from workers.sources.connections.open_sources import OpenSources, Source
from workers.sources.documents.index import DocIndex
from workers.sources.evidence.document_evidence import doc_evidence
from workers.sources.evidence.search_hits import Details, code_evidence

EXCERPT_LINES = 30


@dataclass(frozen=True)
class IndexRetriever:
    """Implements `workers.agents.memory.source.retrieval.contract.Retriever` over all indexes of a kind.

    ``evidence``: a hit of a source, by its name, as evidence.
    """

    name: Literal["code", "document"]
    shelf: OpenSources[Any]
    evidence: Callable[[str, Any], Evidence]

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """Places, best first; the best one scores how likely it is that it answers. Raises: ToolUnavailable."""
        opened, problems = open_all(self.shelf, query.team)
        if not opened:
            return ()
        survey = ask_all(opened, lambda index: index.find(query.text, k, max_lines=EXCERPT_LINES), k, problems)
        if not survey.likely:
            return ()
        best = max(hit.score for _, hit in survey.hits) or 1.0
        return [
            from_evidence(
                self.evidence(source.name, hit), self.name, f"{self.name} index", survey.chance * hit.score / best
            )
            for source, hit in survey.hits
        ]

    def passages(self, query: Query) -> Sequence[Passage]:
        """All sections of documents. Raises: ToolUnavailable."""
        return passages_of(self.shelf, query.team, self.shown)

    def shown(self, source: Source, index: DocIndex, unit: int, score: float) -> Retrieved:
        """A section as it is returned with a score."""
        hit = index.hit(unit, score, {}, EXCERPT_LINES)
        return from_evidence(self.evidence(source.name, hit), self.name, "meaning", score)


def passages_of(
    shelf: OpenSources[DocIndex], team: str, shown: Callable[[Source, DocIndex, int, float], Retrieved]
) -> list[Passage]:
    """All sections of a shelf of documents. Raises: ToolUnavailable."""
    return [
        Passage(text, title, partial(shown, source, index, unit))
        for source, index in open_all(shelf, team)[0]
        for unit, title, text in index.texts()
    ]


def code_retriever(shelf: OpenSources[Any]) -> IndexRetriever:
    """Over repositories."""
    return IndexRetriever("code", shelf, lambda name, hit: code_evidence(name, hit, Details()))


def document_retriever(shelf: OpenSources[Any]) -> IndexRetriever:
    """Over documents."""
    return IndexRetriever("document", shelf, doc_evidence)
