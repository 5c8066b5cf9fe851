"""What was said in threads as a source of memory: the asker's own, and those of the channel that they ask in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from workers.agents.memory.source.evidence import around, entry_evidence, seek_evidence, unless_own
from workers.agents.memory.source.retrieval.contract import MOST_PASSAGES, Passage, Query, Retrieved, from_evidence
from workers.agents.memory.source.retrieval.coverage import covered
from workers.agents.memory.source.threads.entry_search import newest_entries
from workers.agents.memory.source.threads.seek import Hit
from workers.store.database import Database

DECISION = "decision"
"""The kind of question, and the type of entry."""


@dataclass(frozen=True)
class ThreadRetriever:
    """Implements `workers.agents.memory.source.retrieval.contract.Retriever`."""

    database: Database
    name: Literal["thread"] = "thread"

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """Entries, best first, of all spaces that may be read. Raises: StoreUnavailable."""
        decision = query.kind == DECISION
        hits = seek_evidence(self.database, query.spaces, query.text, k, now=query.now, timezone=query.timezone)
        best = max((hit.score for hit in hits), default=1.0) or 1.0
        ranked = sorted((as_retrieved(h, query.text, best, decision=decision) for h in hits), key=lambda r: -r.score)
        return ranked[:k]

    def passages(self, query: Query) -> Sequence[Passage]:
        """The newest entries of all spaces that may be read, but what the app said. Raises: StoreUnavailable."""
        said = [one for space in query.spaces for one in newest_entries(self.database, space, MOST_PASSAGES)]
        return [
            Passage(one.content, "", partial(from_evidence, entry_evidence(one), "thread", "meaning"))
            for one in said
            if unless_own(one) and one.content.strip() != query.text.strip()
        ]


def as_retrieved(hit: Hit, question: str, best: float, *, decision: bool) -> Retrieved:
    """An entry between its neighbours; one that says of itself that it is a decision counts more when one is sought."""
    found = entry_evidence(hit.entry, around(hit))
    score = covered(question, found.excerpt) * max(hit.score, 0.0) / best
    weighed = score**0.5 if decision and hit.entry.type == DECISION else score
    return from_evidence(found, "thread", "full text and meaning", weighed)
