"""What is recorded of deals. Identifiers are unique within a kind of record; years are of the common calendar."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from workers.agents.deals.source.told_facts import multiple_in, names_in, seller_in
from workers.contracts import Message


class Sector(Message):
    """A line of business, such as ``Payments``."""

    id: str
    name: str


class Region(Message):
    """A part of the world, such as ``Nordics``."""

    id: str
    name: str


class Deal(Message):
    """An investment in a company. ``is_platform``: other companies are, or were to be, added to it."""

    id: str
    name: str
    sector_id: str
    region_id: str
    is_platform: bool = False
    status: Literal["current", "realized"] = "current"
    description: str = ""
    year_invested: int | None = None
    year_exited: int | None = None


class Event(Message):
    """What happened to a deal: an ``addon`` (``related_deal_id``, where it is known, was added to it) or an ``exit``.

    Of an exit ``related_deal_id`` is the deal that bought it, where there is one. ``date``: as exact as it is known:
    ``2019``, ``2019-05`` or ``2019-05-31``.
    """

    id: str
    type: Literal["addon", "exit"]
    deal_id: str
    related_deal_id: str | None = None
    date: str | None = None
    description: str = ""


class Snippet(Message):
    """A passage about a deal, and where it stands."""

    id: str
    deal_id: str
    source: str
    text: str


@dataclass(frozen=True)
class DealBook:
    """Everything that is recorded, each kind in the order of its file, every reference resolved."""

    sectors: tuple[Sector, ...] = ()
    regions: tuple[Region, ...] = ()
    deals: tuple[Deal, ...] = ()
    events: tuple[Event, ...] = ()
    snippets: tuple[Snippet, ...] = ()

    @cached_property
    def deal(self) -> dict[str, Deal]:
        """The deals by id."""
        return {d.id: d for d in self.deals}

    @cached_property
    def events_of(self) -> dict[str, list[Event]]:
        """The events of each deal, and those that it is related to, by id."""
        found: dict[str, list[Event]] = {}
        for event in self.events:
            for name in dict.fromkeys((event.deal_id, event.related_deal_id)):
                if name:
                    found.setdefault(name, []).append(event)
        return found

    @cached_property
    def snippets_of(self) -> dict[str, list[Snippet]]:
        """The passages of each deal by id."""
        found: dict[str, list[Snippet]] = {}
        for snippet in self.snippets:
            found.setdefault(snippet.deal_id, []).append(snippet)
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the deals."""
        return tuple(d.name for d in self.deals)

    @cached_property
    def exits(self) -> dict[str, Event]:
        """The exit of each deal by id."""
        return {e.deal_id: e for e in self.events if e.type == "exit"}

    @cached_property
    def multiples(self) -> dict[str, float]:
        """How often the money came back, by id, of the deals whose exit says so; 0: all was lost."""
        told = {i: multiple_in(e.description) for i, e in self.exits.items()}
        return {i: value for i, value in told.items() if value is not None}

    @cached_property
    def sellers(self) -> dict[str, str]:
        """What kind of owner sold, by id, of the deals whose description says so."""
        added = {e.related_deal_id for e in self.events if e.type == "addon"}
        return {d.id: kind for d in self.deals if d.id not in added and (kind := seller_in(d.description))}

    @cached_property
    def names_told(self) -> dict[str, set[str]]:
        """Names in descriptions of deals and of their exits, in lower case, each with the ids of those deals."""
        found: dict[str, set[str]] = {}
        for deal in self.deals:
            texts = (deal.description, self.exits[deal.id].description if deal.id in self.exits else "")
            for name in (n for text in texts for n in names_in(text)):
                found.setdefault(name, set()).add(deal.id)
        return found

    @cached_property
    def sector_names(self) -> dict[str, str]:
        """The name of each sector by id."""
        return {s.id: s.name for s in self.sectors}

    @cached_property
    def region_names(self) -> dict[str, str]:
        """The name of each region by id."""
        return {r.id: r.name for r in self.regions}


KINDS: dict[str, type[Any]] = {
    "sectors": Sector,
    "regions": Region,
    "deals": Deal,
    "events": Event,
    "snippets": Snippet,
}
"""The kinds of record by the name of their file."""
