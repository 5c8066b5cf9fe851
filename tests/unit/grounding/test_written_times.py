"""Clock times in the zone that they name."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.grounding.literals import find_specifics
from workers.grounding.value_format import Voice
from workers.grounding.written_times import find_times, is_moment

AT = datetime(2026, 11, 20, 16, 6, tzinfo=UTC)
SUMMER = datetime(2026, 7, 1, 16, 6, tzinfo=UTC)
BERLIN = Voice(datetime(2026, 11, 21, 11, tzinfo=UTC), "Europe/Berlin")
INDIA = Voice(datetime(2026, 11, 21, 11, tzinfo=UTC), "Asia/Kolkata")


def time_matches(text: str, moment: datetime, voice: Voice) -> bool:
    """Whether the first time or date in a text is this moment."""
    found = next(find_times(text), None)
    return found is not None and is_moment(found, moment, voice)


@each_row(
    "text, right",
    [
        ("16:06 UTC", True),
        ("16:06", True),
        ("17:06", True),
        ("18:06", False),
        ("17:06 CET", True),
        ("17:06 Berlin time", True),
        ("17:06 in Berlin", True),
        ("16:06 Berlin time", False),
        ("16:06 Berlin time (CET)", False),
        ("17:06 CEST", False),
        ("11:06 a.m. New York time", True),
        ("11:06 EST", True),
        ("4:06 pm", True),
        ("4:06 am", False),
        ("08:06 PST", True),
        ("08:06 Pacific time", True),
        ("01:06 JST", True),
        ("13:06 BRT", True),
        ("16:06 GMT+0", True),
        ("17:06 UTC+1", True),
        ("17:06 Europe/Berlin", True),
        ("16:06 XYT", False),
        ("16:06 local time", False),
        ("17:06 local time", True),
        ("2026-11-20T16:06:00Z", True),
        ("2026-11-20 17:06 +01:00", True),
    ],
)
def test_a_clock_time_must_be_right_in_its_zone(text: str, right: bool) -> None:
    assert [s.text for s in find_specifics(f"It rose at {text}, then fell") if s.kind == "time"] == [text]
    assert time_matches(text, AT, BERLIN) is right


def test_the_zone_of_the_day_counts() -> None:
    assert time_matches("18:06 CEST", SUMMER, BERLIN)
    assert time_matches("18:06 Berlin time", SUMMER, BERLIN)


def test_dates_change_at_midnight_of_the_asker() -> None:
    late = datetime(2026, 11, 20, 19, 6, tzinfo=UTC)
    assert time_matches("21 November", late, INDIA)
    assert time_matches("Nov 20", late, INDIA)
    assert time_matches("the 21st", late, INDIA)
    assert not time_matches("21 November", late, BERLIN)
    assert not [s for s in find_specifics("the 95th percentile") if s.kind == "date"]


@given(st.integers(0, 23), st.integers(0, 59), st.sampled_from(["UTC", "CET", "Tokyo time", "in London", "IST", ""]))
def test_any_clock_time_is_read_whole(hour: int, minute: int, zone: str) -> None:
    text = f"{hour:02}:{minute:02} {zone}".strip()
    found = [s for s in find_specifics(f"at {text}.") if s.kind == "time"]
    assert [s.text for s in found] == [text]
    assert time_matches(text, AT, BERLIN) in {True, False}
