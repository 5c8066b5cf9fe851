"""The graph of deals: what is invested in which sector and region, added to what, sold how and described where.

Nodes are ``KIND:ID`` (deal, sector, region, exit, snippet). Edges carry their ``type`` and run from the deal:
IN_SECTOR, IN_REGION, EXITED_VIA (to its exit), DESCRIBED_IN (to a snippet); ADDON_TO from what was added to the
platform.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from workers.agents.deals.source.records import DealBook

IN_SECTOR, IN_REGION, ADDON_TO, EXITED_VIA, DESCRIBED_IN = (
    "IN_SECTOR",
    "IN_REGION",
    "ADDON_TO",
    "EXITED_VIA",
    "DESCRIBED_IN",
)
if TYPE_CHECKING:
    import networkx as nx

Graph: TypeAlias = "nx.MultiDiGraph[str]"


def node(kind: str, name: str) -> str:
    """What a record is called in the graph."""
    return f"{kind}:{name}"


def build_graph(book: DealBook) -> Graph:
    """The graph of a book; two deals may be joined more than once, as often as it was recorded."""
    import networkx as nx  # noqa: PLC0415 - a third of a second, which most commands need not wait for

    graph: Graph = nx.MultiDiGraph()
    graph.add_nodes_from(node("deal", d.id) for d in book.deals)
    graph.add_nodes_from(node("sector", s.id) for s in book.sectors)
    graph.add_nodes_from(node("region", r.id) for r in book.regions)
    graph.add_edges_from((source, target, {"type": kind}) for source, target, kind in edges_of(book))
    return graph


def edges_of(book: DealBook) -> Iterator[tuple[str, str, str]]:
    """Every edge as its two nodes and its type."""
    for deal in book.deals:
        yield node("deal", deal.id), node("sector", deal.sector_id), IN_SECTOR
        yield node("deal", deal.id), node("region", deal.region_id), IN_REGION
    for event in book.events:
        if event.type == "exit":
            yield node("deal", event.deal_id), node("exit", event.id), EXITED_VIA
        elif event.related_deal_id:
            yield node("deal", event.related_deal_id), node("deal", event.deal_id), ADDON_TO
    for snippet in book.snippets:
        yield node("deal", snippet.deal_id), node("snippet", snippet.id), DESCRIBED_IN
