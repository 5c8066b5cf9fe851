"""Catalogue metrics on servers of several dialects."""

import pytest

from tests.support.metric_shapes import FakeBackend, options
from workers.errors import ToolArgumentError
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.metric_resolution import Server

BUCKET = "http_request_duration_seconds_bucket"
PATHS = ("/list", "/pay")


def server(metrics, extra=None):
    raw = options()
    for name, entry in (extra or {}).items():
        raw["metrics"][name] = entry
    return Server(FakeBackend(metrics), Catalogue(read_options(raw)))


def promql(at, word, labels=(), by=()):
    resolved = at.resolve(at.find(word), tuple(labels), 0, 1)
    return resolved.promql(300, by)


def test_labels_are_spelt_as_the_server_does():
    at = server({BUCKET: {"handler": PATHS, "job": ("till",), "le": ("1",)}})
    assert promql(at, "latency", [("endpoint", "/pay"), ("service", "till")]) == (
        "histogram_quantile(0.95, sum by (le) "
        '(rate(http_request_duration_seconds_bucket{handler="/pay",job="till"}[5m])))'
    )


def test_a_namespace_is_found_before_the_name():
    at = server({f"till_{BUCKET}": {"endpoint": PATHS, "le": ("1",)}})
    assert f"till_{BUCKET}" in promql(at, "latency")


def test_the_plain_name_wins_over_a_namespace_and_monitoring_comes_last():
    both = {f"a_{BUCKET}": {"le": ("1",)}, BUCKET: {"le": ("1",)}, f"prometheus_{BUCKET}": {"le": ("1",)}}
    assert f"(rate({BUCKET}[" in promql(server(both), "latency")
    del both[BUCKET]
    assert f"(rate(a_{BUCKET}[" in promql(server(both), "latency")
    del both[f"a_{BUCKET}"]
    assert f"(rate(prometheus_{BUCKET}[" in promql(server(both), "latency")


def test_of_several_namespaces_the_one_with_the_value_is_taken():
    at = server({f"a_{BUCKET}": {"endpoint": ("/x",)}, f"b_{BUCKET}": {"endpoint": ("/pay",)}})
    assert f"b_{BUCKET}" in promql(at, "latency", [("endpoint", "/pay")])
    assert f"a_{BUCKET}" in promql(at, "latency")


def test_a_suffix_within_a_word_is_no_namespace():
    assert server({f"x{BUCKET}": {}}).candidates(server({}).find("latency")) == ()


def test_an_alternative_that_carries_the_filter_is_preferred():
    entry = {
        "title": "q",
        "unit": "/s",
        "promql": ["sum(rate(plain_total{{filter}}[5m]))", "sum(rate(rich_total{{filter}}[5m]))"],
    }
    at = server({"plain_total": {}, "rich_total": {"endpoint": PATHS}}, {"q": entry})
    assert "rich_total" in promql(at, "q", [("endpoint", "/pay")])
    assert "plain_total" in promql(at, "q")


def test_a_filter_that_a_metric_lacks_is_dropped_and_known():
    at = server({"pool_in_use": {"service": ("till",)}})
    resolved = at.resolve(at.find("pool"), (("endpoint", "/pay"), ("service", "till")), 0, 1)
    assert resolved.applied == (("service", "till"),)
    assert resolved.dropped == (("endpoint", "/pay"),)


def test_both_parts_of_a_ratio_must_carry_a_filter():
    entry = {
        "title": "q",
        "unit": "count",
        "promql": ["sum(rate(a_total{{filter}}[5m])) / sum(rate(b_total{{filter}}[5m]))"],
    }
    at = server({"a_total": {"endpoint": PATHS}, "b_total": {}}, {"q": entry})
    assert at.resolve(at.find("q"), (("endpoint", "/pay"),), 0, 1).dropped == (("endpoint", "/pay"),)


def test_a_logical_label_that_is_missing_rules_an_alternative_out():
    at = server({"http_requests_total": {"endpoint": PATHS}})
    assert at.resolve(at.find("error_ratio"), (), 0, 1) is None
    at = server({"http_requests_total": {"endpoint": PATHS, "code": ("200",)}})
    assert '{code=~"5.*"}' in promql(at, "error_ratio")


def test_a_summary_is_told_from_a_native_histogram():
    entry = {
        "title": "q",
        "unit": "s",
        "quantile": 0.95,
        "promql": [
            'max(lat{quantile="{quantile}",{filter}})',
            "histogram_quantile({quantile}, sum(rate(lat{{filter}}[{rate}])))",
        ],
    }
    assert promql(server({"lat": {"quantile": ("0.95",)}}, {"q": entry}), "q").startswith('max(lat{quantile="0.95"')
    assert promql(server({"lat": {}}, {"q": entry}), "q").startswith("histogram_quantile")


def test_grouping_needs_the_label_on_every_part():
    at = server({"http_requests_total": {"handler": PATHS, "status": ("200",)}})
    resolved = at.resolve(at.find("traffic"), (), 0, 1)
    assert at.grouping(resolved, "endpoint") == "handler"
    assert at.grouping(resolved, "table") is None
    assert promql(at, "traffic", by=("handler",)).startswith("sum by (handler) (")


@pytest.mark.parametrize(
    ("word", "nearest"), [("latency_p59", "latency_p95"), ("latncy", "latency_p95"), ("pool_in_uze", "pool_in_use")]
)
def test_an_unknown_metric_names_the_nearest(word, nearest):
    at = server({"pool_in_use": {}})
    with pytest.raises(ToolArgumentError, match="no metric is named") as caught:
        at.find(word)
    assert nearest in caught.value.nearest


def test_nothing_near_is_not_made_up():
    with pytest.raises(ToolArgumentError) as caught:
        server({}).find("zzzzqqqq")
    assert caught.value.nearest == ()
