"""iCalendar text as occurrences. Recurrences are expanded by `recurring_ical_events`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

import icalendar
import recurring_ical_events
from icalendar import Component

from workers.agents.calendar.source.appointments import Occurrence, Resource, midnight
from workers.contracts import rfc3339

UNNAMED, HIDDEN = "(no title)", frozenset({"PRIVATE", "CONFIDENTIAL"})
MOST_TITLE_CHARS = 200


@dataclass(frozen=True)
class Owner:
    """Whose calendar it is: its name in the configuration, the person or team, and the zone of its whole days."""

    calendar: str
    name: str
    zone: tzinfo


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
    """A text as components. Raises: ValueError: it is no iCalendar object."""
    return icalendar.Calendar.from_ical(text)


def read_objects(resource: Resource, owner: Owner) -> list[Appointment]:
    """The appointments of a resource; an address serves a whole calendar as one. Raises: ValueError: it is none."""
    calendar = parse(resource.text)
    by_uid: dict[str, list[Component]] = {}
    for event in calendar.walk("VEVENT"):
        if "DTSTART" in event:
            by_uid.setdefault(str(event.get("UID", "")), []).append(event)
    return [read_appointment(uid, events, resource, owner) for uid, events in by_uid.items()]


def read_appointment(uid: str, events: list[Component], resource: Resource, owner: Owner) -> Appointment:
    """One appointment from its components."""
    if len(events) == 1 and not recurs(events[0]):
        single = read_occurrence(events[0], owner, resource.href, series=False)
        if single:
            return Appointment(uid, resource, owner, single)
    alone = icalendar.Calendar()
    for event in events:
        alone.add_component(event)
    return Appointment(uid, resource, owner, None, recurring_ical_events.of(alone, skip_bad_series=True))


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
    original = event.get("RECURRENCE-ID")
    status = str(event.get("STATUS", "")).upper()
    return Occurrence(
        uid=str(event.get("UID", "")),
        title=" ".join(str(event.get("SUMMARY", "")).split())[:MOST_TITLE_CHARS] or UNNAMED,
        start=moment_of(first, owner.zone),
        end=max(moment_of(last, owner.zone), moment_of(first, owner.zone)),
        calendar=owner.calendar,
        owner=owner.name,
        href=href,
        original=name_start(original.dt if original is not None else first, owner.zone) if series else "",
        rule=event["RRULE"].to_ical().decode() if series and "RRULE" in event else "",
        all_day=all_day,
        busy=str(event.get("TRANSP", "")).upper() != "TRANSPARENT",
        private=str(event.get("CLASS", "")).upper() in HIDDEN,
        tentative=status == "TENTATIVE",
        location=" ".join(str(event.get("LOCATION", "")).split())[:MOST_TITLE_CHARS],
        attendees=tuple(people_of(event)),
    )


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
    invited = event.get("ATTENDEE", [])
    for one in invited if isinstance(invited, list) else [invited]:
        yield str(one.params.get("CN", "")) or str(one).removeprefix("mailto:").removeprefix("MAILTO:")
