"""Deals that are counted: what a question names and no record holds is told, and is no count of everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.deal_books import small_book
from workers.agents.deals.source.portfolio import Portfolio
from workers.agents.deals.source.store import save_book
from workers.agents.deals.tools.deals import DealTools, ListArgs
from workers.contracts import ToolOutput


@pytest.fixture
def tools(tmp_path: Path) -> DealTools:
    save_book(small_book(), tmp_path)
    return DealTools(Portfolio(tmp_path))


def counted(tools: DealTools, query: str, group_by: str = "") -> ToolOutput:
    return tools.listing(ListArgs.model_validate({"query": query, "group_by": group_by}), None)  # type: ignore[arg-type]


def test_words_that_no_record_holds_count_nothing(tools: DealTools) -> None:
    found = counted(tools, "how many submarine deals")
    assert (found.status, found.data) == ("empty", {"count": 0, "conditions": []})
    assert "“submarine”" in found.reason


def test_a_place_without_deals_counts_nothing(tools: DealTools) -> None:
    found = counted(tools, "how many deals in Brazil")
    assert found.status == "empty"
    assert "no deal in Brazil" in found.reason


def test_what_is_left_out_of_a_count_is_told(tools: DealTools) -> None:
    found = counted(tools, "how many payments deals with submarines")
    assert found.data["count"] == 3
    assert "“submarines”" in str(found.evidence[0].facts["left_out"].value)


def test_exits_are_counted_by_the_year_of_the_exit(tools: DealTools) -> None:
    found = counted(tools, "exits per year", "year")
    assert (found.data["count"], found.data["groups"]) == (2, {"2019": 1, "2021": 1})


def test_what_was_added_points_to_its_platform(tools: DealTools) -> None:
    graph = counted(tools, "card terminals").evidence[0].graph
    assert graph is not None
    assert ("deal:d2", "deal:d1", "ADDON_TO") in {(e.source, e.target, e.type) for e in graph.edges}
    assert {n.id: n.kind for n in graph.nodes}["deal:d1"] in {"platform", "deal"}
