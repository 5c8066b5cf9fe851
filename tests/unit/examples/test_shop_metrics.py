"""The demo team's metrics: valid OpenMetrics, consistent, healthy before the fault and not after."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import yaml
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from examples.shop.build import Demo, read_rules
from examples.shop.fault import Fault, draw_fault, fault_kinds
from examples.shop.metrics import make_families
from examples.shop.openmetrics import Family, Sample, write_openmetrics
from examples.shop.signals import BASE, STEPS, make_signals, minutes_until
from tests.unit.examples.conftest import NOW
from workers.sources.metrics.analysis import Analysis, analyse
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.embedded_backend import EmbeddedBackend
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.openmetrics import load_openmetrics
from workers.sources.metrics.query_string import MetricQuery, parse_query
from workers.sources.metrics.report import report
from workers.sources.metrics.sample_store import SampleStore

TOOLS = Path(__file__).parents[3] / "config" / "tools.yaml"

Samples = dict[str, list[tuple[int, float]]]


@pytest.mark.parametrize("back", [0, 60 * 30, 60 * 47])
def test_a_strict_parser_reads_it(demo: Demo, back: int) -> None:
    """One minute at a time: the parser loses a histogram's samples after its first time."""
    end = f" {int(demo.built_at.timestamp()) // 60 * 60 - 60 * back}\n"
    with demo.openmetrics.open(encoding="utf-8") as file:
        text = "".join(line for line in file if line.startswith("#") or line.endswith(end))
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["http_request_duration_seconds"].type == "histogram"
    assert families["http_requests"].type == "counter"
    assert [s.labels["alertstate"] for s in families["ALERTS"].samples] == ([] if back else ["firing"])
    assert all(family.documentation for family in families.values())


def test_48_hours_at_60_seconds(demo: Demo, samples: Samples) -> None:
    last = int(demo.built_at.timestamp()) // 60 * 60
    expected = [last - 60 * back for back in range(STEPS - 1, -1, -1)]
    assert STEPS == 48 * 60 + 1
    for series, values in samples.items():
        if not series.startswith("ALERTS"):
            assert [time for time, _ in values] == expected, series


def test_counters_never_fall_and_histograms_add_up(samples: Samples) -> None:
    array = {series: np.array([value for _, value in values]) for series, values in samples.items()}
    for series, values in array.items():
        if re.match(r"\w+(_total|_bucket|_count|_sum)\{", series):
            assert (np.diff(values) >= 0).all(), series
    groups: dict[str, list[np.ndarray]] = {}
    for series, values in array.items():
        if "_bucket{" in series:
            groups.setdefault(re.sub(r'_bucket(\{.*),le="[^"]*"\}', r"_count\1}", series), []).append(values)
    assert len(groups) == 7 + 7 + 2 + 2
    for count, buckets in groups.items():
        assert all((high >= low).all() for low, high in pairwise(buckets))
        assert (buckets[-1] == array[count]).all()


def test_requests_by_status_are_the_requests_timed(samples: Samples) -> None:
    for endpoint in BASE["traffic"]:
        timed = samples[f'http_request_duration_seconds_count{{service="shop",endpoint="{endpoint}"}}'][-1][1]
        mark = f'http_requests_total{{service="shop",endpoint="{endpoint}",'
        assert sum(values[-1][1] for series, values in samples.items() if series.startswith(mark)) == timed


def test_rules_only_use_metrics_that_exist(samples: Samples) -> None:
    names = {series.partition("{")[0] for series in samples}
    for group in read_rules():
        for rule in group["rules"]:
            used = set(re.findall(r"[a-z_]+_(?:bucket|total|connections|open)\b", rule["expr"]))
            assert used, rule["alert"]
            assert used <= names


