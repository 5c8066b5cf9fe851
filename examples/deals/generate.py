"""Invents a portfolio: deals with events and snippets, and labelled queries that carry signal and noise.

A query wants a theme, often a sector, a region, platforms, add-ons or a status. How good a precedent a deal is (0 to
3) follows from what it really is: its theme, its sector and region and their neighbours, how it came out, how much of
it is known, and a reader's whim. Its text tells only part of that: other words are used than in the query, themes are
left out, and words of other themes stand in it. Near misses in sector, region, time and words are frequent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from workers.agents.deals.source.labelled_queries import LabelledQuery
from workers.agents.deals.source.records import Deal, DealBook, Event, Region, Sector, Snippet

HERE = Path(__file__).parent
REGIONS = {
    "Europe": ("Nordics", "DACH", "Benelux", "United Kingdom and Ireland", "France", "Iberia", "Italy", "Poland"),
    "North America": ("United States", "Canada"),
}
FIRST = (
    "Alder Arven Bexley Brant Calder Corvin Dalby Delmar Ember Esker Falk Garda Halden Hexa Ilex Jarrow Kestrel Kolb "
    "Linden Lorne Marlow Merid Norr Oakham Orsa Pell Quill Rhea Rowan Saltus Selby Tarn Tessin Ulm Varde Vesper Wick "
    "Yarrow Zell Zora"
).split()
LAST = "Group Holding Partners Systems Works Services Solutions Labs Industries Care Network Technik Bros Point".split()
SOURCES = ("investment memo", "board paper", "exit memo", "lessons learned")
ROUTES = ("a trade buyer", "another fund", "the stock exchange", "its management")
SAID_PLATFORM = ("platform", "buy-and-build platform")
PRESENT = date(2026, 6, 30)
GRADES = ((0.02, 3), (0.05, 2), (0.10, 1))
"""Of the deals that may count, the best share, and its grade."""
LEAST, WHIM = 1.0, 0.12
"""What is worth less is no precedent; and by how much readers differ (standard deviation)."""


@dataclass(frozen=True)
class Nature:
    """What a deal really is, whatever its text says."""

    theme: str
    sector: str
    region: str
    addons: int
    levers: int


@dataclass(frozen=True)
class Portfolio:
    """A book, its labelled queries in the order of their dates, and what each deal really is."""

    book: DealBook
    queries: tuple[LabelledQuery, ...]
    natures: tuple[Nature, ...]


@cache
def themes() -> dict[str, dict[str, dict[str, list[str]]]]:
    """Sector -> theme -> how records describe it and how people ask for it."""
    read: dict[str, dict[str, dict[str, list[str]]]] = yaml.safe_load(
        (HERE / "themes.yaml").read_text(encoding="utf-8")
    )
    return read


@cache
def passages() -> dict[str, dict[str, list[str]]]:
    """Kind of passage -> topic -> sentences."""
    read: dict[str, dict[str, list[str]]] = yaml.safe_load((HERE / "passages.yaml").read_text(encoding="utf-8"))
    return read


def generate(seed: int = 1, deals: int = 2_000, queries: int = 400) -> Portfolio:
    """Invent a portfolio; the same seed gives the same one."""
    chance = random.Random(seed)  # noqa: S311 - invented data
    places = [region for inside in REGIONS.values() for region in inside]
    sectors = {name: f"s{i + 1:02}" for i, name in enumerate(themes())}
    regions = {name: f"r{i + 1:02}" for i, name in enumerate(places)}
    natures = [invent_nature(chance, places) for _ in range(deals)]
    names = invent_names(chance, deals)
    records = [
        invent_deal(chance, f"d{i + 1:04}", names[i], nature, sectors, regions) for i, nature in enumerate(natures)
    ]
    events = tuple(invent_events(chance, records, natures))
    snippets = tuple(invent_snippets(chance, records, natures, events))
    book = DealBook(
        sectors=tuple(Sector(id=i, name=n) for n, i in sectors.items()),
        regions=tuple(Region(id=i, name=n) for n, i in regions.items()),
        deals=tuple(records),
        events=events,
        snippets=snippets,
    )
    days = sorted(chance.randrange(730) for _ in range(queries))
    asked = tuple(
        invent_query(chance, f"q{i + 1:03}", PRESENT - timedelta(days=730 - day), book, natures)
        for i, day in enumerate(days)
    )
    return Portfolio(book, asked, tuple(natures))


# --- deals ----------------------------------------------------------------------------------------------------


def invent_nature(chance: random.Random, places: list[str]) -> Nature:
    """What a deal really is; platforms have up to twelve add-ons, most deals none."""
    sector = chance.choice(list(themes()))
    theme = chance.choice(list(themes()[sector]))
    addons = min(12, int(chance.expovariate(0.4)) + 1) if chance.random() < 0.28 else 0
    return Nature(theme, sector, chance.choice(places), addons, chance.randrange(4))


def invent_names(chance: random.Random, count: int) -> list[str]:
    """Names of companies, each once."""
    names: dict[str, None] = {}
    while len(names) < count:
        middle = chance.choice(("", "", chance.choice(FIRST).lower()))
        number = f" {chance.choice(('North', 'South', 'West', 'II', 'Nova', 'Uno'))}" if chance.random() < 0.4 else ""
        names[f"{chance.choice(FIRST)}{middle} {chance.choice(LAST)}{number}"] = None
    return list(names)


def invent_deal(
    chance: random.Random, name: str, title: str, nature: Nature, sectors: dict[str, str], regions: dict[str, str]
) -> Deal:
    """The record of a deal: years and descriptions are missing now and then, as they are."""
    invested = chance.randint(2003, 2025)
    held = chance.randint(2, 9)
    realized = invested + held <= PRESENT.year and chance.random() < 0.75
    known, left = chance.random() < 0.92, chance.random() < 0.88
    return Deal(
        id=name,
        name=title,
        sector_id=sectors[nature.sector],
        region_id=regions[nature.region],
        is_platform=nature.addons > 0 or chance.random() < 0.08,
        status="realized" if realized else "current",
        description=describe(chance, nature) if chance.random() < 0.94 else "",
        year_invested=invested if known else None,
        year_exited=invested + held if realized and known and left else None,
    )


def describe(chance: random.Random, nature: Nature) -> str:
    """What the record says: often the theme, sometimes less, and now and then words of another theme."""
    own = themes()[nature.sector][nature.theme]["records"]
    parts = chance.sample(own, chance.choice((1, 1, 2)))
    if chance.random() < 0.25:  # a word that people ask with, too
        parts.append(f"known as a {chance.choice(themes()[nature.sector][nature.theme]['asked'])}")
    if chance.random() < 0.3:  # what it once did, or its customers do
        other = chance.choice(list(themes()))
        parts.append(f"once {chance.choice(chance.choice(list(themes()[other].values()))['records'])}")
    if chance.random() < 0.15:  # a software platform is no platform
        parts.append("sells through an online platform for add-on services")
    text = "; ".join(parts)
    return (
        f"{text[0].upper()}{text[1:]}. Based in {nature.region}." if chance.random() < 0.5 else f"{text.capitalize()}."
    )


def invent_events(chance: random.Random, deals: list[Deal], natures: list[Nature]) -> Iterator[Event]:
    """Add-ons, about half of them deals of their own, each added once; and most exits."""
    number = 0
    free = [i for i, n in enumerate(natures) if not n.addons]
    chance.shuffle(free)
    by_theme: dict[str, list[int]] = {}
    for i in free:
        by_theme.setdefault(natures[i].theme, []).append(i)
    for i, deal in enumerate(deals):
        start = deal.year_invested or 2015
        for _ in range(natures[i].addons):
            number += 1
            other = by_theme.get(natures[i].theme, []) if chance.random() < 0.5 else []
            related = deals[other.pop()] if other else None
            day = date(
                min(start + chance.randint(0, 4), PRESENT.year - 1), chance.randint(1, 12), chance.randint(1, 28)
            )
            what = related.name if related else f"a smaller rival in {natures[i].region}"
            yield Event(
                id=f"e{number:05}",
                type="addon",
                deal_id=deal.id,
                related_deal_id=related.id if related else None,
                date=day.isoformat() if chance.random() < 0.9 else None,
                description=f"Bought {what}",
            )
        if deal.status == "realized" and chance.random() < 0.85:
            number += 1
            ended = (
                date(deal.year_exited, chance.randint(1, 12), chance.randint(1, 28)).isoformat()
                if deal.year_exited
                else None
            )
            yield Event(
                id=f"e{number:05}",
                type="exit",
                deal_id=deal.id,
                date=ended,
                description=f"Sold to {chance.choice(ROUTES)}",
            )


def invent_snippets(
    chance: random.Random, deals: list[Deal], natures: list[Nature], events: tuple[Event, ...]
) -> Iterator[Snippet]:
    """Passages of memos: what raised the value, what went wrong, plain facts."""
    added = {e.deal_id: e.description.removeprefix("Bought ") for e in events if e.type == "addon"}
    number = 0
    for deal, nature in zip(deals, natures, strict=True):
        kinds = chance.sample(("lever", "risk", "other"), chance.randint(0, 3))
        kinds += ["lever"] * (nature.levers > 1)
        for kind in kinds:
            topics = passages()[kind]
            topic = chance.choice([t for t in topics if t != "addons" or deal.id in added])
            text = chance.choice(topics[topic]).format(
                n=chance.randint(2, 40), y=chance.randint(1950, 2005), addon=added.get(deal.id, "A rival").capitalize()
            )
            number += 1
            source = f"{chance.choice(SOURCES)} {deal.year_invested or 2015}"
            yield Snippet(id=f"n{number:05}", deal_id=deal.id, source=source, text=f"{text}.")


# --- queries --------------------------------------------------------------------------------------------------


def invent_query(chance: random.Random, name: str, asked: date, book: DealBook, natures: list[Nature]) -> LabelledQuery:
    """A question and how good a precedent each deal is; deals that break its conditions are none."""
    sector = chance.choice(list(themes()))
    theme = chance.choice(list(themes()[sector]))
    wants: dict[str, Any] = {
        "sector": sector if chance.random() < 0.5 else "",
        "region": chance.choice([*REGIONS, *(r for inside in REGIONS.values() for r in inside)])
        if chance.random() < 0.6
        else "",
        "platform": chance.random() < 0.3,
        "addons": chance.random() < 0.3,
        "status": chance.choice(("", "", "", "realized", "current")),
    }
    said = chance.choice(themes()[sector][theme]["asked"])
    worth = [value_of(chance, d, n, theme, sector, wants) for d, n in zip(book.deals, natures, strict=True)]
    order = sorted((i for i, v in enumerate(worth) if v > LEAST), key=lambda i: -worth[i])
    eligible = sum(v > 0 for v in worth)
    grades: dict[str, int] = {}
    for share, grade in GRADES:
        for i in order[: max(3, int(share * min(eligible, 300)))]:
            grades.setdefault(book.deals[i].id, grade)
    return LabelledQuery(id=name, text=put_in_words(chance, said, wants), asked_at=asked, grades=grades)


def value_of(
    chance: random.Random, deal: Deal, nature: Nature, theme: str, sector: str, wants: dict[str, Any]
) -> float:
    """What a deal is worth as a precedent, to one reader."""
    barred = (
        (wants["status"] and deal.status != wants["status"])
        or (wants["platform"] and not deal.is_platform)
        or (wants["addons"] and not nature.addons)
    )
    if barred:
        return 0.0
    worth = 1.0 if nature.theme == theme else 0.35 if nature.sector == sector else 0.0
    worth += 0.25 * (nature.sector == (wants["sector"] or sector))
    if wants["region"]:
        inside = REGIONS.get(wants["region"], (wants["region"],))
        near = any(nature.region in group and set(inside) & set(group) for group in REGIONS.values())
        worth += 0.45 if nature.region in inside else 0.15 if near else -0.1
    worth += 0.3 * min(nature.addons, 5) / 5 * (2 if wants["addons"] else 1)
    worth += 0.25 * (deal.status == "realized") + 0.15 * (deal.year_exited is not None)
    worth += 0.1 * bool(deal.description) + 0.1 * (deal.year_invested is not None)
    worth += 0.15 * (deal.year_invested is not None and PRESENT.year - deal.year_invested >= 3)
    return worth + chance.gauss(0, WHIM)


def put_in_words(chance: random.Random, said: str, wants: dict[str, Any]) -> str:
    """The question as somebody would put it."""
    kind = chance.choice(SAID_PLATFORM) if wants["platform"] else chance.choice(("deal", "investment", "business"))
    status = {"realized": chance.choice(("exited", "realized")), "current": "current", "": ""}[wants["status"]]
    adjective = {"Europe": "European", "North America": "North American"}.get(wants["region"], "")
    where = f" in {wants['region']}" if wants["region"] and not adjective else ""
    line = f" ({wants['sector']})" if wants["sector"] else ""
    more = chance.choice((" with add-ons", " that did add-ons")) if wants["addons"] else ""
    start = chance.choice(
        ("find precedents for a", "which deals are like a", "have we done a", "closest matches for a")
    )
    return " ".join(f"{start} {status} {adjective} {said}{line} {kind}{where}{more}".split())
