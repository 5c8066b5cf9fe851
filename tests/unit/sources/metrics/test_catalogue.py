"""The options of metrics_query."""

import copy

import pytest
from pydantic import ValidationError

from tests.support.each_row import each_row
from tests.support.metric_shapes import options
from workers.settings.load import load_settings
from workers.sources.metrics.catalogue import Catalogue, raw_metric, read_options


def catalogue():
    return Catalogue(read_options(options()))


@each_row("word", ["latency_p95", "latency", "Latency", "p95 latency", "P95-Latency", "slow"])
def test_finds_by_name_alias_and_title(word):
    assert catalogue().find(word).name == "latency_p95"


def test_an_unknown_word_is_not_found():
    assert catalogue().find("latency_p96") is None


def test_like_takes_what_is_not_given():
    known = catalogue().find("latency_p50")
    assert known.entry.related == catalogue().find("latency_p95").entry.related
    assert known.templates[0].text.startswith("histogram_quantile(0.5,")


def test_physical_labels_go_both_ways():
    assert catalogue().physical("endpoint") == ("endpoint", "handler", "route")
    assert catalogue().physical("handler") == ("handler", "endpoint", "route")
    assert catalogue().physical("zone") == ("zone",)


MISTAKES = [
    (("metrics", "traffic", "promql"), ["sum(rate("], ("metrics", "traffic", "promql", 0), "is not PromQL"),
    (("metrics", "traffic", "promql"), [], ("metrics", "traffic", "promql"), "is required"),
    (("metrics", "traffic", "promql"), ['sum(x{{q}="1"})'], ("metrics", "traffic", "promql", 0), "unknown place {q}"),
    (("metrics", "traffic", "related"), ["lag"], ("metrics", "traffic", "related", 0), "no metric is named 'lag'"),
    (("metrics", "traffic", "group_by"), ["az"], ("metrics", "traffic", "group_by", 0), "no label is named 'az'"),
    (("metrics", "traffic", "aliases"), ["slow"], ("metrics", "traffic", "aliases", 0), "'slow' already means"),
    (("metrics", "traffic", "like"), "gone", ("metrics", "traffic", "like"), "no metric with promql"),
    (("metrics", "traffic", "unit"), "ms", ("metrics", "traffic", "unit"), "Input should be"),
    (("metrics", "traffic", "colour"), "red", ("metrics", "traffic", "colour"), "Extra inputs"),
    (
        ("metrics", "bad name"),
        {"title": "t", "unit": "s", "promql": ["up"]},
        ("metrics", "bad name"),
        "not a metric name",
    ),
    (("labels", "by"), ["x"], ("labels", "by"), "already has a meaning"),
    (("labels", "a b"), ["x"], ("labels", "a b"), "is not a label name"),
]


@each_row("key, value, place, named", MISTAKES)
def test_every_mistake_is_named_with_its_key(key, value, place, named):
    raw = copy.deepcopy(options())
    inner = raw
    for part in key[:-1]:
        inner = inner[part]
    inner[key[-1]] = value
    with pytest.raises(ValidationError) as caught:
        read_options(raw)
    found = {e["loc"]: e["msg"] for e in caught.value.errors()}
    assert named in found[place]


def test_all_mistakes_are_told_at_once():
    raw = copy.deepcopy(options())
    raw["metrics"]["traffic"]["promql"] = ["sum("]
    raw["metrics"]["pool"]["related"] = ["lag"]
    with pytest.raises(ValidationError) as caught:
        read_options(raw)
    assert len(caught.value.errors()) == 2


def test_a_missing_quantile_is_named():
    raw = copy.deepcopy(options())
    del raw["metrics"]["latency_p95"]["quantile"]
    with pytest.raises(ValidationError, match="needs quantile"):
        read_options(raw)


def test_the_catalogue_that_ships_is_right(tmp_path):
    shipped = load_settings(home=tmp_path).tree.tools["metrics_query"].options
    known = Catalogue(read_options(shipped))
    assert {"latency_p95", "error_ratio", "traffic", "db_latency_p95", "cache_hit_ratio", "retries"} <= set(
        known.metrics
    )
    assert all(m.templates for m in known.metrics.values())


NAMES = frozenset({"req_seconds_bucket", "req_seconds_count", "jobs_total", "heap_bytes", "load1"})


@each_row(
    "name, start, unit",
    [
        ("req_seconds", "histogram_quantile(0.95", "s"),
        ("req_seconds_bucket", "histogram_quantile(0.95", "s"),
        ("jobs_total", "sum by ({by}) (rate(jobs_total", "/s"),
        ("req_seconds_count", "sum by ({by}) (rate(req_seconds_count", "/s"),
        ("heap_bytes", "avg by ({by}) (avg_over_time(heap_bytes", "bytes"),
        ("load1", "avg by ({by}) (avg_over_time(load1", "count"),
    ],
)
def test_raw_metrics_are_read_by_their_kind(name, start, unit):
    known = raw_metric(name, NAMES)
    assert known.raw
    assert known.templates[0].text.startswith(start)
    assert known.entry.unit == unit


def test_a_name_that_the_server_lacks_is_no_raw_metric():
    assert raw_metric("load5", NAMES) is None
