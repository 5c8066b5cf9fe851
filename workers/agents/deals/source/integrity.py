"""Checks that records fit each other: ids, references, years, and the order in which things happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workers.agents.deals.source.records import Deal, Event
from workers.agents.deals.source.row_reading import Row
from workers.language.nearest_names import ranked_names

MOST_NEAR = 20_000
"""Among more ids than this the nearest one is not looked for."""
MOST_SOUGHT = 20
"""Nor for more faults than this: it takes a hundredth of a second each, and people mend the first ones."""
Records = Mapping[str, Sequence[tuple[Any, Row]]]
"""Each kind of record with the rows that they were read from."""
Fault = tuple[str, Row, str]
"""A sentence, the row that it is about, and its kind."""
REFERENCES = (
    ("deals", "sector_id", "sectors"),
    ("deals", "region_id", "regions"),
    ("events", "deal_id", "deals"),
    ("events", "related_deal_id", "deals"),
    ("snippets", "deal_id", "deals"),
)


def check_book(records: Records) -> list[Fault]:
    """Everything that does not fit: what names nothing first, then what cannot have happened so."""
    faults = [*repeated_ids(records), *dangling(records)]
    return faults or list(deal_years(records)) or [*events_in_time(records), *addon_cycles(records)]


def repeated_ids(records: Records) -> Iterator[Fault]:
    """Ids that several rows of one kind have."""
    for kind, found in records.items():
        first: dict[str, Row] = {}
        for record, row in found:
            if record.id in first:
                said = f"{row.place}: id {record.id!r} stands in row {first[record.id].number} too."
                yield said, row, kind
            first.setdefault(record.id, row)


def dangling(records: Records) -> Iterator[Fault]:
    """References to what is not recorded."""
    looked = 0
    for kind, field, target in REFERENCES:
        known = {r.id for r, _ in records.get(target, ())}
        for record, row in records.get(kind, ()):
            value = getattr(record, field)
            if value is not None and value not in known:
                looked += 1
                seek = looked <= MOST_SOUGHT and 0 < len(known) <= MOST_NEAR
                near = ranked_names(value, sorted(known), 1) if seek else ()
                nearest = f"; the nearest is {near[0]!r}" if near else ""
                yield f"{row.place}: {field} {value!r} is the id of none of the {target}{nearest}.", row, kind


def deal_years(records: Records) -> Iterator[Fault]:
    """Deals that were sold before they were bought, or that are held and have an exit year."""
    for deal, row in records["deals"]:
        if deal.year_invested and deal.year_exited and deal.year_exited < deal.year_invested:
            yield (
                f"{row.place}: year_exited {deal.year_exited} is before year_invested {deal.year_invested}.",
                row,
                "deals",
            )
        elif deal.year_exited and deal.status == "current":
            yield f"{row.place}: the status is current, but year_exited is {deal.year_exited}.", row, "deals"


def events_in_time(records: Records) -> Iterator[Fault]:
    """Events that cannot have happened so: to a deal itself, twice, or before the investment."""
    deals: dict[str, Deal] = {d.id: d for d, _ in records["deals"]}
    exits: dict[str, Row] = {}
    for event, row in records.get("events", ()):
        said = event_fault(event, deals[event.deal_id], exits.get(event.deal_id))
        if event.type == "exit":
            exits.setdefault(event.deal_id, row)
        if said:
            yield f"{row.place}: {said}.", row, "events"


def event_fault(event: Event, deal: Deal, exited: Row | None) -> str:
    """What is wrong with one event; empty when nothing is."""
    if event.related_deal_id == event.deal_id:
        return f"deal {deal.id!r} is related to itself"
    if event.type == "exit" and exited is not None:
        return f"deal {deal.id!r} has an exit in row {exited.number} already"
    if event.date and deal.year_invested and event.type == "exit" and int(event.date[:4]) < deal.year_invested:
        return f"the exit of {event.date} is before year_invested {deal.year_invested} of deal {deal.id!r}"
    if event.date and deal.year_exited and event.type == "exit" and int(event.date[:4]) != deal.year_exited:
        return f"the exit of {event.date} is not in year_exited {deal.year_exited} of deal {deal.id!r}"
    return ""


def addon_cycles(records: Records) -> Iterator[Fault]:
    """Deals that were added to each other, by way of others or not: each circle is told once."""
    into: dict[str, list[tuple[str, Row]]] = {}
    for event, row in records.get("events", ()):
        if event.type == "addon" and event.related_deal_id and event.related_deal_id != event.deal_id:
            into.setdefault(event.related_deal_id, []).append((event.deal_id, row))
    done: set[str] = set()
    for start in into:
        path: list[str] = []
        stack = [(start, iter(into.get(start, ())))] if start not in done else []
        on_path = {start} if stack else set[str]()
        path = [start]
        while stack:
            name, edges = stack[-1]
            step = next(edges, None)
            if step is None:
                done.add(name)
                on_path.discard(name)
                path.pop()
                stack.pop()
            elif step[0] in on_path:
                circle = [*path[path.index(step[0]) :], step[0]]
                yield f"{step[1].place}: these add-ons run in a circle: {' → '.join(circle)}.", step[1], "events"
            elif step[0] not in done:
                on_path.add(step[0])
                path.append(step[0])
                stack.append((step[0], iter(into.get(step[0], ()))))
