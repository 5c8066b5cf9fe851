"""One claim as read: its text, the specifics in it, the evidence it cites, its clauses and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workers.contracts import Evidence
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import CLAUSE, SENTENCE

Span = tuple[int, int]
TEXTS = frozenset({"code", "doc", "change", "message", "note", "web", "incident"})
"""Kinds of evidence that hold sentences to read."""


class Doubt(str):
    """A rule's reason why a claim is not shown to hold, rather than shown not to: it becomes a hypothesis."""

    __slots__ = ()


@dataclass(frozen=True)
class Label:
    """A stretch of a claim that names some of the cited evidence.

    ``kind`` is ``name`` for an endpoint, service, commit and the like, ``signal`` for a word of what is measured,
    ``percentile`` for one of these; only the last may name nothing.
    """

    start: int
    end: int
    ids: frozenset[str]
    kind: str


@dataclass(frozen=True)
class Reading:
    """One claim as read: its full text, the mentions in it, the evidence it cites, and what names which.

    ``request``: all evidence of the request, cited or not; empty when only the cited one is known.
    """

    text: str
    mentions: Sequence[Mention]
    cited: Sequence[Evidence]
    labels: Sequence[Label] = field(default=())
    request: Sequence[Evidence] = field(default=())

    def by_id(self, key: str) -> Evidence | None:
        """Cited evidence by id."""
        return next((e for e in self.cited if e.id == key), None)

    def values(self) -> Iterator[Mention]:
        """Mentions that carry a value."""
        return (m for m in self.mentions if m.specific.kind in {"quantity", "factor"})

    def of_kind(self, *kinds: str) -> list[Mention]:
        """Mentions of some kinds."""
        return [m for m in self.mentions if m.specific.kind in kinds]

    def in_slot(self, at: int) -> bool:
        """Whether a position lies in words that code wrote from two values ("rose from … to …")."""
        return any(m.derived == "move" and m.specific.start <= at < m.specific.end for m in self.mentions)

    def unquoted(self) -> str:
        """The text without what it only quotes or names."""
        return unquoted_text(self.text, self.mentions)

    def prose(self) -> str:
        """The text with everything that code filled in blanked out."""
        chars = list(self.text)
        for mention in self.mentions:
            if mention.slot:
                chars[mention.specific.start : mention.specific.end] = " " * len(mention.specific.text)
        return "".join(chars)


def unquoted_text(text: str, mentions: Sequence[Mention]) -> str:
    """A text with slots, quotes and names of code blanked out."""
    chars = list(text)
    for mention in mentions:
        if mention.slot or mention.specific.kind in {"quote", "name", "path", "url", "lines"}:
            span = slice(mention.specific.start, mention.specific.end)
            chars[span] = " " * (mention.specific.end - mention.specific.start)
    return "".join(chars)


def span_around(pattern: re.Pattern[str], text: str, at: int) -> Span:
    """The stretch between two separators that holds a position."""
    start, end = 0, len(text)
    for match in pattern.finditer(text):
        if match.end() <= at:
            start = match.end()
        elif match.start() >= at:
            end = match.start()
            break
    return start, end


def clause_around(text: str, at: int) -> Span:
    """The clause that holds a position."""
    return span_around(CLAUSE, text, at)


def sentence_around(text: str, at: int) -> Span:
    """The sentence that holds a position."""
    return span_around(SENTENCE, text, at)


def words_of(text: str) -> set[str]:
    """Lower-case words and numbers, for overlap."""
    return {w for w in re.findall(r"[a-z]+\d*|\d+", text.lower().replace("_", " ")) if len(w) > 1}
