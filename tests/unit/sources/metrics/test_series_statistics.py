"""The numbers of one series."""

import numpy as np
import pytest

from tests.support.each_row import each_row
from workers.sources.metrics.query_window import View
from workers.sources.metrics.series_statistics import direction_of, percent, read_series, wave

END = 1_795_258_800
DAY = View(END - 86_400, END, END - 2 * 86_400, 300)
T = DAY.grid.times


def wobble(scale=0.02, seed=0):
    return np.exp(np.random.default_rng(seed).normal(0, scale, len(T)))


def test_a_step_within_the_window():
    x = 0.2 * wobble()
    x[T >= END - 6 * 3600] *= 10
    reading = read_series(T, x, DAY, "up", 0.0)
    assert reading.moved
    assert reading.direction == "rose"
    assert reading.baseline == pytest.approx(0.2, rel=0.05)
    assert reading.baseline_of == "before the change"
    assert reading.current == pytest.approx(2.0, rel=0.05)
    assert reading.change_pct == pytest.approx(900, rel=0.1)
    assert reading.peak >= reading.current
    assert reading.peak_at >= reading.change.at
    assert reading.samples == 289


def test_a_change_that_began_before_the_window_and_lasts_is_told():
    x = wobble()
    x[DAY.start - 3 * 3600 <= T] *= 4
    reading = read_series(T, x, DAY, "up", 0.0)
    assert reading.change.at == pytest.approx(DAY.start - 3 * 3600, abs=300)
    assert reading.baseline == pytest.approx(1.0, rel=0.05)


def test_an_episode_that_was_over_before_the_window_is_left_out():
    x = wobble()
    x[(DAY.start - 9 * 3600 <= T) & (DAY.start - 6 * 3600 > T)] *= 4
    reading = read_series(T, x, DAY, "up", 0.0)
    assert not reading.moved
    assert reading.direction == "steady"


def test_a_recovered_episode_keeps_its_peak():
    x = wobble()
    x[(T >= END - 9 * 3600) & (T < END - 6 * 3600)] *= 7
    reading = read_series(T, x, DAY, "up", 0.0)
    assert reading.direction == "rose"
    assert reading.change.ended_at == pytest.approx(END - 6 * 3600, abs=600)
    assert reading.current == pytest.approx(1.0, rel=0.1)
    assert reading.peak == pytest.approx(7.0, rel=0.1)


def test_without_a_change_the_same_time_of_the_day_before_counts():
    x = (1 + 0.5 * np.sin(2 * np.pi * T / 86_400)) * wobble()
    reading = read_series(T, x, DAY, "up", 0.0)
    assert reading.baseline_of == "the same time the day before"
    assert abs(reading.change_pct) < 5
    assert reading.direction == "steady"


def test_the_worst_of_what_should_be_high_is_the_lowest():
    x = 0.9 * wobble(0.005)
    x[T >= END - 3600] = 0.1
    reading = read_series(T, x, DAY, "down", 0.0)
    assert reading.direction == "fell"
    assert reading.peak == pytest.approx(0.1)


def test_a_week_before_is_compared_at_the_same_time():
    view = View(DAY.start, DAY.end, DAY.lead_start, DAY.step, 604_800)
    season = 10 + 5 * np.sin(2 * np.pi * T / 86_400)
    reference = 2 * (10 + 5 * np.sin(2 * np.pi * view.reference.times / 86_400))
    reading = read_series(T, season, view, "up", 0.0, reference)
    assert reading.baseline_of == "the same time the week before"
    assert reading.change_pct == pytest.approx(-50, abs=2)
    assert reading.direction == "fell"


def test_no_reference_is_unknown_and_not_zero():
    view = View(DAY.start, DAY.end, DAY.lead_start, DAY.step, 604_800)
    reading = read_series(T, wobble(), view, "up", 0.0, np.full(len(view.reference.times), np.nan))
    assert reading.baseline is None
    assert reading.change_pct is None
    assert reading.direction == "unknown"


def test_an_empty_window_has_no_numbers():
    x = np.where(DAY.start > T, 1.0, np.nan)
    reading = read_series(T, x, DAY, "up", 0.0)
    assert reading.current is None
    assert reading.samples == 0


def test_a_new_series_has_no_baseline():
    x = np.where(T < END - 7200, np.nan, 1.0)
    reading = read_series(T, x, DAY, "up", 0.0)
    assert reading.baseline is None
    assert reading.current == 1.0


@each_row("baseline, current, expected", [(2.0, 3.0, 50.0), (0.0, 0.0, 0.0), (0.0, 1.0, None), (None, 1.0, None)])
def test_percent(baseline, current, expected):
    assert percent(baseline, current) == expected


def test_what_lies_within_the_noise_is_steady():
    x = np.random.default_rng(1).normal(10, 3, 100)
    assert direction_of(x, 10.0, 13.0, 0.0) == "steady"
    assert direction_of(x, 10.0, 40.0, 0.0) == "rose"
    assert direction_of(np.ones(50), 1.0, 0.5, 0.0) == "fell"
    assert direction_of(np.ones(50), 1.0, 0.5, 0.6) == "steady"


def test_what_goes_up_and_down_with_the_day_is_told_by_between_what():
    x = (30 + 12 * np.sin(2 * np.pi * T / 86_400)) * wobble()
    low, high = wave(x, 0.05)
    assert 15 < low < 20 < 40 < high < 46


@pytest.mark.parametrize("scale", [0.02, 0.2, 0.5])
def test_noise_is_no_wave(scale):
    assert wave(wobble(scale), 0.0) is None
    assert wave(np.full(300, 5.0), 0.0) is None
    assert wave(np.full(300, np.nan), 0.0) is None
