"""Phrases of time -> windows: every phrase, zone and hour, the two days of the year that change the clock included."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.contracts import Deploy, Window
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import Moment
from workers.language.zones import read_zone

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)  # a Saturday
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "+05:30",
    "-08:00",
)
DAYS = (
    "yesterday",
    "today",
    "the day before yesterday",
    "Monday",
    "last Tuesday",
    "Saturday",
    "Nov 20",
    "the 3rd of March",
    "Feb 29",
    "2026-10-25",
    "last night",
    "this morning",
    "Sunday night",
    "3 days ago",
)
WHOLE = (
    *DAYS,
    "tonight",
    "this afternoon",
    "this evening",
    "overnight",
    "over the weekend",
    "last weekend",
    "since the weekend",
    "this week",
    "last week",
    "last month",
    "this month",
    "half an hour ago",
    "a month ago",
    "the last few days",
    "in the past quarter of an hour",
    "since Monday",
    "since Monday morning",
    "earlier today",
    "right now",
    "recently",
    "since the last deploy",
    "since yesterday's deploy",
    "on 2031-01-01",
    "between Tuesday and Thursday",
    "between Nov 18 and 20",
    "from Monday until yesterday",
    "around 2026-03-29T02:30",
)
CLOCKS = ("00:00", "02:30", "3am", "9", "noon", "midnight", "14:07", "3 pm", "11 p.m.", "23:59", "5 o'clock")
LETTERS = ("", " UTC", " CET", " PST", " ET", " Europe/Berlin", " New York time", " UTC+2", " (IST)")


def between(first: str, last: str) -> st.SearchStrategy[datetime]:
    return st.datetimes(datetime.fromisoformat(first), datetime.fromisoformat(last), timezones=st.just(UTC))


moments = st.one_of(
    between("2024-01-01", "2028-01-01"),
    between("2026-03-28T22:00", "2026-03-29T05:00"),
    between("2026-10-24T22:00", "2026-10-25T05:00"),
    between("2026-11-01T04:00", "2026-11-01T08:00"),
    st.sampled_from(["2024-02-29", "2027-01-01", "2026-11-23"])
    .map(datetime.fromisoformat)
    .map(lambda t: t.replace(tzinfo=UTC)),
)


def window_of(text: str, zone: str = "UTC", now: datetime = NOW) -> tuple[tuple[str, ...], Window]:
    deploys = (Deploy(service="shop", version="v1.42.0", at=datetime(2026, 11, 20, 14, 4, tzinfo=UTC)),)
    hints, window = read_hints(text, Moment(now, read_zone(zone), deploys))
    assert window is not None, text
    return hints, window


def said(text: str, zone: str = "UTC", now: datetime = NOW) -> tuple[str, str]:
    """The window on the asker's clock."""
    _, window = window_of(text, zone, now)
    start, end = (f"{t.astimezone(read_zone(zone)):%m-%dT%H:%M}" for t in (window.start, window.end))
    return start, end


