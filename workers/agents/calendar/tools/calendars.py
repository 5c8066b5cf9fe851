"""calendar_events, calendar_free_slots and calendar_on_call: what people's calendars hold, and when they have time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Any, Literal

from pydantic import Field

from workers.agents.calendar.known_names import COMING
from workers.agents.calendar.source.appointments import Occurrence, Person
from workers.agents.calendar.source.arguments import PEOPLE, check_span, read_clock, read_moment, read_weekdays
from workers.agents.calendar.source.availability import Wish, free_spans
from workers.agents.calendar.source.evidence import (
    MINUTE,
    event_evidence,
    say_age,
    say_span,
    shift_evidence,
    slot_evidence,
    texts,
    zone_name,
)
from workers.agents.calendar.source.open_calendars import Calendars, ages, names_of, open_calendars, visible
from workers.contracts import Evidence, Fact, Landscape, ToolOutput, rfc3339
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.language.nearest_names import nearest_names
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOMENT = "RFC 3339 time, or a date, which begins at midnight of the asker's zone"
MOST_COMING = {True: 300, False: 40}
"""So many appointments of who asks, and of each other person, are told as names that exist."""
NEXT_SHIFT = timedelta(days=60)


class EventsArgs(ToolArgs):
    """Whose appointments, and when."""

    people: str = Field("", max_length=500, description=PEOPLE)
    start: str = Field("", max_length=40, description=f"{MOMENT}; empty: now")
    end: str = Field("", max_length=40, description=f"{MOMENT}; empty: a day after start")
    words: str = Field("", max_length=200, description="only those with this UID, or all of these words in the title")
    only: Literal["", "series", "single", "whole days"] = Field("", description="only what recurs, or does not")
    min_minutes: int = Field(0, ge=0, description="only those that last so long")
    max_minutes: int = Field(0, ge=0, description="only those that last no longer; 0: of any length")
    limit: int = Field(40, ge=1, le=100, description="how many at most")
    with_people: str = Field("", max_length=500, description="only those in which these take part too")
    upcoming: bool = Field(default=False, description="only those that begin in the span, not those under way")


class SlotsArgs(ToolArgs):
    """Who meets, for how long, and when it may be."""

    people: str = Field("", max_length=500, description=f"{PEOPLE}; who asks is not added by itself")
    start: str = Field("", max_length=40, description=f"{MOMENT}; empty: now")
    end: str = Field("", max_length=40, description=f"{MOMENT}; empty: a week after start")
    duration_min: int = Field(30, ge=1, le=1_440, description="minutes")
    earliest: str = Field("", max_length=5, description="HH:MM of the asker's clock that no slot begins before")
    latest: str = Field("", max_length=5, description="HH:MM of the asker's clock that every slot ends by")
    weekdays: str = Field("", max_length=40, description="only these, such as mon,wed; empty: all")
    every_day: bool = Field(default=False, description="also on days that are not worked, within working hours")
    any_time: bool = Field(default=False, description="also outside of people's working hours and days")
    ignoring: str = Field("", max_length=200, description="UID of an appointment that need not count")
    limit: int = Field(12, ge=1, le=40, description="how many at most")


class OnCallArgs(ToolArgs):
    """Which team, and when."""

    team: str = Field("", max_length=100, description="a team with a rotation; empty: all teams")
    start: str = Field("", max_length=40, description=f"{MOMENT}; empty: now")
    end: str = Field("", max_length=40, description=f"{MOMENT}; empty: that moment alone")
    person: str = Field("", max_length=100, description="when this one's next shift begins, in place of who has it")


class CalendarReading:
    """The tools' functions, over all calendars."""

    def __init__(self, calendars: Calendars) -> None:
        self.calendars = calendars

    def events(self, args: EventsArgs, context: ToolContext) -> ToolOutput:
        """Appointments in a span. ``data = {people, start, end, events, busy, age_s}``.

        Raises: ToolArgumentError, ToolUnavailable.
        """
        zone = read_zone(context.timezone)
        people = self.calendars.find_people(args.people, context.user)
        start = read_moment(args.start, zone) or context.now
        end = read_moment(args.end, zone) or start + timedelta(days=1)
        check_span(start, end)
        reader = self.calendars.asker(context.user)
        around = timedelta(days=1)  # whole days lie in the zone of their owner
        found, failed = self.gather(people, start - around, end + around)
        shown = [visible(o, reader) for _, listed in found for o in listed if is_within(o, start, end, zone)]
        words = args.words.lower().split()
        title = next((o.title for o in shown if o.uid == args.words), args.words)
        shown = [o for o in shown if args.words in {"", o.uid} or all(w in o.title.lower() for w in words)]
        shown = [o for o in shown if is_wanted(o, args)]
        shown = [o for o in shown if not args.upcoming or o.start >= start]
        if args.with_people.strip():
            shown = self.shared_with(shown, self.calendars.find_people(args.with_people, context.user), start, end)
        shown.sort(key=lambda o: (o.start, o.end, o.owner))
        declined, shown = [o for o in shown if o.declined], [o for o in shown if not o.declined]
        read = [person for person, _ in found]
        unread = [p.name for p in people if p not in read]
        head = self.head(read, start, end, context)
        busy = sum(o.busy for o in shown)
        facts = {"events": Fact(value=len(shown), unit="count"), "busy": Fact(value=busy, unit="count")}
        facts |= texts("unknown", unknown=", ".join(unread), why="; ".join(failed), declined=say_declined(declined))
        facts |= texts("words", words=title)
        head = head.model_copy(update={"facts": head.facts | facts})
        evidence = (head, *(event_evidence(o, zone) for o in shown[: args.limit]))
        data = {
            "people": [p.name for p in read],
            "start": rfc3339(start),
            "end": rfc3339(end),
            "events": len(shown),
            "busy": busy,
            "unread": failed,
        }
        who = ", ".join(p.name for p in read)
        summary = f"{len(shown)} appointments of {who}, {say_span(start, end, zone)}"
        summary += f"; not known for {', '.join(unread)}" if unread else ""
        return ToolOutput(summary=summary, data=data, evidence=evidence, reason="; ".join(failed))

    def shared_with(
        self, shown: Sequence[Occurrence], people: Sequence[Person], start: datetime, end: datetime
    ) -> list[Occurrence]:
        """Those that stand in these people's calendars too, or name them in title or guests."""
        found, _ = self.gather(people, start, end)
        uids = {o.uid for _, listed in found for o in listed}
        names = {n for p in people for n in names_of(p)}
        return [
            o
            for o in shown
            if o.uid in uids or names & set(f"{o.title} {' '.join(o.attendees)}".lower().replace(",", " ").split())
        ]

    def slots(self, args: SlotsArgs, context: ToolContext) -> ToolOutput:
        """Spans in which all have time. ``data = {people, duration_min, slots: [[start, end]], unread}``.

        Raises: ToolArgumentError, ToolUnavailable: a calendar of theirs cannot be read, so nobody knows.
        """
        zone = read_zone(context.timezone)
        people = self.calendars.find_people(args.people, context.user)
        start = max(read_moment(args.start, zone) or context.now, context.now)
        end = read_moment(args.end, zone) or start + timedelta(days=7)
        check_span(start, end)
        found, failed = self.gather(people, start, end)
        if failed:
            raise ToolUnavailable("; ".join(failed))
        wish = Wish(
            start=start,
            end=end,
            duration=args.duration_min * MINUTE,
            zone=zone,
            earliest=read_clock(args.earliest),
            latest=read_clock(args.latest),
            weekdays=read_weekdays(args.weekdays),
            working_hours=not args.any_time,
            every_day=args.every_day,
        )
        taken = [o for _, listed in found for o in listed if o.uid == args.ignoring]
        declined = [visible(o, self.calendars.asker(context.user)) for _, listed in found for o in listed if o.declined]
        found = [(person, [o for o in listed if o not in taken]) for person, listed in found]
        spans = free_spans(wish, found)
        head = self.head(people, start, end, context)
        hours = "any time of day" if args.any_time else "; ".join(dict.fromkeys(say_hours(p) for p in people))
        rules = [f"{args.duration_min} min", f"not before {args.earliest}" if args.earliest else ""]
        rules += [f"until {args.latest}" if args.latest else "", args.weekdays]
        rules += [f"not counting {taken[0].title}" if taken else ""]
        facts = texts("slots", rules=", ".join(filter(None, rules)), hours=hours, declined=say_declined(declined))
        head = head.model_copy(update={"facts": head.facts | facts | {"slots": Fact(value=len(spans), unit="count")}})
        evidence = (head, *(slot_evidence(span, people, zone) for span in spans[: args.limit]))
        data = {
            "people": [p.name for p in people],
            "duration_min": args.duration_min,
            "slots": [[rfc3339(a.astimezone(zone)), rfc3339(b.astimezone(zone))] for a, b in spans[: args.limit]],
        }
        if not spans:
            shorter = free_spans(Wish(**{**wish.__dict__, "duration": MINUTE}), found)
            longest = max(shorter, key=lambda s: s[1] - s[0], default=None)
            near = f"; the longest is {say_span(*longest, zone)}" if longest else "; they share no free time at all"
            why = f"no {args.duration_min} min are free for all of them{near}"
            return ToolOutput(status="empty", reason=why, data=data, evidence=(head,))
        return ToolOutput(summary=f"{len(spans)} spans are free", data=data, evidence=evidence)

    def on_call(self, args: OnCallArgs, context: ToolContext) -> ToolOutput:
        """Shifts that touch a span, the next one too when none does. ``data = {team, shifts, next}``.

        Raises: ToolArgumentError: no such team; ToolUnavailable.
        """
        zone = read_zone(context.timezone)
        start = read_moment(args.start, zone) or context.now
        end = read_moment(args.end, zone) or start + timedelta(seconds=1)
        check_span(start, end)
        teams = self.find_teams(args.team)
        evidence: list[Evidence] = []
        shifts, following = [], []
        for team in teams:
            listed = self.calendars.between(f"on call {team}", start, end + NEXT_SHIFT)
            now = [o for o in listed if o.touches(start, end)]
            if args.person.strip():
                (wanted,) = self.calendars.find_people(args.person, context.user)[:1]
                now = [o for o in listed if o.start >= start and self.person_of(o) == wanted.name][:1]
            later = [o for o in listed if o.start >= end][:1]
            shifts += [(team, o) for o in now]
            following += [(team, o) for o in later]
        for team, one in shifts:
            evidence.append(shift_evidence(one, team, self.person_of(one), zone))
        nexts = [shift_evidence(one, team, self.person_of(one), zone) for team, one in following]
        at = say_span(start, end, zone) if end - start > MINUTE else say_span(start, start, zone).split("–")[0]
        facts = texts("on call", teams=", ".join(teams), at=f"{at} ({zone_name(zone)})")
        facts |= self.state("on call", [f"on call {team}" for team in teams])
        if len(following) == 1:
            facts |= texts("on call", next=f"{nexts[0].facts['person'].value}, {nexts[0].facts['when'].value}")
        head = Evidence(kind="event", title=f"On call: {', '.join(teams)}", locator="on-call", facts=facts)
        data = {
            "team": ", ".join(teams),
            "shifts": [
                {"person": self.person_of(o), "start": rfc3339(o.start), "end": rfc3339(o.end)} for _, o in shifts
            ],
            "next": [{"person": self.person_of(o), "start": rfc3339(o.start)} for _, o in following],
        }
        if not shifts:
            return ToolOutput(
                status="empty", reason=f"nobody is on call for {', '.join(teams)} then", data=data, evidence=(head,)
            )
        names = ", ".join(self.person_of(o) for _, o in shifts[:4])
        return ToolOutput(summary=f"on call: {names}", data=data, evidence=(head, *evidence))

    def landscape(self, context: ToolContext) -> Landscape:
        """People with their aliases and ids, teams with a rotation, and the next appointments of everybody.

        A person is a JSON list: ``[name, aliases, ids, zone]``; an appointment ``[title, start, minutes, owner, in a
        series, uid, declined]``; another name of a team ``[alias, team]``. Private appointments are those of who asks.
        """
        self.calendars.prepare()
        people = [
            json.dumps([p.name, sorted(names_of(p) - {p.email, *p.users}), list(p.users), p.zone], ensure_ascii=False)
            for p in self.calendars.people.values()
        ]
        me = self.calendars.asker(context.user)
        coming: list[Occurrence] = []
        for person in self.calendars.people.values():
            try:
                listed = self.calendars.between(person.name, context.now, context.now + COMING)
            except ToolUnavailable:
                continue
            listed = [o for o in listed if person == me or not (o.private or o.declined)]
            if person != me:  # of a series of theirs the next one tells its name
                listed = list({o.uid: o for o in reversed(listed)}.values())[::-1]
            coming += listed[: MOST_COMING[person == me]]
        lines = [
            json.dumps(
                [
                    o.title,
                    rfc3339(o.start),
                    round((o.end - o.start) / MINUTE),
                    o.owner,
                    bool(o.original),
                    o.uid,
                    o.declined,
                ],
                ensure_ascii=False,
            )
            for o in sorted(coming, key=lambda o: o.start)
        ]
        teams = tuple(dict.fromkeys(self.calendars.rotations.values()))
        aliases = tuple(json.dumps([alias, team]) for alias, team in self.calendars.team_aliases.items())
        labels = {"calendar_person": tuple(people), "on_call_team": teams, "on_call_alias": aliases}
        labels["appointment"] = tuple(lines)
        return Landscape(labels={k: v for k, v in labels.items() if v})

    def gather(
        self, people: Sequence[Person], start: datetime, end: datetime
    ) -> tuple[list[tuple[Person, list[Occurrence]]], list[str]]:
        """Everybody's occurrences; those of appointments far around, so that a buffer reaches into the span."""
        found, failed = [], []
        for person in people:
            around = person.buffer
            try:
                found.append((person, self.calendars.between(person.name, start - around, end + around)))
            except ToolUnavailable as error:
                failed.append(str(error))
        if failed and not found:
            raise ToolUnavailable("; ".join(failed))
        return found, failed

    def head(self, people: Sequence[Person], start: datetime, end: datetime, context: ToolContext) -> Evidence:
        """What was looked at, and how old the copy is."""
        zone = read_zone(context.timezone)
        who = ", ".join(p.name for p in people)
        window = f"{say_span(start, end, zone)} ({zone_name(zone)})"
        facts = texts(who, people=who, window=window) | self.state(who, [p.name for p in people])
        return Evidence(kind="event", title=f"Calendars of {who}", locator=f"calendars/{who}", facts=facts)

    def state(self, who: str, owners: Sequence[str]) -> dict[str, Fact]:
        """How old the copies of some owners are, what failed, and how much of them could not be read."""
        copies = [copy for owner in owners for copy in self.calendars.of(owner)]
        failed = "; ".join(f"{c.owner.calendar}: {c.failure}" for c in copies if c.failure)
        unread = sum(len(c.snapshot.unread) for c in copies if c.snapshot)
        zones = ", ".join(zone for c in copies if c.snapshot for zone in c.snapshot.zones)
        facts = texts(who, age=say_age(ages(copies, datetime.now(UTC))), stale=failed, zones=zones)
        return facts | ({"unread": Fact(value=unread, unit="count", entity=who)} if unread else {})

    def find_teams(self, name: str) -> list[str]:
        """The teams of a name; all when it is empty. Raises: ToolArgumentError: there is none."""
        teams = list(dict.fromkeys(self.calendars.rotations.values()))
        if not teams:
            raise ToolArgumentError("no on-call rotation is connected: a calendar with `on_call: TEAM` is one")
        if not name.strip():
            return teams
        called = self.calendars.team_aliases.get(name.strip().lower(), name.strip()).lower()
        found = [t for t in teams if t.lower() == called]
        if not found:
            near = tuple(nearest_names([name], teams)) or tuple(teams)
            raise ToolArgumentError(f"no rotation is called {name!r}; there are {', '.join(teams)}", near)
        return found

    def person_of(self, shift: Occurrence) -> str:
        """Who has a shift: the person whose name its title or its guests hold as whole words, the longest; else its
        title.
        """
        held = f"{shift.title} {' '.join(shift.attendees)}"
        names = sorted((p.name for p in self.calendars.people.values()), key=len, reverse=True)
        named = (n for n in names if re.search(rf"(?<!\w){re.escape(n)}(?!\w)", held, re.IGNORECASE))
        return next(named, shift.title)


