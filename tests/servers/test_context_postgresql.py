"""The context database on a real PostgreSQL: the same answers, percentiles by its own percentile_cont."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from bench.operations import caller
from bench.operations_sql import compare
from tests.support.operations_databases import HOUR, NOW, add, make, reading, request, sqlite_address
from tests.unit.agents.operations.source.test_file_load import content, load, write_team
from tests.unit.agents.operations.source.test_hourly_sums import everything, same
from workers.agents.operations.source.database import open_reading, open_writing
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.agents.operations.source.request_volume import get_request_volume
from workers.errors import ConfigError, StoreUnavailable

pytestmark = pytest.mark.servers


@pytest.fixture
def address(postgresql: str) -> Iterator[str]:
    yield postgresql
    open_reading(postgresql).close()
    open_reading.cache_clear()


@pytest.mark.parametrize("summed", [False, True])
def test_every_number_equals_sql_over_the_raw_rows(address: str, tmp_path: Path, summed: bool) -> None:
    lite = sqlite_address(tmp_path)
    for place in (lite, address):
        database = open_writing(place)
        fill(database, NOW, 3, 5_000)
        if summed:
            assert refresh_hours(database) > 300
        database.close()
        assert compare(caller(place, NOW), place, NOW) == []
    assert same(everything(address, "Asia/Kolkata"), everything(lite, "Asia/Kolkata"))
    open_reading(lite).close()


def test_files_give_the_same_rows_as_on_sqlite(address: str, tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    lite, postgresql = open_writing(sqlite_address(tmp_path)), open_writing(address)
    first = load(lite, folder)
    assert load(postgresql, folder) == first
    assert content(postgresql) == content(lite)
    assert load(postgresql, folder).changed == 0
    assert load(postgresql, folder, replace=True).changed == first.changed
    (folder / "tiers.jsonl").write_text('{"id": "gold"}\n')
    before = content(postgresql)
    with pytest.raises(ConfigError, match="nothing was loaded"):
        load(postgresql, folder, replace=True)
    assert content(postgresql) == before
    lite.close()
    postgresql.close()


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ("update requests set cost_usd = 9 where id = 'r3'", 3),
        ("update requests set created_at = created_at - interval '1 hour' where id = 'r3'", 3),
        ("delete from requests where id = 'r3'", 2),
        ("update requests set created_at = created_at - interval '30 days'", 0),
        ("truncate requests cascade", 0),
    ],
)
def test_a_changed_row_counts_at_once(address: str, change: str, count: int) -> None:
    database = make(address)
    add(database, "requests", *(request(i, NOW - i * HOUR) for i in (2, 3, 4)))
    assert refresh_hours(database) == 3
    with database.begin() as connection:
        connection.execute(text(change))
        expected = connection.execute(
            text("select sum(cost_usd) from requests where created_at > '2026-05-01'")
        ).scalar()
    with reading(address) as reader:
        totals = {"request_count": count, "total_cost_usd": expected or 0.0}
        assert get_request_volume(reader).data["totals"] == totals
    refresh_hours(database)
    with reading(address) as reader:
        assert get_request_volume(reader).data["totals"] == totals
    database.close()


def test_the_tools_cannot_write(address: str) -> None:
    make(address).close()
    with reading(address) as reader, pytest.raises(StoreUnavailable, match="read-only"), reader.connect() as connection:
        connection.execute(text("delete from users"))
