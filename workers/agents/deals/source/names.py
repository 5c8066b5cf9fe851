"""Which deals a text names, of those that are recorded."""

from __future__ import annotations

import re

from workers.agents.deals.language.deal_names import NAME_WORD, named
from workers.agents.deals.source.records import Deal, DealBook
from workers.language.nearest_names import ranked_names

MOST_NAMED, NEAREST = 5, 5
MODEL = re.compile(r"\b(?:like|similar to|resembles?|wie|comme|como)\s+((?:[A-Z0-9ÄÖÜ][\w&'’.-]*\s*){1,5})")


def deals_named(text: str, book: DealBook) -> tuple[Deal, ...]:
    """The deals that a text names, by name or by id, in the order in which it does; at most five."""
    found = dict.fromkeys(book.deals[k] for k in named(text, book.names))
    ids = {w for w in NAME_WORD.findall(text.lower()) if not w.isdecimal()}  # a number is likelier a year or a count
    found |= dict.fromkeys(d for d in book.deals if d.id.lower() in ids)
    return tuple(found)[:MOST_NAMED]


def models_named(text: str, book: DealBook) -> tuple[Deal, ...]:
    """The deals that others shall be like: those whose names stand right behind "like", "similar to" and the like."""
    behind = " ".join(m.group(1) for m in MODEL.finditer(text))
    return deals_named(behind, book) if behind else ()


def nearest_deals(text: str, book: DealBook) -> tuple[str, tuple[str, ...]]:
    """What a text calls a deal, its words with a capital, and the names of deals nearest to that."""
    names = re.findall(r"(?<!^)(?<![.?!¿¡] )\b[A-ZÀ-ÞĀ-Ž][\w&'’-]+(?:\s+[A-ZÀ-ÞĀ-Ž][\w&'’-]+)*", text) or [text]
    wanted = max(names, key=len)
    return wanted, ranked_names(wanted, [d.name for d in book.deals], NEAREST)
