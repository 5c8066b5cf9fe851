"""What is recorded of deals. Identifiers are unique within a kind of record; years are of the common calendar."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

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

    Of an exit ``related_deal_id`` is the deal that bought it, where there is one.
    """

    id: str
    type: Literal["addon", "exit"]
    deal_id: str
    related_deal_id: str | None = None
    date: dt.date | None = None
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
