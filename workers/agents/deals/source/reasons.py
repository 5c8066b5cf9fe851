"""Why a deal has its place, and how it differs from what was asked: in words, each from a feature of the record."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.deals.source.conditions import Conditions
from workers.agents.deals.source.ranker import RankedDeal
from workers.agents.deals.source.records import Deal, DealBook
from workers.language.tokens import WORD, terms_of

MOST_REASONS, MOST_WORDS = 5, 3
SIMILAR, NEAR = 0.6, 0.25
"""From this text similarity on, as a share of the best one and of 1, a deal that shares no word with the question is
called close in meaning."""


def reasons_of(ranked: RankedDeal, read: Conditions, shared: Sequence[str], most: float) -> list[str]:
    """What speaks for a deal: first what the question asks for, then what added most to its score.

    Args:
        ranked: the deal, its features and what each added to its score.
        read: what the question says of deals.
        shared: words of the question that its record holds, as they stand there.
        most: how near the text of the nearest deal of all is to the question, 0 to 1.
    """
    deal, features, parts = ranked.deal, ranked.features, ranked.contributions
    told: list[tuple[bool, float, str]] = []

    def tell(asked: bool, names: Sequence[str], words: str) -> None:
        added = sum(parts.get(name, 0.0) for name in names)
        if words and (asked or added > 0):
            told.append((not asked, -added, words))

    speaks = f"its record speaks of {listed(shared)}" if shared else ""
    similarity = features["text_similarity"]
    close = "close in meaning" if similarity >= SIMILAR and similarity * most >= NEAR else ""
    text = ("text_similarity", "text_graph_alignment")
    tell(bool(shared), text, speaks or close)
    tell(True, ("sector_match",), "same sector" if in_sector(deal, read) else "")
    tell(True, ("region_match",), "same region" if in_region(deal, read) else "")
    addons = counted(int(features["num_addons"]), "add-on")
    tell(read.addons is True, ("num_addons", "degree", "in_degree"), addons)
    tell(read.status == "realized", ("has_exit", "has_exit_year"), exit_words(deal) if features["has_exit"] else "")
    tell(False, ("is_platform",), "a platform" if deal.is_platform and read.platform is None else "")
    return [words for _, _, words in sorted(told)][:MOST_REASONS]


def differences_of(deal: Deal, book: DealBook, read: Conditions) -> list[str]:
    """How a deal differs from the sector and the region that the question names."""
    out = []
    if read.sectors and not in_sector(deal, read):
        out.append(f"other sector ({book.sector_names[deal.sector_id]})")
    if read.regions and not in_region(deal, read):
        out.append(f"other region ({book.region_names[deal.region_id]})")
    return out


def in_sector(deal: Deal, read: Conditions) -> bool:
    """Whether it lies in a sector that the question names."""
    return deal.sector_id in {*read.sectors, *read.near_sectors}


def in_region(deal: Deal, read: Conditions) -> bool:
    """Whether it lies in a region that the question names."""
    return deal.region_id in read.regions


def exit_words(deal: Deal) -> str:
    """That it was sold, and when."""
    return f"exited {deal.year_exited}" if deal.year_exited else "exited"


def counted(number: int, thing: str) -> str:
    """``3 add-ons``; empty for none."""
    return f"{number} {thing}{'s' if number != 1 else ''}" if number else ""


def shared_words(terms: Sequence[str], texts: Sequence[str]) -> list[str]:
    """The words of some texts that have a term of the question, as they stand there, in the order of the terms."""
    wanted = {t: i for i, t in enumerate(terms) if not t.startswith("=")}
    found: dict[int, str] = {}
    for text in texts:
        for word in WORD.findall(text):
            for term in terms_of(word):
                if term in wanted:
                    found.setdefault(wanted[term], word.lower())
    return [found[i] for i in sorted(found)][:MOST_WORDS]


def listed(words: Sequence[str]) -> str:
    """``“pumps”, “valves”``."""
    return ", ".join(f"“{re.sub(r'[“”]', '', word)}”" for word in words)


def years_words(deal: Deal) -> str:
    """``2014–2021``, ``since 2014``, ``until 2021``; empty when no year is known."""
    first, last = deal.year_invested, deal.year_exited
    if first and last:
        return f"{first}–{last}"
    return (
        f"since {first}"
        if first and deal.status == "current"
        else f"from {first}"
        if first
        else f"until {last}" * bool(last)
    )
