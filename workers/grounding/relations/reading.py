"""One claim as read: its text, the specifics in it, the evidence it cites, its clauses and sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from workers.contracts import Evidence
from workers.grounding.arithmetic import work_out
from workers.grounding.specific_match import Mention, Scope

Span = tuple[int, int]
CLAUSE = re.compile(
    r"[;,:]\s|(?<!i\.e)(?<!e\.g)(?<!vs)\.\s|\s(?:while|whereas|but|and|versus|vs\.?|against|unlike|whose|which)\s",
    re.IGNORECASE,
)
PHRASE = re.compile(rf"{CLAUSE.pattern}|\s(?:before|after|when|once|until|since|than|as)\s(?=[A-Za-z/])", re.IGNORECASE)
SENTENCE = re.compile(r"(?:(?<!i\.e)(?<!e\.g)(?<!vs)\.|[!?;])\s")


@dataclass(frozen=True)
class Reading:
    """One claim as read. ``request``: all evidence of the request, cited or not; empty when only the cited is known."""

    text: str
    mentions: Sequence[Mention]
    cited: Sequence[Evidence]
    scope: Scope
    request: Sequence[Evidence] = field(default=())

    def derived(self, mention: Mention) -> bool:
        """Whether a share or factor that stands in the evidence follows from other numbers too."""
        relative = mention.specific.dimension in {"ratio", "factor", "points"}
        return relative and bool(work_out(mention.specific, self.mentions, self.scope))

    def values(self) -> list[Mention]:
        """Mentions that carry a value."""
        return [m for m in self.mentions if m.specific.kind in {"quantity", "factor"}]

    def of_kind(self, *kinds: str) -> list[Mention]:
        """Mentions of some kinds."""
        return [m for m in self.mentions if m.specific.kind in kinds]

    def unquoted(self) -> str:
        """The text without what code filled in and what it only quotes or names."""
        chars = list(self.text)
        for mention in self.mentions:
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


def phrase_around(text: str, at: int) -> Span:
    """The part of a clause, between words of order too, that holds a position."""
    return span_around(PHRASE, text, at)


def sentence_around(text: str, at: int) -> Span:
    """The sentence that holds a position."""
    return span_around(SENTENCE, text, at)
