"""Search for deals: words, meaning, the graph, and what binds."""

from __future__ import annotations

from tests.support.deal_books import random_book, small_book
from tests.support.each_row import each_row
from workers.agents.deals.source.conditions import read_conditions
from workers.agents.deals.source.listing import list_deals
from workers.agents.deals.source.names import deals_named, nearest_deals
from workers.agents.deals.source.search import build_index, completed, find_candidates, unspoken

INDEX = build_index(small_book(), 2026)


def test_the_nearest_by_text_comes_first() -> None:
    found = find_candidates(INDEX, "a business that rents card terminals")
    assert found.deals[0].id == "d2"
    assert found.rows[0][0] == 1.0


def test_a_deal_that_others_shall_be_like_lends_its_words_and_is_none_of_them() -> None:
    found = find_candidates(INDEX, "anything like Alder Pay?")
    assert {d.id for d in found.deals[:2]} == {"d2", "d5"}
    assert "d1" not in {d.id for d in found.deals}


def test_meaning_finds_what_shares_no_word() -> None:
    assert find_candidates(INDEX, "hospitals for pets and vets").deals[0].id == "d3"


def test_add_ons_of_what_is_near_are_candidates() -> None:
    assert "d4" in {d.id for d in find_candidates(INDEX, "animal hospitals").deals}


def test_status_and_platform_bind_and_region_does_not() -> None:
    found = find_candidates(INDEX, "realized payments in the Nordics")
    assert {d.id for d in found.deals} == {"d1", "d5"}
    assert {d.id for d in find_candidates(INDEX, "Nordic platform").deals} == {"d1", "d3"}


def test_what_a_menu_chose_binds() -> None:
    assert {d.id for d in find_candidates(INDEX, "payments [region: United States]").deals} == {"d4", "d5"}


def test_a_beginning_stands_for_the_words_of_the_records() -> None:
    assert "termin" in completed(INDEX, ["termi"])
    assert completed(INDEX, ["card", "pay"]) == ("card", "pay")


def test_words_that_no_record_knows_are_told() -> None:
    assert unspoken(INDEX, "card payments in Zzyzxland for Qwertzon") == ["Zzyzxland", "Qwertzon"]
    assert unspoken(INDEX, "hospitals for pets in California") == ["California"]
    assert unspoken(INDEX, "find precedents for a Nordic card payments platform with add-ons since 2015") == []


def test_a_choice_that_does_not_exist_has_no_deals() -> None:
    assert find_candidates(INDEX, "payments [sector: Paiments]").deals == ()
    assert len(find_candidates(INDEX, "payments [sector: any]").deals) == 5


def test_conditions_that_nothing_meets_give_no_candidates() -> None:
    found = find_candidates(INDEX, "current payments before 1990")
    assert (found.deals, len(found.rows)) == ((), 0)


@each_row("text", ["", "???", "the and of", "[region: ]", "\ud800", "x" * 5_000])
def test_any_text_is_searched_without_an_error(text: str) -> None:
    assert len(find_candidates(INDEX, text).deals) <= 5


def test_a_book_of_nothing_can_be_searched() -> None:
    empty = build_index(random_book(1, 2), 2026)
    assert len(find_candidates(empty, "pumps").deals) == 2


def test_in_a_list_sector_and_region_bind() -> None:
    text = "how many payments deals in DACH"
    found = list_deals(INDEX, read_conditions(text, INDEX.book, 2026), "newest")
    assert [d.id for d in found.deals] == ["d1", "d2"]


def test_a_list_is_ordered_by_what_is_asked() -> None:
    found = list_deals(INDEX, read_conditions("all", INDEX.book, 2026), "most_addons")
    assert [d.id for d in found.deals][:2] == ["d1", "d3"]


def test_deals_are_named_whole_or_by_a_rare_first_word() -> None:
    book = INDEX.book
    assert [d.id for d in deals_named("compare Corvin Vets with Alder Pay", book)] == ["d3", "d1"]
    assert [d.id for d in deals_named("what became of Ember?", book)] == ["d5"]
    assert deals_named("an ember glows", book) == ()
    assert nearest_deals("tell me about Aldor Vend", book)[1][0] == "Alder Pay"
