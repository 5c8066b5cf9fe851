"""The embedded evaluator, by hand-made numbers. Equality with a real server is tested under tests/servers."""

import numpy as np
import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import Text
from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Grid
from workers.sources.metrics.embedded_backend import EmbeddedBackend, load_openmetrics

T0 = 1_795_258_800
GRID = Grid(T0 + 300, T0 + 600, 60)


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    folder = tmp_path_factory.mktemp("promql")
    t = np.arange(T0, T0 + 601, 60)
    i = np.arange(len(t))
    text = Text()
    text.add("c_total", {"a": "x"}, t, 60.0 * i)
    text.add("c_total", {"a": "y"}, t, np.where(i < 5, 120.0 * i, 120.0 * (i - 5)))  # starts again at its sixth sample
    text.add("g", {"a": "x"}, t, 1.0 * i)
    text.add("g", {"a": "y"}, t[:3], [7.0, 7.0, 7.0])
    for le, share in (("0.1", 0.5), ("0.2", 0.9), ("+Inf", 1.0)):
        text.add("h_bucket", {"le": le}, t, 100.0 * share * i)
    load_openmetrics(text.write(folder / "x.om"), folder / "store")
    return EmbeddedBackend(folder / "store")


def ask(backend, promql, grid=GRID):
    return {tuple(sorted(s.labels.items())): s.values for s in backend.query_range(promql, grid).series}


def only(backend, promql, grid=GRID):
    (values,) = ask(backend, promql, grid).values()
    return values


def test_rate_of_a_steady_counter(backend):
    assert np.allclose(only(backend, 'rate(c_total{a="x"}[2m])'), 1.0)
    assert np.allclose(only(backend, 'increase(c_total{a="x"}[5m])'), 300.0)


def test_rate_counts_on_through_a_reset(backend):
    values = only(backend, 'rate(c_total{a="y"}[5m])')
    assert np.isfinite(values).all()
    assert values.min() > 1.0


def test_instant_values_last_five_minutes(backend):
    whole = ask(backend, "g", Grid(T0, T0 + 600, 60))
    assert np.isfinite(whole[(("__name__", "g"), ("a", "y"))]).sum() == 3 + 5
    assert only(backend, 'g{a="x"} offset 1m')[0] == 4.0


def test_sums_and_groups(backend):
    assert np.allclose(only(backend, 'sum(g{a="x"})'), np.arange(5, 11))
    assert set(ask(backend, "sum by (a) (c_total)")) == {(("a", "x"),), (("a", "y"),)}
    assert set(ask(backend, "sum without (a) (c_total)")) == {()}
    assert only(backend, "count(c_total)")[0] == 2.0


def test_quantiles_are_interpolated(backend):
    assert np.allclose(only(backend, "histogram_quantile(0.5, rate(h_bucket[5m]))"), 0.1)
    assert np.allclose(only(backend, "histogram_quantile(0.7, rate(h_bucket[5m]))"), 0.15)
    assert np.allclose(only(backend, "histogram_quantile(0.99, rate(h_bucket[5m]))"), 0.2)


def test_no_observations_have_no_quantile(backend):
    assert ask(backend, "histogram_quantile(0.9, h_bucket * 0)") == {}


def test_or_zero_stands_in_for_missing_series(backend):
    values = only(backend, '(sum(rate(c_total{a="none"}[5m])) or 0 * sum(rate(c_total[5m]))) / sum(rate(c_total[5m]))')
    assert np.allclose(values, 0.0)


def test_or_fills_in_moment_by_moment(backend):
    values = only(backend, '(sum(g{a="y"}) or 0 * sum(g{a="x"})) + sum(g{a="x"})', Grid(T0, T0 + 600, 60))
    assert values.tolist() == [7, 8, 9, 10, 11, 12, 13, 14, 8, 9, 10]


def test_comparison_filters_and_bool(backend):
    assert np.isnan(only(backend, 'g{a="x"} > 6')[:2]).all()
    assert only(backend, 'g{a="x"} > bool 6').tolist() == [0, 0, 1, 1, 1, 1]


def test_infinite_and_undefined_values_are_missing(backend):
    assert ask(backend, 'g{a="x"} / 0') == {}


@each_row(
    "promql, named",
    [
        ("stddev(g)", "stddev"),
        ("g[5m:1m]", "SubqueryExpr"),
        ("g @ 100", "@"),
        ("predict_linear(g[5m], 60)", "predict_linear()"),
        ("g * on (a) group_left () c_total", "group_left"),
        ("sum(", "is not PromQL"),
        ("quantile_over_time(0.5, g[5m])", "quantile_over_time()"),
        ("c_total * on () g", "several series to one"),
        ("label_replace(g, 'a', 'b', '', '')", "label_replace()"),
    ],
)
def test_what_is_not_known_is_named(backend, promql, named):
    with pytest.raises(ToolUnavailable, match=r".") as caught:
        ask(backend, promql)
    assert named in str(caught.value)
