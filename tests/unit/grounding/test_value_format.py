"""How facts are said."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.unit.grounding.test_written_times import time_matches
from workers.contracts import Fact
from workers.grounding.literals import find_specifics
from workers.grounding.value_format import Voice, round_off, say, say_lag, say_move, say_number, say_time

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)


@each_row(
    "value, unit, text",
    [
        (0.21, "s", "210 ms"),
        (0.018, "s", "18 ms"),
        (1.87, "s", "1.9 s"),
        (0.000_25, "s", "250 µs"),
        (95, "s", "95 s"),
        (600, "s", "10 min"),
        (0.03, "ratio", "3 %"),
        (0.0021, "ratio", "0.21 %"),
        (-1.0, "percent", "−1 %"),
        (804.4, "percent", "+804 %"),
        (12.34, "/s", "12/s"),
        (1234567, "count", "1,234,567"),
        (150_000_000, "bytes", "143 MiB"),
        (41, "line", "41"),
        (0, "s", "0 s"),
        (math.nan, "s", "unknown"),
    ],
)
def test_numbers_are_said_as_a_person_would(value: float, unit: str, text: str) -> None:
    assert say_number(value, unit) == text


def test_times_name_the_day_and_both_clocks() -> None:
    moment = datetime(2026, 11, 20, 14, 6, tzinfo=UTC)
    assert say_time(moment, Voice(NOW)) == "14:06 UTC yesterday"
    assert say_time(moment, Voice(NOW, "+09:00")) == "14:06 UTC (23:06 +09:00) yesterday"
    assert say_time(moment, Voice(NOW, "Europe/Berlin")) == "14:06 UTC (15:06 CET) yesterday"
    assert say_time(NOW - timedelta(days=3), Voice(NOW)) == "11:00 UTC on Nov 18"


def test_the_words_of_direction_and_order_come_from_the_values() -> None:
    low, high = Fact(value=0.018, unit="s"), Fact(value=0.24, unit="s")
    assert say_move(low, high, Voice(NOW)) == "rose from 18 ms to 240 ms"
    assert say_move(high, low, Voice(NOW)) == "fell from 240 ms to 18 ms"
    assert say_move(high, high, Voice(NOW)).startswith("is unchanged at 240 ms")
    assert say_lag(NOW, NOW - timedelta(minutes=2)) == "2 minutes after"
    assert say_lag(NOW, NOW + timedelta(minutes=1)) == "1 minute before"
    assert say_lag(NOW, NOW + timedelta(seconds=5)) == "in the same minute as"


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_rounding_moves_a_value_by_less_than_a_tenth(value: float) -> None:
    shown = float(round_off(value, 2).replace(",", ""))
    assert abs(shown - value) <= max(0.06 * value, 0.5)


@given(st.floats(min_value=0.001, max_value=100), st.sampled_from(["s", "ratio", "/s"]))
def test_what_is_said_is_read_back_as_the_same_value(value: float, unit: str) -> None:
    text = say(Fact(value=value, unit=unit), Voice(NOW))
    found = find_specifics(f"it is {text} now")
    assert len(found) == 1
    assert found[0].value == pytest.approx(value, rel=0.06)


@given(
    st.datetimes(NOW.replace(year=2025, tzinfo=None), NOW.replace(year=2027, tzinfo=None)),
    st.sampled_from(["UTC", "Europe/Berlin", "+05:30"]),
)
def test_a_time_that_is_said_matches_its_moment(naive: datetime, zone: str) -> None:
    moment, voice = naive.replace(tzinfo=UTC), Voice(NOW, zone)
    clock = say_time(moment, voice).partition(" UTC")[0] + " UTC"
    assert time_matches(clock, moment, voice)
    assert not time_matches(clock, moment + timedelta(minutes=7), voice)
