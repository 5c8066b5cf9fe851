"""Sums of hours say what the raw rows say, whoever changes these and when."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text

from tests.support.operations_databases import HOUR, NOW, add, make, reading, request, sqlite_address
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.agents.operations.source.latency_trends import get_latency_trends
from workers.agents.operations.source.quality_summary import get_quality_summary
from workers.agents.operations.source.request_volume import get_request_volume
from workers.store.database import Database


def everything(address: str, zone: str = "UTC") -> list[Any]:
    """What the three queries over hours say, with what evidence is made from."""
    with reading(address, zone=ZoneInfo(zone)) as reader:
        found = [
            get_latency_trends(reader),
            get_latency_trends(reader, since="4 days ago", granularity="day", model_id="heron-mini"),
            get_request_volume(reader),
            get_request_volume(reader, group_by="deployment", granularity="hour", until="3 hours ago"),
            get_quality_summary(reader),
            get_quality_summary(reader, task_type="chat", since="yesterday"),
        ]
    lowest = {key: (s.lowest_request, s.lowest_at) for key, s in found[4].more["scores"].items()}
    return [*(f.data for f in found), lowest]


def same(a: Any, b: Any) -> bool:
    """Equal; averages may differ in their last digit, because they were added up in another order."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, abs_tol=1.5e-6)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def test_sums_are_those_of_the_raw_rows(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    database = make(address)
    fill(database, NOW, 1, 4_000)
    zones = ("UTC", "Asia/Kolkata")
    raw = {zone: everything(address, zone) for zone in zones}
    assert refresh_hours(database) > 300
    assert [zone for zone in zones if not same(everything(address, zone), raw[zone])] == []
    assert refresh_hours(database) == 0
    database.close()


@pytest.fixture
def summed(tmp_path: Path) -> Iterator[tuple[Database, str]]:
    """Three hours of one request each, with a score, summed up."""
    address = sqlite_address(tmp_path)
    database = make(address)
    add(database, "requests", *(request(i, NOW - i * HOUR) for i in (2, 3, 4)))
    score = {"eval_type": "a", "score": 0.5, "evaluated_at": NOW}
    add(database, "quality_scores", *(score | {"request_id": f"r{i}"} for i in (2, 3, 4)))
    assert refresh_hours(database) == 3
    yield database, address
    database.close()


@pytest.mark.parametrize(
    ("change", "hours", "count", "cost", "score"),
    [
        ("insert", 1, 4, 1.0, 0.5),
        ("update requests set cost_usd = 1.25 where id = 'r3'", 1, 3, 1.75, 0.5),
        ("update requests set created_at = '2026-05-04 08:45:00.000000' where id = 'r3'", 1, 3, 0.75, 0.5),
        ("update quality_scores set score = 0.2 where request_id = 'r4'", 1, 3, 0.75, 0.4),
        ("delete from quality_scores where request_id = 'r4'", 1, 3, 0.75, 0.5),
        ("insert into quality_scores values ('r4', 'b', 0.9, '2026-05-04 08:45:00.000000')", 1, 3, 0.75, 0.6),
    ],
)
def test_a_changed_row_counts_at_once(
    summed: tuple[Database, str], change: str, hours: int, count: int, cost: float, score: float
) -> None:
    database, address = summed
    if change == "insert":
        add(database, "requests", request(9, NOW - 2 * HOUR + timedelta(minutes=1)))
    else:
        with database.begin() as connection:
            connection.execute(text(change))
    for _ in range(2):
        with reading(address) as reader:
            totals = get_request_volume(reader).data["totals"]
            (quality,) = get_quality_summary(reader).data["data"]
        assert totals == {"request_count": count, "total_cost_usd": cost}
        assert quality["avg_score"] == pytest.approx(score)
        assert refresh_hours(database) == hours
        hours = 0


def test_a_deleted_request_is_gone(summed: tuple[Database, str]) -> None:
    database, address = summed
    with database.begin() as connection:
        connection.execute(text("delete from quality_scores where request_id = 'r3'"))
        connection.execute(text("delete from requests where id = 'r3'"))
    with reading(address) as reader:
        assert get_request_volume(reader).data["totals"]["request_count"] == 2
    refresh_hours(database)
    with reading(address) as reader:
        assert get_request_volume(reader).data["totals"]["request_count"] == 2
        assert get_latency_trends(reader).data["summary"]["total_requests"] == 2
