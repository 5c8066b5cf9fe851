"""promql and list_metrics over stored samples."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import END, Text, deploys_of, options, times
from tests.unit.sources.metrics.conftest import ONSET, store  # noqa: F401 - a fixture
from workers.contracts import rfc3339
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.sources.metrics.embedded_backend import load_openmetrics
from workers.toolkit.tool import Resources
from workers.tools.promql import build_list_metrics, build_promql

NOW = datetime.fromtimestamp(END, UTC)
P95 = "histogram_quantile(0.95, sum by (le, endpoint) (rate(http_request_duration_seconds_bucket[5m])))"


def tool_of(make, tmp_path, **core):
    entries = {f"oracle.{k}": v for k, v in core.items()}
    settings = load_settings({**entries, "tools.metrics_query.options": options()}, home=tmp_path)
    return make({}, Resources(settings=settings, deploys=deploys_of()))


@pytest.fixture
def promql(tmp_path, store):  # noqa: F811
    return tool_of(build_promql, tmp_path, samples=str(store))


@pytest.fixture
def listing(tmp_path, store):  # noqa: F811
    return tool_of(build_list_metrics, tmp_path, samples=str(store))


def run(tool, now=NOW, **args):
    return tool.run(tool.args.model_validate(args), ToolContext("r1", "research", now))


def facts(evidence):
    return {name: fact.value for name, fact in evidence.facts.items()}


def test_a_range_says_of_each_series_how_it_went(promql):
    output = run(promql, query=P95, start="-12h")
    assert output.data["count"] == 3
    assert "3 series, 1 of them changed" in output.summary
    pay = output.evidence[0]
    known = facts(pay)
    assert (known["label_endpoint"], known["direction"]) == ("/pay", "rose")
    assert known["min"] <= known["baseline"] < known["mean"] < known["level"] <= known["max"]
    assert {pay.facts[n].unit for n in ("first", "last", "min", "max", "mean", "baseline", "level")} == {"s"}
    onset = datetime.fromisoformat(known["onset_at"]).timestamp()
    assert ONSET - 120 <= onset <= ONSET + 360
    assert known["onset_after"] < known["onset_at"]
    assert len(pay.series) <= 240
    assert max(v for _, v in pay.series) == known["max"]
    assert pay.facts["last"].entity == "/pay"
    assert known["window_end"] == rfc3339(NOW)
    assert "rose from" in pay.excerpt
    assert "onset_at" not in facts(output.evidence[1])


def test_one_moment(promql):
    output = run(promql, query="sum(rate(http_requests_total[5m]))", at="-1h")
    (piece,) = output.evidence
    assert piece.facts["value"].unit == "/s"
    assert piece.facts["value"].value == pytest.approx(17, rel=0.4)
    assert facts(piece)["at"] == rfc3339(NOW - timedelta(hours=1))
    several = run(promql, query="sum by (endpoint) (rate(http_requests_total[5m]))")
    assert several.evidence[0].facts["series_1_last"].unit == "/s"
    assert len(several.evidence[0].excerpt.split("\n")) == 3


def test_nothing_after_the_moment_asked_about(promql):
    early = NOW - timedelta(hours=8)
    output = run(promql, early, query=P95, start="-3h", end=rfc3339(NOW))
    assert output.data["end"] == rfc3339(early)
    assert "1 of them changed" not in output.summary


def test_very_many_series_are_told_as_cut(tmp_path):
    text = Text()
    text.family("q", "gauge")
    for i in range(60):
        text.add("q", {"queue": f"q{i:02}"}, times(1), times(1) * 0 + i)
    load_openmetrics(text.write(tmp_path / "q.om"), tmp_path / "store")
    output = run(tool_of(build_promql, tmp_path, samples=str(tmp_path / "store")), query="q", start="-30m")
    assert (output.data["count"], len(output.data["series"])) == (60, 50)
    assert "50 of 60 series are shown" in output.reason
    assert output.evidence[0].facts["label_queue"].value == "q59"
    assert all(len(e.excerpt) <= 2_400 for e in output.evidence)


@each_row(
    "args, said",
    [
        ({"query": ""}, "query is empty"),
        ({"query": "up", "start": "-12h", "step": "1s"}, "more than 11,000; take 15s or more"),
        ({"query": "up", "start": "-60d"}, "longer than 31 days"),
        ({"query": "rate(up[90d])"}, "longer than 31 days"),
        ({"query": "max_over_time(rate(up[5m])[7d:1s])"}, "subquery has more than 11,000 steps"),
        ({"query": "up", "start": "soon"}, "neither RFC 3339"),
        ({"query": "up", "start": "2026-11-20T10:00:00"}, "no time zone"),
        ({"query": "up", "start": "now"}, "not before end"),
        ({"query": "up", "start": "-1h", "step": "often"}, "not a duration"),
        ({"query": "up", "start": "-1h", "at": "now"}, "either one moment"),
        ({"query": "up", "end": "-1h"}, "start is missing"),
    ],
)
def test_what_is_wrong_or_too_much_is_refused(promql, args, said):
    with pytest.raises(ToolArgumentError, match=said):
        run(promql, **args)


def test_too_many_points_of_all_series_are_refused(promql, monkeypatch):
    monkeypatch.setattr("workers.sources.metrics.expression_query.MOST_CELLS", 500)
    with pytest.raises(ToolArgumentError, match="6 series of 241 points: aggregate it"):
        run(promql, query="http_requests_total", start="-2h")


def test_what_the_stored_samples_cannot_is_said_with_what_they_can(promql):
    with pytest.raises(ToolUnavailable, match=r"cannot evaluate stddev; .* knows sum, avg, .*topk.*rate"):
        run(promql, query="stddev(http_requests_total)")
    with pytest.raises(ToolUnavailable, match="is not PromQL"):
        run(promql, query="sum(")


@each_row(
    "query, reason, near",
    [
        ("http_request_total", "no metric is named http_request_total", "http_requests_total"),
        (
            'http_requests_total{endpoint="/payy"}',
            "no series with endpoint='/payy'; there is /healthz, /list, /pay",
            "/pay",
        ),
        ('http_requests_total{endpont="/pay"}', "no label endpont; it has endpoint, service, status", "endpoint"),
        ("http_requests_total > 1e12", "has no value at", None),
    ],
)
def test_why_nothing_was_found(promql, query, reason, near):
    output = run(promql, query=query)
    assert output.status == "empty"
    assert reason in output.reason
    assert (near in output.nearest) if near else not output.nearest
    assert not output.evidence


def test_metrics_by_words_and_endpoint(listing):
    output = run(listing, words="latency")
    names = [m["name"] for m in output.data["metrics"]]
    assert "http_request_duration_seconds" in names
    assert "latency_p95" in output.data["logical"]
    row = next(m for m in output.data["metrics"] if m["name"] == "http_request_duration_seconds")
    assert (row["kind"], row["labels"]["endpoint"]) == ("histogram", ("/healthz", "/list", "/pay"))
    text = "\n".join(e.excerpt for e in output.evidence)
    assert "http_request_duration_seconds_bucket" in text
    assert "endpoint (3): /healthz, /list, /pay" in text
    of_list = run(listing, endpoint="/list")
    assert {m["name"] for m in of_list.data["metrics"]} >= {"http_requests_total", "db_seconds"}
    assert "pool_in_use" not in {m["name"] for m in of_list.data["metrics"]}
    assert run(listing).data["count"] >= 4


def test_what_no_metric_has(listing):
    none = run(listing, words="http_request_totl")
    assert (none.status, "http_requests_total" in none.nearest) == ("empty", True)
    route = run(listing, endpoint="/lst")
    assert (route.status, route.nearest) == ("empty", ("/list",))


def test_without_a_source(tmp_path):
    for make, args in ((build_promql, {"query": "up"}), (build_list_metrics, {})):
        with pytest.raises(ToolUnavailable, match="no metrics source is connected"):
            run(tool_of(make, tmp_path), **args)
