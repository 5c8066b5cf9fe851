"""Slow drifts, and what is none."""

import numpy as np
import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import END, times
from workers.sources.metrics.drift import as_drift, find_drift
from workers.sources.metrics.onset import find_change

T = times(24)
NOISE = np.random.default_rng(1).normal(1, 0.03, len(T))


def ramp(hours_before_end, length_h, size=1.0):
    start = END - hours_before_end * 3_600
    return 1 + size * np.clip((T - start) / (length_h * 3_600), 0, 1)


@each_row("ago, length, size", [(12, 12, 1.0), (10, 6, 0.6), (16, 10, 3.0), (14, 14, -0.7)])
def test_the_begin_of_a_drift_is_found_within_its_first_part(ago, length, size):
    values = ramp(ago, length, size) * NOISE
    found = find_drift(T, values)
    assert found is not None
    assert found.kind == "drift"
    assert found.direction == ("rose" if size > 0 else "fell")
    assert abs(found.at - (END - ago * 3_600)) <= 0.25 * length * 3_600
    assert 0.45 <= found.confidence <= 0.75
    assert found.level == pytest.approx(1 + size, rel=0.25)


def test_a_step_stays_a_step():
    values = np.where(T > END - 6 * 3_600, 3.0, 1.0) * NOISE
    step = find_change(T, values)
    assert step is not None
    assert as_drift(step, T, values, 0.0) is step
    assert find_drift(T, values) is None


@each_row("minutes", [135, 200, 345, 400, 555, 765])
@each_row("size", [2.0, 7.0, 200.0])
def test_a_step_between_two_points_of_the_thinned_series_stays_one(minutes, size):
    t = times(48)
    values = np.where(t >= END - minutes * 60, size, 1.0) * np.random.default_rng(0).normal(1, 0.02, len(t))
    step = find_change(t, values)
    assert step is not None
    assert as_drift(step, t, values, 0.0) is step


def test_a_ramp_taken_for_a_step_becomes_a_drift():
    values = ramp(12, 5, 2.0) * NOISE
    step = find_change(T, values)
    if step is not None:
        assert as_drift(step, T, values, 0.0).kind == "drift"
    else:
        assert find_drift(T, values) is not None


@each_row("seed", range(20))
def test_noise_and_a_daily_season_do_not_drift(seed):
    rng = np.random.default_rng(seed)
    t = times(48)
    season = 1 + 0.4 * np.sin(2 * np.pi * (t / 86_400 + rng.random()))
    assert find_drift(t, season * rng.normal(1, 0.05, len(t))) is None
    assert find_drift(t, rng.normal(1, 0.2, len(t))) is None


def test_a_series_that_is_too_short_or_empty_does_not_drift():
    assert find_drift(T[:5], NOISE[:5]) is None
    assert find_drift(T, np.full(len(T), np.nan)) is None
    assert find_drift(T, np.ones(len(T))) is None