def is_wanted(one: Occurrence, args: EventsArgs) -> bool:
    """Whether an appointment is of the kind and length that alone is wanted."""
    kinds = {"": True, "series": bool(one.original), "single": not one.original, "whole days": one.all_day}
    minutes = (one.end - one.start) / MINUTE
    return kinds[args.only] and args.min_minutes <= minutes <= (args.max_minutes or minutes)


def is_within(one: Occurrence, start: datetime, end: datetime, zone: tzinfo) -> bool:
    """Whether an appointment has a part in a span. Of whole days, one of whole days is compared by its dates."""
    first, last = start.astimezone(zone), end.astimezone(zone)
    if one.all_day and first.time() == last.time() == time():
        return one.start.date() < last.date() and one.end.date() > first.date()
    return one.touches(start, end)


def say_declined(found: Sequence[Occurrence]) -> str:
    """The appointments that were declined, and whose they are."""
    return ", ".join(dict.fromkeys(f"{o.title} ({o.owner})" for o in found))


def say_hours(person: Person) -> str:
    """Somebody's working hours."""
    lunch = f", lunch {person.lunch[0]:%H:%M}–{person.lunch[1]:%H:%M}" if person.lunch else ""
    return f"{person.hours[0]:%H:%M}–{person.hours[1]:%H:%M}{lunch} {zone_name(person.tz)}"


