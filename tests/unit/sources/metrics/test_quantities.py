"""What a family measures, by its own word and not by what it belongs to."""

import numpy as np
import pytest

from tests.support.each_row import each_row
from tests.unit.sources.metrics.test_request_metrics import family
from workers.sources.metrics.backend import Described, Series
from workers.sources.metrics.inventory import Draft, Family, kind_of
from workers.sources.metrics.metric_roles import BUILT_IN, discover, raw_of
from workers.sources.metrics.quantities import counts_things, is_bytes, time_factor_of

SECONDS, COUNTS = ("0.005", "0.1", "2.5", "+Inf"), ("1", "5", "10", "100", "+Inf")


def gauge(name, said="", unit="", labels=None, top=10.0):
    return Family(name, "gauge", name, said, unit, labels or {}, dict.fromkeys(labels or {}, ""), alive=1, top=top)


@each_row(
    "one, factor",
    [
        (gauge("db_query_seconds"), 1.0),
        (gauge("db_query_ms_p95"), 1e-3),
        (gauge("db_wait", unit="milliseconds"), 1e-3),
        (gauge("db_wait", labels={"unit": ("us",)}), 1e-6),
        (gauge("db_wait", "Time waited in seconds"), 1.0),
        (gauge("db_wait", "Duration of waits (ms)."), 1e-3),
        (gauge("db_pool_in_use", "Connections in use, sampled every 10 seconds"), None),
        (gauge("db_pool_in_use", "Connections used in the last few seconds"), None),
        (gauge("hibernate_second_level_cache_puts"), None),
        (gauge("edge_us_east_requests"), None),
        (gauge("db_query_count"), None),
        (gauge("db_queries", "Number of queries that took seconds"), None),
    ],
)
def test_time_is_told_by_unit_suffix_label_or_help(one, factor):
    assert time_factor_of(one) == factor


def test_bytes_are_no_things_that_are_counted():
    one = gauge("go_alloc_bytes", "Number of bytes allocated")
    assert is_bytes(one)
    assert not counts_things(one)
    assert raw_of(one, lambda _: ()).entry.unit == "bytes"


@each_row("name", ["db_pool_in_use", "db_query_count", "db_connections", "sql_client_active"])
def test_a_number_of_things_is_no_latency_whatever_they_belong_to(name):
    one = gauge(name, top=40.0)
    assert discover(BUILT_IN["dependency"], "dependency", {name: one}, lambda _: ()) == ()
    entry = raw_of(one, lambda _: ()).entry
    assert entry.unit == "count"
    assert "latency" not in entry.title


def test_a_gauge_that_says_its_unit_is_a_latency_of_what_is_called():
    one = gauge("db_pool_wait_seconds", top=0.2)
    (found,) = discover(BUILT_IN["dependency"], "dependency", {one.name: one}, lambda _: ())
    assert found.entry.unit == "s"


@pytest.mark.parametrize(("bounds", "unit"), [(SECONDS, "s"), (COUNTS, "count")])
def test_buckets_tell_what_no_name_tells(bounds, unit):
    one = family("inn_calls", "histogram")
    found = discover(BUILT_IN["latency"], "latency", {one.name: one}, lambda _: bounds)[0].entry
    assert found.unit == unit
    assert ("latency" in found.title) == (unit == "s")


def test_a_share_beyond_one_is_percent():
    assert raw_of(gauge("cpu_utilization", top=87.0), lambda _: ()).entry.unit == "percent"
    assert raw_of(gauge("cpu_utilization", top=0.87), lambda _: ()).entry.unit == "ratio"


def test_a_count_that_falls_is_no_counter():
    draft = Draft("db_connection_count", None, "db_connection_count", Described())
    assert kind_of(draft, [Series({}, np.array([8.0, 9.0, 7.0, 8.0]))], {}) == "gauge"
    assert kind_of(draft, [Series({}, np.array([8.0, 9.0, 1.0, 2.0]))], {}) == "counter"