def test_the_alert_fires_five_to_six_minutes_after_the_onset(demo: Demo, samples: Samples) -> None:
    firing = {s: v for s, v in samples.items() if s.startswith("ALERTS{") and 'alertstate="firing"' in s}
    ((series, values),) = firing.items()
    assert 'alertname="SearchLatencyHigh"' in series
    assert 'endpoint="/api/search"' in series
    assert 'severity="page"' in series
    first = values[0][0] - demo.onset.timestamp()
    assert 300 <= first <= 360
    assert values[-1][0] > demo.built_at.timestamp() - 60
    (since,) = (v for s, v in samples.items() if s.startswith("ALERTS_FOR_STATE{"))
    assert {value for _, value in since} == {since[0][0]}


def increase(families: dict[str, list[Sample]], name: str, minutes: slice, **labels: str) -> float:
    """How much the counters of these labels grew."""
    found = [s for s in families[name] if labels.items() <= s.labels.items()]
    assert found, (name, labels)
    return float(sum(s.values[minutes][-1] - s.values[minutes][0] for s in found))


def draw(kind: str) -> Fault:
    return next(f for f in map(draw_fault, range(1, 200)) if f.kind == kind)


# kind -> (share of these counters' growth over that of those, at least so many times as large as before)
TELLING = {
    "cache_never_hits": (
        ("cache_requests_total", {"endpoint": "/api/search", "result": "miss"}),
        ("cache_requests_total", {"endpoint": "/api/search"}),
        5,
    ),
    "missing_index": (
        ("db_query_duration_seconds_sum", {"table": "orders"}),
        ("db_query_duration_seconds_count", {"table": "orders"}),
        10,
    ),
    "retry_storm": (
        ("outbound_retries_total", {"target": "payments"}),
        ("http_requests_total", {"endpoint": "/api/checkout"}),
        50,
    ),
    "n_plus_one": (
        ("db_queries_total", {"endpoint": "/api/cart"}),
        ("http_requests_total", {"endpoint": "/api/cart"}),
        15,
    ),
    "exhausted_pool": (
        ("db_pool_wait_seconds_sum", {"pool": "accounts"}),
        ("db_pool_wait_seconds_count", {"pool": "accounts"}),
        50,
    ),
    "slow_dependency": (
        ("outbound_request_duration_seconds_sum", {"target": "recommender"}),
        ("outbound_request_duration_seconds_count", {"target": "recommender"}),
        5,
    ),
}


@pytest.mark.parametrize("kind", fault_kinds())
def test_each_fault_moves_its_own_metric_and_leaves_the_others(kind: str) -> None:
    fault = draw(kind)
    onset = NOW - timedelta(hours=20)
    rng = np.random.default_rng(5)
    signals = make_signals(minutes_until(NOW), fault, onset, rng)
    families: dict[str, list[Sample]] = {}
    for family in make_families(signals, rng):
        for group in family.groups:
            for sample in group:
                families.setdefault(sample.name, []).append(sample)
    start = STEPS - 20 * 60
    before, after = slice(start - 125, start - 5), slice(start + 10, start + 130)
    for other, (above, below, times) in TELLING.items():
        was, became = (
            increase(families, above[0], span, **above[1]) / increase(families, below[0], span, **below[1])
            for span in (before, after)
        )
        if other == kind:
            assert became > times * was
        else:
            assert 0.5 * was < became < 2 * was, f"{kind} moves the metric of {other}"
    for endpoint in BASE["traffic"]:
        name = "http_request_duration_seconds_sum"
        count = name.replace("_sum", "_count")
        was, became = (
            increase(families, name, span, endpoint=endpoint) / increase(families, count, span, endpoint=endpoint)
            for span in (before, after)
        )
        assert became > 5 * was if endpoint == fault.endpoint else became < 1.3 * was


