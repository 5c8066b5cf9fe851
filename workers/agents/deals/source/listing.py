"""Lists and counts the deals that meet every condition of a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workers.agents.deals.source.conditions import ADDONS, Conditions
from workers.agents.deals.source.features import column, held_years
from workers.agents.deals.source.reasons import listed
from workers.agents.deals.source.records import Deal, DealBook
from workers.agents.deals.source.search import DealIndex, admitted, query_terms, query_words, word_scores
from workers.language.stems import stem
from workers.language.tokens import terms_of

Order = Literal["newest", "oldest", "most_addons", "longest_held"]
COMMON_SHARE = 0.15
"""A word that stands in more deals than this says nothing of what is sought."""
FITTING = 0.5
"""Of the best word score that a deal reaches, what another needs to count as one that speaks of the same."""
SUPERLATIVE = re.compile(
    r"\b(?:most|longest|biggest|largest|highest|top|meisten?|längste[nr]?|größte[nr]?)\b", re.IGNORECASE
)
HELD = re.compile(r"\b(?:held|holding|hold|gehalten|haltedauer)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Listing:
    """The deals that were found, in their order.

    ``words``: what their records speak of, where that was asked; ``meeting``: how many meet the conditions, whatever
    their records speak of; ``unheld``: words of the question that no record holds.
    """

    deals: tuple[Deal, ...]
    words: str
    meeting: int
    unheld: tuple[str, ...]


def list_deals(index: DealIndex, text: str, read: Conditions, order: Order) -> Listing:
    """The deals that meet the conditions, those of sector and region too, and speak of what else the question names."""
    allowed = admitted(index, read, everywhere=False)
    terms, meeting = content_terms(index, text, read), int(allowed.sum())
    if terms:
        scores = np.where(allowed, word_scores(index, terms), 0.0)
        allowed = scores >= max(FITTING * scores.max(), 1e-9)
    deals = [d for d, kept in zip(index.book.deals, allowed.tolist(), strict=True) if kept]
    words = [t for t in terms if not t.startswith("=")]
    ordered = tuple(sorted(deals, key=lambda d: place_of(index, d, order)))
    return Listing(ordered, listed(words), meeting, unheld_words(index, text))


def unheld_words(index: DealIndex, text: str) -> tuple[str, ...]:
    """The words of a question, beside its conditions, that stand in no record: a list knows words only as written."""
    asked = {word: [t for t in terms_of(word) if not t.startswith("=")] for word in query_words(text)}
    return tuple(
        w for w, terms in asked.items() if terms and not w.isdecimal() and not any(index.words.has(t) for t in terms)
    )


def content_terms(index: DealIndex, text: str, read: Conditions) -> list[str]:
    """The terms of a question that its conditions do not say already, and that few deals hold."""
    names = [
        n for i, n in (index.book.sector_names | index.book.region_names).items() if i in {*read.sectors, *read.regions}
    ]
    said = {stem(w) for name in names for w in re.findall(r"\w+", name.lower())}
    most = COMMON_SHARE * len(index.book.deals)
    return [
        t for t in query_terms(text) if t not in said and not t.isdecimal() and 0 < len(index.words.get(t)[0]) <= most
    ]


def order_of(text: str, asked: Order) -> Order:
    """Which come first by the words of a question: "most add-ons", "held longest"."""
    if asked == "newest" and SUPERLATIVE.search(text):
        return "most_addons" if ADDONS.search(text) else "longest_held" if HELD.search(text) else asked
    return asked


def place_of(index: DealIndex, deal: Deal, order: Order) -> tuple[float, str]:
    """What deals are sorted by; one whose year is not known comes last."""
    if order == "most_addons":
        return -float(index.features.table[index.place[deal.id], column("num_addons")]), deal.name
    if order == "longest_held":
        return -float(held_years(deal, index.year)), deal.name
    year = deal.year_exited if deal.status == "realized" and deal.year_exited else deal.year_invested
    if year is None:
        return float("inf"), deal.name
    return float(year if order == "oldest" else -year), deal.name


def group_counts(book: DealBook, deals: Sequence[Deal], kind: str) -> list[tuple[str, int]]:
    """How many deals are of each group, the largest first; years in their order."""
    if not kind:
        return []
    names = {
        "sector": lambda d: book.sector_names[d.sector_id],
        "region": lambda d: book.region_names[d.region_id],
        "status": lambda d: d.status,
        "invested": lambda d: str(d.year_invested or "no year"),
        "exited": lambda d: str(d.year_exited or "no year"),
    }[kind]
    counted = Counter(map(names, deals))
    return sorted(counted.items(), key=lambda c: (c[0],) if by_year(kind) else (-c[1], c[0]))


def by_year(kind: str) -> bool:
    """Whether groups are years."""
    return kind in {"invested", "exited"}
