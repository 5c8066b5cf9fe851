"""What a question says of the deals that it is about."""

from __future__ import annotations

from tests.support.deal_books import small_book
from tests.support.each_row import each_row
from workers.agents.deals.language.reading import topic_of
from workers.agents.deals.source.conditions import OPEN, read_conditions

BOOK = small_book()


def test_sector_region_platform_and_add_ons_are_read() -> None:
    read = read_conditions("find precedents for a Nordic veterinary clinic platform with add-ons", BOOK, 2026)
    assert (read.sectors, read.regions, read.platform, read.addons) == (("vet",), ("nor",), True, True)


def test_a_continent_means_all_regions_in_it() -> None:
    assert read_conditions("European payments", BOOK, 2026).regions == ("dach", "nor")


def test_a_country_means_the_region_that_it_lies_in() -> None:
    assert read_conditions("a German acquirer", BOOK, 2026).regions == ("dach",)


def test_a_place_without_deals_is_told_of() -> None:
    read = read_conditions("Brazilian payments", BOOK, 2026)
    assert (read.regions, read.unknown) == ((), ("Brazilian",))


@each_row(
    "text, invested, exited",
    [
        ("deals from 2015 to 2019", (2015, 2019), OPEN),
        ("deals since 2018", (2018, None), OPEN),
        ("deals after 2018", (2019, None), OPEN),
        ("deals before 2010", (None, 2009), OPEN),
        ("the last five years", (2021, 2026), OPEN),
        ("exited between 2015 and 2019", OPEN, (2015, 2019)),
        ("in 2012 or in 2014", OPEN, OPEN),
        ("last year", (2025, 2025), OPEN),
        ("realized deals we invested in since 2015", (2015, None), OPEN),
        ("invested after 2015 and sold before 2020", (2016, None), (None, 2019)),
        ("since 2015 and before 2020", (2015, 2019), OPEN),
    ],
)
def test_years_bind_the_investment_or_the_exit(text: str, invested: object, exited: object) -> None:
    read = read_conditions(text, BOOK, 2026)
    assert (read.invested, read.exited) == (invested, exited)


@each_row(
    "text, status, addons",
    [
        ("exited deals", "realized", None),
        ("deals not yet sold", "current", None),
        ("current deals without add-ons", "current", False),
        ("sold or current", "", None),
        ("unsold deals", "current", None),
    ],
)
def test_what_is_denied_is_the_other(text: str, status: str, addons: object) -> None:
    read = read_conditions(text, BOOK, 2026)
    assert (read.status, read.addons) == (status, addons)


def test_a_choice_in_a_menu_takes_the_place_of_what_is_read() -> None:
    read = read_conditions("Nordic exited clinics [region: United States] [status: any]", BOOK, 2026)
    assert (read.regions, read.status, set(read.chosen)) == (("us",), "", {"region", "status"})
    assert "Nordic" not in read.words


def test_a_sector_stands_by_its_whole_name() -> None:
    assert read_conditions("clinics for people", BOOK, 2026).sectors == ()


def test_the_topic_is_what_conditions_do_not_say() -> None:
    text = "find precedents for a European card terminals platform with add-ons, exited since 2015 [region: DACH]"
    assert topic_of(text).split() == ["for", "a", "card", "terminals", "with"]


def test_what_is_shut_out_is_told_and_binds() -> None:
    read = read_conditions("payments outside the Nordics that are no platforms, without add-ons", BOOK, 2026)
    assert (read.regions, read.no_regions, read.platform, read.addons) == ((), ("nor",), False, False)
    assert read.words == ("Payments", "outside Nordics", "no platforms", "without add-ons")


def test_the_region_that_stands_for_a_place_is_told() -> None:
    assert read_conditions("a German acquirer", BOOK, 2026).words == ("DACH (for German)",)


def test_years_that_bind_nothing_are_told() -> None:
    assert read_conditions("in 2012 or in 2014", BOOK, 2026).unread == ("2012", "2014")


def test_any_in_a_menu_takes_away_what_the_words_say() -> None:
    read = read_conditions("sold Nordic platforms [status: any] [region: any]", BOOK, 2026)
    assert (read.status, read.regions, read.words) == ("", (), ("platforms",))


def test_a_place_inside_a_word_is_no_place() -> None:
    assert topic_of("USB chargers in the US") == "USB chargers in the"
