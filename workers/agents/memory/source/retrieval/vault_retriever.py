"""The vault of notes as a source of memory: sections of notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workers.agents.memory.source.retrieval.contract import Query, Retrieved, from_evidence
from workers.agents.memory.source.retrieval.coverage import covered
from workers.agents.memory.source.vault.note_evidence import note_evidence
from workers.agents.memory.source.vault.open_vault import OpenVault


@dataclass(frozen=True)
class VaultRetriever:
    """Implements `workers.agents.memory.source.retrieval.contract.Retriever`."""

    opened: OpenVault
    name: Literal["vault"] = "vault"

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """Sections, best first. Raises: ToolUnavailable: the vault cannot be read."""
        hits = self.opened.search(query.text, k)
        best = max((hit.score for hit in hits), default=1.0) or 1.0
        out = []
        for hit in hits:
            found = note_evidence(self.opened.vault, hit.path, (hit.start_line, hit.end_line), hit.excerpt, hit.heading)
            score = covered(query.text, hit.title, hit.heading, hit.excerpt) * hit.score / best
            out.append(from_evidence(found, "vault", "words and meaning", score))
        return out
