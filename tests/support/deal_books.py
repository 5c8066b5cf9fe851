"""Small books of deals, and random ones."""

from __future__ import annotations

import random

from workers.agents.deals.source.records import Deal, DealBook, Event, Region, Sector, Snippet


def small_book() -> DealBook:
    """Two platforms with add-ons, a sold deal, and one of which little is known."""
    return DealBook(
        sectors=(Sector(id="pay", name="Payments"), Sector(id="vet", name="Veterinary Clinics")),
        regions=(
            Region(id="dach", name="DACH"),
            Region(id="nor", name="Nordics"),
            Region(id="us", name="United States"),
        ),
        deals=(
            Deal(
                id="d1",
                name="Alder Pay",
                sector_id="pay",
                region_id="dach",
                is_platform=True,
                status="realized",
                description="Processes card payments for merchants.",
                year_invested=2014,
                year_exited=2021,
            ),
            Deal(
                id="d2", name="Brant Terminals", sector_id="pay", region_id="dach", description="Rents card terminals."
            ),
            Deal(
                id="d3",
                name="Corvin Vets",
                sector_id="vet",
                region_id="nor",
                is_platform=True,
                description="Owns animal hospitals.",
                year_invested=2020,
            ),
            Deal(id="d4", name="Dalby Farm Practice", sector_id="vet", region_id="us", year_invested=2018),
            Deal(id="d5", name="Ember Cash", sector_id="pay", region_id="us", status="realized", year_exited=2019),
        ),
        events=(
            Event(
                id="e1", type="addon", deal_id="d1", related_deal_id="d2", date="2016-03-01", description="Bought it"
            ),
            Event(id="e2", type="addon", deal_id="d1", description="Bought a rival"),
            Event(id="e3", type="exit", deal_id="d1", date="2021-06-30", description="Sold to a trade buyer"),
            Event(id="e4", type="addon", deal_id="d3", related_deal_id="d4"),
        ),
        snippets=(
            Snippet(id="n1", deal_id="d1", source="exit memo", text="Purchasing was pooled across the sites."),
            Snippet(id="n2", deal_id="d3", source="board paper", text="Vacancies stayed open and wages rose."),
        ),
    )


def random_book(seed: int, deals: int = 40) -> DealBook:
    """Deals, events and snippets by chance; several add-ons may join the same two."""
    chance = random.Random(seed)
    ids = [f"d{i}" for i in range(deals)]
    records = [
        Deal(
            id=i,
            name=f"Deal {i}",
            sector_id=f"s{chance.randrange(4)}",
            region_id=f"r{chance.randrange(3)}",
            is_platform=chance.random() < 0.4,
            status=chance.choice(("current", "realized")),
            description=chance.choice(("", "Makes pumps.", "Runs clinics and shops for animals.")),
            year_invested=chance.choice((None, *range(2005, 2026))),
        )
        for i in ids
    ]
    events = []
    for number in range(chance.randrange(60)):
        platform = chance.randrange(1, deals)
        if chance.random() < 0.8:
            other = chance.choice((None, ids[chance.randrange(platform)]))  # of earlier ones, so that there is no cycle
            events.append(Event(id=f"e{number}", type="addon", deal_id=ids[platform], related_deal_id=other))
        elif not any(e.type == "exit" and e.deal_id == ids[platform] for e in events):
            events.append(Event(id=f"e{number}", type="exit", deal_id=ids[platform]))
    snippets = [
        Snippet(id=f"n{n}", deal_id=chance.choice(ids), source="memo", text="A text.")
        for n in range(chance.randrange(40))
    ]
    return DealBook(
        sectors=tuple(Sector(id=f"s{i}", name=f"Sector {i}") for i in range(4)),
        regions=tuple(Region(id=f"r{i}", name=f"Region {i}") for i in range(3)),
        deals=tuple(records),
        events=tuple(events),
        snippets=tuple(snippets),
    )
