"""The vault of notes as a source of memory: sections of notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from workers.agents.memory.source.retrieval.contract import Passage, Query, Retrieved, from_evidence
from workers.agents.memory.source.retrieval.coverage import covered
from workers.agents.memory.source.vault.note import text_of
from workers.agents.memory.source.vault.note_evidence import note_evidence
from workers.agents.memory.source.vault.note_index import title_of
from workers.agents.memory.source.vault.note_search import Section, sections_of, without_index
from workers.agents.memory.source.vault.open_vault import OpenVault
from workers.contracts import Evidence, Window
from workers.language.phrase_to_window import without_phrases

LONGEST_EXCERPT = 2_000


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
            score = covered(without_phrases(query.text), hit.title, hit.heading, hit.excerpt) * hit.score / best
            if query.window is not None:  # a note of the asked days comes before any other
                score = (score + is_within(found, query.window)) / 2
            out.append(from_evidence(found, "vault", "words and meaning", score))
        return sorted(out, key=lambda one: -one.score)

    def passages(self, query: Query) -> Sequence[Passage]:
        """All sections. Raises: ToolUnavailable: the vault cannot be read."""
        del query
        vault, out = self.opened.current(), []
        for path, note in vault.index.notes.items():
            lines = without_index(text_of(vault.read(path))).split("\n")
            for section in sections_of(note, "\n".join(lines), len(lines)):
                first = section.first + bool(section.heading)
                text = "\n".join(lines[first - 1 : section.last]).strip()
                out.append(Passage(text, section.heading or title_of(path), self.shown(path, section, text)))
        return out

    def shown(self, path: str, section: Section, text: str) -> Callable[[float], Retrieved]:
        """A section as it is returned with a score."""

        def show(score: float) -> Retrieved:
            lines = section.first, section.last
            found = note_evidence(self.opened.vault, path, lines, text[:LONGEST_EXCERPT], section.heading)
            return from_evidence(found, "vault", "meaning", score)

        return show


def is_within(note: Evidence, window: Window) -> bool:
    """Whether a note is of a day of the time that the question names."""
    day = note.facts.get("date")
    return day is not None and f"{window.start:%Y-%m-%d}" <= str(day.value) <= f"{window.end:%Y-%m-%d}"
