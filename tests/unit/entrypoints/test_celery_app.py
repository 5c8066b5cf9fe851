"""What the clock rings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.entrypoints.celery_app import FETCH, INDEX, Staggered, make_app
from workers.settings.load import load_settings
from workers.settings.remote_addresses import offset_s

START = datetime(2026, 11, 21, 12, tzinfo=UTC)


@given(st.text(max_size=20), st.integers(5, 1_000), st.integers(1, 5_000))
def test_a_name_is_rung_once_a_period_at_its_own_moment(name: str, every_s: int, waited_s: int) -> None:
    now = START + timedelta(seconds=waited_s)
    due, after_s = Staggered(every_s, name, nowfun=lambda: now).is_due(START)
    moment = now.timestamp() + after_s
    assert 0 < after_s <= every_s
    assert (moment - offset_s(name, every_s)) % every_s == pytest.approx(0, abs=0.01) or (
        every_s - (moment - offset_s(name, every_s)) % every_s
    ) == pytest.approx(0, abs=0.01)
    if waited_s >= every_s:
        assert due
    later = Staggered(every_s, name, nowfun=lambda: now + timedelta(seconds=after_s + 0.01))
    assert later.is_due(now).is_due
    assert not later.is_due(now + timedelta(seconds=after_s + 0.005)).is_due


def test_everything_elsewhere_is_looked_at_by_the_clock(home: Path) -> None:
    address = "https://code.example.org/acme/shop.git"
    overrides = {
        "oracle.repositories": [{"url": address}, {"url": "git@code.example.org:acme/pay.git"}, {"path": "here"}],
        "oracle.documents": [{"repository": address, "path": "docs"}, {"site": "https://docs.example.org/"}],
        "oracle.fetch.every_s": 60,
    }
    settings = load_settings(overrides, home=home)
    app = make_app(settings, "memory")
    rung = [entry for name, entry in app.conf.beat_schedule.items() if name.startswith("fetch ")]
    assert sorted(entry["schedule"].seconds for entry in rung) == [60, 60, 86_400]
    assert {entry["task"] for entry in rung} == {FETCH}
    assert len({entry["args"][0] for entry in rung}) == 3
    assert all("example" not in str(entry["args"]) for entry in rung), "no address stands in a queue"
    assert app.conf.task_routes[FETCH] == {"queue": INDEX}
