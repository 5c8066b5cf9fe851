"""Which value of a label explains a change, from its sides alone."""

import pytest

from tests.support.each_row import each_row
from workers.sources.metrics.change_attribution import Sides, Split, shared, weight_text
from workers.sources.metrics.onset import Change


def change(baseline=1.0, level=3.0):
    return Change(1_000.0, 940.0, "rose" if level > baseline else "fell", 0.9, baseline, level)


def split(*, additive=False, **parts):
    return Split({k: Sides(b, a, n, w) for k, (b, a, n, w) in parts.items()}, additive=additive)


def test_the_value_whose_level_rose_is_to_blame():
    found = shared("pod", split(a=(1.0, 20.0, 0.1, 1.0), b=(1.0, 1.1, 0.1, 1.0), c=(1.0, 0.9, 0.1, 1.0)), change())
    assert (found.value, round(found.share, 2)) == ("a", 1.0)
    assert found.weight == pytest.approx(1 / 3)


def test_two_values_that_rose_alike_are_not_told_as_one():
    parts = {"a": (1.0, 10.2, 0.1, 1.0), "b": (1.0, 10.0, 0.1, 1.0), **dict.fromkeys("cdef", (1.0, 1.0, 0.1, 1.0))}
    assert shared("pod", split(**parts), change(1.0, 4.0)) is None
    assert shared("pod", split(**parts | {"b": (1.0, 5.0, 0.1, 1.0)}), change(1.0, 4.0)).value == "a"


def test_when_all_rose_in_proportion_nobody_is():
    parts = {"big": (10.0, 20.0, 0.1, 9.0), "small": (1.0, 2.0, 0.1, 1.0)}
    assert shared("pod", split(**parts), change(9.0, 18.0)) is None
    assert shared("pod", split(additive=True, **parts), change(11.0, 22.0)) is None


def test_traffic_weighs_the_parts_of_a_ratio():
    parts = {"busy": (0.01, 0.10, 0.001, 95.0), "idle": (0.01, 0.5, 0.001, 0.1), "rest": (0.01, 0.01, 0.001, 50.0)}
    assert shared("endpoint", split(**parts), change(0.01, 0.07)).value == "busy"


def test_what_lies_within_the_noise_explains_nothing():
    assert shared("pod", split(a=(1.0, 3.0, 2.0, 1.0), b=(1.0, 1.0, 2.0, 1.0)), change()) is None


def test_a_value_that_came_new_is_held_against_the_whole():
    parts = {"v2": (None, 3.0, 0.1, 1.0), "v1": (1.0, 1.0, 0.1, 1.0)}
    assert shared("version", split(**parts), change()).value == "v2"


def test_a_fall_is_explained_as_a_rise_is():
    parts = {"a": (10.0, 0.0, 0.1, 1.0), "b": (10.0, 10.0, 0.1, 1.0)}
    assert shared("pod", split(additive=True, **parts), change(20.0, 10.0)).value == "a"


@each_row(
    "text, weight",
    [
        (
            "histogram_quantile(0.95, sum by (le,{by}) (rate({prefix}x_bucket{{filter}}[{rate}])))",
            'sum by ({by}) (rate({prefix}x_bucket{le="+Inf",{filter}}[{rate}]))',
        ),
        (
            'sum by ({by}) (rate(a{s="5",{filter}}[{rate}])) / sum by ({by}) (rate(b{{filter}}[{rate}]))',
            "sum by ({by}) (rate(b{{filter}}[{rate}]))",
        ),
        ("sum by ({by}) (rate(a{{filter}}[{rate}]))", None),
        ("max by ({by}) (avg_over_time(g{{filter}}[{rate}]))", None),
    ],
)
def test_the_traffic_behind_an_expression(text, weight):
    assert weight_text(text) == weight
