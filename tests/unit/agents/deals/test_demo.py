"""The part of the demo that deals bring."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.support.deal_books import small_book
from workers.agents.deals.demo import DEALS, build_demo
from workers.agents.deals.source.portfolio import Portfolio, deals_folder
from workers.agents.deals.source.store import open_book, save_book
from workers.settings.contributions import find_contributions

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_the_demo_finds_it_and_it_brings_deals_with_a_ranking(tmp_path: Path) -> None:
    build = {one.name: one for one in find_contributions("demo")}["deals"].load()
    assert build(tmp_path, NOW, 1) == {}
    portfolio = Portfolio(deals_folder(tmp_path))
    assert len(portfolio.book().deals) == DEALS
    assert portfolio.ranker_header()[0]


def test_deals_that_were_loaded_are_left_as_they_are(tmp_path: Path) -> None:
    save_book(small_book(), deals_folder(tmp_path))
    assert build_demo(tmp_path, NOW, 1) == {}
    assert open_book(deals_folder(tmp_path)) == small_book()
