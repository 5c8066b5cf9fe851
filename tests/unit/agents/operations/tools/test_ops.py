"""The eight tools as the engine calls them: their JSON, their evidence, their failures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tests.support.each_row import each_row
from tests.support.operations_databases import NOW, add, make, sqlite_address
from tests.support.run_once import build_once
from tests.support.toolkit_parts import make_session
from workers.agents.operations.source import evidence
from workers.agents.operations.source.database import open_reading
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.agents.operations.source.row_facts import MOST
from workers.agents.operations.tools import ops
from workers.contracts import ToolOutput
from workers.errors import ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import Settings, load_settings
from workers.toolkit.tool import Resources, Tool

CONTEXT = ToolContext("r1", "operations", NOW)
NAMES = tuple(evidence.DESCRIBE)


class Shape(BaseModel):
    """Exactly these keys."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Incident(Shape):
    id: str
    target_type: Literal["deployment", "model", "backend"]
    target_id: str
    title: str
    status: Literal["active", "resolved"]
    started_at: str
    resolved_at: str | None
    duration_minutes: float = Field(ge=0)


class Incidents(Shape):
    incidents: list[Incident]
    count: int


class Deployment(Shape):
    deployment_id: str
    model_id: str
    backend_id: str
    enabled: bool
    weight: float
    status: Literal["healthy", "degraded", "down"] | None
    window_sec: int | None
    sample_count: int | None
    updated_at: str | None
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    error_rate: float | None = Field(ge=0, le=1)
    timeout_rate: float | None = Field(ge=0, le=1)
    queue_depth: int | None
    rate_limit_remaining: int | None
    ttft_p50_ms: float | None
    ttft_p95_ms: float | None
    decode_toks_per_sec_p50: float | None
    decode_toks_per_sec_p95: float | None
    is_stale: bool


class Totals(Shape):
    total: int
    healthy: int
    degraded: int
    down: int


class Status(Shape):
    deployments: list[Deployment]
    summary: Totals


class Request(Shape):
    id: str
    created_at: str
    user_id: str
    user_tier: Literal["premium", "standard", "budget"]
    deployment_id: str
    model_id: str
    backend_id: str
    task_type: str
    input_tokens: int
    output_tokens: int
    latency_ms: float | None
    ttft_ms: float | None
    decode_toks_per_sec: float | None
    cost_usd: float
    status: Literal["success", "error", "timeout"]
    error_code: str | None


class Recent(Shape):
    requests: list[Request] = Field(max_length=500)
    count: int
    has_more: bool


class RequestInFull(Request):
    router_version: str | None
    experiment_id: str | None
    routing_decision: dict[str, JsonValue] | None


class Score(Shape):
    score: float = Field(ge=0, le=1)
    eval_type: str
    evaluated_at: str


class Detail(Shape):
    request: RequestInFull
    quality_score: Score | None
    related_incident: Incident | None


class User(Shape):
    id: str
    tier: Literal["premium", "standard", "budget"]
    latency_sla_ms: float
    daily_budget_usd: float
    daily_budget_used_usd: float
    daily_budget_remaining_usd: float
    requests_today: int


class UserContext(Shape):
    user: User


class Trend(Shape):
    period: str
    deployment_id: str
    request_count: int
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    error_rate: float = Field(ge=0, le=1)


class TrendSummary(Shape):
    total_requests: int
    avg_latency_p50_ms: float | None
    avg_latency_p95_ms: float | None


class Trends(Shape):
    data: list[Trend]
    summary: TrendSummary


class Quality(Shape):
    model_id: str
    task_type: str
    avg_score: float
    min_score: float
    max_score: float
    sample_count: int


class Qualities(Shape):
    data: list[Quality]


class Volume(Shape):
    period: str
    group: str
    request_count: int
    total_cost_usd: float


class VolumeTotals(Shape):
    request_count: int
    total_cost_usd: float


class Volumes(Shape):
    data: list[Volume]
    totals: VolumeTotals


class Failure(Shape):
    error: Literal[True]
    message: str = Field(min_length=10)
    code: Literal["NOT_FOUND", "INVALID_PARAMETER", "DATABASE_ERROR"]


SHAPES: dict[str, type[Shape]] = {
    "get_active_incidents": Incidents,
    "get_deployment_status": Status,
    "get_recent_requests": Recent,
    "get_request_detail": Detail,
    "get_user_context": UserContext,
    "get_latency_trends": Trends,
    "get_quality_summary": Qualities,
    "get_request_volume": Volumes,
}


def fill_team(folder: Path) -> None:
    """The invented team with 20,000 requests."""
    database = make(sqlite_address(folder))
    fill(database, NOW, 0, 20_000)
    refresh_hours(database)
    database.close()


@pytest.fixture(scope="module")
def filled(run_folder: Path) -> Iterator[str]:
    """A database of that team, which is only read."""
    address = sqlite_address(build_once(run_folder / "ops-team", fill_team))
    yield address
    open_reading(address).close()


@cache
def settings_of(address: str) -> Settings:
    """Settings with this database."""
    return load_settings({"oracle.context.url": address})


