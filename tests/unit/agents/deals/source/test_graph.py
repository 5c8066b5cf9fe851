"""The graph of deals: its edges by type and direction."""

from __future__ import annotations

from tests.support.deal_books import small_book
from workers.agents.deals.source.graph import build_graph


def test_edges_run_from_the_deal_and_add_ons_to_their_platform() -> None:
    graph = build_graph(small_book())
    edges = {(source, target, kind) for source, target, kind in graph.edges(data="type")}
    assert ("deal:d1", "sector:pay", "IN_SECTOR") in edges
    assert ("deal:d1", "region:dach", "IN_REGION") in edges
    assert ("deal:d2", "deal:d1", "ADDON_TO") in edges
    assert ("deal:d1", "exit:e3", "EXITED_VIA") in edges
    assert ("deal:d3", "snippet:n2", "DESCRIBED_IN") in edges
    assert graph.number_of_edges() == 10 + 2 + 1 + 2
