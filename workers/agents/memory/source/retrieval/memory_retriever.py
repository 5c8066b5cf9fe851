"""What the asker had remembered as a source of memory: theirs alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from workers.agents.memory.source.evidence import memory_evidence
from workers.agents.memory.source.retrieval.contract import Passage, Query, Retrieved, from_evidence
from workers.agents.memory.source.retrieval.coverage import covered
from workers.store.database import Database
from workers.store.memories import list_memories

LEAST = 0.34
"""Of a question's telling words, so many stand in a memory that is shown."""


@dataclass(frozen=True)
class MemoryRetriever:
    """Implements `workers.agents.memory.source.retrieval.contract.Retriever`."""

    database: Database
    name: Literal["memory"] = "memory"

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """Memories that share words with the question, best first. Raises: StoreUnavailable."""
        if not query.user:
            return ()
        found = [(covered(query.text, one.text), one) for one in list_memories(self.database, query.user)]
        fitting = sorted((row for row in found if row[0] >= LEAST), key=lambda row: -row[0])[:k]
        return [from_evidence(memory_evidence(one), "memory", "words", share) for share, one in fitting]

    def passages(self, query: Query) -> Sequence[Passage]:
        """All memories. Raises: StoreUnavailable."""
        known = list_memories(self.database, query.user) if query.user else ()
        made = (partial(from_evidence, memory_evidence(one), "memory", "meaning") for one in known)
        return [Passage(one.text, "", show) for one, show in zip(known, made, strict=True)]