def tool(name: str, address: str) -> Tool:
    built: Tool = getattr(ops, f"build_{name}")({}, Resources(settings_of(address), lambda _start, _end: ()))
    return built


def call(address: str, name: str, zone: str = "UTC", **args: Any) -> ToolOutput:
    built = tool(name, address)
    return built.run(built.args.model_validate(args), ToolContext("r1", "operations", NOW, zone))


def usual(address: str, name: str) -> ToolOutput:
    """A call with what it needs."""
    if name == "get_request_detail":
        recent = call(address, "get_recent_requests", deployment_id="lumen-flash/east-cloud", since="1 hours ago")
        return call(address, name, request_id=recent.data["requests"][0]["id"])
    return call(address, name, user_id="support-desk") if name == "get_user_context" else call(address, name)


def documented(name: str) -> str:
    """The part of the table of facts that is about a tool, and what it refers to."""
    table = (evidence.__doc__ or "").partition("=====\n")[2]
    start = table.index(f"\n{name}") if f"\n{name}" in table else 0
    following = re.search(r"\n(get_\w+|====)", table[start + 1 :])
    part = table[start : start + 1 + (following.start() if following else len(table))]
    return part + (documented("get_recent_requests") if name == "get_request_detail" else "")


@each_row("name", NAMES)
def test_data_has_the_documented_shape(filled: str, name: str) -> None:
    output = usual(filled, name)
    assert output.status == "ok"
    SHAPES[name].model_validate(output.data)


@each_row("name", NAMES)
def test_wrong_arguments_have_the_documented_shape(filled: str, name: str) -> None:
    session = make_session(tool(name, filled), context=ToolContext("r1", "operations", NOW))
    record, output = session.call("s1", name, {"colour": "red"})
    assert record.status == "error"
    failure = Failure.model_validate(output.data)
    assert (failure.code, failure.message) == ("INVALID_PARAMETER", output.reason)


@each_row("name", NAMES)
def test_every_fact_is_in_the_table_of_facts(filled: str, name: str) -> None:
    output = usual(filled, name)
    words = set(re.findall(r"\w+", documented(name) + documented("get_active_incidents")))
    for item in output.evidence:
        assert item.locator.startswith("context://")
        assert item.excerpt
        unknown = {fact for fact in item.facts if fact not in words and not fact.startswith("routing_")}
        assert not unknown
        for fact in item.facts.values():
            assert fact.unit in {"s", "ratio", "percent", "/s", "count", "time", "text"}
            assert isinstance(fact.value, str) == (fact.unit in {"time", "text"})
            if fact.unit == "time":
                assert datetime.fromisoformat(str(fact.value)).tzinfo
    assert len(output.evidence) <= MOST + 1
    assert len({item.locator for item in output.evidence}) == len(output.evidence)


def test_incidents(filled: str) -> None:
    output = call(filled, "get_active_incidents")
    summary, item = output.evidence
    assert summary.facts["count"].value == 1
    assert summary.facts["worst_target"].value == item.facts["target"].value == item.facts["target"].entity
    assert item.facts["duration"].value == 6000
    assert item.title == "incident INC-248: Elevated latency and errors on lumen-flash/east-cloud"


def test_no_incident_is_a_result(filled: str) -> None:
    output = call(filled, "get_active_incidents", target_id="heron-mini")
    assert (output.status, output.evidence[0].facts["count"].value) == ("ok", 0)
    assert output.evidence[0].excerpt == "0 active incidents of heron-mini"


def test_status_worst_first(filled: str) -> None:
    summary, worst, *others = call(filled, "get_deployment_status").evidence
    assert summary.facts["total"].value == 21
    assert summary.facts["worst_deployment"].value == worst.facts["deployment"].value == "lumen-flash/east-cloud"
    assert len(others) == MOST - 1
    row = next(r for r in call(filled, "get_deployment_status").data["deployments"] if r["status"] == "degraded")
    assert worst.facts["latency_p95"].value == pytest.approx(row["latency_p95_ms"] / 1000)


