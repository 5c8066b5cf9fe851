"""Phrases of time -> windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.contracts import Deploy
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import LONGEST, LONGEST_OF_CODE, Moment
from workers.language.zones import read_zone

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
DEPLOYS = (
    Deploy(service="shop", version="v1.41.0", at=NOW - timedelta(days=4)),
    Deploy(service="shop", version="v1.42.0", at=datetime(2026, 11, 20, 14, 4, tzinfo=UTC)),
)


def read(text: str, zone: str = "UTC", now: datetime = NOW) -> tuple[tuple[str, ...], str, str, str]:
    hints, window = read_hints(text, Moment(now, read_zone(zone), DEPLOYS))
    assert window is not None
    return hints, f"{window.start:%m-%dT%H:%M}", f"{window.end:%m-%dT%H:%M}", window.why


@each_row(
    "text, hint, start, end",
    [
        ("spiky since yesterday's deploy. Why?", "since yesterday's deploy", "11-20T14:04", "11-21T11:00"),
        ("Why slow after the last deploy?", "after the last deploy", "11-20T14:04", "11-21T11:00"),
        ("broken since v1.41.0", "since v1.41.0", "11-17T11:00", "11-21T11:00"),
        ("what changed in the last week?", "in the last week", "11-14T11:00", "11-21T11:00"),
        ("errors in the last 24h", "in the last 24h", "11-20T11:00", "11-21T11:00"),
        ("over the past 3 days", "over the past 3 days", "11-18T11:00", "11-21T11:00"),
        ("slow since this morning", "since this morning", "11-21T05:00", "11-21T11:00"),
        ("last Tuesday it broke", "last Tuesday", "11-17T00:00", "11-18T00:00"),
        ("slow between 08:00 and 09:00", "between 08:00 and 09:00", "11-21T08:00", "11-21T09:00"),
        ("slow since 09:30", "since 09:30", "11-21T09:30", "11-21T11:00"),
        ("at 3pm", "at 3pm", "11-20T14:00", "11-20T16:00"),
        ("on Nov 19", "on Nov 19", "11-19T00:00", "11-20T00:00"),
        ("errors yesterday afternoon", "yesterday afternoon", "11-20T12:00", "11-20T18:00"),
    ],
)
def test_hints(text: str, hint: str, start: str, end: str) -> None:
    hints, first, last, _ = read(text)
    assert (hints, first, last) == ((hint,), start, end)


@each_row(
    "text, hint, start, end",
    [
        ("what changed in the client since 2023?", "since 2023", "2023-01-01", "2026-11-21"),
        ("what changed in the client in 2023?", "in 2023", "2023-01-01", "2024-01-01"),
        ("what changed during the year 2024", "during the year 2024", "2024-01-01", "2025-01-01"),
        ("what changed since March?", "since March", "2026-03-01", "2026-11-21"),
        ("what changed in december", "in december", "2025-12-01", "2026-01-01"),
        ("what changed in May 2024?", "in May 2024", "2024-05-01", "2024-06-01"),
        ("what changed since Jan 2025?", "since Jan 2025", "2025-01-01", "2026-11-21"),
        ("what changed since March 5?", "since March 5", "2026-03-05", "2026-11-21"),
        ("what changed this month?", "this month", "2026-11-01", "2026-11-21"),
        ("what changed this year?", "this year", "2026-01-01", "2026-11-21"),
        ("what changed last year?", "last year", "2025-01-01", "2026-01-01"),
        ("what changed since last year?", "since last year", "2025-01-01", "2026-11-21"),
    ],
)
def test_months_and_years(text: str, hint: str, start: str, end: str) -> None:
    hints, window = read_hints(text, Moment(NOW, UTC, DEPLOYS))
    assert window is not None
    assert (hints, f"{window.start:%Y-%m-%d}", f"{window.end:%Y-%m-%d}") == ((hint,), start, end)


@each_row(
    "text", ["does it fail in 2000 ms?", "what fits in 2048 bytes?", "it may fail in main.go", "is it in maybe.py?"]
)
def test_no_month_or_year(text: str) -> None:
    assert read_hints(text, Moment(NOW, UTC, DEPLOYS)) == ((), None)


def test_the_last_months_of_code_are_not_cut() -> None:
    for longest, days in ((LONGEST, 400), (LONGEST_OF_CODE, 600)):
        _, window = read_hints("what changed in the last 600 days?", Moment(NOW, UTC, (), longest))
        assert window is not None
        assert window.end - window.start == timedelta(days=days)


def test_a_named_zone_counts() -> None:
    assert read("between 14:00 and 15:00 CET yesterday")[1:3] == ("11-20T13:00", "11-20T14:00")


def test_yesterday_is_the_askers_yesterday() -> None:
    late = datetime(2026, 11, 21, 15, 30, tzinfo=UTC)  # 00:30 on the 22nd in Tokyo
    assert read("what broke yesterday?", "+09:00", late)[1:3] == ("11-20T15:00", "11-21T15:00")


@each_row(
    "now",
    [
        "2026-11-21T00:30:00+00:00",
        "2026-11-21T23:30:00+00:00",
        "2026-11-21T00:30:00+09:00",
        "2026-11-21T23:30:00-08:00",
    ],
)
def test_yesterdays_deploy_at_any_hour_and_zone(now: str) -> None:
    moment = datetime.fromisoformat(now)
    zone = f"{moment:%z}"
    assert read("since yesterday's deploy", f"{zone[:3]}:{zone[3:]}", moment)[1] == "11-20T14:04"


def test_without_a_known_deploy_the_last_day_is_taken_and_said() -> None:
    _, window = read_hints("since the last deploy", Moment(NOW, UTC, ()))
    assert window is not None
    assert (window.start, window.why) == (NOW - timedelta(hours=24), "no deploy is known; last 24 h")


@given(st.text(max_size=120))
def test_any_text_gives_ordered_windows(text: str) -> None:
    hints, window = read_hints(text, Moment(NOW, UTC, DEPLOYS))
    assert all(h in text for h in hints)
    assert window is None or window.start <= window.end
