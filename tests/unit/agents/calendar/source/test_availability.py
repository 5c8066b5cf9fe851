"""Free time against a minute grid that is counted by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from workers.agents.calendar.source.appointments import Occurrence, Person
from workers.agents.calendar.source.availability import Wish, free_spans, outside_hours

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
FIRST = datetime(2026, 10, 23, 22, tzinfo=UTC)  # daylight saving ends within the days after it
MINUTE = timedelta(minutes=1)


def occurrence(start: datetime, minutes: int, *, busy: bool = True) -> Occurrence:
    return Occurrence("u", "t", start, start + minutes * MINUTE, "c", "o", "h", busy=busy)


@st.composite
def people(draw: st.DrawFn) -> tuple[Person, list[Occurrence]]:
    begin = draw(st.integers(0, 11))
    lunch = draw(st.booleans())
    person = Person(
        name=draw(st.sampled_from("ab")),
        zone=draw(st.sampled_from(ZONES)),
        hours=(time(begin), time(draw(st.integers(begin + 3, 23)))),
        lunch=(time(begin + 1), time(begin + 1, 30)) if lunch else None,
        days=tuple(draw(st.sets(st.integers(0, 6), min_size=1))),
        buffer=draw(st.sampled_from((0, 10))) * MINUTE,
    )
    starts = draw(st.lists(st.tuples(st.integers(0, 4_000), st.integers(0, 300), st.booleans()), max_size=6))
    return person, [occurrence(FIRST + at * MINUTE, length, busy=busy) for at, length, busy in starts]


def free_minute(wish: Wish, everybody: list[tuple[Person, list[Occurrence]]], at: datetime) -> bool:
    """Whether a minute may be part of a slot, counted without any arithmetic of spans."""
    local = at.astimezone(wish.zone)
    clock = local.time()
    if wish.weekdays and local.weekday() not in wish.weekdays:
        return False
    if (wish.earliest and clock < wish.earliest) or (wish.latest and clock >= wish.latest):
        return False
    for person, occurrences in everybody:
        own = at.astimezone(person.tz)
        if own.weekday() not in person.days or not person.hours[0] <= own.time() < person.hours[1]:
            return False
        if person.lunch and person.lunch[0] <= own.time() < person.lunch[1]:
            return False
        for o in occurrences:
            if o.busy and o.end > o.start and o.start - person.buffer <= at < o.end + person.buffer:
                return False
    return True


@given(
    everybody=st.lists(people(), min_size=1, max_size=3),
    zone=st.sampled_from(ZONES),
    duration=st.integers(1, 180),
    bounds=st.sampled_from(((None, None), (time(10), None), (None, time(16, 30)), (time(9, 15), time(15)))),
    weekdays=st.sampled_from(((), (0, 1), (5, 6))),
)
def test_free_spans_are_those_of_the_minute_grid(everybody, zone, duration, bounds, weekdays) -> None:
    days = 3
    wish = Wish(
        FIRST, FIRST + timedelta(days=days), duration * MINUTE, ZoneInfo(zone), bounds[0], bounds[1], tuple(weekdays)
    )
    found = free_spans(wish, everybody)
    grid: list[tuple[datetime, datetime]] = []
    for i in range(days * 24 * 60):
        at = FIRST + i * MINUTE
        if not free_minute(wish, everybody, at):
            continue
        if grid and grid[-1][1] == at:
            grid[-1] = grid[-1][0], at + MINUTE
        else:
            grid.append((at, at + MINUTE))
    wanted = [span for span in grid if span[1] - span[0] >= wish.duration]
    # at the hour that comes twice a clock bound may be either one: the two may differ inside that hour only
    twice = (datetime(2026, 10, 25, 0, tzinfo=UTC), datetime(2026, 10, 25, 2, tzinfo=UTC))
    outside = [s for s in {*wanted, *found} if s[1] <= twice[0] or s[0] >= twice[1]]
    assert sorted(s for s in found if s in outside) == sorted(s for s in wanted if s in outside)


def test_working_hours_are_those_of_each_zone() -> None:
    anna, mike = Person("Anna", zone="Europe/Berlin"), Person("Mike", zone="America/New_York")
    day = datetime(2026, 11, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    wish = Wish(day, day + timedelta(days=1), timedelta(minutes=30), ZoneInfo("Europe/Berlin"))
    ((start, end),) = free_spans(wish, [(anna, []), (mike, [])])
    assert (start.hour, end.hour) == (14, 17)
    assert outside_hours(mike, start - timedelta(hours=1), end)
    assert not outside_hours(mike, start, end)


def test_the_hour_that_is_skipped_is_no_working_time() -> None:
    night = Person("N", zone="Europe/Berlin", hours=(time(1), time(4)), days=(6,))
    start = datetime.combine(date(2027, 3, 28), time(), ZoneInfo("Europe/Berlin"))
    wish = Wish(start, start + timedelta(days=1), timedelta(minutes=1), ZoneInfo("Europe/Berlin"))
    ((first, last),) = free_spans(wish, [(night, [])])
    assert last - first == timedelta(hours=2)


def test_hours_over_midnight_are_one_shift() -> None:
    night = Person("N", hours=(time(22), time(6)), lunch=(time(1), time(2)), days=(0,))
    monday = datetime(2026, 11, 30, tzinfo=UTC)
    wish = Wish(monday, monday + timedelta(days=2), timedelta(minutes=30), UTC)
    at = monday + timedelta(hours=22)
    hours = [(0, 3), (4, 8)]
    assert free_spans(wish, [(night, [])]) == [(at + timedelta(hours=a), at + timedelta(hours=b)) for a, b in hours]
    early = monday + timedelta(days=1, hours=2)
    assert not outside_hours(night, early, early + timedelta(hours=1))
    assert outside_hours(night, monday + timedelta(hours=12), monday + timedelta(hours=13))
    tuesday = Wish(early, early + timedelta(hours=9), timedelta(minutes=30), UTC)
    assert free_spans(tuesday, [(night, [])]) == [(early, early + timedelta(hours=4))]