@each_row(
    "text, start, end",
    [
        ("between 2 and 3 pm", "11-20T14:00", "11-20T15:00"),
        ("between 11 and 1 pm", "11-20T11:00", "11-20T13:00"),
        ("between 2pm and 3", "11-20T14:00", "11-20T15:00"),
        ("between 2 and 3", "11-21T02:00", "11-21T03:00"),
        ("between 8 and 17", "11-21T08:00", "11-21T11:00"),
        ("between 22:00 and 06:00", "11-20T22:00", "11-21T06:00"),
        ("from 2pm to 4pm yesterday", "11-20T14:00", "11-20T16:00"),
        ("yesterday from 2pm to 4pm", "11-20T14:00", "11-20T16:00"),
        ("on Monday between 10:00 and 11:00", "11-16T10:00", "11-16T11:00"),
        ("between 10:00 and 11:00 on Monday", "11-16T10:00", "11-16T11:00"),
        ("last night between 11 and 1", "11-20T23:00", "11-21T01:00"),
        ("between yesterday 14:00 and today 09:00", "11-20T14:00", "11-21T09:00"),
        ("between Tuesday and Thursday", "11-17T00:00", "11-20T00:00"),
        ("between Friday and Saturday", "11-20T00:00", "11-21T11:00"),
        ("between Nov 18 and 20", "11-18T00:00", "11-21T00:00"),
        ("from Monday until yesterday", "11-16T00:00", "11-21T00:00"),
        ("between 10 and 11 on Monday", "11-16T10:00", "11-16T11:00"),
        ("on Friday between 2 and 3", "11-20T14:00", "11-20T15:00"),
        ("from 9 to 5 on Thursday", "11-19T09:00", "11-19T17:00"),
        ("from 11 to 1 on Monday", "11-16T11:00", "11-16T13:00"),
        ("between 10 on Monday and 11 on Tuesday", "11-16T10:00", "11-17T11:00"),
        ("between 9 on Monday and 5 on Tuesday", "11-16T09:00", "11-17T17:00"),
        ("between 10 and 11 on Monday night", "11-16T22:00", "11-16T23:00"),
        ("between 8 and 9 yesterday evening", "11-20T20:00", "11-20T21:00"),
        ("between 2 and 3 today", "11-21T02:00", "11-21T03:00"),
        ("around 10 on Monday", "11-16T09:00", "11-16T11:00"),
        ("yesterday at 3", "11-20T14:00", "11-20T16:00"),
        ("between 2026-11-20T14:00Z and 2026-11-20T15:00Z", "11-20T14:00", "11-20T15:00"),
        ("14:00-15:00 UTC", "11-20T14:00", "11-20T15:00"),
        ("2–3pm", "11-20T14:00", "11-20T15:00"),
        ("the day before yesterday", "11-19T00:00", "11-20T00:00"),
        ("half an hour ago", "11-21T10:15", "11-21T11:00"),
        ("since an hour and a half", "11-21T09:30", "11-21T11:00"),
        ("in the past quarter of an hour", "11-21T10:45", "11-21T11:00"),
        ("in the last half hour", "11-21T10:30", "11-21T11:00"),
        ("the last few days", "11-18T11:00", "11-21T11:00"),
        ("since 24h", "11-20T11:00", "11-21T11:00"),
        ("tonight", "11-20T17:00", "11-21T06:00"),
        ("last night", "11-20T17:00", "11-21T06:00"),
        ("Monday night", "11-16T17:00", "11-17T06:00"),
        ("this afternoon", "11-20T12:00", "11-20T18:00"),
        ("earlier today", "11-21T00:00", "11-21T11:00"),
        ("over the weekend", "11-21T00:00", "11-21T11:00"),
        ("last weekend", "11-14T00:00", "11-16T00:00"),
        ("around noon", "11-20T11:00", "11-20T13:00"),
        ("yesterday around noon", "11-20T11:00", "11-20T13:00"),
        ("since midnight", "11-21T00:00", "11-21T11:00"),
        ("since 9", "11-21T09:00", "11-21T11:00"),
        ("since 9 the errors rise", "11-21T09:00", "11-21T11:00"),
        ("at 7 this morning", "11-21T06:00", "11-21T08:00"),
        ("since yesterday 13:20", "11-20T13:20", "11-21T11:00"),
        ("on Nov 20 at 14:07", "11-20T13:07", "11-20T15:07"),
        ("at 14:07 on the 20th of November", "11-20T13:07", "11-20T15:07"),
    ],
)
def test_windows(text: str, start: str, end: str) -> None:
    assert said(f"slow {text}?") == (start, end)


@each_row(
    "text, now, start, end",
    [
        ("tonight", "2026-11-18T22:00", "11-18T17:00", "11-18T22:00"),
        ("tonight", "2026-11-19T01:00", "11-18T17:00", "11-19T01:00"),
        ("over the weekend", "2026-11-18T11:00", "11-14T00:00", "11-16T00:00"),
        ("last weekend", "2026-11-18T11:00", "11-14T00:00", "11-16T00:00"),
        ("since the weekend", "2026-11-18T11:00", "11-14T00:00", "11-18T11:00"),
        ("since 9", "2026-11-18T22:00", "11-18T21:00", "11-18T22:00"),
        ("between 2 and 3", "2026-11-18T16:00", "11-18T14:00", "11-18T15:00"),
        ("between Tuesday and Thursday", "2026-11-18T11:00", "11-10T00:00", "11-13T00:00"),
        ("between Tuesday and Thursday", "2026-11-19T11:00", "11-17T00:00", "11-19T11:00"),
        ("on Monday between 10:00 and 11:00", "2026-11-16T15:00", "11-16T10:00", "11-16T11:00"),
        ("on Monday between 10:00 and 11:00", "2026-11-16T09:00", "11-09T10:00", "11-09T11:00"),
        ("since Monday", "2026-11-16T09:00", "11-09T00:00", "11-16T09:00"),
        ("around noon", "2026-11-18T12:20", "11-18T11:00", "11-18T12:20"),
        ("this morning", "2026-11-18T03:00", "11-18T00:00", "11-18T03:00"),
        ("on Feb 29", "2026-11-18T03:00", "02-29T00:00", "03-01T00:00"),
        ("since 9 this morning", "2026-11-18T00:30", "11-17T09:00", "11-18T00:30"),
    ],
)
def test_windows_at_other_hours(text: str, now: str, start: str, end: str) -> None:
    berlin = read_zone("Europe/Berlin")
    assert said(text, "Europe/Berlin", datetime.fromisoformat(now).replace(tzinfo=berlin).astimezone(UTC)) == (
        start,
        end,
    )


