"""Zones, spans and times of the clock as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.support.each_row import each_row
from workers.language.clock_times import on_clock, spoken_minutes
from workers.language.durations import seconds_of
from workers.language.typed_times import read_typed_time
from workers.language.zones import zone_named

NOW = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)


@each_row(
    "text, hours",
    [
        ("CET", 1),
        ("est", -5),
        ("IST", 5.5),
        ("UTC+2", 2),
        ("−03:30", -3.5),
        ("utc - 7", -7),
        ("Tokyo time", 9),
        ("Z", 0),
    ],
)
def test_a_zone_by_its_letters_its_place_or_its_offset(text: str, hours: float) -> None:
    zone = zone_named(text)
    assert zone is not None
    assert zone.utcoffset(NOW) == timedelta(hours=hours)


def test_an_iana_name_is_a_zone_and_no_other_word_is() -> None:
    assert zone_named("Europe/Berlin") == ZoneInfo("Europe/Berlin")
    assert zone_named("Mars/Base") is None
    assert zone_named("soon") is None


@each_row(
    "text, minutes",
    [
        ("half past two", 150),
        ("a quarter to three", 165),
        ("twenty-five minutes past noon", 745),
        ("four minutes before half past four", 266),
        ("ten to 3", 170),
        ("five o’clock", 300),
    ],
)
def test_a_time_in_words(text: str, minutes: int) -> None:
    assert spoken_minutes(text) == minutes


def test_halves_of_the_day() -> None:
    assert [on_clock(12, "a"), on_clock(12, "P"), on_clock(3, "p"), on_clock(15, "")] == [0, 12, 15, 15]


@each_row(
    "text, seconds",
    [("eleven hours", 39_600), ("2w", 1_209_600), ("10 m ago", 600), ("half an hour", 1_800), ("a few minutes", 180)],
)
def test_a_span_in_words(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


def test_what_is_typed_is_read_in_the_zone_of_who_typed_it() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert read_typed_time("09:30", NOW, berlin) == datetime(2026, 3, 10, 8, 30, tzinfo=UTC)
    assert read_typed_time("2 hours ago", NOW, berlin) == NOW - timedelta(hours=2)
    assert read_typed_time("soon", NOW, berlin) is None
