"""What was said in threads as a source of memory: the asker's own, and those of the channel that they ask in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workers.memory.retrieval.contract import Query, Retrieved, from_evidence
from workers.memory.threads.evidence import entry_evidence
from workers.memory.threads.seek import Hit, seek
from workers.store.database import Database

HALF = 8.0
"""The score of an entry that is as likely to help as not; see ``bench/README.md``."""


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
        return [
            from_evidence(entry_evidence(hit), "thread", "full text and meaning", hit.score / (hit.score + HALF))
            for hit in hits[:k]
        ]
