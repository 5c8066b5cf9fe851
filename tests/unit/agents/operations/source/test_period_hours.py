"""Periods and what they are read from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.agents.operations.source.period_hours import HOUR, MOST_PERIODS, cover, periods
from workers.errors import ToolArgumentError

BASE = datetime(2026, 3, 27, tzinfo=UTC)  # clocks change in Europe on the 29th
starts = st.integers(0, 5 * 86_400).map(lambda s: BASE + timedelta(seconds=s))
lengths = st.integers(1, 6 * 86_400).map(lambda s: timedelta(seconds=s))
zones = st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"]).map(ZoneInfo)


@given(starts, lengths, zones, st.sampled_from(["hour", "day"]), st.sets(st.integers(0, 264)))
def test_hours_and_raw_spans_are_the_window_and_nothing_twice(
    start: datetime, length: timedelta, zone: ZoneInfo, unit: str, summed: set[int]
) -> None:
    hours = {BASE + n * HOUR for n in summed}
    cut = periods(start, start + length, unit, zone)
    spans = []
    for period in cut:
        found = cover(period, hours)
        assert found.hours <= hours
        spans += [*found.raw, *((hour, hour + HOUR) for hour in found.hours)]
        assert sorted(hour for a, b in found.spans for hour in hours if a <= hour < b) == sorted(found.hours)
    spans.sort()
    assert spans[0][0] == start
    assert spans[-1][1] == start + length
    assert all(a[1] == b[0] for a, b in pairwise(spans))


def test_days_are_those_of_the_zone_and_marked_when_cut() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    cut = periods(BASE + 12 * HOUR, BASE + timedelta(days=3), "day", berlin)
    assert [p.name.isoformat() for p in cut] == [
        "2026-03-27T00:00:00+01:00",
        "2026-03-28T00:00:00+01:00",
        "2026-03-29T00:00:00+01:00",
        "2026-03-30T00:00:00+02:00",
    ]
    assert [p.whole for p in cut] == [False, True, True, False]
    assert cut[2].end - cut[2].start == 23 * HOUR


def test_too_many_periods() -> None:
    with pytest.raises(ToolArgumentError, match="shorter window") as refused:
        periods(BASE, BASE + (MOST_PERIODS + 1) * HOUR, "hour", UTC)
    assert refused.value.nearest == ("day",)
    assert len(periods(BASE, BASE + MOST_PERIODS * HOUR, "hour", UTC)) == MOST_PERIODS
