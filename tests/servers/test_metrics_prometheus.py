"""The embedded store and a real Prometheus hold the same samples and give the same answers."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tests.support.metric_shapes import END, Text, deploys_of, histogram, options, shop, times, with_catalogue
from tests.support.real_servers import run_prometheus
from tests.unit.sources.metrics.conftest import ONSET
from workers.contracts import Deploy, ToolOutput
from workers.errors import ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.sources.metrics.backend import Frame, Grid
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics
from workers.sources.metrics.prometheus_backend import PrometheusBackend
from workers.toolkit.tool import Resources, Tool
from workers.tools.metrics import MetricsArgs, build
from workers.tools.promql import build_list_metrics, build_promql

pytestmark = pytest.mark.servers

NOW = datetime.fromtimestamp(END, UTC)
TIMEOUT_MS = 10_000  # patient: the machine may be busy
CAUSE = Deploy(service="till", version="v2", commit="a" * 40, at=datetime.fromtimestamp(ONSET - 120, UTC))

EXPRESSIONS = [
    "c_total",
    'g{a="a1"}',
    'g{a!="a1"}',
    'c_total{a=~"a[01]",b!~"b1"}',
    '{__name__=~"g|d_total"}',
    "g offset 7m",
    "rate(c_total[1m])",
    "rate(c_total[5m])",
    "rate(c_total[5m] offset 10m)",
    "increase(c_total[2m])",
    "irate(c_total[1m])",
    "delta(g[5m])",
    "idelta(g[5m])",
    "sum(rate(c_total[5m]))",
    "sum by (a) (rate(c_total[5m]))",
    "sum without (b, path) (rate(c_total[5m]))",
    "avg by (b) (g)",
    "min(g)",
    "max by (a) (g)",
    "count by (a) (c_total)",
    "histogram_quantile(0.95, sum by (le) (rate(h_bucket[5m])))",
    "histogram_quantile(0.5, rate(h_bucket[2m]))",
    "histogram_quantile(0.99, sum by (le, a) (increase(h_bucket[1m])))",
    "histogram_quantile(0.95, sum by (le) (rate(h_bucket[37s])))",
    "sum by (a) (rate(c_total[5m])) / sum by (a) (rate(d_total[5m]))",
    "sum by (a) (rate(c_total[5m])) / on (a) sum by (a) (rate(d_total[5m]))",
    "d_total / ignoring (b) sum by (a) (g)",
    "g > 5",
    "g > bool 5",
    "5 < g",
    "g == g",
    "g >= on (a, b) g",
    "rate(d_total[5m]) * 100 - 3",
    "-g % 2 ^ 2",
    "abs(g)",
    "sqrt(abs(g))",
    "clamp_min(g, 2)",
    "clamp_max(g, 2)",
    "1 / 0",
    "2 ^ 3 > bool 7",
    'sum(rate(c_total{a="zz"}[5m])) or vector(0)',
    '(sum by (a) (rate(c_total{b="b1"}[5m])) or 0 * sum by (a) (rate(d_total[5m]))) / sum by (a) (rate(d_total[5m]))',
    "d_total and on (a) (g > 6)",
    "d_total unless on (a) (g > 6)",
    "avg_over_time(g[3m])",
    "max_over_time(g[3m])",
    "min_over_time(g[3m])",
    "sum_over_time(g[3m])",
    "count_over_time(g[3m])",
    "last_over_time(g[3m])",
    "scalar(sum(d_total)) + time()",
    "topk(2, g)",
    "topk by (a) (1, avg_over_time(g[5m]))",
    "bottomk(3, avg_over_time(g[3m]))",
    "bottomk without (b) (1, g)",
    'absent(g{a="zz",b=~"b.*"})',
    'absent(g{a="a1"})',
    "sort(g)",
]


def random_samples(path: Path) -> Path:
    """Counters that start again, gauges, a histogram; with gaps and irregular scrapes."""
    rng = np.random.default_rng(20)
    text = Text()

    def moments(*, gaps: bool = False, jitter: bool = False) -> np.ndarray:
        t = times(3, 15)
        t = np.round(t + rng.uniform(-3, 3, len(t)), 3) if jitter else t
        return t[(rng.random(len(t)) > 0.3) & ((t < END - 5_000) | (t > END - 4_000))] if gaps else t

    text.family("c", "counter")
    for i in range(6):
        t = moments(gaps=i % 2 == 1, jitter=i >= 3)
        v = np.cumsum(rng.poisson(3, len(t))).astype(float)
        for at in sorted(rng.integers(1, len(t), 3)):
            v[at:] -= v[at]
        text.add("c_total", {"a": f"a{i % 3}", "b": f"b{i // 3}", "path": "/x y"}, t, v)
    text.family("d", "counter")
    for i in range(3):
        t = moments()
        text.add("d_total", {"a": f"a{i}"}, t, np.cumsum(rng.poisson(5 + i, len(t))))
    text.family("g", "gauge")
    for i in range(4):
        t = moments(gaps=i == 2, jitter=i == 3)
        v = rng.normal(5, 3, len(t))
        v[100] = np.inf if i == 1 else v[100]
        text.add("g", {"a": f"a{i % 3}", "b": f"b{i // 3}"}, t, v)
    text.family("h", "histogram")
    for i in range(3):
        t = moments(gaps=i == 2)
        histogram(text, "h", {"a": f"a{i}"}, t, 0 * t + 0.6, 0 * t + 0.5, i)
    return text.write(path)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EmbeddedBackend, PrometheusBackend]]:
    """Random samples in both."""
    folder = tmp_path_factory.mktemp("random")
    samples = random_samples(folder / "x.om")
    load_openmetrics(samples, folder / "store")
    with run_prometheus(folder / "server", samples) as address:
        yield EmbeddedBackend(folder / "store"), PrometheusBackend(address, timeout_ms=TIMEOUT_MS)


def by_labels(frame: Frame) -> dict[tuple[tuple[str, str], ...], np.ndarray]:
    return {tuple(sorted(s.labels.items())): s.values for s in frame.series}


@pytest.mark.parametrize("promql", EXPRESSIONS)
def test_values_are_those_of_a_real_server(both, promql):
    embedded, real = both
    for grid in (Grid(END - 7200, END, 60), Grid(END - 7193, END, 37)):
        ours, theirs = by_labels(embedded.query_range(promql, grid)), by_labels(real.query_range(promql, grid))
        assert set(ours) == set(theirs)
        for labels, values in theirs.items():
            assert np.allclose(ours[labels], values, rtol=1e-6, atol=1e-9, equal_nan=True), labels


def test_names_labels_and_cadence_are_those_of_a_real_server(both):
    embedded, real = both
    assert embedded.names() == real.names()
    for name in embedded.names():
        assert embedded.label_names(name) == real.label_names(name)
    assert embedded.label_values("a", ("g", "d_total"), END - 3600, END) == ("a0", "a1", "a2")
    assert real.label_values("a", ("g", "d_total"), END - 3600, END) == ("a0", "a1", "a2")
    for selector in ("d_total", 'g{a="a1"}', "h_bucket"):
        assert embedded.cadence(selector, END - 3600, END) == (END, 15.0)
        assert real.cadence(selector, END - 3600, END) == (END, 15.0)


def test_samples_that_ended_are_found_in_both(both):
    embedded, real = both
    later = END + 40_000
    assert embedded.cadence("d_total", END - 3600, later) == (END, 15.0)
    assert real.cadence("d_total", END - 3600, later) == (END, 15.0)


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tool, Tool]]:
    """metrics_query on the same shop, embedded and real."""
    folder = tmp_path_factory.mktemp("shop")
    samples = shop(folder / "shop.om", ONSET)
    load_openmetrics(samples, folder / "store")
    with run_prometheus(folder / "server", samples) as address:
        yield (
            tool_on(folder, {"oracle.samples": str(folder / "store")}),
            tool_on(folder, {"oracle.prometheus.url": address, "oracle.prometheus.timeout_ms": TIMEOUT_MS}),
        )


def tool_on(home: Path, source: dict[str, object]) -> Tool:
    settings = load_settings(source, home=home)
    patient = {**options(), "budget_ms": 30_000}
    return build(patient, Resources(settings=with_catalogue(settings, patient), deploys=deploys_of(CAUSE)))


@pytest.mark.parametrize(
    "query",
    [
        "metric=latency_p95 window=24h endpoint=/pay",
        "metric=latency_p95 window=24h",
        "metric=error_ratio window=deploy",
        "metric=traffic window=6h compare=day endpoint=/list",
        "metric=db_seconds window=12h",
        "metric=latency_p95 window=24h endpoint=/payy",
        "metric=latency_p95 window=24h zone=a",
        "metric=nowhere window=24h",
        "alert=PaySlow window=24h",
        "alert=PaySlow window=1h",
    ],
)
def test_the_whole_answer_is_the_same_on_both(tools, query):
    context = ToolContext("r", "research", NOW)
    ours, theirs = (tool.run(MetricsArgs(query=query), context) for tool in tools)
    url = theirs.data.pop("url")
    assert ours.data.pop("url") is None
    assert (url is None) == (theirs.status == "empty")
    assert close(ours.data, theirs.data)
    assert (ours.status, ours.summary, ours.reason, ours.nearest) == (
        theirs.status,
        theirs.summary,
        theirs.reason,
        theirs.nearest,
    )
    assert [(e.kind, e.title, e.locator, e.excerpt) for e in ours.evidence] == [
        (e.kind, e.title, e.locator, e.excerpt) for e in theirs.evidence
    ]


def close(a: object, b: object) -> bool:
    """Equal, numbers to their sixth digit."""
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return a == pytest.approx(b, rel=2e-5, abs=1e-9)
    return a == b


def test_the_landscape_is_the_same_on_both(tools):
    context = ToolContext("r", "research", NOW)
    ours, theirs = (tool.landscape(context) for tool in tools)
    assert ours == theirs
    assert ours.labels["endpoint"] == ("/healthz", "/list", "/pay")


def test_ping_names_the_version(tools):
    assert tools[1].ping().startswith("prometheus 2.")


def test_a_rule_that_fires_now_is_told(tmp_path):
    rules = tmp_path / "rules.yml"
    rules.write_text(
        "groups: [{name: x, rules: [{alert: AlwaysOn, expr: vector(1), labels: {severity: page}}, "
        "{alert: NeverOn, expr: vector(0) > 1}]}]"
    )
    with run_prometheus(tmp_path / "server", None, rules) as address:
        backend = PrometheusBackend(address, timeout_ms=TIMEOUT_MS)
        states: dict[str, str] = {}
        for _ in range(100):
            backend.kept.clear()
            states = {a.name: a.state for a in backend.live_alerts()}
            if states.get("AlwaysOn") == "firing":
                break
            time.sleep(0.1)
        assert states == {"AlwaysOn": "firing", "NeverOn": "inactive"}
        tool = tool_on(tmp_path, {"oracle.prometheus.url": address, "oracle.prometheus.timeout_ms": TIMEOUT_MS})
        context = ToolContext("r", "research", datetime.now(UTC))
        firing = tool.run(MetricsArgs(query="alert=AlwaysOn window=1h"), context)
        assert firing.data["current"] == 1
        assert firing.data["alerts"][0]["labels"] == {"severity": "page"}
        assert firing.data["alerts"][0]["expr"] == "vector(1)"
        quiet = tool.run(MetricsArgs(query="alert=NeverOn window=1h"), context)
        assert quiet.data["current"] == 0
        assert quiet.reason == "NeverOn did not fire for last 1h"


def test_too_much_is_refused_with_a_sentence(tools, both):
    _, real = both
    with pytest.raises(ToolUnavailable, match="refused: "):
        real.query_range("d_total", Grid(END - 20_000, END, 1))


def test_a_server_that_never_answers(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ToolUnavailable) as caught:
            PrometheusBackend(address, timeout_ms=100).names()
    assert str(caught.value) == f"prometheus at {address} did not answer within 100 ms"


@pytest.fixture(scope="module")
def expressions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Tool, Tool]]]:
    """promql and list_metrics on the same shop, embedded and real."""
    folder = tmp_path_factory.mktemp("expressions")
    samples = shop(folder / "shop.om", ONSET)
    load_openmetrics(samples, folder / "store")
    with run_prometheus(folder / "server", samples) as address:
        sources = (
            {"oracle.samples": str(folder / "store")},
            {"oracle.prometheus.url": address, "oracle.prometheus.timeout_ms": TIMEOUT_MS},
        )
        loaded = [
            load_settings({**source, "tools.metrics_query.options": options()}, home=folder) for source in sources
        ]
        makes = {"promql": build_promql, "list_metrics": build_list_metrics}
        yield {
            name: (
                make({}, Resources(settings=loaded[0], deploys=deploys_of())),
                make({}, Resources(settings=loaded[1], deploys=deploys_of())),
            )
            for name, make in makes.items()
        }


def both_of(pair: tuple[Tool, Tool], **args: str) -> tuple[ToolOutput, ToolOutput]:
    context = ToolContext("r", "research", NOW)
    embedded, real = (tool.run(tool.args.model_validate(args), context) for tool in pair)
    return embedded, real


@pytest.mark.parametrize(
    "args",
    [
        {"query": "sum by (endpoint) (rate(http_requests_total[5m]))", "start": "-6h", "step": "5m"},
        {"query": "topk(2, sum by (endpoint) (rate(http_requests_total[5m])))"},
        {
            "query": "histogram_quantile(0.95, sum by (le, endpoint) (rate(http_request_duration_seconds_bucket[5m])))",
            "start": "-12h",
        },
        {"query": "scalar(sum(pool_in_use))", "start": "-1h"},
        {"query": "http_request_total"},
        {"query": 'http_requests_total{endpoint="/payy"}', "start": "-1h"},
    ],
)
def test_expressions_are_told_the_same_on_both(expressions, args):
    embedded, real = both_of(expressions["promql"], **args)
    assert (real.status, real.reason, real.nearest) == (embedded.status, embedded.reason, embedded.nearest)
    assert [e.excerpt for e in real.evidence] == [e.excerpt for e in embedded.evidence]
    assert real.data == embedded.data
    assert all(e.url and "g0.expr=" in e.url for e in real.evidence)


def test_what_only_a_real_server_can_is_asked_of_it(expressions):
    _, promql = expressions["promql"]
    context = ToolContext("r", "research", NOW)

    def ask(query: str, **more: str) -> ToolOutput:
        return promql.run(promql.args.model_validate({"query": query, **more}), context)

    assert ask("quantile_over_time(0.9, pool_in_use[1h])").evidence[0].facts["value"].value == pytest.approx(8.6, abs=1)
    assert ask("max_over_time(sum(rate(http_requests_total[5m]))[1h:5m])", start="-2h").data["count"] == 1
    with pytest.raises(ToolUnavailable, match=r"refused: .*parse error"):
        ask("sum(rate(http_requests_total[5m])")
    with pytest.raises(ToolUnavailable, match="refused: "):
        ask('label_replace(pool_in_use, "a", "$1", "service", "(")')


def test_metrics_are_listed_the_same_on_both(expressions):
    for args in ({"words": "latency"}, {"endpoint": "/pay"}, {}):
        embedded, real = both_of(expressions["list_metrics"], **args)
        assert [m["name"] for m in real.data["metrics"]] == [m["name"] for m in embedded.data["metrics"]]
        assert real.data["logical"] == embedded.data["logical"]
        assert [m["labels"] for m in real.data["metrics"]] == [m["labels"] for m in embedded.data["metrics"]]
