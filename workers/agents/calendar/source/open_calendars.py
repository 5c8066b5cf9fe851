"""All calendars of the configuration, opened once: people, rotations, and the copies of what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from pathlib import Path

from workers.agents.calendar.sections import CalendarSource, calendar_sources
from workers.agents.calendar.source.appointments import WEEKDAYS, Occurrence, Person
from workers.agents.calendar.source.calendar_copy import CalendarCopy
from workers.agents.calendar.source.calendar_store import CalendarStore
from workers.agents.calendar.source.folder_store import FolderStore
from workers.agents.calendar.source.icalendar_objects import Owner
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.language.zones import read_zone
from workers.settings.load import Settings

WAIT_S = 0.5
"""How long a call waits for a renewal before it uses the copy of before."""
READERS = 8
MOST_NAMED = 3
"""So many appointments that cannot be read are named."""


@dataclass
class Calendars:
    """What the tools work with.

    ``people`` by their names; ``copies`` by the names of calendars, in order of the
    configuration; ``owners``: calendar -> person or team; ``rotations``: calendar -> team; ``team_aliases``: what
    else a
    team is called, in small letters -> team.
    """

    people: dict[str, Person] = field(default_factory=dict)
    copies: dict[str, CalendarCopy] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    rotations: dict[str, str] = field(default_factory=dict)
    team_aliases: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Read or renew all copies side by side."""
        if not self.copies:
            return
        with ThreadPoolExecutor(max_workers=READERS, thread_name_prefix="calendars") as pool:
            list(pool.map(lambda copy: copy.prepare(WAIT_S), self.copies.values()))

    def ping(self) -> str:
        """How many calendars can be read. Raises: ToolUnavailable: one cannot."""
        self.prepare()
        failed = [f"{name}: {copy.failure}" for name, copy in self.copies.items() if copy.failure]
        if failed:
            raise ToolUnavailable("; ".join(failed))
        unread = [
            f"{name}: {len(found)} cannot be read ({', '.join(found[:MOST_NAMED])})"
            for name, copy in self.copies.items()
            if copy.snapshot and (found := copy.snapshot.unread)
        ]
        zones = [
            f"{name}: no zone is called {', '.join(found[:MOST_NAMED])}"
            for name, copy in self.copies.items()
            if copy.snapshot and (found := copy.snapshot.zones)
        ]
        return "; ".join((f"{len(self.copies)} calendars of {len(self.people)} people", *unread, *zones))

    def of(self, owner: str) -> list[CalendarCopy]:
        """The calendars of a person or a team."""
        return [copy for name, copy in self.copies.items() if self.owners[name] == owner]

    def asker(self, user: str) -> Person | None:
        """Who asks."""
        return next((p for p in self.people.values() if p.is_user(user)), None)

    def between(self, owner: str, start: datetime, end: datetime) -> list[Occurrence]:
        """Somebody's occurrences in a span.

        Raises: ToolUnavailable: one of their calendars was never read, or tells nothing of so late a time.
        """
        found: dict[tuple[str, str, datetime], Occurrence] = {}
        for copy in self.of(owner):
            if copy.snapshot is None:
                raise ToolUnavailable(f"the calendar {copy.owner.calendar} cannot be read: {copy.failure or 'not yet'}")
            if copy.told_until and end > copy.told_until:
                until = f"{copy.told_until:%Y-%m-%d}"
                raise ToolUnavailable(f"the calendar {copy.owner.calendar} tells busy times until {until} only")
            for one in copy.snapshot.between(start, end):
                found.setdefault((one.uid, one.original, one.start), one)
        return sorted(found.values(), key=lambda o: (o.start, o.end, o.title))

    def find_people(self, names: str, user: str) -> list[Person]:
        """The people of a list of names; empty or ``me``: who asks.

        Raises:
            ToolArgumentError: a name that nobody has or that several have, or who asks has no calendar.
        """
        found: dict[str, Person] = {}
        for name in [part.strip() for part in names.split(",") if part.strip()] or ["me"]:
            if name.lower() in {"all", "everyone", "everybody"}:
                found |= self.people
                continue
            person = self.asker(user) if name.lower() == "me" else self.find_person(name)
            if person is None:
                who = ", ".join(self.people)
                raise ToolArgumentError(
                    f"I don't know which calendar is yours: no calendar's `users` names you; there are those of {who}"
                )
            found[person.name] = person
        return list(found.values())

    def find_person(self, name: str) -> Person:
        """The person of a name, first name or alias. Raises: ToolArgumentError: none, or several."""
        wanted = name.strip().lstrip("@").lower()
        matches = [p for p in self.people.values() if wanted in names_of(p)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            who = tuple(p.name for p in matches)
            raise ToolArgumentError(f"{name!r} may be {' or '.join(who)}", who)
        near = tuple(nearest_names([name], list(self.people))) or tuple(self.people)[:5]
        raise ToolArgumentError(f"nobody called {name!r} has a calendar here; there are {', '.join(near)}", near)


def names_of(person: Person) -> set[str]:
    """How a person is called, in lower case."""
    parts = person.name.split()
    return {
        n.lower() for n in (person.name, *parts[:1], *parts[-1:], *person.aliases, person.email, *person.users) if n
    }


def open_calendars(settings: Settings) -> Calendars:
    """Open what the configuration names; nothing is read yet. Raises: ToolArgumentError: a folder is not there."""
    pool = ThreadPoolExecutor(max_workers=READERS, thread_name_prefix="calendar")
    out = Calendars()
    default_zone = settings.core.timezone if settings.core.timezone != "auto" else "UTC"
    for source in calendar_sources(settings):
        zone = source.timezone or default_zone
        name = unique(source.called, out.copies)
        owner = source.name or source.on_call
        if source.name:
            out.people[owner] = merged(out.people.get(owner), person_of(source, zone))
        else:
            out.rotations[name] = source.on_call
            out.team_aliases |= dict.fromkeys((alias.lower() for alias in source.aliases), source.on_call)
            owner = f"on call {source.on_call}"
        out.owners[name] = owner
        store = store_of(source, settings)
        names = frozenset(names_of(out.people[owner])) if source.name else frozenset[str]()
        out.copies[name] = CalendarCopy(store, Owner(name, owner, read_zone(zone), names), source.fresh_s, pool)
    return out


def unique(name: str, taken: Iterable[str]) -> str:
    """A name that no other calendar has."""
    used, number, free = set(taken), 2, name
    while free in used:
        free, number = f"{name} {number}", number + 1
    return free


def person_of(source: CalendarSource, zone: str) -> Person:
    """The person that an entry names."""
    return Person(
        name=source.name,
        aliases=source.aliases,
        email=source.email,
        zone=zone,
        users=source.users,
        hours=clock_span(source.hours),
        lunch=clock_span(source.lunch) if source.lunch else None,
        days=tuple(WEEKDAYS.index(day) for day in source.days),
        buffer=timedelta(minutes=source.buffer_min),
    )


def merged(first: Person | None, second: Person) -> Person:
    """One person of several calendars: the first entry says hours and zone."""
    if first is None:
        return second
    aliases = tuple(dict.fromkeys((*first.aliases, *second.aliases)))
    users = tuple(dict.fromkeys((*first.users, *second.users)))
    return Person(
        first.name, aliases, first.email or second.email, first.zone, users, first.hours, first.lunch, first.days,
        first.buffer,
    )  # fmt: skip


def clock_span(text: str) -> tuple[time, time]:
    """``09:00-18:00`` as two times."""
    start, _, end = text.partition("-")
    return time.fromisoformat(start), time.fromisoformat(end)


def store_of(source: CalendarSource, settings: Settings) -> CalendarStore:
    """Where a calendar lies."""
    if source.caldav:
        from workers.agents.calendar.source.caldav_store import CaldavStore, open_client  # noqa: PLC0415 - large

        client = open_client(source.caldav, source.username, source.password, source.token, source.timeout_s)
        return CaldavStore(source.caldav, client, writable=source.write, free_busy=source.free_busy)
    if source.ics:
        from workers.agents.calendar.source.ics_address_store import IcsAddressStore  # noqa: PLC0415 - as above
        from workers.sources.web.address_rules import make_rules  # noqa: PLC0415 - as above

        host = re.sub(r"^\w+://([^/@]*@)?", "", source.ics).split("/")[0]
        return IcsAddressStore(source.ics, make_rules((80, 443, 8080, 8443), (host,) if source.private else (), ()))
    del settings
    return FolderStore(Path(source.path).expanduser(), writable=source.write)


def visible(occurrence: Occurrence, reader: Person | None) -> Occurrence:
    """An occurrence as somebody may see it: what is marked private is its owner's alone, for others a busy time."""
    if not occurrence.private or (reader is not None and reader.name == occurrence.owner):
        return occurrence
    return Occurrence(
        **{
            **occurrence.__dict__,
            "title": "busy",
            "location": "",
            "attendees": (),
        }
    )


def ages(copies: Sequence[CalendarCopy], now: datetime) -> float:
    """The age in seconds of the oldest of some copies."""
    return max((copy.age_s(now) or 0.0 for copy in copies), default=0.0)
