"""Lists and counts the deals that meet every condition of a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workers.agents.deals.language.sectors import same_words
from workers.agents.deals.language.terms import mentions_in, tokens_of
from workers.agents.deals.source.conditions import Conditions
from workers.agents.deals.source.features import column, held_years
from workers.agents.deals.source.reasons import listed
from workers.agents.deals.source.records import Deal, DealBook
from workers.agents.deals.source.search import MEANT, DealIndex, Flags, admitted, completed
from workers.language.tokens import terms_of

Order = Literal["newest", "oldest", "most_addons", "longest_held", "best", "worst"]
SUPERLATIVE = re.compile(
    r"\b(?:most|longest|biggest|largest|highest|top|meisten?|längste[nr]?|größte[nr]?|más)\b", re.IGNORECASE
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


def list_deals(index: DealIndex, read: Conditions, order: Order) -> Listing:
    """The deals that meet all conditions, and whose name, sector, region or description has every word that is left."""
    allowed = admitted(index, read, everywhere=False)
    meeting, held, unheld = int(allowed.sum()), list[str](), list[str]()
    for word in read.topic:
        speaking = speaks_of(index, word)
        (held if speaking.any() else unheld).append(word)
        allowed = allowed & speaking if speaking.any() else allowed
    for word in read.no_topic:
        speaking = speaks_of(index, word)
        unheld += [word] * (not speaking.any())
        allowed = allowed & ~speaking
    deals = [d for d, kept in zip(index.book.deals, allowed.tolist(), strict=True) if kept]
    if order in {"best", "worst"}:
        deals = [d for d in deals if d.id in index.book.multiples]
    ordered = tuple(sorted(deals, key=lambda d: place_of(index, d, order)))
    return Listing(ordered, listed(held), meeting, tuple(unheld))


def speaks_of(index: DealIndex, word: str) -> Flags:
    """Which deals have a word, or another for the same, in what says what they are."""
    found = np.zeros(len(index.book.deals), dtype=np.bool_)
    said = (t for same in same_words(word) for t in terms_of(same) if not t.startswith("="))
    for term in completed(index, tuple(said)):
        units, counts = index.words.get(term)
        if len(units):
            found[units[(counts * np.array(MEANT)).sum(1) > 0]] = True
    return found


def order_of(text: str, asked: Order) -> Order:
    """Which come first by the words of a question: "most add-ons", "held longest"."""
    said = {m.concept for m in mentions_in(tokens_of(text))}
    if asked == "newest" and said & {"best", "worst"}:
        return "best" if "best" in said else "worst"
    if asked == "newest" and SUPERLATIVE.search(text):
        return "most_addons" if "addons" in said else "longest_held" if HELD.search(text) else asked
    return asked


def place_of(index: DealIndex, deal: Deal, order: Order) -> tuple[float, str]:
    """What deals are sorted by; one whose year is not known comes last."""
    if order == "most_addons":
        return -float(index.features.table[index.place[deal.id], column("num_addons")]), deal.name
    if order in {"best", "worst"}:
        multiple = index.book.multiples.get(deal.id, 0.0)
        return (-multiple if order == "best" else multiple), deal.name
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
