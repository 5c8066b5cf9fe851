"""metrics_query as a tool."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from tests.support.each_row import each_row
from tests.support.metric_shapes import END, deploys_of, options, with_catalogue
from tests.unit.sources.metrics.conftest import ONSET, store  # noqa: F401 - a fixture
from workers.contracts import Deploy, ToolOutput
from workers.errors import ConfigError, ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources
from workers.tools.metrics import MetricsArgs, build

NOW = datetime.fromtimestamp(END, UTC)
CAUSE = Deploy(service="till", version="v2", commit="a" * 40, at=datetime.fromtimestamp(ONSET - 120, UTC))
KEYS = {
    "status", "metric", "unit", "filters", "window", "current", "baseline", "change_pct", "peak", "onset", "related",
    "culprit", "deploys", "alerts", "series", "promql", "url", "nearest",
}  # fmt: skip


def tool_of(tmp_path, **core):
    settings = load_settings({f"oracle.{k}": v for k, v in core.items()}, home=tmp_path)
    return build(options(), Resources(settings=with_catalogue(settings, options()), deploys=deploys_of(CAUSE)))


@pytest.fixture
def tool(tmp_path, store):  # noqa: F811
    return tool_of(tmp_path, samples=str(store))


def context(now=NOW):
    return ToolContext("r1", "research", now)


def run(tool, query, now=NOW):
    return tool.run(MetricsArgs(query=query), context(now))


def facts(evidence):
    return {name: fact.value for name, fact in evidence.facts.items()}


def test_the_object_has_every_key_and_is_json(tool):
    output = run(tool, "metric=latency_p95 window=24h endpoint=/pay")
    assert output.status == "ok"
    assert set(output.data) >= KEYS
    again = json.loads(json.dumps(output.data))
    assert again["metric"] == "latency_p95"
    assert again["unit"] == "s"
    assert again["filters"] == {"endpoint": "/pay"}
    assert again["window"] == {"start": "2026-11-20T11:00:00Z", "end": "2026-11-21T11:00:00Z", "why": "last 24h"}
    assert again["onset"]["at"] in {"2026-11-21T06:01:00Z", "2026-11-21T06:02:00Z"}
    assert 0.5 <= again["onset"]["confidence"] <= 1
    assert again["peak"]["value"] >= again["current"]
    assert again["deploys"][0]["version"] == "v2"
    assert again["alerts"][0]["name"] == "PaySlow"
    assert again["alerts"][0]["since"] == "2026-11-21T06:05:00Z"
    assert again["url"] is None
    assert {
        "metric",
        "title",
        "unit",
        "baseline",
        "current",
        "change_pct",
        "onset_at",
        "direction",
        "moved",
        "promql",
    } <= set(again["related"][0])
    assert ToolOutput.model_validate(output.model_dump()) == output


def test_the_series_is_short_and_keeps_its_peak(tool):
    data = run(tool, "metric=latency_p95 window=24h endpoint=/pay").data
    assert 100 < len(data["series"]) <= 240
    moments = [datetime.fromisoformat(t) for t, _ in data["series"]]
    assert moments == sorted(moments)
    assert moments[0] < NOW - timedelta(hours=24)
    assert max(v for _, v in data["series"]) == data["peak"]["value"]


def test_metric_evidence_has_its_facts(tool):
    output = run(tool, "metric=latency_p95 window=24h endpoint=/pay")
    first = output.evidence[0]
    assert first.kind == "metric"
    assert first.title == "p95 latency of /pay"
    assert first.locator == output.data["promql"]
    assert "histogram_quantile(0.95" in first.locator
    assert {f.entity for f in first.facts.values()} == {"/pay"}
    found = facts(first)
    assert found["metric"] == "p95 latency"
    assert found["metric_name"] == "latency_p95"
    assert found["direction"] == "rose"
    assert found["onset_at"] == output.data["onset"]["at"]
    assert found["newest_at"] == "2026-11-21T11:00:00Z"
    assert found["window_start"] == "2026-11-20T11:00:00Z"
    assert found["samples"] > 250
    assert "recovered_at" not in found
    units = {name: fact.unit for name, fact in first.facts.items()}
    assert units["baseline"] == units["current"] == units["peak"] == "s"
    assert units["change_pct"] == "percent"
    assert units["onset_at"] == units["peak_at"] == "time"
    assert units["onset_confidence"] == "ratio"
    assert first.facts["peak"].at is not None
    assert "p95 latency of /pay: 0." in first.excerpt


def test_evidence_of_every_kind_in_order(tool):
    output = run(tool, "metric=latency_p95 window=24h endpoint=/pay")
    kinds = [e.kind for e in output.evidence]
    assert kinds == sorted(kinds, key=["metric", "deploy", "alert"].index)
    deploy = next(e for e in output.evidence if e.kind == "deploy")
    assert facts(deploy) == {
        "service": "till",
        "version": "v2",
        "commit": "a" * 40,
        "at": "2026-11-21T05:58:00Z",
        "source": "deploys",
    }
    assert deploy.facts["commit"].unit == "commit"
    alert = facts(next(e for e in output.evidence if e.kind == "alert"))
    assert (alert["name"], alert["state"], alert["severity"]) == ("PaySlow", "firing", "page")
    assert alert["since"] == "2026-11-21T06:05:00Z"
    assert alert["label_endpoint"] == "/pay"


def test_the_culprit_stands_before_the_whole(tool):
    output = run(tool, "metric=latency window=24h")
    assert output.data["culprit"] == {"label": "endpoint", "value": "/pay", "share": 1.0}
    assert output.data["candidates"][0]["value"] == "/pay"
    assert [c["moved"] for c in output.data["candidates"]] == [True, False, False]
    first, second = output.evidence[:2]
    assert first.title == "p95 latency of /pay"
    assert second.title == "p95 latency"
    assert {f.entity for f in second.facts.values()} == {"all"}
    for item in (first, second):
        assert facts(item)["culprit_value"] == "/pay"
        assert item.facts["culprit_share"].unit == "ratio"


def test_nothing_found_is_empty_with_a_reason(tool):
    output = run(tool, "metric=latency_p95 window=24h endpoint=/payy")
    assert output.status == "empty"
    assert output.reason == "metrics for /payy not found for last 24h"
    assert output.nearest == ("/pay",)
    assert output.evidence == ()
    assert set(output.data) >= KEYS
    assert output.data["status"] == "empty"
    assert output.data["nearest"] == ["/pay"]
    assert output.data["current"] is None


def test_an_alert(tool):
    output = run(tool, "alert=PaySlow window=24h")
    assert output.status == "ok"
    assert set(output.data) >= KEYS
    assert output.data["current"] == 1
    assert output.evidence[0].kind == "alert"
    assert output.evidence[1].kind == "deploy"
    quiet = run(tool, "alert=PaySlow window=1h", datetime.fromtimestamp(ONSET, UTC))
    assert quiet.data["current"] == 0
    assert facts(quiet.evidence[0])["state"] == "inactive"
    assert quiet.reason == "PaySlow did not fire for last 1h"


@each_row("query", ["", "latency please", "metric=latency_p95 window=forever", "metric=latency_p95 window=500d"])
def test_what_cannot_be_read_is_refused(tool, query):
    with pytest.raises((ToolArgumentError, ValidationError)):
        run(tool, query)


def test_unknown_arguments_are_refused():
    with pytest.raises(ValidationError):
        MetricsArgs(query="metric=x", window="24h")


def test_the_same_question_has_the_same_answer(tool):
    assert run(tool, "metric=latency_p95 window=24h") == run(tool, "metric=latency_p95 window=24h")


def test_the_landscape_holds_what_exists(tool):
    found = tool.landscape(context())
    assert [m.name for m in found.metrics] == [
        "latency_p95", "latency_p50", "error_ratio", "traffic", "db_latency_p95", "pool",
    ]  # fmt: skip
    assert found.metrics[0].aliases == ("latency", "slow")
    assert found.labels["endpoint"] == ("/healthz", "/list", "/pay")
    assert found.labels["service"] == ("till",)
    assert found.alerts == ("PaySlow",)


def test_ping(tool):
    assert "newest sample 2026-11-21T11:00:00Z" in tool.ping()


def test_without_a_source_it_says_how_to_connect_one(tmp_path):
    tool = tool_of(tmp_path)
    for call in (lambda: run(tool, "metric=latency_p95"), tool.ping):
        with pytest.raises(ToolUnavailable) as caught:
            call()
        assert str(caught.value) == "no metrics source is connected: set prometheus.url or PROMETHEUS_URL"
    assert tool.landscape(context()).metrics == ()


def test_a_source_that_is_down_does_not_keep_the_tool_from_starting(tmp_path):
    tool = tool_of(tmp_path, samples=str(tmp_path / "gone"))
    with pytest.raises(ToolUnavailable, match="there is no sample store at"):
        run(tool, "metric=latency_p95")
    with pytest.raises(ConfigError, match=r"prometheus\.url: must be an address .* is 'nonsense'"):
        tool_of(tmp_path, **{"prometheus.url": "nonsense"})


def test_a_refused_connection_is_one_sentence(tmp_path):
    tool = tool_of(tmp_path, **{"prometheus.url": "http://127.0.0.1:9"})
    with pytest.raises(
        ToolUnavailable, match=r"prometheus at http://127\.0\.0\.1:9 cannot be reached: nothing listens"
    ):
        run(tool, "metric=latency_p95")


def test_wrong_options_are_named(tmp_path):
    raw = options()
    raw["metrics"]["traffic"]["promql"] = ["sum("]
    settings = load_settings(home=tmp_path)
    with pytest.raises(ValidationError) as caught:
        build(raw, Resources(settings=settings, deploys=deploys_of()))
    assert caught.value.errors()[0]["loc"] == ("metrics", "traffic", "promql", 0)
