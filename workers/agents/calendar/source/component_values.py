"""Dates and properties of iCalendar components: read, shifted, replaced."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from icalendar import Component

from workers.agents.calendar.source.icalendar_objects import moment_of

# --- dates and times ------------------------------------------------------------------------------------------


def is_timed(value: date | datetime) -> bool:
    """Whether it has a time of day."""
    return isinstance(value, datetime)


def day_of(value: date | datetime) -> date:
    """Its local day."""
    return value.date() if isinstance(value, datetime) else value


def local(value: Any, like: date | datetime) -> datetime:
    """A time on the clock of another one; dates as their midnight."""
    if not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a clock of no zone
    if isinstance(like, datetime) and like.tzinfo and value.tzinfo:
        value = value.astimezone(like.tzinfo)
    bare: datetime = value.replace(tzinfo=None)
    return bare


def on_clock_of(value: Any, first: Any, zone: tzinfo) -> Any:
    """A time in the zone that an appointment is written in, so that it keeps its rules of daylight saving."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    if not isinstance(first, datetime):
        return value.astimezone(zone)
    return value.astimezone(first.tzinfo) if first.tzinfo else value.astimezone(zone).replace(tzinfo=None)


def lengthened(start: Any, length: timedelta) -> Any:
    """When something ends that begins then: so much real time later."""
    if isinstance(start, datetime) and start.tzinfo:
        return (start.astimezone(UTC) + length).astimezone(start.tzinfo)
    return start + length


def moment(original: str, zone: tzinfo) -> datetime:
    """The moment of an occurrence by its name."""
    value = datetime.fromisoformat(original) if "T" in original else date.fromisoformat(original)
    return moment_of(value, zone)


def value_of(master: Component, original: str, zone: tzinfo) -> Any:
    """The start of an occurrence in the form that its series has."""
    first = master["DTSTART"].dt
    if not is_timed(first):
        return date.fromisoformat(original[:10])
    at = moment(original, zone)
    return at.astimezone(first.tzinfo) if first.tzinfo else at.astimezone(zone).replace(tzinfo=None)


# --- properties -----------------------------------------------------------------------------------------------


def replace(event: Component, name: str, value: Any) -> None:
    """Set a property anew."""
    event.pop(name, None)
    event.add(name, value)


def set_times(event: Component, start: Any, end: Any) -> None:
    """Set start and end; all day or timed as they are."""
    for name in ("DTSTART", "DTEND", "DURATION"):
        event.pop(name, None)
    event.add("DTSTART", start)
    event.add("DTEND", end)


def bump(event: Component) -> None:
    """Count a change, as those who were invited compare it."""
    replace(event, "SEQUENCE", int(event.get("SEQUENCE", 0)) + 1)


def dates_of(event: Component, name: str) -> list[Any]:
    """The dates of EXDATE or RDATE, which may stand in several lines."""
    found = event.get(name, [])
    return [one.dt for part in (found if isinstance(found, list) else [found]) for one in part.dts]


def set_dates(event: Component, name: str, values: list[Any]) -> None:
    """Put these dates in the place of those that are there."""
    event.pop(name, None)
    for value in values:
        event.add(name, [value])


def keep_dates(event: Component, wanted: Callable[[Any], bool]) -> None:
    """Keep some of the dates that are left out or added."""
    for name in ("EXDATE", "RDATE"):
        set_dates(event, name, [value for value in dates_of(event, name) if wanted(value)])


def shift_dates(event: Component, shift: timedelta) -> None:
    """Shift all dates that are left out or added."""
    for name in ("EXDATE", "RDATE"):
        set_dates(event, name, [value + shift for value in dates_of(event, name)])
