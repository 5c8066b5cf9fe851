"""Times as people and planners write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.agents.operations.source.reader import read_time
from workers.errors import ToolArgumentError
from workers.language.zones import read_zone

NOW = datetime(2026, 5, 4, 22, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
moments = st.integers(31_536_000, 4_102_444_799).flatmap(
    lambda s: st.integers(0, 999_999).map(
        lambda us: datetime.fromtimestamp(s, UTC).replace(tzinfo=None, microsecond=us)
    )
)
offsets = st.integers(-23 * 60, 23 * 60).map(lambda m: timezone(timedelta(minutes=m)))


@given(moments, offsets, st.sampled_from("Tt "), st.integers(0, 6))
def test_rfc_3339_in_any_zone_and_precision(plain: datetime, zone: timezone, between: str, digits: int) -> None:
    cut = plain.replace(microsecond=plain.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits) if digits else 0)
    moment = cut.replace(tzinfo=zone)
    fraction = f".{cut.microsecond:06d}"[: digits + 1] if digits else ""
    text = f"{cut:%Y-%m-%d}{between}{cut:%H:%M:%S}{fraction}{moment.isoformat()[-6:]}"
    assert read_time(text, NOW, UTC) == moment
    assert read_time(text, NOW, UTC).tzinfo is UTC


@given(st.integers(0, 20_000), st.sampled_from(["hour", "hours", "Hours", " day", "days"]))
def test_ago(number: int, unit: str) -> None:
    length = timedelta(hours=number) if "our" in unit else timedelta(days=number)
    assert read_time(f" {number} {unit}  ago ", NOW, BERLIN) == NOW - length


@given(st.text(max_size=40))
def test_anything_else_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ToolArgumentError, match=r"^since: ") as refused:
        read_time(f"{text}?", NOW, UTC, "since")
    assert refused.value.nearest


@each_row(
    "text, zone, expected",
    [
        ("now", UTC, "2026-05-04T22:30:00+00:00"),
        ("Today", UTC, "2026-05-04T00:00:00+00:00"),
        ("yesterday", UTC, "2026-05-03T00:00:00+00:00"),
        ("today", BERLIN, "2026-05-04T22:00:00+00:00"),  # 00:30 on the 5th there
        ("yesterday", BERLIN, "2026-05-03T22:00:00+00:00"),
        ("2026-05-04T10:00:00z", UTC, "2026-05-04T10:00:00+00:00"),
        ("2016-12-31T23:59:60Z", UTC, "2017-01-01T00:00:00+00:00"),
    ],
)
def test_words(text: str, zone: ZoneInfo, expected: str) -> None:
    assert read_time(text, NOW, zone).isoformat() == expected


@each_row(
    "text",
    [
        "",
        "2026-05-04",
        "2026-05-04T10:00:00",
        "2026-02-30T10:00:00Z",
        "2026-05-04T24:00:00Z",
        "0001-01-01T00:00:00+10:00",
        "last week",
        "-1 days ago",
        "1 minute ago",
        "999999 days ago",
        "9999999 hours ago",
        "٣ days ago",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(ToolArgumentError):
        read_time(text, NOW, UTC)


def test_zones() -> None:
    assert read_zone("Europe/Berlin") == BERLIN
    assert read_zone("-05:30").utcoffset(None) == -timedelta(hours=5, minutes=30)
    assert [read_zone(name) for name in ("", "UTC", "Mars/Base", "../etc", "+99:00")] == [UTC] * 5
