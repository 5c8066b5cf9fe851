"""An invented team's rows into the database, in place of whatever is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from workers.agents.operations.source.bulk_insert import Row, begin_writing, clear, end_writing, make_tables, write_rows
from workers.agents.operations.source.demo_requests import generate
from workers.agents.operations.source.tables import metadata
from workers.store.database import Database

STEP = 1_000


def fill(
    database: Database, now: datetime, seed: int, count: int, progress: Callable[[int], None] = lambda _: None
) -> dict[str, int]:
    """Generate and write, in one transaction.

    Args:
        database: opened for writing.
        now: when the requests end.
        seed: draws everything.
        count: how many requests.
        progress: called with the number of requests written since.

    Returns: how many rows each table has.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    written = dict[str, int]()
    with database.begin(exclusive=True) as connection:
        make_tables(connection)
        clear(connection)
        aside = begin_writing(connection)
        for name, rows in generate(now, seed, count).items():
            told = told_of(rows, progress) if name == "requests" else rows
            written[name] = write_rows(connection, metadata.tables[name], told)
        end_writing(connection, aside=aside)
    return written


def told_of(rows: Iterator[Row], progress: Callable[[int], None]) -> Iterator[Row]:
    """The same rows; every `STEP` of them are told."""
    for i, row in enumerate(rows, 1):
        if i % STEP == 0:
            progress(STEP)
        yield row
