"""Small iCalendar texts: an empty calendar, a new appointment, and busy times as appointments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import icalendar

FOLD = re.compile(rb"\r?\n[ \t]")
PRODUCT = "-//Oracle//Calendar//EN"
BUSY = "busy"


def decode(data: bytes) -> str:
    """The text of a file. Lines are folded by bytes, also inside a letter; what is no UTF-8 is read as Windows' own."""
    whole = FOLD.sub(b"", data)
    try:
        return whole.decode("utf-8-sig")
    except UnicodeDecodeError:
        return whole.decode("cp1252", "replace")


def empty_calendar() -> icalendar.Calendar:
    """A calendar with nothing in it."""
    calendar = icalendar.Calendar()
    calendar.add("PRODID", PRODUCT)
    calendar.add("VERSION", "2.0")
    return calendar


def new_appointment(
    uid: str,
    title: str,
    start: date | datetime,
    end: date | datetime,
    *,
    stamp: datetime,
    rule: str = "",
    location: str = "",
    organizer: tuple[str, str] | None = None,
    attendees: Sequence[tuple[str, str]] = (),
) -> str:
    """The text of a new appointment.

    Args:
        start, end: dates for whole days, the end excluded.
        stamp: when it is made.
        rule: RRULE of a series.
        organizer, attendees: name and address.
    """
    calendar, event = empty_calendar(), icalendar.Event()
    event.add("UID", uid)
    event.add("SUMMARY", title)
    event.add("DTSTAMP", stamp.astimezone(UTC))
    event.add("DTSTART", start)
    event.add("DTEND", end)
    if rule:
        event.add("RRULE", icalendar.vRecur.from_ical(rule))
    if location:
        event.add("LOCATION", location)
    if organizer and organizer[1] and attendees:
        event.add("ORGANIZER", address_of(organizer))
    for person in attendees:
        event.add("ATTENDEE", address_of(person))
    calendar.add_component(event)
    calendar.add_missing_timezones()
    text: str = calendar.to_ical().decode()
    return text


def address_of(person: tuple[str, str]) -> icalendar.vCalAddress:
    """A person as iCalendar names one."""
    address = icalendar.vCalAddress(f"mailto:{person[1]}" if person[1] else "invalid:nomail")
    address.params["CN"] = person[0]
    return address


def busy_text(text: str) -> str:
    """The periods of a VFREEBUSY object as appointments without a title."""
    calendar = empty_calendar()
    for one in icalendar.Calendar.from_ical(text).walk("VFREEBUSY"):
        listed = one.get("FREEBUSY", [])
        for entry in listed if isinstance(listed, list) else [listed]:
            if str(entry.params.get("FBTYPE", "BUSY")).upper() == "FREE":
                continue
            start, end = entry.dt
            if isinstance(end, timedelta):
                end = start + end
            event = icalendar.Event()
            event.add("UID", f"busy-{start:%Y%m%dT%H%M%S}-{end:%Y%m%dT%H%M%S}")
            event.add("SUMMARY", BUSY)
            event.add("CLASS", "PRIVATE")
            event.add("DTSTART", start)
            event.add("DTEND", end)
            calendar.add_component(event)
    found: str = calendar.to_ical().decode()
    return found
