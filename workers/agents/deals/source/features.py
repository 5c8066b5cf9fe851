"""What a deal is ranked by: what the graph and the record say of it, and how it fits a question.

`FEATURES` names the columns, in their order:

- ``text_similarity``: how near its words and their meaning are to the question's, as a share of the nearest deal's.
- ``sector_match``, ``region_match``: 1 when it lies where the question says, else 0.
- ``num_addons``: how many add-ons are recorded; ``has_exit``: whether an exit is (an event, or a year).
- ``degree``, ``in_degree``, ``out_degree``: edges of the deal in the graph; ``sector_degree``, ``region_degree``: of
  the nodes that it lies in.
- ``is_platform``, ``has_investment_year``, ``has_exit_year``: as recorded.
- ``description_length``: characters. ``deal_age_years``: from the investment to the exit, or to the question's year;
  0 when the investment has no year. ``is_mature_deal``: 3 years or more.
- ``has_complete_data``: a description, an investment year, and an exit year when it is realized.
- ``text_graph_alignment``: the mean text similarity of the deals around it: half that of its sector, half that of those
  it is joined to by add-ons (of its sector again when there are none).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.agents.deals.source.graph import ADDON_TO, Graph, node
from workers.agents.deals.source.records import Deal, DealBook

FAMILIES: dict[str, tuple[str, ...]] = {
    "text": ("text_similarity", "text_graph_alignment", "description_length"),
    "place": ("sector_match", "region_match"),
    "graph": ("num_addons", "degree", "sector_degree", "region_degree", "in_degree", "out_degree", "is_platform"),
    "time": ("has_exit", "has_exit_year", "has_investment_year", "deal_age_years", "is_mature_deal"),
    "record": ("has_complete_data",),
}
"""The features by what they are made of."""
FEATURES = (
    "text_similarity",
    "sector_match",
    "region_match",
    "num_addons",
    "has_exit",
    "degree",
    "is_platform",
    "sector_degree",
    "region_degree",
    "in_degree",
    "out_degree",
    "description_length",
    "has_investment_year",
    "has_exit_year",
    "deal_age_years",
    "is_mature_deal",
    "has_complete_data",
    "text_graph_alignment",
)
MATURE_YEARS = 3
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RecordFeatures:
    """What the record and the graph say of each deal, whatever is asked: one row a deal, in the order of the book.

    ``table``: one column a feature, zeros for those that depend on the question. ``sectors``: the number of each deal's
    sector. ``joined``: the numbers of the deals that each is joined to by add-ons.
    """

    table: Floats
    sectors: NDArray[np.int64]
    regions: NDArray[np.int64]
    joined: tuple[tuple[int, ...], ...]


def column(name: str) -> int:
    """The place of a feature."""
    return FEATURES.index(name)


def record_features(book: DealBook, graph: Graph, year: int) -> RecordFeatures:
    """Compute what does not depend on the question.

    Args:
        book: the records.
        graph: their graph.
        year: up to which a deal that has not ended is held.
    """
    addons = Counter(e.deal_id for e in book.events if e.type == "addon")
    exits = {e.deal_id for e in book.events if e.type == "exit"}
    table = np.zeros((len(book.deals), len(FEATURES)))
    degree = dict(graph.degree())
    incoming, outgoing = dict(graph.in_degree()), dict(graph.out_degree())
    for i, deal in enumerate(book.deals):
        name, age = node("deal", deal.id), held_years(deal, year)
        row = {
            "num_addons": addons[deal.id],
            "has_exit": deal.id in exits or deal.year_exited is not None,
            "degree": degree[name],
            "is_platform": deal.is_platform,
            "sector_degree": degree[node("sector", deal.sector_id)],
            "region_degree": degree[node("region", deal.region_id)],
            "in_degree": incoming[name],
            "out_degree": outgoing[name],
            "description_length": len(deal.description),
            "has_investment_year": deal.year_invested is not None,
            "has_exit_year": deal.year_exited is not None,
            "deal_age_years": age,
            "is_mature_deal": age >= MATURE_YEARS,
            "has_complete_data": is_complete(deal),
        }
        table[i] = [float(row.get(feature, 0.0)) for feature in FEATURES]
    return RecordFeatures(
        table,
        numbers_of([d.sector_id for d in book.deals], [s.id for s in book.sectors]),
        numbers_of([d.region_id for d in book.deals], [r.id for r in book.regions]),
        joined_numbers(book, graph),
    )


def held_years(deal: Deal, year: int) -> int:
    """For how many years it is, or was, held; 0 where that is not known."""
    ended = deal.year_exited or (year if deal.status == "current" else None)
    return max(0, ended - deal.year_invested) if deal.year_invested and ended else 0


def is_complete(deal: Deal) -> bool:
    """Whether everything that a precedent is read for is recorded."""
    ended = deal.year_exited is not None or deal.status != "realized"
    return bool(deal.description) and deal.year_invested is not None and ended


def numbers_of(values: Sequence[str], known: Sequence[str]) -> NDArray[np.int64]:
    """The place of each value among those that are known."""
    places = {name: i for i, name in enumerate(known)}
    return np.array([places[v] for v in values], dtype=np.int64)


def joined_numbers(book: DealBook, graph: Graph) -> tuple[tuple[int, ...], ...]:
    """The deals that each is joined to by add-ons, by their places."""
    places = {node("deal", d.id): i for i, d in enumerate(book.deals)}
    near = defaultdict[int, dict[int, None]](dict)
    for source, target, data in graph.edges(data=True):
        if data["type"] == ADDON_TO:
            near[places[source]][places[target]] = None
            near[places[target]][places[source]] = None
    return tuple(tuple(near[i]) if i in near else () for i in range(len(book.deals)))


def feature_rows(
    known: RecordFeatures,
    chosen: NDArray[np.int64],
    similarity: Floats,
    sectors: Collection[int],
    regions: Collection[int],
) -> Floats:
    """The features of some deals for a question.

    Args:
        known: what does not depend on the question.
        chosen: the places of the deals.
        similarity: the text similarity of every deal of the book.
        sectors: the numbers of the sectors that the question names.
        regions: those of the regions.

    Returns:
        one row a chosen deal, one column a feature.
    """
    rows: Floats = known.table[chosen].copy()
    rows[:, column("text_similarity")] = similarity[chosen]
    rows[:, column("sector_match")] = np.isin(known.sectors[chosen], list(sectors))
    rows[:, column("region_match")] = np.isin(known.regions[chosen], list(regions))
    counts = np.maximum(np.bincount(known.sectors, minlength=1), 1)
    of_sector = (np.bincount(known.sectors, similarity) / counts)[known.sectors[chosen]]
    around = [similarity[list(known.joined[i])].mean() if known.joined[i] else np.nan for i in chosen.tolist()]
    beside = np.where(np.isnan(around), of_sector, around)
    rows[:, column("text_graph_alignment")] = (of_sector + beside) / 2
    return rows
