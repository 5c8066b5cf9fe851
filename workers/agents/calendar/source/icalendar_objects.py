"""iCalendar text as occurrences. Recurrences are expanded by `recurring_ical_events`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

import icalendar
import recurring_ical_events
from icalendar import Component
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from workers.agents.calendar.source.appointments import Occurrence, Resource, midnight
from workers.contracts import rfc3339

UNNAMED, HIDDEN = "(no title)", frozenset({"PRIVATE", "CONFIDENTIAL"})
FREE = frozenset({"FREE", "WORKINGELSEWHERE"})
"""What Outlook writes of an appointment that takes no time, whatever its TRANSP says."""
NUMBERED = re.compile(r"(?<=TZID=)(\"?)(?P<zone>[A-Z][^:;\"\r\n]*?) \d+\1(?=[:;])")
"""A zone of Windows with a number after its name, which Outlook writes for a second copy of the zone."""
MOST_TITLE_CHARS = 200


@dataclass(frozen=True)
class Owner:
    """Whose calendar it is: its name in the configuration, the person or team, and the zone of its whole days.

    ``names``: how guests are written that are this person, in lower case: names and addresses.
    """

    calendar: str
    name: str
    zone: tzinfo
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Parsed:
    """What a resource holds. ``unread``: titles of appointments that cannot be read; ``zones``: names of zones that
    nobody knows, whose times were read in the calendar's zone.
    """

    appointments: tuple[Appointment, ...] = ()
    unread: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()


@dataclass(frozen=True)
class Appointment:
    """One object of a calendar: a single appointment or a series with its exceptions.

    ``single``: its only occurrence; ``series``: what expands it otherwise.
    """

    uid: str
    resource: Resource
    owner: Owner
    single: Occurrence | None
    series: Any = None

    def between(self, start: datetime, end: datetime) -> Iterator[Occurrence]:
        """Its occurrences that have a part in a span."""
        if self.single:
            yield from [self.single] if self.single.touches(start, end) else []
            return
        near = timedelta(days=1)  # whole days are expanded without a zone
        for component in self.series.between(start - near, end + near):
            occurrence = read_occurrence(component, self.owner, self.resource.href, series=True)
            if occurrence and occurrence.touches(start, end):
                yield occurrence


def parse(text: str) -> icalendar.Calendar:
    """A text as components; of several calendars in one, as one. Raises: ValueError: it is no iCalendar object."""
    if "VTIMEZONE" not in text:
        text = NUMBERED.sub(lambda m: m["zone"] if m["zone"] in WINDOWS_TO_OLSON else m.group(), text)
    first, *others = icalendar.Calendar.from_ical(text, multiple=True)
    for component in (part for calendar in others for part in calendar.subcomponents):
        first.add_component(component)
    return first


def read_objects(resource: Resource, owner: Owner) -> Parsed:
    """The appointments of a resource; an address serves a whole calendar as one. A notice of cancellation holds none.

    Raises: ValueError: it is no calendar.
    """
    calendar = parse(resource.text)
    if str(calendar.get("METHOD", "")).upper() == "CANCEL":
        return Parsed()
    by_uid: dict[str, list[Component]] = {}
    unread, zones = [], []
    for event in calendar.walk("VEVENT"):
        if not readable(event, owner):
            unread.append(title_of(event))
            continue
        by_uid.setdefault(str(event.get("UID", "")), []).append(event)
        zones += [zone] if (zone := unknown_zone(event)) else []
    read = []
    for uid, events in by_uid.items():
        try:
            read.append(read_appointment(uid, events, resource, owner))
        except (ValueError, KeyError, TypeError, AttributeError):
            unread.append(title_of(events[0]))
    return Parsed(tuple(read), tuple(unread), tuple(dict.fromkeys(zones)))


def readable(event: Component, owner: Owner) -> bool:
    """Whether an appointment begins, and ends no earlier than that."""
    try:
        first = event["DTSTART"].dt
        return "DTEND" not in event or moment_of(event["DTEND"].dt, owner.zone) >= moment_of(first, owner.zone)
    except (KeyError, AttributeError, ValueError, TypeError):
        return False


def unknown_zone(event: Component) -> str:
    """The name of the zone that an appointment begins in, where nobody knows it; else empty."""
    first = event["DTSTART"]
    known = not isinstance(first.dt, datetime) or first.dt.tzinfo is not None
    return "" if known else str(first.params.get("TZID", ""))


def title_of(event: Component) -> str:
    """What an appointment is called."""
    return " ".join(str(event.get("SUMMARY", "")).split())[:MOST_TITLE_CHARS] or UNNAMED


def read_appointment(uid: str, events: list[Component], resource: Resource, owner: Owner) -> Appointment:
    """One appointment from its components."""
    if len(events) == 1 and not recurs(events[0]):
        single = read_occurrence(events[0], owner, resource.href, series=False)
        if single:
            return Appointment(uid, resource, owner, single)
    alone = icalendar.Calendar()
    for event in events:
        alone.add_component(end_in_zone(event))
    return Appointment(uid, resource, owner, None, recurring_ical_events.of(alone))


def end_in_zone(event: Component) -> Component:
    """A series with its last moment in UTC, where that is written on the clock of its first one."""
    rule, first = event.get("RRULE"), event["DTSTART"].dt
    last = rule.get("UNTIL", [None])[0] if isinstance(rule, icalendar.vRecur) else None
    if isinstance(last, datetime) and last.tzinfo is None and isinstance(first, datetime) and first.tzinfo:
        rule["UNTIL"] = [last.replace(tzinfo=first.tzinfo).astimezone(UTC)]
    return event


def recurs(event: Component) -> bool:
    """Whether a component stands for several occurrences, or for a changed one."""
    return any(name in event for name in ("RRULE", "RDATE", "RECURRENCE-ID")) or cancelled(event)


def cancelled(event: Component) -> bool:
    """Whether it does not take place."""
    return str(event.get("STATUS", "")).upper() == "CANCELLED"


def read_occurrence(event: Component, owner: Owner, href: str, *, series: bool) -> Occurrence | None:
    """A component as an occurrence; None for one that is cancelled."""
    if cancelled(event):
        return None
    first = event["DTSTART"].dt
    all_day = not isinstance(first, datetime)
    last = event["DTEND"].dt if "DTEND" in event else first + length_of(event, all_day)
    if all_day and last == first:
        last = first + timedelta(days=1)
    declined = is_declined(event, owner)
    original = event.get("RECURRENCE-ID")
    status = str(event.get("STATUS", "")).upper()
    return Occurrence(
        uid=str(event.get("UID", "")),
        title=title_of(event),
        start=moment_of(first, owner.zone),
        end=moment_of(last, owner.zone),
        calendar=owner.calendar,
        owner=owner.name,
        href=href,
        original=name_start(original.dt if original is not None else first, owner.zone) if series else "",
        rule=event["RRULE"].to_ical().decode() if series and "RRULE" in event else "",
        all_day=all_day,
        busy=not declined and takes_time(event),
        declined=declined,
        private=str(event.get("CLASS", "")).upper() in HIDDEN,
        tentative=status == "TENTATIVE",
        location=" ".join(str(event.get("LOCATION", "")).split())[:MOST_TITLE_CHARS],
        attendees=tuple(people_of(event)),
    )


def takes_time(event: Component) -> bool:
    """Whether an appointment takes the time of those who take part."""
    shown = str(event.get("X-MICROSOFT-CDO-BUSYSTATUS", "")).upper()
    return str(event.get("TRANSP", "")).upper() != "TRANSPARENT" and shown not in FREE


def is_declined(event: Component, owner: Owner) -> bool:
    """Whether the calendar's owner is a guest who declined."""
    for guest in guests_of(event):
        called = {str(guest.params.get("CN", "")).lower(), re.sub(r"^mailto:", "", str(guest).lower())}
        if called & owner.names and str(guest.params.get("PARTSTAT", "")).upper() == "DECLINED":
            return True
    return False


def length_of(event: Component, all_day: bool) -> timedelta:
    """How long an appointment lasts that has no end."""
    if "DURATION" in event:
        length: timedelta = event["DURATION"].dt
        return length
    return timedelta(days=1) if all_day else timedelta(0)


def moment_of(value: date | datetime, zone: tzinfo) -> datetime:
    """A date or time as a moment; without a zone of its own it is in that of the calendar."""
    if not isinstance(value, datetime):
        return midnight(value, zone)
    return value if value.tzinfo else value.replace(tzinfo=zone)


def name_start(value: date | datetime, zone: tzinfo) -> str:
    """What names one of a series: its first start in UTC, or its day."""
    if not isinstance(value, datetime):
        return value.isoformat()
    return rfc3339(moment_of(value, zone).astimezone(UTC))


def people_of(event: Component) -> Iterator[str]:
    """Who is invited, by their names or addresses."""
    for one in guests_of(event):
        yield str(one.params.get("CN", "")) or str(one).removeprefix("mailto:").removeprefix("MAILTO:")


def guests_of(event: Component) -> list[Any]:
    """The values of ATTENDEE."""
    invited = event.get("ATTENDEE", [])
    return invited if isinstance(invited, list) else [invited]
