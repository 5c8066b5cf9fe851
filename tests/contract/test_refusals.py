"""What was not taken is counted, and whether anything can be kept is really tried; the same on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from bot.cli.processes import keep_refusals
from bot.listeners.health import why_nothing_is_kept
from workers.errors import StoreUnavailable
from workers.store.database import Database, open_database
from workers.store.refusals import add_refusals, list_refusals
from workers.store.tables import write_probes
from workers.telemetry.service_metrics import ServiceMetrics


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


@contextmanager
def away(database: Database, table: str) -> Iterator[None]:
    """A table is not there for a while; it comes back, as other tests use the same database of PostgreSQL."""
    with database.begin() as connection:
        connection.exec_driver_sql(f"alter table {table} rename to gone")
    try:
        yield
    finally:
        with database.begin() as connection:
            connection.exec_driver_sql(f"alter table gone rename to {table}")


def test_counts_of_a_reason_add_up_over_days_and_old_ones_are_left_out(database: Database) -> None:
    now = datetime.now(UTC)
    add_refusals(database, {("alerts", "wrong or no token"): 3}, now - timedelta(days=2))
    add_refusals(database, {("alerts", "wrong or no token"): 4, ("Slack", "too long"): 1}, now)
    add_refusals(database, {("alerts", "wrong or no token"): 100}, now - timedelta(days=9))
    found = [(one.door, one.reason, one.count) for one in list_refusals(database, 7)]
    assert found == [("alerts", "wrong or no token", 7), ("Slack", "too long", 1)]
    assert list_refusals(database, 7)[0].last_at == now


def test_what_was_refused_while_nothing_could_be_kept_is_counted_afterwards(database: Database) -> None:
    metrics = ServiceMetrics()
    metrics.refused("store_unavailable")
    with away(database, "refusals"):
        keep_refusals(database, metrics)
        metrics.turned_away("alerts", "wrong signature")
    keep_refusals(database, metrics)
    keep_refusals(database, metrics)
    assert {(one.door, one.reason, one.count) for one in list_refusals(database, 7)} == {
        ("Slack", "store unavailable", 1),
        ("alerts", "wrong signature", 1),
    }


def test_a_probe_really_writes(database: Database) -> None:
    database.probe()
    database.probe()
    with database.begin() as connection:
        (row,) = connection.execute(select(write_probes)).mappings()
    assert len(row["filler"]) > 10_000
    assert why_nothing_is_kept(database) == ""
    with away(database, "write_probes"):
        with pytest.raises(StoreUnavailable):
            database.probe()
        assert why_nothing_is_kept(database).startswith("Nothing can be kept")
    database.probe()