def test_nothing_moves_before_the_deploy() -> None:
    fault = draw_fault(0)
    onset = NOW - timedelta(hours=20)
    healthy = fault.__class__(**{**vars(fault), "effects": ()})
    with_fault = make_signals(minutes_until(NOW), fault, onset, np.random.default_rng(1))
    without = make_signals(minutes_until(NOW), healthy, onset, np.random.default_rng(1))
    deploy = STEPS - 1 - 20 * 60 - fault.onset_minutes
    for key, level in with_fault.levels.items():
        assert (level[: deploy + 1] == without.levels[key][: deploy + 1]).all(), key
    lead = with_fault.level("db_latency", "/api/search") / without.level("db_latency", "/api/search")
    late = with_fault.level("latency", "/api/search") / without.level("latency", "/api/search")
    assert int(np.argmax(late > 1.5)) - int(np.argmax(lead > 1.5)) == 1


def test_an_exhausted_pool_stays_exhausted() -> None:
    signals = make_signals(
        minutes_until(NOW), draw("exhausted_pool"), NOW - timedelta(hours=30), np.random.default_rng(4)
    )
    (pool,) = (f for f in make_families(signals, np.random.default_rng(4)) if f.name == "db_pool_connections")
    (in_use,) = (s for (s,) in pool.groups if s.labels.items() >= {"pool": "accounts", "state": "in_use"}.items())
    assert max(in_use.values[: STEPS - 31 * 60]) < 8
    assert set(in_use.values[STEPS - 30 * 60 + 5 :]) == {8}


def test_a_series_may_have_gaps(tmp_path: Path) -> None:
    path = tmp_path / "metrics.txt"
    sample = Sample("up", {"job": "a"}, [None, 1, None])
    write_openmetrics(path, [10, 20, 30], [Family("up", "gauge", "Up.", [[sample]])])
    assert path.read_text() == '# TYPE up gauge\n# HELP up Up.\nup{job="a"} 1 20\n# EOF\n'


def test_the_hours_ahead_go_on_from_the_past_ones(demo: Demo, tmp_path: Path) -> None:
    load_openmetrics(demo.openmetrics, tmp_path / "store", demo.ahead)
    store = SampleStore(tmp_path / "store")
    built = int(demo.built_at.timestamp()) // 60 * 60
    for name, rows in store.by_name.items():
        for series in rows:
            times = store.times[series.times_at : series.times_at + series.count] // 1000
            values = store.values[series.values_at : series.values_at + series.count]
            assert (np.diff(times) == 60).all(), name
            assert times[-1] == built + 24 * 3600 or name.startswith("ALERTS")
            if re.search(r"(_total|_bucket|_count|_sum)$", name):
                assert (np.diff(values) >= 0).all(), name


def test_nothing_is_read_from_the_hours_ahead(demo: Demo, tmp_path: Path) -> None:
    """As of a moment, a store answers as it did before it had the samples that follow."""
    load_openmetrics(demo.openmetrics, tmp_path / "past")
    load_openmetrics(demo.openmetrics, tmp_path / "both", demo.ahead)
    query = parse_query(f"metric=latency_p95 window=24h endpoint={demo.endpoint}")
    assert isinstance(query, MetricQuery)
    catalogue = Catalogue(read_options(yaml.safe_load(TOOLS.read_text())["metrics_query"]["options"]))
    now = demo.built_at
    reports = []
    for name in ("past", "both"):
        backend = EmbeddedBackend(tmp_path / name)
        found = analyse(query, Server(backend, catalogue), now, lambda _start, _end: demo.deploys, 60.0)
        assert isinstance(found, Analysis)
        reports.append((report(found), backend.ping(now.timestamp()).partition(",")[2]))
    assert reports[0] == reports[1]
    later = analyse(query, Server(backend, catalogue), now + timedelta(hours=5), lambda _start, _end: (), 60.0)
    assert isinstance(later, Analysis)
    assert not later.reason, "five hours on there are samples up to that moment"
    ended = analyse(query, Server(backend, catalogue), now + timedelta(hours=25), lambda _start, _end: (), 60.0)
    assert isinstance(ended, Analysis)
    assert "newest sample" in ended.reason
