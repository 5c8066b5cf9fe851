"""Since when: the forms people type, and nothing that lies ahead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.views.moment import LONGEST, read_since

NOW = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", "2026-03-09T12:30Z"),
        ("2h", "2026-03-10T10:30Z"),
        ("since 2h", "2026-03-10T10:30Z"),
        ("last 90 min", "2026-03-10T11:00Z"),
        ("3 hours", "2026-03-10T09:30Z"),
        ("1d", "2026-03-09T12:30Z"),
        ("2 Weeks", "2026-02-24T12:30Z"),
        ("yesterday", "2026-03-08T23:00Z"),
        ("today", "2026-03-09T23:00Z"),
        ("09:30", "2026-03-10T08:30Z"),
        ("14:00", "2026-03-09T13:00Z"),
        ("2026-03-01", "2026-02-28T23:00Z"),
        ("2026-03-01T09:30", "2026-03-01T08:30Z"),
        ("2026-03-01T09:30:00Z", "2026-03-01T09:30Z"),
        ("2026-03-01t09:30-05:00", "2026-03-01T14:30Z"),
    ],
)
def test_forms_are_read_in_the_person_s_zone(text: str, meant: str) -> None:
    assert read_since(text, NOW, "Europe/Berlin") == datetime.fromisoformat(meant)


@pytest.mark.parametrize(
    "text", ["lunch", "25:00", "2026-13-01", "2026-03-11", "2027-01-01", "400d", "99999w", "-2h", "2h ago or so"]
)
def test_what_cannot_be_read_or_lies_ahead_is_none(text: str) -> None:
    assert read_since(text, NOW, "UTC") is None


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd", "\x00"])
def test_an_unknown_zone_is_utc(zone: str) -> None:
    assert read_since("09:30", NOW, zone) == datetime(2026, 3, 10, 9, 30, tzinfo=UTC)


@given(st.text(max_size=30), st.sampled_from(["UTC", "Asia/Kathmandu", "America/Los_Angeles"]))
def test_nonsense_is_none_or_a_moment_of_the_past(text: str, zone: str) -> None:
    found = read_since(text, NOW, zone)
    assert found is None or (found.tzinfo is not None and timedelta(0) <= NOW - found <= LONGEST)


@given(st.integers(0, 23), st.integers(0, 59))
def test_a_clock_is_the_last_time_it_showed_that(hour: int, minute: int) -> None:
    found = read_since(f"{hour:02d}:{minute:02d}", NOW, "UTC")
    assert found is not None
    assert (found.hour, found.minute) == (hour, minute)
    assert timedelta(0) <= NOW - found < timedelta(days=1)
