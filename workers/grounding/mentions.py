"""A claim's specifics with what they rest on, and what they are looked up in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.grounding.evidence_values import Index, Instant, Number, Row
from workers.grounding.literals import Specific
from workers.grounding.value_format import Voice


@dataclass(frozen=True, slots=True)
class Support:
    """What a specific rests on. ``step``: how it follows, in one line; empty when it stands there as it is written.

    ``exact``: the value in the base unit, as far as it is known better than it is written.
    """

    values: tuple[Number | Instant, ...] = ()
    rows: tuple[Row, ...] = ()
    step: str = ""
    exact: float | None = None


@dataclass(frozen=True)
class Mention:
    """A specific of a claim with everything that it can rest on; nothing when nothing cited shows it."""

    specific: Specific
    supports: tuple[Support, ...]
    slot: bool = False
    function: str = ""


@dataclass(frozen=True)
class Scope:
    """What a claim's specifics are looked up in: the cited evidence, and the words of the claim."""

    indexes: Sequence[Index]
    words: frozenset[str]
    text: str
    voice: Voice
    shared: dict[str, frozenset[str]] = field(default_factory=dict)
    near: dict[Row, int] = field(default_factory=dict)
    pairs: dict[bool, list[Any]] = field(default_factory=dict)

    def nearness(self, row: Row) -> int:
        """How many words of the claim single a row out."""
        if row not in self.near:
            self.near[row] = len(self.words & row.words - self.common(row))
        return self.near[row]

    def common(self, row: Row) -> frozenset[str]:
        """The words that all rows of a table have."""
        key = f"{row.evidence}\0{row.table}"
        if key not in self.shared:
            rows = next((i.tables.get(row.table, ()) for i in self.indexes if i.id == row.evidence), ())
            same = frozenset.intersection(*(r.words for r in rows)) if len(rows) > 1 else frozenset()
            self.shared[key] = same
        return self.shared[key]
