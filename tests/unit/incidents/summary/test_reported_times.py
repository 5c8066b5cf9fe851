"""Moments in sentences, as the people of several zones write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.contracts import ChannelMessage
from workers.incidents.summary.reported_times import ahead_of, clocks_in
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import Sentence

SAID = datetime(2026, 11, 20, 14, 40, tzinfo=UTC)


def said(text: str, zone: str = "", at: datetime = SAID) -> Utterance:
    message = ChannelMessage(ts=f"{int(at.timestamp())}.000100", text=text, zone=zone)
    return Utterance(message, Sentence(text), ())


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("started at 14:05 UTC", "", "14:05"),
        ("started at 15:05 CET", "", "14:05"),
        ("errors began 8:05 ET", "", "13:05"),
        ("first alert at 13:05Z", "", "13:05"),
        ("since 9:05 am EST", "", "14:05"),
        ("it broke around half past two my time", "Europe/London", "14:30"),
        ("it broke around half past three my time", "Europe/Berlin", "14:30"),
        ("quarter past two London time", "", "14:15"),
        ("deployed 25 min ago", "", "14:15"),
        ("about an hour ago traffic doubled", "", "13:40"),
        ("since 15:20 errors are up", "Europe/Berlin", "14:20"),
        ("seit 15h20", "Europe/Berlin", "14:20"),
        ("restart at 14:31", "", "14:31"),
        ("the pods restarted at 23:50", "", "23:50"),
        ("14:05 UTC+1 it began", "", "13:05"),
    ],
)
def test_a_time_is_the_last_such_moment(text: str, zone: str, expected: str) -> None:
    (clock,) = clocks_in(said(text, zone))
    assert f"{clock.at:%H:%M}" == expected
    assert clock.at <= SAID.replace(minute=45)


@pytest.mark.parametrize(
    "text", ["p95 is 1.9 s", "took 12:30", "v1.2.3 went out", "port 80:80", "10.0.0.1:8080", "3/4 done"]
)
def test_other_numbers_are_no_times(text: str) -> None:
    assert clocks_in(said(text)) == ()


def test_a_zone_of_the_channel_explains_a_time_that_none_of_the_others_can() -> None:
    (clock,) = clocks_in(said("started 20:10"), ("Asia/Kolkata",))
    assert f"{clock.at:%H:%M}" == "14:40"


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("next update in 30 min", "", "15:10"),
        ("next update at 15:00 UTC", "", "15:00"),
        ("update by 16:15", "Europe/Berlin", "15:15"),
        ("next update 5pm CET", "", "16:00"),
        ("next update half an hour", "", None),
    ],
)
def test_what_is_promised_lies_ahead(text: str, zone: str, expected: str | None) -> None:
    found = ahead_of(said(text, zone))
    assert (f"{found:%H:%M}" if found else None) == expected


@given(st.text(max_size=120), st.sampled_from(["", "Europe/Berlin", "America/New_York", "No/Where"]))
def test_any_text_can_be_read(text: str, zone: str) -> None:
    for clock in clocks_in(said(text, zone), ("Asia/Tokyo",)):
        assert clock.at.tzinfo is not None
        assert text[clock.start : clock.end]