@each_row(
    "letters, hour",
    [
        ("UTC", 14),
        ("CET", 13),
        ("CEST", 12),
        ("PST", 22),
        ("ET", 19),
        ("Europe/Berlin", 13),
        ("New York time", 19),
        ("UTC+2", 12),
        ("+02:00", 12),
        ("(IST)", 8),
    ],
)
def test_the_zone_that_is_named_counts(letters: str, hour: int) -> None:
    for text in (f"between 14:00 and 15:00 {letters} on Nov 18", f"14:00-15:00 {letters} on Nov 18"):
        _, window = window_of(text, "Asia/Tokyo")
        assert (window.start.hour, window.end - window.start) == (hour, timedelta(hours=1)), text


@each_row(
    "text",
    [
        "scaled from 2 to 3 replicas",
        "between 5 and 10 percent",
        "a retry between 2 and 3.5 s",
        "since 5 releases",
        "moved from 8 to 9",
        "build times went from 6 to 19 minutes",
        "which may 5xx",
        "3 may fail",
        "what's for lunch",
        "at 25:00",
        "was it marias 2.3.1 release?",
    ],
)
def test_numbers_that_are_no_times(text: str) -> None:
    assert read_hints(text, Moment(NOW, UTC)) == ((), None)


def test_a_day_ahead_is_said_to_be_none() -> None:
    _, window = window_of("on 2026-12-25")
    assert (window.start, window.end) == (NOW - timedelta(days=1), NOW)
    assert "nothing of it is past; last 24 h" in window.why


@pytest.mark.parametrize(
    ("text", "hours"),
    [("on 2026-03-29", 23), ("on 2026-10-25", 25), ("between 2026-03-29 02:30 and 03:15", 0.75)],
)
def test_days_that_change_the_clock(text: str, hours: float) -> None:
    _, window = window_of(text, "Europe/Berlin")
    assert window.end - window.start == timedelta(hours=hours)


def test_of_an_hour_that_comes_twice_the_later_one_counts_once_it_is_past() -> None:
    for now, start in (("00:45", "00:30"), ("01:45", "01:30")):
        _, window = window_of("since 02:30", "Europe/Berlin", datetime.fromisoformat(f"2026-10-25T{now}:00+00:00"))
        assert f"{window.start:%H:%M}" == start


def holds(text: str, zone: str, now: datetime) -> Window:
    _, window = window_of(text, zone, now)
    assert window.start < window.end <= now, (text, window)
    return window


@given(st.sampled_from(WHOLE), st.sampled_from(ZONES), moments)
def test_every_phrase_ends_by_now(text: str, zone: str, now: datetime) -> None:
    holds(text, zone, now)


@given(
    st.sampled_from(["since {c}{z}", "around {c}{z} on {d}", "{d} at {c}{z}", "since {d} {c}{z}?"]),
    st.sampled_from(DAYS),
    st.sampled_from(CLOCKS),
    st.sampled_from(LETTERS),
    st.sampled_from(ZONES),
    moments,
)
def test_every_clock_time_ends_by_now(form: str, day: str, clock: str, letters: str, zone: str, now: datetime) -> None:
    holds(form.format(d=day, c=clock, z=letters), zone, now)


@given(
    st.sampled_from(["between {a} and {b}{z}?", "{d} between {a} and {b}{z}?", "from {a} to {b}{z} on {d}"]),
    st.sampled_from(DAYS),
    st.tuples(st.sampled_from(CLOCKS), st.sampled_from(CLOCKS)),
    st.sampled_from(LETTERS),
    st.sampled_from(ZONES),
    moments,
)
def test_every_range_ends_by_now(
    form: str, day: str, clocks: tuple[str, str], letters: str, zone: str, now: datetime
) -> None:
    holds(form.format(d=day, a=clocks[0], b=clocks[1], z=letters), zone, now)


@given(st.integers(0, 23), st.integers(1, 23), st.sampled_from(ZONES), moments)
def test_a_range_of_clock_times_is_the_last_one_that_has_begun(
    hour: int, length: int, zone: str, now: datetime
) -> None:
    window = holds(f"between {hour:02}:00 and {(hour + length) % 24:02}:00", zone, now)
    first = window.start.astimezone(read_zone(zone))
    assert window.why.startswith("“between")
    assert now - window.start <= timedelta(hours=26)
    assert first.hour == hour or first.utcoffset() != (first + timedelta(days=1)).utcoffset()


@given(st.text("0123456789:-– apmuntilbetweendsicMof ", max_size=60), st.sampled_from(ZONES), moments)
def test_any_text_gives_a_window_or_none(text: str, zone: str, now: datetime) -> None:
    _, window = read_hints(text, Moment(now, read_zone(zone)))
    assert window is None or window.start < window.end <= now
