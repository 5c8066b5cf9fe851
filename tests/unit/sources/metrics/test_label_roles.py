"""Which part a label plays, and which values of a status failed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.metrics.label_roles import failing, part_of
from workers.sources.metrics.name_words import time_factor, tokens


@each_row(
    "label, values, part",
    [
        ("le", ("0.1", "+Inf"), "within"),
        ("x", ("/a", "/b/:id"), "endpoint"),
        ("x", ("GET /a", "POST /b"), "endpoint"),
        ("op", ("PlaceOrder", "GetOrder"), "endpoint"),
        ("http_verb", ("GET", "POST"), "verb"),
        ("method", ("GET", "POST"), "verb"),
        ("x", ("10.0.0.1:8080", "10.0.0.2:8080"), "instance"),
        ("kube_pod", ("gw-7c9d5f8b6-x2x4z", "gw-7c9d5f8b6-p9q8r"), "instance"),
        ("rel", ("v1.2.3", "v1.2.4"), "version"),
        ("sw_release", ("2026.11.11-8",), "version"),
        ("x", ("eu-west-1", "us-east-1"), "region"),
        ("dc", ("fra", "ams"), "region"),
        ("component", ("checkout", "cart"), "service"),
        ("http_status", ("200", "404", "503"), "status"),
        ("verdict", ("done", "crashed"), "status"),
        ("x", ("ok", "boom"), "status"),
        ("region_code", ("eu-west-1a", "eu-west-1b", "home"), "region"),
        ("status_code", ("OK", "UNAVAILABLE"), "status"),
        ("colour", ("red", "blue"), ""),
    ],
)
def test_the_values_say_which_part_a_label_plays(label, values, part):
    assert part_of(label, values) == part


@each_row(
    "label, values, bad, good",
    [
        ("code", ("200", "404", "503"), ("500", "503", "5xx"), ("200", "404")),
        ("grpc_code", ("0", "3", "14"), ("2", "13", "14"), ("0", "3", "5")),
        ("code", ("OK", "NotFound", "Unavailable"), ("Unavailable",), ("OK", "NotFound")),
        ("outcome", ("success", "failed", "client_error"), ("failed",), ("success", "client_error")),
        ("outcome", ("success",), ("error", "timeout"), ("success",)),
        ("x", ("ok", "boom", "retried"), ("boom",), ("ok", "retried")),
        ("error", ("true", "false"), ("true",), ("false",)),
        ("success", ("true", "false"), ("false",), ("true",)),
        ("exit_code", ("0", "1"), ("1",), ("0",)),
    ],
)
def test_what_failed_is_told_from_what_was_fine(label, values, bad, good):
    pattern = failing(label, values)
    assert pattern is not None
    assert all(re.fullmatch(pattern, v) for v in bad)
    assert not any(re.fullmatch(pattern, v) for v in good)


def test_values_that_say_nothing_of_success_tell_nothing():
    assert failing("colour", ("red", "blue")) is None


@given(st.text(max_size=20), st.lists(st.text(max_size=12), max_size=6))
def test_any_label_may_come(label, values):
    given_values = tuple(values)
    assert isinstance(part_of(label, given_values), str)
    pattern = failing(label, given_values)
    assert pattern is None or re.compile(pattern)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("httpRequestsTotal", ("http", "request", "total")),
        ("a:b_queries:rate5m", ("a", "b", "query", "rate", "5m")),
        ("status_bus_losses", ("status", "bus", "loss")),
    ],
)
def test_words_of_a_name(name, words):
    assert tokens(name) == words


@each_row("name, factor", [("x_millis", 1e-3), ("rtNanoseconds", 1e-9), ("x_seconds", 1.0), ("x", None)])
def test_units_of_time(name, factor):
    assert time_factor(tokens(name)) == factor
