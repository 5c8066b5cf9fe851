"""The window for the timeline: which times it takes."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from bot.views.timeline import read_time, read_timeline, timeline_view
from tests.support.payload_reading import window_of
from workers.contracts import Correction
from workers.incidents.summary.summary_types import Entry

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 12, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "near", "meant"),
    [
        ("08:01", "2026-11-20 09:15", "2026-11-20 08:01"),
        ("8.01", "2026-11-20 09:15", "2026-11-20 08:01"),
        ("22:00", "2026-11-20 09:15", "2026-11-20 22:00"),
        ("00:10", "2026-11-20 23:50", "2026-11-21 00:10"),
        ("23:55", "2026-11-20 00:20", "2026-11-19 23:55"),
        ("13:00", "2026-11-22 11:50", "2026-11-21 13:00"),
        ("2026-11-19 14:05", "2026-11-20 09:15", "2026-11-19 14:05"),
    ],
)
def test_a_clock_time_is_of_the_day_that_is_shown(text: str, near: str, meant: str) -> None:
    shown = datetime.fromisoformat(near).replace(tzinfo=BERLIN)
    at = read_time(text, shown, NOW)
    assert at is not None
    assert f"{at.astimezone(BERLIN):%Y-%m-%d %H:%M}" == meant


@pytest.mark.parametrize("text", ["", "25:00", "soon", "20.11. 14:05"])
def test_anything_else_is_no_time(text: str) -> None:
    assert read_time(text, NOW, NOW) is None


@pytest.mark.parametrize("text", ["rolled back payments", "🔥" * 600, '"\\' * 300])
def test_a_correction_knows_what_the_entry_said(text: str) -> None:
    entry = Entry(id="1763632330.000100:0", text=text, ts=("1763632330.000100",), at=NOW, kind="rollback")
    kept = {"channel": "C1", "incident": "7", "began": NOW.isoformat()}
    view = timeline_view([entry], kept, entry.id)
    assert len(view["private_metadata"]) < 3_000
    found = read_timeline(window_of({"view": view | {"state": {"values": {}}}, "user": {"id": "U1"}}), NOW)
    assert isinstance(found, Correction)
    assert found.was
    assert text.startswith(found.was)