def test_an_empty_database_is_no_all_clear(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    database = make(address)
    with database.begin() as connection:
        connection.exec_driver_sql("delete from deployments")
    database.close()
    assert call(address, "get_deployment_status").status == "empty"
    assert call(address, "get_latency_trends").status == "empty"
    assert call(address, "get_request_volume").data == {"data": [], "totals": {"request_count": 0, "total_cost_usd": 0}}
    open_reading(address).close()


def test_trends_name_what_rose(filled: str) -> None:
    summary, *items = call(filled, "get_latency_trends", model_id="lumen-flash").evidence
    data = call(filled, "get_latency_trends", model_id="lumen-flash").data
    assert summary.facts["worst_deployment"].value == items[0].facts["deployment"].value == "lumen-flash/east-cloud"
    assert items[0].facts["direction"].value == "rose"
    assert summary.facts["request_count"].value == data["summary"]["total_requests"]
    rows = [r for r in data["data"] if r["deployment_id"] == "lumen-flash/east-cloud"]
    assert [v for _, v in items[0].series] == pytest.approx([r["latency_p95_ms"] / 1000 for r in rows])
    assert [t for t, _ in items[0].series] == [datetime.fromisoformat(r["period"]).timestamp() for r in rows]


def test_volume_and_quality_add_up(filled: str) -> None:
    volume = call(filled, "get_request_volume", group_by="backend")
    total, *groups = volume.evidence
    assert total.facts["request_count"].value == sum(int(g.facts["request_count"].value) for g in groups)
    assert sum(float(g.facts["share"].value) for g in groups) == pytest.approx(1)
    assert sum(v for _, v in total.series) == volume.data["totals"]["request_count"]
    quality = call(filled, "get_quality_summary")
    summary = quality.evidence[0].facts
    assert summary["sample_count"].value == sum(r["sample_count"] for r in quality.data["data"])
    lowest = call(filled, "get_request_detail", request_id=summary["lowest_request"].value)
    assert lowest.data["quality_score"]["score"] == summary["lowest_request_score"].value == summary["min_score"].value


def test_detail_brings_its_incident(filled: str) -> None:
    output = usual(filled, "get_request_detail")
    request, incident = output.evidence
    assert request.facts["routing_strategy"].unit == "text"
    assert request.facts["incident"].value == incident.facts["incident"].value == "INC-248"


@each_row(
    "name, args, status, code, nearest",
    [
        ("get_request_detail", {"request_id": "req_0000zz"}, "empty", "NOT_FOUND", None),
        ("get_user_context", {"user_id": "suport-desk"}, "empty", "NOT_FOUND", "support-desk"),
        ("get_user_context", {"user_id": ""}, "error", "INVALID_PARAMETER", None),
        ("get_deployment_status", {"status": "degrade"}, "error", "INVALID_PARAMETER", "degraded"),
        ("get_latency_trends", {"model_id": "heron"}, "error", "INVALID_PARAMETER", "heron-large"),
        ("get_latency_trends", {"since": "soon"}, "error", "INVALID_PARAMETER", "now"),
        ("get_latency_trends", {"since": "400 days ago"}, "error", "INVALID_PARAMETER", "day"),
        ("get_recent_requests", {"limit": 501}, "error", "INVALID_PARAMETER", "50"),
        ("get_request_volume", {"group_by": "user"}, "error", "INVALID_PARAMETER", "tier"),
        ("get_quality_summary", {"task_type": "chats"}, "error", "INVALID_PARAMETER", "chat"),
        ("get_active_incidents", {"target_type": "host"}, "error", "INVALID_PARAMETER", "deployment"),
    ],
)
def test_failures(filled: str, name: str, args: dict[str, Any], status: str, code: str, nearest: str | None) -> None:
    output = call(filled, name, **args)
    assert (output.status, output.evidence) == (status, ())
    assert Failure.model_validate(output.data).code == code
    assert output.reason == output.data["message"]
    if nearest:
        assert output.nearest[0] == nearest


@pytest.mark.parametrize("name", NAMES)
def test_a_database_that_is_down(name: str, tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/gone.db"
    args = {"get_request_detail": {"request_id": "r"}, "get_user_context": {"user_id": "u"}}.get(name, {})
    output = call(address, name, **args)
    assert (output.status, output.data["code"]) == ("error", "DATABASE_ERROR")
    with pytest.raises(ToolUnavailable):
        tool(name, address).ping()  # type: ignore[misc]


def test_none_connected(home: Path) -> None:
    output = call("", "get_active_incidents")
    assert (output.status, output.data["code"]) == ("error", "DATABASE_ERROR")
    assert "oracle load" in output.reason
    built = tool("get_active_incidents", "")
    assert built.ping is not None
    assert built.ping() == "no operations data are connected"
    assert built.landscape is not None
    assert built.landscape(CONTEXT).names == ()


def test_landscape_holds_all_names(filled: str) -> None:
    built = tool("get_request_volume", filled)
    assert built.landscape is not None
    labels = built.landscape(CONTEXT).labels
    assert {name: len(values) for name, values in labels.items()} == {
        "model": 10,
        "backend": 3,
        "deployment": 21,
        "tier": 3,
        "user": 10,
    }


def test_tables_that_are_missing(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    database = make(address)
    with database.begin() as connection:
        connection.exec_driver_sql("drop table incidents")
    database.close()
    with pytest.raises(ToolUnavailable, match="no table incidents"):
        tool("get_active_incidents", address).ping()  # type: ignore[misc]
    open_reading(address).close()


def test_a_name_that_is_markup_stays_a_name(tmp_path: Path) -> None:
    address = sqlite_address(tmp_path)
    database = make(address)
    incident = {
        "id": "<!channel>",
        "target_type": "model",
        "target_id": "owl",
        "title": "{E1.x} *b*",
        "status": "active",
    }
    add(database, "incidents", incident | {"started_at": NOW})
    database.close()
    output = call(address, "get_active_incidents")
    assert output.evidence[1].facts["title"].value == "{E1.x} *b*"
    open_reading(address).close()


def test_options_are_refused(home: Path) -> None:
    with pytest.raises(ValidationError):
        ops.build_get_active_incidents({"colour": 1}, Resources(load_settings(), lambda _a, _b: ()))
