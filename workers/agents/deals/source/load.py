"""Loads records of deals: every mistake in them is told in one sentence, and nothing is loaded while there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.integrity import Fault, Records, check_book
from workers.agents.deals.source.records import KINDS, Deal, DealBook
from workers.agents.deals.source.row_reading import Row, read_tables
from workers.agents.deals.source.values import (
    read_boolean,
    read_choice,
    read_date,
    read_name,
    read_text_value,
    read_year,
)
from workers.language.nearest_names import ranked_names

NEEDED = {"sectors": True, "regions": True, "deals": True, "events": False, "snippets": False}
Reader = Callable[[Any], Any]
READERS: Mapping[str, Mapping[str, Reader]] = {
    "sectors": {"id": read_name, "name": read_name},
    "regions": {"id": read_name, "name": read_name},
    "deals": {
        "id": read_name,
        "name": read_name,
        "sector_id": read_name,
        "region_id": read_name,
        "is_platform": read_boolean,
        "status": read_choice("current", "realized"),
        "description": read_text_value,
        "year_invested": read_year,
        "year_exited": read_year,
    },
    "events": {
        "id": read_name,
        "type": read_choice("addon", "exit"),
        "deal_id": read_name,
        "related_deal_id": read_name,
        "date": read_date,
        "description": read_text_value,
    },
    "snippets": {"id": read_name, "deal_id": read_name, "source": read_text_value, "text": read_text_value},
}
"""How each field of each kind of record is read; a reader raises ValueError with what is wrong with a value."""


def load_deals(source: Path, mapping: Path | None = None) -> DealBook:
    """The records of a folder or file.

    Args:
        source: a folder with ``sectors``, ``regions``, ``deals``, ``events`` and ``snippets`` as ``.csv`` or ``.json``
            (the last two may be missing), or a JSON file with these five lists.
        mapping: how records are made of other columns, see `workers.agents.deals.source.mapping`.

    Raises:
        DealDataError: every mistake in one sentence, with file and row.
    """
    return load_mapped(source, mapping)[0] if mapping else book_of(read_tables(source, NEEDED))


def load_mapped(source: Path, mapping: Path) -> tuple[DealBook, tuple[str, ...]]:
    """The records that a mapping makes of other files, and a sentence for each that it lets be left out."""
    from workers.agents.deals.source.mapping import map_rows, read_mapping  # noqa: PLC0415 - Jinja, rarely

    read = read_mapping(mapping)
    tables = map_rows(read, source)
    if not read.skip_faults:
        return book_of(tables), ()
    records, faults = read_records(tables)
    records = told_by_exits(records)
    left = [said for said, _, _ in faults]
    while faults := check_book(records):
        left += [said for said, _, _ in faults]
        gone = {(kind, id(row)) for _, row, kind in faults}  # what rests on a row that is left out goes with it
        records = {kind: [pair for pair in found if (kind, id(pair[1])) not in gone] for kind, found in records.items()}
    return as_book(records), tuple(left)


def book_of(tables: Mapping[str, Sequence[Row]]) -> DealBook:
    """The book that rows make. Raises: DealDataError: a row is wrong by itself, or does not fit the others."""
    records, faults = read_records(tables)
    records = told_by_exits(records)
    if faults := faults or check_book(records):
        raise DealDataError(*(said for said, _, _ in faults))
    return as_book(records)


def told_by_exits(records: Records) -> Records:
    """The records, with the status and the year of the exit from the exit's event where the deal itself has none.

    A deal that says it is current keeps that: a part of it may have been sold.
    """
    exits = {event.deal_id: event for event, _ in records.get("events", ()) if event.type == "exit"}

    def told(deal: Deal, row: Row) -> Deal:
        event = exits.get(deal.id)
        if event is None or (deal.status == "current" and "status" in row.values):
            return deal
        year = deal.year_exited or (int(event.date[:4]) if event.date else None)
        return deal.model_copy(update={"status": "realized", "year_exited": year})

    return {**records, "deals": [(told(deal, row), row) for deal, row in records["deals"]]}


def as_book(records: Records) -> DealBook:
    """Records that fit each other as a book."""
    return DealBook(**{kind: tuple(record for record, _ in found) for kind, found in records.items()})


def read_records(tables: Mapping[str, Sequence[Row]]) -> tuple[Records, list[Fault]]:
    """The record of each row that is right by itself, with the row, and what is wrong with the others."""
    records: dict[str, list[tuple[Any, Row]]] = {}
    faults: list[Fault] = []
    for kind, rows in tables.items():
        records[kind] = []
        for row in rows:
            wrong, values = read_values(kind, row)
            faults.extend((fault, row, kind) for fault in wrong)
            if not wrong:
                records[kind].append((KINDS[kind].model_validate(values), row))
    return records, faults


def read_values(kind: str, row: Row) -> tuple[list[str], dict[str, Any]]:
    """What is wrong with the fields of a row, in sentences, and their values."""
    readers, fields = READERS[kind], KINDS[kind].model_fields
    faults, values = [], {}
    for name in row.values:
        if name not in readers:
            near = ranked_names(str(name), list(readers), 1)
            faults.append(f"{row.place}: {name!r} is no field of {kind}; the nearest is {near[0]!r}.")
    for name, reader in readers.items():
        if name not in row.values:
            if fields[name].is_required():
                faults.append(f"{row.place}: {name} is missing.")
            continue
        try:
            values[name] = reader(row.values[name])
        except ValueError as error:
            faults.append(f"{row.place}: {name} {error}.")
    if kind == "deals" and "status" not in row.values and values.get("year_exited"):
        values["status"] = "realized"
    return faults, values
