"""What a question says of the deals that it is about."""

from __future__ import annotations

from tests.support.deal_books import small_book
from tests.support.each_row import each_row
from workers.agents.deals.language.places import places
from workers.agents.deals.language.reading import topic_of
from workers.agents.deals.source.conditions import Measure, read_conditions
from workers.agents.deals.source.listing import list_deals
from workers.agents.deals.source.records import Deal, DealBook, Event, Region, Sector
from workers.agents.deals.source.search import build_index

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
        ("deals from 2015 to 2019", [(2015, 2019)], []),
        ("deals since 2018", [(2018, None)], []),
        ("deals after 2018", [(2019, None)], []),
        ("deals before 2010", [(None, 2009)], []),
        ("the last five years", [(2021, 2026)], []),
        ("exited between 2015 and 2019", [], [(2015, 2019)]),
        ("in 2012 or in 2014", [(2012, 2012), (2014, 2014)], []),
        ("last year", [(2025, 2025)], []),
        ("realized deals we invested in since 2015", [(2015, None)], []),
        ("invested after 2015 and sold before 2020", [(2016, None)], [(None, 2019)]),
        ("since 2015 and before 2020", [(2015, 2019)], []),
        ("exited in any year except 2017", [], [(None, 2016), (2018, None)]),
    ],
)
def test_years_bind_the_investment_or_the_exit(text: str, invested: object, exited: object) -> None:
    read = read_conditions(text, BOOK, 2026)
    assert ([*read.invested], [*read.exited]) == (invested, exited)


@each_row("text", ["firms with 2 to 4 add-ons", "between 2 and 4 add-ons", "2–4 Zukäufe"])
def test_a_range_of_numbers_has_both_its_bounds(text: str) -> None:
    read = read_conditions(text, BOOK, 2026)
    assert {*read.measures} == {Measure("add_ons", "≥", 2), Measure("add_ons", "≤", 4)}


def test_years_of_what_is_denied_are_told_and_bind_nothing() -> None:
    read = read_conditions("deals that were not sold in 2019", BOOK, 2026)
    assert (read.exited, read.unread) == ((), ("2019",))


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


def test_the_noun_of_a_sector_alone_is_none_beside_other_words() -> None:
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
    assert read_conditions("before 2012 or before 2014", BOOK, 2026).unread == ("before 2012", "before 2014")


def test_any_in_a_menu_takes_away_what_the_words_say() -> None:
    read = read_conditions("sold Nordic platforms [status: any] [region: any]", BOOK, 2026)
    assert (read.status, read.regions, read.words) == ("", (), ("platforms",))


@each_row(
    "text, sectors, shut",
    [
        ("vet deals", ("vet",), ()),
        ("how many clinics did we sell", ("vet",), ()),
        ("Zahlungsfirmen und Tierärzte", ("pay", "vet"), ()),
        ("payment companies", ("pay",), ()),
        ("paymnets companies", ("pay",), ()),
        ("empresas de pagos", ("pay",), ()),
        ("all but payments", (), ("pay",)),
        ("anything but vets and payments", (), ("pay", "vet")),
        ("dental clinics", (), ()),
    ],
)
def test_a_sector_stands_by_parts_of_its_name_and_other_words(text: str, sectors: object, shut: object) -> None:
    read = read_conditions(text, BOOK, 2026)
    assert (read.sectors, read.no_sectors) == (sectors, shut)


@each_row(
    "text, words",
    [
        ("platforms with at least three bolt-ons", ("platforms", "at least 3 add-ons")),
        ("Plattformen mit weniger als zwei Zukäufen", ("platforms", "less than 2 add-ons")),
        ("5 or more add-ons", ("at least 5 add-ons",)),
        ("más de cuatro adquisiciones", ("more than 4 add-ons",)),
        ("exits above 2.5x", ("realized", "more than 2.5x money back")),
        ("held for longer than seven years", ("more than 7 years held",)),
        ("where we wrote off everything", ("nothing back",)),
        ("we did not lose money", ("at least 1x money back",)),
        ("carved out of a group and sold", ("realized", "bought from corporate")),
        ("purchased from a founder or a family", ("bought from family", "bought from founder")),
    ],
)
def test_what_is_counted_and_who_sold_binds(text: str, words: tuple[str, ...]) -> None:
    assert {*words} <= {*read_conditions(text, BOOK, 2026).words}


@each_row(
    "text, unread",
    [
        ("firms with sales above 20 million", ("sales", "above 20 million")),
        ("more than 300 employees", ("more than 300 employees",)),
        ("bought at under 6x EBITDA", ("under 6x", "EBITDA")),
    ],
)
def test_a_number_of_something_that_is_not_recorded_is_left_as_unread(text: str, unread: tuple[str, ...]) -> None:
    said = " ".join(read_conditions(text, BOOK, 2026).unread)
    assert all(word in said for word in unread)


@each_row("place", [p for n in ("Sweden", "United States", "DACH", "Iberia") for p in (n, *places()[n].names)])
def test_what_follows_a_place_stays_whole(place: str) -> None:
    assert topic_of(f"{place} tanneries and smokehouses") == "tanneries and smokehouses"


TOLD = DealBook(
    sectors=(Sector(id="s", name="Machines"),),
    regions=(Region(id="n", name="Nordics"), Region(id="w", name="Pacific Coast")),
    deals=tuple(
        Deal(id=f"t{i}", name=f"Firm{i}", sector_id="s", region_id=region, description=text, status=status)
        for i, (region, text, status) in enumerate(
            (
                ("n", "Saws. Based in Moss, Norway. The founder sold to us.", "realized"),
                ("n", "Danish furniture made abroad. Based in Ystad, Sweden. Carved out of Fjord Works.", "realized"),
                ("n", "Drills. Based in Vejle, Denmark. Two brothers sold a family firm.", "current"),
                ("w", "Lathes. Based in Oregon City, Oregon. Second buyout, after Tall Pine Capital.", "current"),
                ("w", "Files. Based in Eugene, Oregon. Spun off by its parent.", "current"),
            )
        )
    ),
    events=(
        Event(id="x1", type="exit", deal_id="t0", description="Rowan Trust bought it for 1.4x our money."),
        Event(id="x2", type="exit", deal_id="t1", description="The company went bankrupt."),
    ),
)
INDEX = build_index(TOLD, 2026)


@each_row(
    "text, found",
    [
        ("Danish firms", ["t2"]),
        ("companies in Norway or Sweden", ["t0", "t1"]),
        ("Nordic deals not in Denmark", ["t0", "t1"]),
        ("Icelandic companies", []),
        ("firms in Oregon", ["t3", "t4"]),
        ("firms in Oregon City", ["t3"]),
        ("sold to Rowan Trust", ["t0"]),
        ("what we bought from founders", ["t0"]),
        ("secondaries on the west coast", ["t3"]),
        ("deals that lost money", ["t1"]),
        ("total losses in Scandinavia", ["t1"]),
        ("deals from Tall Pine Capital", ["t3"]),
        ("outside the US", ["t0", "t1", "t2"]),
    ],
)
def test_what_only_descriptions_tell_binds(text: str, found: list[str]) -> None:
    read = read_conditions(text, TOLD, 2026)
    assert [d.id for d in sorted(list_deals(INDEX, read, "newest").deals, key=lambda d: d.id)] == found, read


def test_a_place_inside_a_word_is_no_place() -> None:
    assert topic_of("USB chargers in the US") == "USB chargers in the"
