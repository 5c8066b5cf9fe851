"""When people have time: their working hours without what they do. Pure; spans are half open, in UTC."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from workers.agents.calendar.source.appointments import Occurrence, Person, Span, midnight, wall

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Wish:
    """What a slot must be.

    ``earliest``, ``latest``: local times of ``zone`` that it may begin at and must end by; ``weekdays``: 0 is Monday;
    ``working_hours``: of everybody, False: any time of day; ``every_day``: those hours, also on days that are not
    worked.
    """

    start: datetime
    end: datetime
    duration: timedelta
    zone: tzinfo
    earliest: time | None = None
    latest: time | None = None
    weekdays: tuple[int, ...] = ()
    working_hours: bool = True
    every_day: bool = False


def free_spans(wish: Wish, people: Sequence[tuple[Person, Sequence[Occurrence]]]) -> list[Span]:
    """The longest spans, each at least as long as wished, in which all of these people have time."""
    free = wished_spans(wish)
    for person, occurrences in people:
        if wish.working_hours:
            free = intersect(free, working_spans(person, wish.start, wish.end, every_day=wish.every_day))
        taken = [widened(o.span, person.buffer) for o in occurrences if o.busy and o.end > o.start]
        free = subtract(free, taken)
    return [(start, end) for start, end in free if end - start >= wish.duration]


def wished_spans(wish: Wish) -> list[Span]:
    """The parts of each local day that the wish allows."""
    found = []
    for day in local_days(wish.start, wish.end, wish.zone):
        if wish.weekdays and day.weekday() not in wish.weekdays:
            continue
        first = wall(day, wish.earliest, wish.zone) if wish.earliest else midnight(day, wish.zone)
        last = wall(day, wish.latest, wish.zone) if wish.latest else midnight(day + ONE_DAY, wish.zone)
        found.append((first, last))
    return intersect(joined(found), [(wish.start, wish.end)])


def working_spans(person: Person, start: datetime, end: datetime, *, every_day: bool = False) -> list[Span]:
    """A person's working hours, without lunch. Those that end before they begin go over midnight, from a worked day."""
    found: list[Span] = []
    late = person.hours[1] <= person.hours[0]
    for day in local_days(start - ONE_DAY if late else start, end, person.tz):
        if not every_day and day.weekday() not in person.days:
            continue
        begin, until = (wall(day_at(day, at, person, last=i > 0), at, person.tz) for i, at in enumerate(person.hours))
        span = [(begin.astimezone(UTC), until.astimezone(UTC))]
        if person.lunch:
            first, last = (wall(day_at(day, at, person), at, person.tz) for at in person.lunch)
            span = subtract(span, [(first, last)])
        found.extend(span)
    return found


def day_at(day: date, at: time, person: Person, *, last: bool = False) -> date:
    """The date of a clock time of the shift that begins on a day."""
    begin, until = person.hours
    return day + ONE_DAY if until <= begin and (last or at < begin) else day


def local_days(start: datetime, end: datetime, zone: tzinfo) -> Iterable[date]:
    """The local days that a span touches."""
    day, last = start.astimezone(zone).date(), end.astimezone(zone).date()
    while day <= last:
        yield day
        day += ONE_DAY


def widened(span: Span, buffer: timedelta) -> Span:
    """A span with so much more at both ends."""
    return span[0] - buffer, span[1] + buffer


def joined(spans: Iterable[Span]) -> list[Span]:
    """In order, those that touch or overlap as one, in UTC; empty ones left out."""
    out: list[Span] = []
    for start, end in sorted((s.astimezone(UTC), e.astimezone(UTC)) for s, e in spans):
        if start >= end:
            continue
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], end)
        else:
            out.append((start, end))
    return out


def intersect(ones: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What lies in both."""
    first, second = joined(ones), joined(others)
    return joined((max(a, c), min(b, d)) for a, b in first for c, d in second if a < d and c < b)


def subtract(ones: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What lies in the first and not in the second."""
    taken, out = joined(others), []
    for start, end in joined(ones):
        at = start
        for begin, until in taken:
            if until <= at or begin >= end:
                continue
            if begin > at:
                out.append((at, begin))
            at = max(at, until)
        if at < end:
            out.append((at, end))
    return out


def outside_hours(person: Person, start: datetime, end: datetime) -> bool:
    """Whether a span lies outside of somebody's working hours, in part or as a whole."""
    return not any(a <= start and end <= b for a, b in working_spans(person, start - timedelta(days=1), end))
