"""What a season brings anyway is no change; what comes on top of it is."""

import numpy as np
import pytest

from tests.support.each_row import each_row
from tests.support.metric_shapes import END, FakeBackend, options
from workers.sources.metrics.backend import Frame, Series
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.onset import Change, find_change
from workers.sources.metrics.query_window import View
from workers.sources.metrics.seasonality import beyond_season, hidden_change

HOUR, DAY = 3_600, 86_400
VIEW = View(END - 6 * HOUR, END, END - 12 * HOUR, 60)
ONSET = END - 3 * HOUR


class Played(FakeBackend):
    """A server whose one series is a function of time."""

    def __init__(self, shape):
        super().__init__({"http_requests_total": {}})
        self.shape = shape

    def query_range(self, promql, grid):
        values = self.shape(grid.times) * np.random.default_rng(grid.start % 1_000).normal(1, 0.02, len(grid.times))
        return Frame(grid, (Series({}, values),) if np.isfinite(values).any() else ())


def told(shape):
    server = Server(Played(shape), Catalogue(read_options(options())))
    resolved = server.candidates(server.find("traffic"))[0]
    times = VIEW.grid.times
    values = server.backend.query_range("", VIEW.grid).series[0].values
    change = find_change(times, values)
    assert change is not None
    return beyond_season(server, resolved, VIEW, 60.0, change, (times, values))


def weekly(t, size=3.0):
    return np.where((t - ONSET) % (7 * DAY) < DAY, size, 1.0)


def test_what_came_at_the_same_hour_a_week_ago_is_no_change():
    assert told(weekly) is None


def test_what_came_at_the_same_hour_yesterday_is_no_change():
    assert told(lambda t: np.where((t - ONSET) % DAY < 4 * HOUR, 3.0, 1.0)) is None


def test_what_comes_on_top_of_a_season_is_told_with_what_it_brings():
    found = told(lambda t: weekly(t, 2.5) * np.where(t >= END - 2 * HOUR, 4.0, 1.0))
    assert found is not None
    assert abs(found.at - (END - 2 * HOUR)) <= 120
    assert found.level == pytest.approx(10.0, rel=0.1)
    assert found.baseline == pytest.approx(2.5, rel=0.15)


def test_without_earlier_days_a_step_is_a_change_and_a_drift_is_not_known():
    def young(t):
        return np.where(t < VIEW.lead_start, np.nan, np.where(t >= ONSET, 3.0, 1.0))

    assert told(young) is not None
    server = Server(Played(young), Catalogue(read_options(options())))
    drift = Change(ONSET, ONSET - 60, "rose", 0.6, 1.0, 3.0, kind="drift")
    resolved = server.candidates(server.find("traffic"))[0]
    times = VIEW.grid.times
    assert beyond_season(server, resolved, VIEW, 60.0, drift, (times, young(times))) is None


# --- a change within a wide season ---------------------------------------------------------------------------


def day(t, phase=0.0):
    """Traffic of a usual day: four times as much at its peak as at night."""
    return 50 + 30 * np.cos(2 * np.pi * (t / DAY + phase))


def hidden(shape):
    server = Server(Played(shape), Catalogue(read_options(options())))
    view = View(END - DAY, END, END - 2 * DAY, 300)
    resolved = server.candidates(server.find("traffic"))[0]
    times = view.grid.times
    values = server.backend.query_range("", view.grid).series[0].values
    return hidden_change(server, resolved, view, 60.0, (times, values))


@each_row("phase", [0.0, 0.3, 0.55, 0.8])
@each_row("known_days", [3, 9])
def test_a_doubling_that_stays_within_the_range_of_a_day_is_found(phase, known_days):
    onset = END - 8 * HOUR

    def doubled(t):
        known = t >= END - known_days * DAY
        return np.where(known, day(t, phase) * np.where(t >= onset, 2.0, 1.0), np.nan)

    found = hidden(doubled)
    assert found is not None
    assert found.kind == "step"
    assert abs(found.at - onset) <= 600
    assert found.level / found.baseline == pytest.approx(2.0, rel=0.15)


@each_row("phase", [0.0, 0.3, 0.55, 0.8])
def test_a_usual_day_hides_nothing(phase):
    assert hidden(lambda t: day(t, phase)) is None


def test_a_series_without_a_season_is_not_held_against_another_day():
    assert hidden(lambda t: np.where(t >= END - 8 * HOUR, 2.0, 1.0)) is None
    assert hidden(lambda t: np.where(t >= END - 2 * DAY, 1.0, np.nan)) is None


def test_what_comes_in_bursts_follows_no_season():
    def bursts(t):
        rng = np.random.default_rng((np.asarray(t, int) // 300 % 977).sum())
        return day(t) * rng.gamma(0.4, 2.5, len(t)) * np.where(t >= END - 8 * HOUR, 0.2, 1.0)

    assert hidden(bursts) is None
