"""Changes of synthetic series: found where they are, and nowhere else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.metrics.onset import Change, back_at, find_change, refine

END, STEP, N = 1_795_258_800, 300, 576
T = END - STEP * np.arange(N)[::-1].astype(float)
seeds = st.integers(0, 10_000)


def noise(seed, scale, n=N):
    return np.exp(np.random.default_rng(seed).normal(0, scale, n))


def correlated(seed, rho, scale):
    rng = np.random.default_rng(seed)
    out = np.zeros(N)
    for i in range(1, N):
        out[i] = rho * out[i - 1] + rng.normal(0, scale * np.sqrt(1 - rho**2))
    return 1 + out


QUIET = {
    "noise": lambda s: noise(s, 0.05),
    "much noise": lambda s: noise(s, 0.4),
    "wandering": lambda s: correlated(s, 0.8, 0.1),
    "season": lambda s: (1 + 0.6 * np.sin(2 * np.pi * T / 86_400 + s)) * noise(s, 0.03),
    "steep season": lambda s: (2 + np.clip(4 * np.sin(2 * np.pi * T / 86_400 + s), -1, 1)) * noise(s, 0.03),
    "drift": lambda s: np.linspace(1, 3, N) * noise(s, 0.02),
    "constant": lambda s: np.full(N, 0.5),
    "nothing": lambda s: np.zeros(N),
    "rare counts": lambda s: np.random.default_rng(s).poisson(2, N) / 1000,
    "one glitch": lambda s: noise(s, 0.05) + 9 * (np.arange(N) == 300 + s % 200),
}


@pytest.mark.parametrize("shape", QUIET)
@given(seed=seeds)
def test_quiet_series_have_no_change(shape, seed):
    found = find_change(T, QUIET[shape](seed))
    assert found is None or found.confidence < 0.45


@given(seeds, st.sampled_from([0.05, 0.3, 0.5, 2.0, 3.0, 9.0]), st.integers(60, N - 6), st.sampled_from([0.01, 0.05]))
def test_a_step_is_found_at_its_first_point(seed, factor, at, scale):
    x = noise(seed, scale)
    x[at:] *= factor
    found = find_change(T, x)
    assert found is not None
    assert abs(found.at - T[at]) <= STEP
    assert found.after < found.at
    assert found.direction == ("rose" if factor > 1 else "fell")
    assert found.ended_at is None
    assert found.confidence >= 0.5
    assert found.baseline == pytest.approx(1.0, rel=0.05)
    assert found.level == pytest.approx(factor, rel=0.1)


@given(seeds, st.integers(60, N - 80), st.integers(4, 60))
def test_an_episode_that_came_back_has_an_end(seed, at, length):
    x = noise(seed, 0.04)
    x[at : at + length] *= 5
    found = find_change(T, x)
    assert found is not None
    assert abs(found.at - T[at]) <= STEP
    assert found.ended_at is not None
    assert abs(found.ended_at - T[at + length]) <= STEP


@given(seeds, st.integers(100, 400))
def test_a_run_of_spikes_begins_with_its_first(seed, at):
    rng = np.random.default_rng(seed)
    x = noise(seed, 0.05)
    i = at
    while i < N:
        x[i] *= 6
        i += int(rng.integers(3, 9))
    found = find_change(T, x)
    assert found is not None
    assert found.kind == "spikes"
    assert found.direction == "rose"
    assert abs(found.at - T[at]) <= 2 * STEP


@given(seeds, st.integers(100, 500))
def test_missing_points_do_not_matter(seed, at):
    x = noise(seed, 0.05)
    x[at:] *= 3
    x[np.random.default_rng(seed).random(N) < 0.3] = np.nan
    x[at - 30 : at - 10] = np.nan
    found = find_change(T, x)
    assert found is not None
    assert found.after < T[at] <= found.at


@given(seeds, st.integers(330, 500))
def test_a_step_on_top_of_a_season_is_found(seed, at):
    x = (1 + 0.4 * np.sin(2 * np.pi * T / 86_400)) * noise(seed, 0.03)
    x[at:] *= 4
    found = find_change(T, x)
    assert found is not None
    assert abs(found.at - T[at]) <= STEP


def test_what_comes_at_the_same_time_each_day_is_no_change():
    x = noise(1, 0.03)
    for day in (100, 388):  # 288 points apart: a day
        x[day : day + 12] *= 4
    assert find_change(T, x) is None


def test_an_episode_that_keeps_flaring_up_has_not_ended():
    x = noise(3, 0.03)
    x[300:330] *= 3
    x[420:576:5] *= 3
    found = find_change(T, x)
    assert found.at == T[300]
    assert found.ended_at is None


def test_a_blip_like_others_before_it_is_no_change():
    x = noise(5, 0.01)
    x[[60, 150, 222, 310]] *= 1.3
    x[400:403] *= 1.25
    assert find_change(T, x) is None
    x[400:403] *= 2
    assert find_change(T, x).at == T[400]


def test_a_floor_hides_what_is_too_small_to_tell():
    x = 0.001 * noise(4, 0.05)
    x[400:] *= 2
    assert find_change(T, x) is not None
    assert find_change(T, x, floor=0.01) is None


@each_row("n", [0, 1, 5, 7, 8, 9])
def test_short_series_are_read_without_harm(n):
    assert find_change(T[:n], np.ones(n)) is None


@given(st.lists(st.one_of(st.floats(allow_nan=True, allow_infinity=True, width=32), st.just(0.0)), max_size=80))
def test_any_numbers_are_read_without_harm(values):
    x = np.array(values, dtype=np.float64)
    found = find_change(T[: len(x)], x)
    if found:
        assert T[0] <= found.after < found.at <= T[len(x) - 1]
        assert 0 <= found.confidence <= 1


@given(seeds, st.integers(-280, 0))
def test_refining_finds_the_minute(seed, late):
    """The coarse series shows a change up to a step after it began; the fine one shows it to the minute."""
    at = END - 7200
    coarse = Change(at + 300 + late, at + late, "rose", 0.9, 1.0, 5.0)
    fine = np.arange(coarse.after - 900, coarse.at + 301, 60)
    x = noise(seed, 0.15, len(fine))
    x[fine > at] *= 5
    found = refine(coarse, fine, x)
    assert 0 < found.at - at <= 120
    assert found.after <= at + 60


def test_refining_leaves_what_the_fine_series_does_not_show():
    coarse = Change(END - 600, END - 900, "rose", 0.9, 1.0, 5.0)
    fine = np.arange(END - 1800, END - 300, 60.0)
    assert refine(coarse, fine, np.ones(len(fine))) == coarse
    assert refine(coarse, fine, np.full(len(fine), np.nan)) == coarse


def test_the_end_is_found_again_on_the_fine_series():
    change = Change(END - 9000, END - 9300, "rose", 0.9, 1.0, 5.0, ended_at=END - 600.0)
    fine = np.arange(END - 2100, END - 299, 60.0)
    assert back_at(change, fine, np.where(fine < END - 1000, 5.0, 1.0)) == fine[fine >= END - 1000][0]
    assert back_at(change, fine, np.ones(len(fine))) == change.ended_at
