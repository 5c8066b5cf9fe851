"""Windows, and how finely they are looked at."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.metric_shapes import deploys_of
from workers.contracts import Deploy, Window
from workers.errors import ToolArgumentError
from workers.sources.metrics.query_string import Last, SinceDeploy, Span
from workers.sources.metrics.query_window import MOST_POINTS, plan_view, resolve_window

NOW = datetime(2026, 11, 21, 11, 0, 17, tzinfo=UTC)
TILL = Deploy(service="till", version="v2", at=NOW - timedelta(hours=20))
WEB = Deploy(service="web", version="v9", at=NOW - timedelta(hours=3))
LATER = Deploy(service="till", version="v3", at=NOW + timedelta(hours=1))


def test_the_last_hours():
    window = resolve_window(Last(timedelta(hours=24)), NOW, deploys_of())
    assert (window.start, window.end, window.why) == (NOW - timedelta(hours=24), NOW, "last 24h")


def test_now_in_another_zone_is_the_same_moment():
    there = NOW.astimezone(timezone(timedelta(hours=-8)))
    assert resolve_window(Last(timedelta(hours=1)), there, deploys_of()).end == NOW


def test_since_the_last_deploy():
    window = resolve_window(SinceDeploy(), NOW, deploys_of(TILL, WEB, LATER))
    assert window.start == WEB.at
    assert window.why == "since deploy web v9 at 2026-11-21T08:00:17Z"


def test_the_services_own_deploy_is_preferred():
    assert resolve_window(SinceDeploy(), NOW, deploys_of(TILL, WEB, LATER), ("till", "x")).start == TILL.at
    assert resolve_window(SinceDeploy(), NOW, deploys_of(TILL, WEB), ("other",)).start == WEB.at


def test_without_a_deploy_the_last_day_is_taken_and_said():
    window = resolve_window(SinceDeploy(), NOW, deploys_of(LATER))
    assert window.start == NOW - timedelta(hours=24)
    assert window.why == "no deploy is known; last 24h"


def test_fixed_intervals_end_at_now_at_the_latest():
    start = NOW - timedelta(hours=2)
    assert resolve_window(Span(start), NOW, deploys_of()).end == NOW
    cut = resolve_window(Span(start, NOW + timedelta(hours=2)), NOW, deploys_of())
    assert cut.end == NOW
    assert cut.why.endswith("cut at now")


def test_the_future_and_too_long_windows_are_refused():
    with pytest.raises(ToolArgumentError, match="starts after now"):
        resolve_window(Span(NOW + timedelta(minutes=1)), NOW, deploys_of())
    with pytest.raises(ToolArgumentError, match="longer than 400d"):
        resolve_window(Span(NOW - timedelta(days=401)), NOW, deploys_of())


@given(st.integers(60, 30 * 86_400), st.sampled_from([5.0, 15.0, 30.0, 60.0, 300.0]), st.integers(0, 86_400))
def test_views_cover_the_window_with_few_points(length, interval, shift):
    end = NOW + timedelta(seconds=shift)
    view = plan_view(Window(start=end - timedelta(seconds=length), end=end, why=""), "previous", interval)
    grid = view.grid
    assert len(grid.times) <= MOST_POINTS + 1
    assert grid.times[-1] == view.end
    assert 0 <= end.timestamp() - view.end < 60
    assert view.lead_start <= view.start < view.end
    assert view.step >= interval
    assert 3_600 - view.step - 60 <= view.start - view.lead_start <= 86_400 + view.step + 60
    assert view.coarse.times[-1] == view.end


def test_a_day_is_compared_with_the_day_before():
    window = Window(start=NOW - timedelta(hours=6), end=NOW, why="")
    view = plan_view(window, "day", 60)
    assert view.reference.start == view.start - 86_400
    assert plan_view(window, "previous", 60).shift == 0


def test_what_has_only_just_begun_is_looked_at_over_a_minute():
    start = NOW - timedelta(seconds=20)
    for spec in (Span(start), Span(start, NOW), Span(start, NOW + timedelta(hours=1)), SinceDeploy()):
        window = resolve_window(spec, NOW, deploys_of(Deploy(service="till", version="v4", at=start)))
        assert (window.start, window.end) == (NOW - timedelta(minutes=1), NOW)
        assert window.why.endswith("widened to a minute")
    assert resolve_window(Span(NOW - timedelta(minutes=1)), NOW, deploys_of()).why == "since 2026-11-21T10:59:17Z"
