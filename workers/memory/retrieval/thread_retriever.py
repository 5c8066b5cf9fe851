"""What was said in threads as a source of memory: the asker's own, and those of the channel that they ask in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workers.memory.evidence import around, entry_evidence
from workers.memory.retrieval.contract import Query, Retrieved, from_evidence
from workers.memory.retrieval.coverage import covered
from workers.memory.threads.seek import Hit, seek
from workers.store.database import Database


@dataclass(frozen=True)
class ThreadRetriever:
    """Implements `workers.memory.retrieval.contract.Retriever`."""

    database: Database
    name: Literal["thread"] = "thread"

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """Entries, best first, of all spaces that may be read. Raises: StoreUnavailable."""
        hits: list[Hit] = []
        for space in query.spaces:
            hits.extend(seek(self.database, space, query.text, k, now=query.now, timezone=query.timezone))
        hits.sort(key=lambda hit: -hit.score)
        best = max((hit.score for hit in hits), default=1.0) or 1.0
        return [as_retrieved(hit, query.text, best) for hit in hits[:k]]


def as_retrieved(hit: Hit, question: str, best: float) -> Retrieved:
    """An entry between its neighbours."""
    found = entry_evidence(hit.entry, around(hit))
    score = covered(question, found.excerpt) * max(hit.score, 0.0) / best
    return from_evidence(found, "thread", "full text and meaning", score)
