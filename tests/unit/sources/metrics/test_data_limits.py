"""What figures cannot carry: quantiles at the edge of their buckets, units against their data, series twice there."""

from __future__ import annotations

import numpy as np
import pytest

from workers.sources.metrics.backend import Frame, Grid, Series
from workers.sources.metrics.bucket_edges import edge_of, finite_bounds, histogram_of
from workers.sources.metrics.series_copies import are_copies, count_once
from workers.sources.metrics.unit_check import check_unit

BOUNDS = (0.1, 0.5, 1.0, 4.0)
OTEL = (5.0, 10.0, 25.0, 75.0, 250.0, 750.0, 2_500.0, 10_000.0)
USUAL = (0.005, 0.05, 0.25, 1.0, 10.0)
NAME = "orders_http_request_duration_seconds"


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.03, "below 100 ms"), (0.1, "below 100 ms"), (3.2, "between 1 s and 4 s"), (4.0, "above 4 s")],
)
def test_at_the_edge_of_the_buckets_only_a_bound_is_known(value, told):
    edge = edge_of(value, BOUNDS)
    assert edge is not None
    assert edge.said("s") == told


@pytest.mark.parametrize("value", [0.2, 0.7, 1.0])
def test_between_the_buckets_a_quantile_is_a_value(value):
    assert edge_of(value, BOUNDS) is None


def test_bounds_are_read_as_servers_write_them():
    assert finite_bounds(["+Inf", "2.5e-02", "1", "0", "NaN", "0.5"], 1000) == (25.0, 500.0, 1000.0)


def test_the_histogram_of_a_quantile_is_named():
    text = 'histogram_quantile(0.9, sum by (le) (rate(pay_seconds_bucket{zone="a_bucket"}[5m]))) / 1000'
    assert histogram_of(text) == "pay_seconds"
    assert histogram_of("sum(rate(pay_seconds_bucket[5m]))") == ""


@pytest.mark.parametrize(
    ("said_s", "bounds", "mean", "factor", "doubted"),
    [
        (1.0, OTEL, 130.0, 1e-3, True),
        (1.0, OTEL, 0.05, 1.0, True),
        (1.0, USUAL, 0.2, 1.0, False),
        (1.0, (1.0, 60.0, 600.0, 3_600.0), 300.0, 1.0, False),
        (1e-3, USUAL, 0.2, 1e3, True),
        (1e-3, OTEL, 130.0, 1.0, False),
        (1.0, (), 4_000.0, 1.0, True),
        (1.0, (), 2.0, 1.0, False),
    ],
)
def test_a_unit_is_held_against_buckets_and_mean(said_s, bounds, mean, factor, doubted):
    found = check_unit(NAME, said_s, bounds, mean)
    assert (found.factor, bool(found.doubt)) == (factor, doubted)


def test_what_times_no_requests_is_left_as_it_is():
    assert check_unit("nightly_export_seconds", 1.0, OTEL, 130.0).doubt == ""


def counters(offset, label="scraper_replica", seed=0):
    grown = np.cumsum(np.random.default_rng(seed).poisson(40, 20)).astype(float)
    rows = [grown, grown + offset]
    series = tuple(Series({label: who, "path": "/pay"}, values) for who, values in zip(("x", "y"), rows, strict=True))
    return Frame(Grid(0, 19 * 30, 30), series)


def test_series_that_two_servers_write_are_copies():
    assert are_copies(counters(30.0), "scraper_replica", counted=True)


def test_series_of_two_that_serve_are_not():
    assert not are_copies(counters(9_000.0), "scraper_replica", counted=True)
    assert not are_copies(counters(3.0), "scraper_replica", counted=False)


def test_a_gauge_of_copies_is_equal():
    assert are_copies(counters(0.0), "scraper_replica", counted=False)


def test_copies_are_joined_before_anything_is_summed():
    text = 'sum(rate(a_total{code=~"5[0-9]{2}"}[5m])) / sum(rate(b_total[5m]))'
    once = 'sum(max without (r) (rate(a_total{code=~"5[0-9]{2}"}[5m]))) / sum(max without (r) (rate(b_total[5m])))'
    assert count_once(text, "r") == once
