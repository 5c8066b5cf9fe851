"""Moments in SQL mean the same on SQLite, where they are texts, as everywhere else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.operations_databases import HOUR, add, make, request, sqlite_address
from workers.agents.operations.source.sql_guard import guard_query
from workers.agents.operations.source.sql_run import run_query, schema
from workers.agents.operations.source.sql_times import stored
from workers.errors import ToolArgumentError

FIRST = datetime(2026, 5, 3, 21, tzinfo=UTC)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A request every hour: r0 at 21:00 of the third to r6 at 3:00 of the fourth."""
    address = sqlite_address(tmp_path_factory.mktemp("context"))
    database = make(address)
    add(database, "requests", *(request(i, FIRST + i * HOUR) for i in range(7)))
    database.close()
    return address


def ask(address: str, query: str) -> tuple[dict[str, Any], ...]:
    return run_query(address, guard_query(query, "sqlite", schema())).rows


@each_row(
    "where, rows",
    [
        ("created_at >= '2026-05-04T00:00:00Z'", "3456"),
        ("created_at > '2026-05-04T01:00:00.000000+00:00'", "56"),
        ("created_at < '2026-05-04T00:00:00Z'", "012"),
        ("created_at >= '2026-05-04t02:00:00+02:00'", "3456"),
        ("created_at >= '2026-05-04 02:00:00+02:00'", "3456"),
        ("created_at >= '2026-05-04T02:00'", "56"),
        ("created_at between '2026-05-03T22:00:00Z' and '2026-05-04T01:00:00Z'", "1234"),
        ("created_at in ('2026-05-03T22:00:00Z', '2026-05-04T01:00:00Z')", "14"),
        ("'2026-05-04T02:00:00Z' <= r.created_at", "56"),
        ("datetime(created_at) >= '2026-05-04T02:00:00Z'", "56"),
        ("datetime(created_at) = '2026-05-04T02:00:00Z'", "5"),
        ("created_at >= datetime('2026-05-04T02:00:00Z', '-1 hour')", "456"),
        ("created_at >= '2026-05-04'", "3456"),
        ("date(created_at) = '2026-05-04'", "3456"),
        ("strftime('%Y-%m-%dT%H:00:00Z', created_at) = '2026-05-04T02:00:00Z'", "5"),
        ("created_at > '2026-05-04T01:00:00Z' and strftime('%Y-%m-%dT%H', created_at) > '2026-05-04T02'", "6"),
    ],
)
def test_a_moment_is_compared_as_a_moment(address: str, where: str, rows: str) -> None:
    found = ask(address, f"select id from requests r where {where} order by id")
    assert [row["id"] for row in found] == [f"r{n}" for n in rows]


def test_a_text_that_the_query_makes_itself_stays(address: str) -> None:
    query = (
        "with h as (select strftime('%Y-%m-%dT%H:00:00Z', created_at) as created_at from requests) "
        "select count(*) as n from h where created_at >= '2026-05-04T00:00:00Z'"
    )
    assert ask(address, query) == ({"n": 4},)


def test_what_a_row_showed_can_be_asked_for(address: str) -> None:
    (row,) = ask(address, "select created_at from requests where id = 'r2'")
    again = f"select id from requests where created_at = '{row['created_at']}'"
    assert ask(address, again) == ({"id": "r2"},)


def test_a_moment_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ToolArgumentError, match="'2026-13-04T00:00:00Z' is not a time that exists"):
        guard_query("select id from users where id > '2026-13-04T00:00:00Z'", "sqlite", schema())


def test_postgresql_reads_them_itself() -> None:
    query = "select id from requests where created_at >= '2026-05-04T00:00:00Z'"
    assert "'2026-05-04T00:00:00Z'" in guard_query(query, "postgres", schema()).sql


@given(st.datetimes(), st.timedeltas(min_value=timedelta(hours=-23), max_value=timedelta(hours=23)))
def test_stored_texts_are_in_the_order_of_their_moments(moment: datetime, offset: timedelta) -> None:
    zone = timezone(timedelta(minutes=offset // timedelta(minutes=1)))
    first, second = moment.replace(tzinfo=zone), moment.replace(tzinfo=UTC)
    try:
        texts = [stored(m.isoformat(), seconds=False) for m in (first, second)]
    except ToolArgumentError:
        assert moment.year in {1, 9999}
        return
    assert (texts[0] < texts[1]) == (first < second)
