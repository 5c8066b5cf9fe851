"""One claim as read: its text, the specifics in it, the evidence it cites, its clauses and sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.contracts import Evidence
from workers.grounding.evidence_values import Number
from workers.grounding.mentions import Mention, Scope
from workers.language.negation import is_negated

CLAUSE = re.compile(
    r"[;,:]\s|(?<!i\.e)(?<!e\.g)(?<!vs)\.\s|\s(?:while|whereas|but|and|versus|vs\.?|against|unlike|whose|which)\s",
    re.IGNORECASE,
)
PHRASE = re.compile(rf"{CLAUSE.pattern}|\s(?:before|after|when|once|until|since|than|as)\s(?=[A-Za-z/])", re.IGNORECASE)
SENTENCE = re.compile(r"(?:(?<!i\.e)(?<!e\.g)(?<!vs)\.|[!?;])\s")


@dataclass(frozen=True)
class Reading:
    """One claim as read."""

    text: str
    mentions: Sequence[Mention]
    cited: Sequence[Evidence]
    scope: Scope

    def values(self) -> list[Mention]:
        """Mentions that carry a value."""
        return [m for m in self.mentions if m.specific.kind in {"quantity", "factor"}]

    def unquoted(self) -> str:
        """The text without what code filled in and what it only quotes or names."""
        chars = list(self.text)
        for one in (m.specific for m in self.mentions if m.slot or m.specific.kind in {"quote", "name", "path", "url"}):
            chars[one.start : one.end] = " " * (one.end - one.start)
        return "".join(chars)

    def negated(self, at: int) -> bool:
        """Whether a word is denied right before it."""
        return is_negated(self.text, max(0, at - 24), at)


def span_around(pattern: re.Pattern[str], text: str, at: int) -> tuple[int, int]:
    """The stretch between two separators that holds a position."""
    start = max((m.end() for m in pattern.finditer(text) if m.end() <= at), default=0)
    return start, next((m.start() for m in pattern.finditer(text, start) if m.start() >= at), len(text))


def numbers_of(mention: Mention) -> list[Number]:
    """The numbers that a value can stand for by itself; none when it is worked out, or may be anything else."""
    single = [s.values[0] for s in mention.supports if len(s.values) == 1 and isinstance(s.values[0], Number)]
    if len(single) != len(mention.supports):
        return []
    return [n for n in single if n.row.table not in {"lines", "head"}] or single
