"""The eight queries on rows whose answers can be told by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.operations_databases import HOUR, NOW, add, make, reading, request, sqlite_address
from workers.agents.operations.source.active_incidents import get_active_incidents
from workers.agents.operations.source.deployments import get_deployment_status
from workers.agents.operations.source.latency_trends import get_latency_trends, percentile
from workers.agents.operations.source.quality_summary import get_quality_summary
from workers.agents.operations.source.reader import Found, NotFound, answer
from workers.agents.operations.source.recent_requests import get_recent_requests
from workers.agents.operations.source.request_detail import get_request_detail
from workers.agents.operations.source.request_volume import get_request_volume
from workers.agents.operations.source.user_context import get_user_context
from workers.errors import StoreUnavailable, ToolArgumentError
from workers.store.database import Database

MINUTE = timedelta(minutes=1)


@pytest.fixture
def address(tmp_path: Path) -> str:
    return sqlite_address(tmp_path)


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    made = make(address)
    yield made
    made.close()


def state(deployment: str, status: str, **changes: object) -> dict[str, object]:
    sizes = {"window_sec": 300, "sample_count": 40, "updated_at": NOW, "latency_p95_ms": 100.0}
    return {"deployment_id": deployment, "status": status, **sizes, **changes}


def test_incidents_longest_first_and_none_is_a_result(database: Database, address: str) -> None:
    with reading(address) as reader:
        assert get_active_incidents(reader).data == {"incidents": [], "count": 0}
    base = {"target_type": "model", "target_id": "owl", "title": "Slow", "status": "active"}
    add(database, "incidents", base | {"id": "I1", "started_at": NOW - 30 * MINUTE})
    add(database, "incidents", base | {"id": "I2", "started_at": NOW - 90 * MINUTE, "target_id": "finch"})
    over = {"id": "I3", "started_at": NOW - 3 * HOUR, "status": "resolved", "resolved_at": NOW - HOUR}
    add(database, "incidents", base | over)
    add(
        database,
        "incidents",
        base | {"id": "I4", "started_at": NOW + MINUTE, "target_type": "backend", "target_id": "north"},
    )
    with reading(address) as reader:
        found = get_active_incidents(reader).data
        assert [(i["id"], i["duration_minutes"]) for i in found["incidents"]] == [("I2", 90), ("I1", 30), ("I4", 0)]
        assert get_active_incidents(reader, "model", "owl").data["count"] == 1
        assert get_active_incidents(reader, target_id="north").data["count"] == 1
        with pytest.raises(ToolArgumentError, match="no backend 'owl'"):
            get_active_incidents(reader, "backend", "owl")
        with pytest.raises(ToolArgumentError, match="not one of deployment, model, backend"):
            get_active_incidents(reader, "models")
        with pytest.raises(ToolArgumentError, match="no deployment, model or backend 'x'"):
            get_active_incidents(reader, target_id="x")


@pytest.mark.parametrize(
    ("changes", "stale"),
    [
        ({}, False),
        ({"updated_at": NOW - timedelta(seconds=60)}, False),
        ({"updated_at": NOW - timedelta(seconds=60, milliseconds=1)}, True),
        ({"sample_count": 10}, False),
        ({"sample_count": 9}, True),
    ],
)
def test_stale_is_older_than_a_minute_or_of_fewer_than_ten(
    database: Database, address: str, changes: dict[str, object], stale: bool
) -> None:
    add(database, "deployment_state_current", state("owl/north", "healthy", **changes))
    with reading(address) as reader:
        (row,) = get_deployment_status(reader, status="healthy").data["deployments"]
    assert row["is_stale"] is stale


def test_deployments_worst_first_and_one_that_never_reported(database: Database, address: str) -> None:
    add(database, "deployment_state_current", state("owl/south", "down"), state("finch/north", "healthy"))
    with reading(address) as reader:
        found = get_deployment_status(reader).data
        assert [(r["deployment_id"], r["status"]) for r in found["deployments"]] == [
            ("owl/south", "down"),
            ("owl/north", None),
            ("finch/north", "healthy"),
        ]
        assert found["deployments"][1]["is_stale"] is True
        assert found["summary"] == {"total": 3, "healthy": 1, "degraded": 0, "down": 1}
        assert get_deployment_status(reader, backend_id="north").data["summary"]["total"] == 2
        with pytest.raises(ToolArgumentError) as refused:
            get_deployment_status(reader, model_id="finc")
    assert refused.value.nearest == ("finch",)


def test_recent_requests_by_every_filter(database: Database, address: str) -> None:
    add(
        database,
        "requests",
        request(1, NOW - 25 * HOUR),
        request(2, NOW - 24 * HOUR),
        request(3, NOW - HOUR, user_id="bob", deployment_id="finch/north", status="error", error_code="boom"),
        request(4, NOW - HOUR, deployment_id="owl/south", status="timeout"),
        request(5, NOW - MINUTE),
        request(6, NOW),
    )

    def ids(**filters: object) -> list[str]:
        with reading(address) as reader:
            found = get_recent_requests(reader, **filters).data  # type: ignore[arg-type]
        assert found["count"] == len(found["requests"])
        return [r["id"] for r in found["requests"]]

    assert ids() == ["r5", "r4", "r3", "r2"]
    assert ids(user_id="bob") == ids(user_tier="budget") == ids(model_id="finch") == ids(status="error") == ["r3"]
    assert ids(deployment_id="owl/south") == ids(backend_id="south") == ["r4"]
    assert ids(model_id="finch", backend_id="south") == []
    assert ids(since="2 days ago", until="24 hours ago") == ["r1"]
    with reading(address) as reader:
        assert get_recent_requests(reader, limit=4).data["has_more"] is False
        assert get_recent_requests(reader, limit=3).data["has_more"] is True
        for wrong in ({"limit": 0}, {"limit": 501}, {"since": "now"}, {"status": "ok"}, {"deployment_id": "owl"}):
            with pytest.raises(ToolArgumentError):
                get_recent_requests(reader, **wrong)  # type: ignore[arg-type]


def test_detail_with_newest_score_and_the_closest_incident(database: Database, address: str) -> None:
    reason = '{"strategy": "cheap", "rank": 2, "others": []}'
    add(
        database,
        "requests",
        request(1, NOW - HOUR, routing_reason_json=reason),
        request(2, NOW, routing_reason_json="x"),
    )
    scores = {"request_id": "r1", "eval_type": "a", "score": 0.5, "evaluated_at": NOW}
    add(database, "quality_scores", scores, scores | {"eval_type": "b", "score": 0.25, "evaluated_at": NOW + HOUR})
    base = {"title": "T", "status": "resolved", "started_at": NOW - 2 * HOUR, "resolved_at": NOW}
    add(database, "incidents", base | {"id": "I1", "target_type": "backend", "target_id": "north"})
    add(database, "incidents", base | {"id": "I2", "target_type": "deployment", "target_id": "owl/north"})
    add(database, "incidents", base | {"id": "I3", "target_type": "deployment", "target_id": "owl/south"})
    with reading(address) as reader:
        found = get_request_detail(reader, " r1 ").data
        assert found["request"]["routing_decision"] == {"strategy": "cheap", "rank": 2, "others": []}
        assert (found["quality_score"]["score"], found["quality_score"]["eval_type"]) == (0.25, "b")
        assert found["related_incident"]["id"] == "I2"
        later = get_request_detail(reader, "r2").data
        assert later["request"]["routing_decision"] == {"text": "x"}
        assert (later["quality_score"], later["related_incident"]) == (None, None)
        with pytest.raises(NotFound):
            get_request_detail(reader, "r3")
        with pytest.raises(ToolArgumentError, match="empty"):
            get_request_detail(reader, " ")


def test_user_today_is_the_askers_day(database: Database, address: str) -> None:
    add(
        database,
        "requests",
        *(request(i, at, cost_usd=4.0) for i, at in enumerate([NOW - 14 * HOUR, NOW - 12 * HOUR, NOW - HOUR, NOW])),
    )
    with reading(address) as reader:
        user = get_user_context(reader, "ann").data["user"]
    assert user == {
        "id": "ann",
        "tier": "premium",
        "latency_sla_ms": 450,
        "daily_budget_usd": 10,
        "daily_budget_used_usd": 8,
        "daily_budget_remaining_usd": 2,
        "requests_today": 2,
    }
    with reading(address, zone=ZoneInfo("Europe/Berlin")) as reader:
        assert get_user_context(reader, "ann").data["user"]["requests_today"] == 3
    with reading(address, zone=ZoneInfo("America/Chicago")) as reader:  # its day began at 05:00 UTC
        assert get_user_context(reader, "ann").data["user"]["requests_today"] == 1
        assert get_user_context(reader, "bob").data["user"]["latency_sla_ms"] == 1500
        with pytest.raises(NotFound) as missing:
            get_user_context(reader, "an")
    assert missing.value.nearest[0] == "ann"


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.floats(0, 1))
def test_percentiles_are_numpys(values: list[float], share: float) -> None:
    ordered = np.sort(np.array(values))
    expected = float(np.percentile(ordered, share * 100))
    assert percentile(ordered, share) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_trends(database: Database, address: str) -> None:
    hour = NOW.replace(minute=0)
    add(
        database,
        "requests",
        *(request(i, hour - HOUR + i * MINUTE, latency_ms=float(ms)) for i, ms in enumerate([400, 100, 300, 200])),
        request(8, hour, status="error", latency_ms=None),
        request(9, hour + MINUTE, deployment_id="owl/south", status="timeout", latency_ms=7.0),
    )
    with reading(address) as reader:
        found = get_latency_trends(reader, since="2 hours ago").data
        assert found["data"] == [
            {
                "period": "2026-05-04T11:00:00Z",
                "deployment_id": "owl/north",
                "request_count": 4,
                "latency_p50_ms": 250,
                "latency_p95_ms": 385,
                "error_rate": 0,
            },
            {
                "period": "2026-05-04T12:00:00Z",
                "deployment_id": "owl/north",
                "request_count": 1,
                "latency_p50_ms": None,
                "latency_p95_ms": None,
                "error_rate": 1,
            },
            {
                "period": "2026-05-04T12:00:00Z",
                "deployment_id": "owl/south",
                "request_count": 1,
                "latency_p50_ms": 7,
                "latency_p95_ms": 7,
                "error_rate": 0,
            },
        ]
        assert found["summary"] == {"total_requests": 6, "avg_latency_p50_ms": 128.5, "avg_latency_p95_ms": 196}
        assert get_latency_trends(reader, model_id="owl", backend_id="south").data["summary"]["total_requests"] == 1
        nothing = {"total_requests": 0, "avg_latency_p50_ms": None, "avg_latency_p95_ms": None}
        assert get_latency_trends(reader, model_id="finch").data == {"data": [], "summary": nothing}
        with pytest.raises(ToolArgumentError, match="not one of hour, day"):
            get_latency_trends(reader, granularity="week")


def test_volume_by_group_and_the_askers_days(database: Database, address: str) -> None:
    late = datetime(2026, 5, 3, 22, 30, tzinfo=UTC)  # the 4th in Berlin
    add(
        database,
        "requests",
        request(1, late),
        request(2, NOW - HOUR, user_id="bob", deployment_id="finch/north"),
        request(3, NOW - HOUR, deployment_id="owl/south", cost_usd=1.0),
    )

    def rows(zone: str = "UTC", **args: str) -> list[tuple[object, ...]]:
        with reading(address, zone=ZoneInfo(zone)) as reader:
            found = get_request_volume(reader, **args).data
        assert found["totals"] == {"request_count": 3, "total_cost_usd": 1.5}
        return [tuple(row.values()) for row in found["data"]]

    assert rows() == [
        ("2026-05-03T00:00:00Z", "premium", 1, 0.25),
        ("2026-05-04T00:00:00Z", "budget", 1, 0.25),
        ("2026-05-04T00:00:00Z", "premium", 1, 1.0),
    ]
    assert rows("Europe/Berlin")[-1] == ("2026-05-04T00:00:00+02:00", "premium", 2, 1.25)
    assert {row[1] for row in rows(group_by="model")} == {"owl", "finch"}
    assert {row[1] for row in rows(group_by="backend")} == {"north", "south"}
    assert len(rows(group_by="deployment", granularity="hour")) == 3


def test_quality_by_model_and_task(database: Database, address: str) -> None:
    add(database, "requests", request(1, NOW - HOUR), request(2, NOW - HOUR), request(3, NOW - HOUR, task_type="code"))
    add(
        database,
        "quality_scores",
        *(
            {"request_id": f"r{i}", "eval_type": "a", "score": s, "evaluated_at": NOW}
            for i, s in ((1, 0.5), (2, 0.75), (3, 0.25))
        ),
    )
    with reading(address) as reader:
        found = get_quality_summary(reader)
        assert [tuple(row.values()) for row in found.data["data"]] == [
            ("owl", "code", 0.25, 0.25, 0.25, 1),
            ("owl", "chat", 0.625, 0.5, 0.75, 2),
        ]
        assert get_quality_summary(reader, task_type="chat").data["data"][0]["sample_count"] == 2
        assert get_quality_summary(reader, model_id="finch").data == {"data": []}
        with pytest.raises(ToolArgumentError, match="there is code") as refused:
            get_quality_summary(reader, task_type="codes")
    assert refused.value.nearest == ("code",)


def test_errors_are_the_documented_object(database: Database, address: str, tmp_path: Path) -> None:
    def missing() -> Found:
        raise NotFound("there is no x", ("y",))

    assert answer(missing)[0].data == {"error": True, "message": "there is no x", "code": "NOT_FOUND"}
    with reading(address) as reader:
        found, near = answer(lambda: get_recent_requests(reader, status="fine"))
    assert found.data["code"] == "INVALID_PARAMETER"
    assert near == ("success", "error", "timeout")
    with reading(f"sqlite:///{tmp_path}/none.db") as reader:
        assert answer(lambda: get_active_incidents(reader))[0].data["code"] == "DATABASE_ERROR"
    assert not (tmp_path / "none.db").exists()


def test_the_tools_cannot_write(database: Database, address: str) -> None:
    with reading(address) as reader, pytest.raises(StoreUnavailable, match="readonly"), reader.connect() as connection:
        connection.exec_driver_sql("delete from users")
