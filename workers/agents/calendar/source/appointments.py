"""What a calendar holds, as values: people, occurrences of appointments, and resources as a server keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from workers.language.zones import read_zone

Span = tuple[datetime, datetime]
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Person:
    """Somebody with a calendar. ``zone``: IANA name; ``hours``, ``lunch``: local times of a working day, ``lunch``
    None: none is kept free; ``days``: which days are worked, 0 is Monday; ``buffer``: kept free around appointments.

    ``users``: their ids, as `contracts.Question.user` has them or its part after the slash.
    """

    name: str
    aliases: tuple[str, ...] = ()
    email: str = ""
    zone: str = "UTC"
    users: tuple[str, ...] = ()
    hours: tuple[time, time] = (time(9), time(18))
    lunch: tuple[time, time] | None = None
    days: tuple[int, ...] = (0, 1, 2, 3, 4)
    buffer: timedelta = timedelta(0)

    @property
    def tz(self) -> tzinfo:
        """The zone."""
        return read_zone(self.zone)

    def is_user(self, user: str) -> bool:
        """Whether this is the person behind an id."""
        return bool(user) and (user in self.users or user.rpartition("/")[2] in self.users)


@dataclass(frozen=True)
class Resource:
    """One object as a calendar keeps it: its place there, its version (ETag or hash), its iCalendar text."""

    href: str
    version: str
    text: str


@dataclass(frozen=True)
class Occurrence:
    """One appointment at one time. Times are aware, in the zone that they were written in; those of a whole day begin
    and end at midnight of the calendar's zone, the end excluded.

    ``original``: for one of a series, the start that its rule gives it, RFC 3339, or a date for whole days; empty for a
    single one. ``rule``: the RRULE of the series. ``busy``: whether it takes the person's time; what the owner
    ``declined`` takes none. ``owner``: the person
    or the team that the calendar belongs to, ``calendar`` its name in the configuration.
    """

    uid: str
    title: str
    start: datetime
    end: datetime
    calendar: str
    owner: str
    href: str
    original: str = ""
    rule: str = ""
    all_day: bool = False
    busy: bool = True
    private: bool = False
    declined: bool = False
    tentative: bool = False
    location: str = ""
    attendees: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        """Its start and end."""
        return self.start, self.end

    def touches(self, start: datetime, end: datetime) -> bool:
        """Whether it has a part inside a span; one without length lies where it starts."""
        return self.start < end and (self.end > start or self.start == self.end >= start)


def midnight(day: date, zone: tzinfo) -> datetime:
    """The start of a local day."""
    return datetime.combine(day, time(), zone)


def wall(day: date, at: time, zone: tzinfo) -> datetime:
    """A local time as a real one: of one that daylight saving skips, the moment as long after midnight's offset."""
    return datetime.combine(day, at, zone).astimezone(UTC).astimezone(zone)
