"""The features of deals against a slow version that counts in the records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.deal_books import random_book, small_book
from tests.support.each_row import each_row
from workers.agents.deals.source.features import FAMILIES, FEATURES, feature_rows, record_features
from workers.agents.deals.source.graph import build_graph
from workers.agents.deals.source.records import Deal, DealBook

YEAR = 2026


def slow_features(book: DealBook, deal: Deal, year: int) -> dict[str, float]:
    """Each feature by its own count over all records."""
    addons = [e for e in book.events if e.type == "addon" and e.deal_id == deal.id]
    into = [e for e in addons if e.related_deal_id]
    out_of = [e for e in book.events if e.type == "addon" and e.related_deal_id == deal.id]
    exits = [e for e in book.events if e.type == "exit" and e.deal_id == deal.id]
    snippets = [s for s in book.snippets if s.deal_id == deal.id]
    out = 2 + len(out_of) + len(exits) + len(snippets)  # sector and region first
    until = year if deal.year_exited is None and deal.status == "current" else deal.year_exited
    age = 0 if deal.year_invested is None or until is None else max(0, until - deal.year_invested)
    complete = bool(deal.description) and deal.year_invested is not None
    return {
        "num_addons": len(addons),
        "has_exit": bool(exits) or deal.year_exited is not None,
        "degree": out + len(into),
        "in_degree": len(into),
        "out_degree": out,
        "sector_degree": sum(d.sector_id == deal.sector_id for d in book.deals),
        "region_degree": sum(d.region_id == deal.region_id for d in book.deals),
        "is_platform": deal.is_platform,
        "description_length": len(deal.description),
        "has_investment_year": deal.year_invested is not None,
        "has_exit_year": deal.year_exited is not None,
        "deal_age_years": age,
        "is_mature_deal": age >= 3,
        "has_complete_data": complete and (deal.status == "current" or deal.year_exited is not None),
    }


@each_row("seed", range(12))
def test_features_of_the_record_are_those_of_a_slow_count(seed: int) -> None:
    book = random_book(seed)
    table = record_features(book, build_graph(book), YEAR).table
    for row, deal in zip(table, book.deals, strict=True):
        found = dict(zip(FEATURES, row.tolist(), strict=True))
        wanted = slow_features(book, deal, YEAR)
        assert {name: found[name] for name in wanted} == {name: float(value) for name, value in wanted.items()}


@given(st.integers(0, 200), st.data())
def test_features_of_a_question_are_those_of_a_slow_count(seed: int, data: st.DataObject) -> None:
    book = random_book(seed, 12)
    known = record_features(book, build_graph(book), YEAR)
    shares = st.floats(0, 1, allow_nan=False)
    similarity = np.array(data.draw(st.lists(shares, min_size=12, max_size=12)))
    sectors = data.draw(st.sets(st.integers(0, 3)))
    regions = data.draw(st.sets(st.integers(0, 2)))
    chosen = np.array(data.draw(st.lists(st.integers(0, 11), min_size=1, unique=True)))
    rows = feature_rows(known, chosen, similarity, sectors, regions)
    for row, i in zip(rows, chosen.tolist(), strict=True):
        deal, found = book.deals[i], dict(zip(FEATURES, row.tolist(), strict=True))
        assert found["text_similarity"] == similarity[i]
        assert found["sector_match"] == (int(deal.sector_id[1:]) in sectors)
        assert found["region_match"] == (int(deal.region_id[1:]) in regions)
        same = [similarity[j] for j, d in enumerate(book.deals) if d.sector_id == deal.sector_id]
        pairs = {(e.deal_id, e.related_deal_id) for e in book.events if e.type == "addon" and e.related_deal_id}
        beside = {a for a, b in pairs if b == deal.id} | {b for a, b in pairs if a == deal.id}
        near = [similarity[int(str(d)[1:])] for d in sorted(map(str, beside))]
        mean = sum(same) / len(same)
        wanted = (mean + (sum(near) / len(near) if near else mean)) / 2
        assert found["text_graph_alignment"] == pytest.approx(wanted)


def test_every_feature_is_of_one_family() -> None:
    assert sorted(name for names in FAMILIES.values() for name in names) == sorted(FEATURES)


def test_an_exit_without_an_event_is_one() -> None:
    book = small_book()
    table = record_features(book, build_graph(book), YEAR).table
    has_exit = table[:, FEATURES.index("has_exit")].tolist()
    assert has_exit == [1, 0, 0, 0, 1]
