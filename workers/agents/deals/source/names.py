"""Which deals a text names: by whole name, by id, or by the first word of a name that few share."""

from __future__ import annotations

import re

from workers.agents.deals.source.records import NAME_WORD, Deal, DealBook
from workers.language.nearest_names import ranked_names

FEW, MOST_NAMED, NEAREST = 3, 5, 5
MODEL = re.compile(r"\b(?:like|similar to|resembles?|wie|comme|como)\s+((?:[A-Z0-9ÄÖÜ][\w&'’.-]*\s*){1,5})")
LEAST_CHARS = 4
"""Of a first word that stands for the whole name."""


def deals_named(text: str, book: DealBook) -> tuple[Deal, ...]:
    """The deals that a text names, in the order in which it does; at most five.

    A whole name counts before a part of one: "Alder Care" is not also every other "Alder …".
    """
    said = NAME_WORD.findall(text)
    words = [w.lower() for w in said]
    by_first = book.first_words
    found: dict[str, tuple[int, Deal]] = {}
    covered: set[int] = set()
    for i, word in enumerate(words):
        whole = [(parts, d) for parts, d in by_first.get(word, ()) if words[i : i + len(parts)] == parts]
        longest = max((len(parts) for parts, _ in whole), default=0)
        enough = longest > 1 or said[i][:1].isupper()
        for parts, deal in whole:
            if len(parts) == longest and enough:
                found.setdefault(deal.id, (i, deal))
                covered.update(range(i, i + longest))
    ids = {w for w in words if not w.isdecimal()}  # a number is likelier a year or a count
    found |= {d.id: (len(words), d) for d in book.deals if d.id.lower() in ids and d.id not in found}
    for i, word in enumerate(words):
        some = by_first.get(word, ())
        if i not in covered and said[i][:1].isupper() and len(word) >= LEAST_CHARS and 0 < len(some) <= FEW:
            for _, deal in some:
                found.setdefault(deal.id, (i, deal))
    return tuple(deal for _, deal in sorted(found.values(), key=lambda f: f[0]))[:MOST_NAMED]


def models_named(text: str, book: DealBook) -> tuple[Deal, ...]:
    """The deals that others shall be like: those whose names stand right behind "like", "similar to" and the like."""
    behind = " ".join(m.group(1) for m in MODEL.finditer(text))
    return deals_named(behind, book) if behind else ()


def nearest_deals(text: str, book: DealBook) -> tuple[str, ...]:
    """The names of deals nearest to what a text calls one: its words with a capital."""
    names = re.findall(r"(?<!^)\b[A-ZÄÖÜ][\w&'’-]+(?:\s+[A-ZÄÖÜ][\w&'’-]+)*", text) or [text]
    wanted = max(names, key=len)
    return ranked_names(wanted, [d.name for d in book.deals], NEAREST)
