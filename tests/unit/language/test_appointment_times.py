"""Times of appointments: forms and what they come to, in English and German."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.language.appointment_times import read_mentions
from workers.language.german_times import plain_text
from workers.language.wanted_times import Times, combine

NOW = datetime.fromisoformat("2026-11-25T10:15")  # a Wednesday
WORDS = (
    "not before 10 am nächste woche montag or 45 min to from 9:30 – bis 12 uhr tomorrow's later 2 h next friday 7. dec"
)


def read(text: str, *, bounds: bool = True) -> Times:
    return combine(read_mentions(text, NOW)[1], NOW, bounds=bounds)


def day(text: str) -> date:
    return date.fromisoformat(f"2026-{text}")


@each_row(
    "text, first, last",
    [
        ("next week", "11-30", "12-07"),
        ("this week", "11-25", "11-30"),
        ("tomorrow", "11-26", "11-27"),
        ("the day after tomorrow", "11-27", "11-28"),
        ("on friday", "11-27", "11-28"),
        ("next wednesday", "12-02", "12-03"),
        ("am kommenden Montag um 9 Uhr", "11-30", "12-01"),
        ("in der Woche vom 7. Dezember mit dir", "12-07", "12-14"),
        ("from 21 to 30 december", "12-21", "12-31"),
        ("on 2026-12-04", "12-04", "12-05"),
        ("over the weekend", "11-28", "11-30"),
        ("in two weeks", "12-07", "12-14"),
        ("next week tuesday", "12-01", "12-02"),
    ],
)
def test_days(text: str, first: str, last: str) -> None:
    assert read(text).span == (day(first), day(last))


@each_row(
    "text, values",
    [
        ("not before 10", {"earliest": 600}),
        ("erst ab 13 Uhr bitte", {"earliest": 780}),
        ("done by 11:30", {"latest": 690}),
        ("between 2 and 4pm", {"earliest": 840, "latest": 960}),
        ("in the morning", {"latest": 720}),
        ("not in the morning", {"earliest": 720}),
        ("at half past two", {"at": 870}),
        ("um halb drei bitte ist mir recht", {"at": 870}),
        ("at 3", {"at": 900}),
        ("at 09:05", {"at": 545}),
        ("1h15", {"length": 75}),
        ("an hour and a half", {"length": 90}),
        ("eine Dreiviertelstunde für mich", {"length": 45}),
        ("half an hour", {"length": 30}),
        ("two and a half hours", {"length": 150}),
        ("15 min later", {"shift": 15}),
        ("two hours earlier", {"shift": -120}),
    ],
)
def test_clocks_and_lengths(text: str, values: dict[str, Any]) -> None:
    found = read(text)
    assert {
        k: getattr(found, k) for k in ("earliest", "latest", "at", "length", "shift") if getattr(found, k)
    } == values


def test_a_title_is_no_time() -> None:
    assert read_mentions("the 1:1 with three people of platform 2.0, may be", NOW)[1] == []


def test_no_to_one_day_is_no_to_the_other_too() -> None:
    days = read("next week, not on tuesday or thursday").days
    assert {d.weekday() for a, b in days for d in (a + timedelta(days=i) for i in range((b - a).days))} == {
        0,
        2,
        4,
        5,
        6,
    }


@given(st.lists(st.sampled_from(WORDS.split()), max_size=12), st.text(max_size=12))
def test_no_text_is_too_odd_and_no_phrase_overlaps_another(words: list[str], odd: str) -> None:
    text = " ".join([*words, odd])
    plain, mentions = read_mentions(text, NOW)
    for before, after in pairwise(mentions):
        assert before.end <= after.start
    for m in mentions:
        first, last = plain.source(m.start, m.end)
        assert 0 <= first <= last <= len(text)
    combine(mentions, NOW)


def test_the_place_in_the_original_text_is_known() -> None:
    text = "Trag bitte für nächste Woche Dienstag was mit der Anna ein"
    plain = plain_text(text)
    start = plain.text.index("tuesday")
    first, last = plain.source(start, start + len("tuesday"))
    assert text[first:last] == "Dienstag"
