"""Changes of series against the expansion of `dateutil.rrule` on the local clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from workers.agents.calendar.source.appointments import Resource
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.icalendar_objects import Owner, name_start, read_objects
from workers.agents.calendar.source.recurrence_changes import Texts, cancel, move
from workers.errors import ToolArgumentError

BERLIN = ZoneInfo("Europe/Berlin")
OWNER = Owner("c", "Anna", BERLIN)
FIRST = datetime(2026, 10, 5, 9, 30, tzinfo=BERLIN)  # a Monday, three weeks before daylight saving ends
LENGTH = timedelta(minutes=45)
UNTIL = FIRST + timedelta(days=70)
RULES = ("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "FREQ=WEEKLY;INTERVAL=2", "FREQ=DAILY;INTERVAL=3;COUNT=15",
         "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261130T083000Z")  # fmt: skip


def text_of(rule: str) -> str:
    return new_appointment("u", "Sync", FIRST, FIRST + LENGTH, stamp=FIRST, rule=rule)


def starts(*texts: str | None) -> list[datetime]:
    """The starts of all occurrences, on the local clock."""
    found = []
    for text in filter(None, texts):
        for one in read_objects(Resource("h", "v", text), OWNER).appointments:
            for o in one.between(FIRST - timedelta(days=30), UNTIL):
                assert o.end - o.start == LENGTH
                found.append(o.start.astimezone(BERLIN).replace(tzinfo=None))
    return sorted(found)


def expected(rule: str) -> list[datetime]:
    """What dateutil says, on a clock without a zone, where daylight saving shifts nothing."""
    bare = rule.replace("UNTIL=20261130T083000Z", "UNTIL=20261130T093000")
    end = UNTIL.replace(tzinfo=None)
    first = FIRST.replace(tzinfo=None)
    return list(rrulestr(bare, dtstart=first).between(first - timedelta(days=1), end))


def named(wall: datetime) -> str:
    return name_start(wall.replace(tzinfo=BERLIN), BERLIN)


def both(texts: Texts) -> tuple[str | None, str | None]:
    return texts.kept, texts.added[1] if texts.added else None


@given(rule=st.sampled_from(RULES), at=st.integers(0, 9))
def test_cancelling_one_leaves_all_others(rule: str, at: int) -> None:
    dates = expected(rule)
    assert starts(text_of(rule)) == dates
    gone = dates[at % len(dates)]
    texts = cancel(text_of(rule), "u", named(gone), "this", BERLIN)
    assert starts(*both(texts)) == [d for d in dates if d != gone]


@given(rule=st.sampled_from(RULES), at=st.integers(0, 9))
def test_cancelling_what_follows_ends_the_series_there(rule: str, at: int) -> None:
    dates = expected(rule)
    gone = dates[at % len(dates)]
    texts = cancel(text_of(rule), "u", named(gone), "following", BERLIN)
    assert starts(*both(texts)) == [d for d in dates if d < gone]


@given(rule=st.sampled_from(RULES), at=st.integers(0, 9), shift=st.integers(-180, 600))
def test_moving_one_moves_it_alone(rule: str, at: int, shift: int) -> None:
    dates = expected(rule)
    one = dates[at % len(dates)]
    to = one + timedelta(minutes=shift)
    texts = move(text_of(rule), "u", named(one), "this", BERLIN, *span(to))
    assert starts(*both(texts)) == sorted([*(d for d in dates if d != one), to])


@given(rule=st.sampled_from(RULES), at=st.integers(0, 9), shift=st.integers(-180, 600), whole=st.booleans())
def test_moving_more_shifts_on_the_local_clock(rule: str, at: int, shift: int, whole: bool) -> None:
    dates = expected(rule)
    one = dates[at % len(dates)]
    by = timedelta(minutes=shift)
    scope = "all" if whole else "following"
    texts = move(text_of(rule), "u", named(one), scope, BERLIN, *span(one + by))
    limit = UNTIL.replace(tzinfo=None)
    moved = [d + by if whole or d >= one else d for d in dates]
    assert [d for d in starts(*both(texts)) if d < limit - abs(by)] == sorted(d for d in moved if d < limit - abs(by))


def test_exceptions_go_with_the_part_of_the_series_that_they_are_of() -> None:
    rule, dates = "FREQ=WEEKLY;BYDAY=MO", expected("FREQ=WEEKLY;BYDAY=MO")
    text = cancel(text_of(rule), "u", named(dates[1]), "this", BERLIN).kept or ""
    text = cancel(text, "u", named(dates[6]), "this", BERLIN).kept or ""
    late = dates[5] + timedelta(hours=2)
    text = move(text, "u", named(dates[5]), "this", BERLIN, *span(late)).kept or ""
    texts = move(text, "u", named(dates[3]), "following", BERLIN, *span(dates[3] + timedelta(hours=1)))
    hour = timedelta(hours=1)
    first = [dates[0], dates[2]]
    later = [d + hour for d in dates[3:] if d not in {dates[5], dates[6]}]
    assert starts(texts.kept) == first
    assert starts(texts.added[1] if texts.added else "") == sorted([*later, late + hour])


def test_a_series_moves_to_another_weekday_with_its_rule() -> None:
    rule = "FREQ=WEEKLY;BYDAY=MO,WE"
    dates = expected(rule)
    texts = move(text_of(rule), "u", named(dates[0]), "all", BERLIN, *span(dates[0] + timedelta(days=1)))
    assert {d.weekday() for d in starts(texts.kept)} == {1, 3}


def test_a_series_by_days_of_the_month_is_refused_and_stays() -> None:
    text = text_of("FREQ=MONTHLY;BYDAY=1MO")
    second = expected("FREQ=MONTHLY;BYDAY=1MO")[1]
    with pytest.raises(ToolArgumentError):
        move(text, "u", named(second), "all", BERLIN, *span(second + timedelta(days=1)))


def test_whole_days_are_those_of_the_calendar() -> None:
    text = new_appointment("u", "Off", FIRST.date(), FIRST.date() + timedelta(days=2), stamp=FIRST)
    (one,) = read_objects(Resource("h", "v", text), OWNER).appointments
    assert one.single is not None
    assert one.single.all_day
    assert one.single.start.astimezone(UTC).hour == 22


def span(wall: datetime) -> tuple[datetime, datetime]:
    start = wall.replace(tzinfo=BERLIN)
    return start, (start.astimezone(UTC) + LENGTH).astimezone(BERLIN)


def test_cancelling_one_of_several_appointments_of_a_resource_leaves_the_others() -> None:
    first = new_appointment("a", "First", FIRST, FIRST + LENGTH, stamp=FIRST)
    event = new_appointment("b", "Second", FIRST, FIRST + LENGTH, stamp=FIRST).partition("BEGIN:VEVENT")[2]
    both_of = first.replace("END:VCALENDAR", "BEGIN:VEVENT" + event)
    kept = cancel(both_of, "a", "", "this", BERLIN).kept
    assert kept is not None
    assert "UID:b" in kept
    assert "UID:a" not in kept
    assert cancel(kept, "b", "", "this", BERLIN).kept is None


def test_a_whole_series_of_every_other_week_is_not_wrapped_into_the_weeks_between() -> None:
    text = text_of("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU")
    later = FIRST + timedelta(days=1)
    with pytest.raises(ToolArgumentError, match="cannot be moved to other days"):
        move(text, "u", named(FIRST.replace(tzinfo=None)), "all", BERLIN, later, later + LENGTH)
    fits = text_of("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR")
    moved = move(fits, "u", named(FIRST.replace(tzinfo=None)), "all", BERLIN, later, later + LENGTH).kept
    assert moved is not None
    assert "BYDAY=TU,SA" in moved
