"""safe_sql_query through its own function and through the wrappers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bench.sql import fill
from tests.support.toolkit_parts import make_context, make_limits
from workers.agents.operations.source import sql_run
from workers.agents.operations.tools.sql import build
from workers.contracts import ToolOutput
from workers.errors import ConfigError, ToolArgumentError, ToolUnavailable
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool
from workers.toolkit.toolbox import build_toolbox, shared_cache


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    address = f"sqlite:///{tmp_path_factory.mktemp('context') / 'context.db'}"
    fill(address, 400)
    return address


def resources(home: Path, **context: str) -> Resources:
    return Resources(load_settings({"oracle.context": context}, home=home), lambda start, end: ())


def call(tool: Tool, query: str) -> ToolOutput:
    return tool.run(tool.args.model_validate({"query": query}), make_context(agent="operations"))


def audit(home: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (home / "sql_audit.jsonl").read_text().splitlines()]


def test_an_answer_its_evidence_and_its_line(home: Path, address: str) -> None:
    tool = build({}, resources(home, url=address))
    output = call(tool, "select id, latency_sla_p95_ms from tiers order by 2 limit 2 -- please")
    assert output.status == "ok"
    assert output.data == {
        "rows": [{"id": "premium", "latency_sla_p95_ms": 500.0}, {"id": "standard", "latency_sla_p95_ms": 900.0}],
        "row_count": 2,
        "has_more": True,
    }
    executed = "SELECT `id`, `latency_sla_p95_ms` FROM `tiers` ORDER BY 2 LIMIT 3"
    assert output.evidence[0].excerpt == executed
    fact = output.evidence[1].facts["latency_sla_p95_ms"]
    assert (fact.value, fact.unit, fact.entity) == (0.5, "s", "premium")
    (line,) = audit(home)
    assert line["query"].endswith("-- please")
    assert (line["executed_sql"], line["row_count"], line["ok"], line["error"]) == (executed, 2, True, "")
    assert line["duration_ms"] > 0


def test_nothing_found_is_empty(home: Path, address: str) -> None:
    output = call(build({}, resources(home, url=address)), "select id from users where id = 'nobody'")
    assert (output.status, output.reason) == ("empty", "no row matches the query")
    assert output.data == {"rows": [], "row_count": 0, "has_more": False}


def test_refusals_are_audited(home: Path, address: str) -> None:
    tool = build({}, resources(home, url=address))
    for query in ("drop table users", "select * from secrets", "select tier_id from models", " "):
        with pytest.raises(ToolArgumentError):
            call(tool, query)
    lines = audit(home)
    assert [line["ok"] for line in lines] == [False] * 4
    assert "only one SELECT" in lines[0]["error"]
    assert lines[1]["executed_sql"] == ""
    assert lines[2]["executed_sql"] == "SELECT `tier_id` FROM `models` LIMIT 101"


def test_a_query_of_any_length_is_audited(home: Path, address: str) -> None:
    toolbox = build_toolbox(resources(home, url=address))
    session = toolbox.open(make_context(agent="operations"), make_limits(tools=("safe_sql_query",)))
    _, output = session.call("s1", "safe_sql_query", {"query": f"select '{'x' * 200_000}'"})
    assert (output.status, output.reason) == ("error", "the query has 200,009 characters; at most 10,000 are allowed")
    (line,) = audit(home)
    assert (len(line["query"]), line["ok"], line["error"]) == (20_000, False, output.reason)


def test_a_moment_is_asked_for_in_the_form_that_the_tool_names(home: Path, address: str) -> None:
    tool = build({}, resources(home, url=address))
    assert "created_at >= '2026-11-20T10:00:00Z'" in tool.description
    newest = call(tool, "select max(created_at) as newest from requests").data["rows"][0]["newest"]
    day = newest[:10]
    after = call(tool, f"select count(*) as n from requests where created_at < '{day}T00:00:00Z'").data["rows"]
    dated = call(tool, f"select count(*) as n from requests where date(created_at) < '{day}'").data["rows"]
    assert after == dated


def test_what_is_wrong_with_a_query_is_told_before_it_runs(home: Path, address: str) -> None:
    toolbox = build_toolbox(resources(home, url=address))
    assert "only one SELECT" in toolbox.mistakes("safe_sql_query", {"query": "drop table users"})
    assert toolbox.mistakes("safe_sql_query", {"query": "select id from users"}) == ""
    assert toolbox.mistakes("safe_sql_query", {"sql": "select 1"}).startswith("safe_sql_query: ")
    assert not (home / "sql_audit.jsonl").exists()


def test_deployments_of_other_data_share_no_results(home: Path, tmp_path: Path) -> None:
    def space(folder: Path, address: str = "") -> str:
        named = {"oracle.redis_url": "redis://127.0.0.1:1", "oracle.context.url": address}
        return shared_cache(load_settings(named, home=folder)).space

    first = space(home)
    assert first == space(home)
    assert first != space(tmp_path / "there")
    assert first != space(home, f"sqlite:///{tmp_path / 'other.db'}")


def test_a_slow_query_is_a_timeout(home: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_run, "TIMEOUT_S", 0.3)
    output = call(build({}, resources(home, url=address)), "select count(*) from requests a, requests b, requests c")
    assert output.status == "timeout"
    assert "ask for less" in output.reason
    assert audit(home)[0]["error"] == output.reason


def test_without_the_audit_log_nothing_is_run(home: Path, address: str) -> None:
    (home / "sql_audit.jsonl").mkdir()
    with pytest.raises(ToolUnavailable, match="audit log"):
        call(build({}, resources(home, url=address)), "select 1")


def test_no_database(home: Path) -> None:
    tool = build({}, resources(home))
    with pytest.raises(ToolUnavailable, match="no operations data are connected"):
        call(tool, "select 1")
    assert tool.ping is not None
    assert "no operations data" in tool.ping()
    gone = build({}, resources(home, url=f"sqlite:///{home / 'gone.db'}"))
    with pytest.raises(ToolUnavailable):
        call(gone, "select 1")
    assert gone.ping is not None
    with pytest.raises(ToolUnavailable):
        gone.ping()


def test_its_own_address_goes_first(home: Path, address: str) -> None:
    tool = build({}, resources(home, url="sqlite:////no/such/file.db", sql_url=address))
    assert call(tool, "select count(*) as n from users").data["rows"] == [{"n": 10}]
    assert tool.ping is not None
    assert "opened read-only" in tool.ping()
    assert "SQLite SELECT" in tool.description
    assert "requests(id, created_at" in tool.description


def test_mistakes_in_the_configuration(home: Path) -> None:
    with pytest.raises(ValidationError):
        build({"rows": 5}, resources(home))
    with pytest.raises(ConfigError, match="mysql"):
        build({}, resources(home, sql_url="mysql://x/y"))


def test_through_the_wrappers(home: Path, address: str) -> None:
    settings = resources(home, url=address)
    loaded = settings.settings
    tree = loaded.tree.model_copy(update={"tools": {"safe_sql_query": loaded.tree.tools["safe_sql_query"]}})
    toolbox = build_toolbox(Resources(type(loaded)(loaded.home, tree, loaded.origin), settings.deploys))
    session = toolbox.open(make_context(), make_limits(tools=("safe_sql_query",)))
    record, output = session.call("s1", "safe_sql_query", {"query": "select * from secret"})
    assert record.status == "error"
    assert output.reason.startswith("table 'secret' is not one of: models, backends")
    record, output = session.call("s2", "safe_sql_query", {"query": "select count(*) as n from tiers"})
    assert (record.status, record.summary, output.data["row_count"]) == ("ok", "1 row", 1)