EVENTS = "Appointments of people in a span of time, recurring ones expanded, with the time they take."
SLOTS = "Spans of time in which several people are free, by their working hours, zones and calendars."
ON_CALL = "Who is on call for a team at a time or in a span, from the team's rotation; the next shift too."


def reading_tool(
    name: str, purpose: str, description: str, args: type[ToolArgs], run: Callable[..., Any], resources: Resources
) -> Tool:
    """One of the tools."""
    reading = CalendarReading(resources.shared(open_calendars))
    return Tool(
        name=name,
        purpose=purpose,
        description=description,
        access="read",
        args=args,
        run=lambda given, context: run(reading, given, context),
        ping=reading.calendars.ping,
        landscape=reading.landscape if name == "calendar_events" else None,
        prepare=reading.calendars.prepare,
        personal=True,
        source="calendars",
        key="calendars",
    )


def build_calendar_events(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is given."""
    NoOptions.model_validate(options)
    return reading_tool("calendar_events", "read calendars", EVENTS, EventsArgs, CalendarReading.events, resources)


def build_calendar_free_slots(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is given."""
    NoOptions.model_validate(options)
    return reading_tool("calendar_free_slots", "find free time", SLOTS, SlotsArgs, CalendarReading.slots, resources)


def build_calendar_on_call(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is given."""
    NoOptions.model_validate(options)
    return reading_tool(
        "calendar_on_call", "look who is on call", ON_CALL, OnCallArgs, CalendarReading.on_call, resources
    )
