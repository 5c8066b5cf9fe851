"""calendar_create, calendar_move and calendar_cancel propose; calendar_apply does it when a person has confirmed.

A proposal holds the version (ETag, hash) of every copy that it would change, so that what somebody changed meanwhile
stays as it is.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any, Literal

from pydantic import Field

from workers.agents.calendar.source.appointment_search import find_occurrence
from workers.agents.calendar.source.appointments import Occurrence, Person
from workers.agents.calendar.source.arguments import PEOPLE, read_clock, read_moment
from workers.agents.calendar.source.availability import outside_hours
from workers.agents.calendar.source.calendar_writing import Change, ChangeUnknown, Target, make_change
from workers.agents.calendar.source.evidence import MINUTE, event_evidence, say_rule, say_span, texts, zone_name
from workers.agents.calendar.source.open_calendars import Calendars, open_calendars, visible
from workers.agents.calendar.source.recurrence_changes import Scope
from workers.contracts import Evidence, Proposal, ToolOutput
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.language.zones import read_zone
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

APPLY = "calendar_apply"
SCOPES: dict[Scope, str] = {"this": "only this one", "following": "this and all following", "all": "the whole series"}
ON = "which one of several: its date, its start, or a span of dates 2026-11-30/2026-12-05; empty: the next"
SCOPE = "of a series: this, following (it and all later ones) or all; ask when it was not said"


class CreateArgs(ToolArgs):
    """What, when, and with whom."""

    title: str = Field(min_length=1, max_length=200, description="what it is called")
    start: str = Field(min_length=8, max_length=40, description="RFC 3339 time; a date for a whole day")
    end: str = Field("", max_length=40, description="the same; empty: duration_min after start, or the day's end")
    duration_min: int = Field(0, ge=0, le=10_080, description="minutes, where end is empty")
    people: str = Field("", max_length=500, description=f"who is invited: {PEOPLE}; who asks always takes part")
    location: str = Field("", max_length=200, description="where")
    rule: str = Field("", max_length=200, description="RRULE of a series, such as FREQ=WEEKLY;BYDAY=MO")


class MoveArgs(ToolArgs):
    """Which appointment, and what it moves to. What is not given stays as it is."""

    appointment: str = Field(min_length=1, max_length=300, description="its UID, or words of its title")
    on: str = Field("", max_length=80, description=ON)
    date: str = Field("", max_length=10, description="its new date, YYYY-MM-DD")
    time: str = Field("", max_length=5, description="its new start, HH:MM of the asker's clock")
    shift_min: int = Field(0, ge=-20_160, le=20_160, description="minutes later, or earlier when negative")
    duration_min: int = Field(0, ge=0, le=10_080, description="its new length; 0: as it is")
    scope: Literal["", "this", "following", "all"] = Field("", description=SCOPE)


class CancelArgs(ToolArgs):
    """Which appointment."""

    appointment: str = Field(min_length=1, max_length=300, description="its UID, or words of its title")
    on: str = Field("", max_length=80, description=ON)
    scope: Literal["", "this", "following", "all"] = Field("", description=SCOPE)


class ApplyArgs(ToolArgs):
    """What was proposed, with what it expects to find."""

    action: Literal["create", "move", "cancel"] = Field(description="what is done")
    uid: str = Field(max_length=500, description="UID of the appointment")
    title: str = Field(max_length=200, description="what it is called")
    start: str = Field("", max_length=40, description="its start afterwards, a time or a date")
    end: str = Field("", max_length=40, description="its end afterwards")
    zone: str = Field("", max_length=60, description="the zone that a new one is written in")
    original: str = Field("", max_length=40, description="which of a series, by the start that its rule gives it")
    scope: Scope = Field("this", description="how much of a series")
    rule: str = Field("", max_length=200, description="RRULE of a new series")
    location: str = Field("", max_length=200, description="where")
    organizer: str = Field("", max_length=200, description="whose a new one is")
    people: list[str] = Field(default_factory=list, max_length=100, description="who takes part in a new one")
    targets: list[dict[str, str]] = Field(
        default_factory=list, max_length=100, description="each {calendar, owner, href, version} that is written"
    )


class CalendarChanging:
    """The tools' functions, over all calendars."""

    def __init__(self, calendars: Calendars) -> None:
        self.calendars = calendars

    def create(self, args: CreateArgs, context: ToolContext) -> ToolOutput:
        """Propose a new appointment. Raises: ToolArgumentError, ToolDenied."""
        me = self.asker(context)
        invited = self.calendars.find_people(args.people, context.user) if args.people.strip() else []
        people = list({p.name: p for p in (me, *invited)}.values())
        start, end = read_span(args, context)
        targets = [t for p in people if (t := self.place_of(p, f"{uuid.uuid4()}.ics"))]
        if not targets or targets[0].owner != me.name:
            raise ToolDenied("your calendar is connected to be read only")
        if self.calendars.copies[targets[0].calendar].store.schedules:
            targets = targets[:1]  # the server tells those who are invited
        change = ApplyArgs(
            action="create",
            uid=f"{uuid.uuid4()}",
            title=args.title,
            start=start.isoformat(),
            end=end.isoformat(),
            zone=context.timezone,
            scope="all" if args.rule else "this",
            rule=args.rule,
            location=args.location,
            organizer=me.name,
            people=[p.name for p in people],
            targets=[t.as_args() for t in targets],
        )
        zone = read_zone(context.timezone)
        when = say_dates(start, end, zone) + (f", {say_rule(args.rule, zone)}" if args.rule else "")
        title = f"Create “{args.title}”, {when}" + (f" with {names(people, me)}" if len(people) > 1 else "")
        lines = [f"+ {args.title} · {when} ({zone_name(zone)})"]
        lines += self.consequences(people, start, end, "", context, targets)
        lines += self.untold(people, targets)
        return proposed(change, title, lines, ())

    def move(self, args: MoveArgs, context: ToolContext) -> ToolOutput:
        """Propose to move an appointment. Raises: ToolArgumentError, ToolDenied."""
        me, zone = self.asker(context), read_zone(context.timezone)
        one = find_occurrence(self.calendars, me, args.appointment, args.on, context.now, zone)
        start, end = moved_span(one, args, zone)
        if (start, end) == spelled(one):
            return ToolOutput(status="empty", reason=f"“{one.title}” is at that time already")
        change = self.change("move", one, self.scope(one, args.scope), start, end)
        before = say_span(one.start, one.end, zone, all_day=one.all_day)
        after = say_dates(start, end, zone)
        whole = f" ({SCOPES[change.scope]})" if one.original else ""
        lines = [f"{one.title}{whole}: {before} → {after} ({zone_name(zone)})"]
        people = self.takers(one)
        targets = [Target(**t) for t in change.targets]
        lines += self.consequences(people, start, end, one.uid, context, targets)
        return proposed(change, f"Move “{one.title}” from {before} to {after}{whole}", lines, (one,), zone)

    def cancel(self, args: CancelArgs, context: ToolContext) -> ToolOutput:
        """Propose to cancel an appointment. Raises: ToolArgumentError, ToolDenied."""
        me, zone = self.asker(context), read_zone(context.timezone)
        one = find_occurrence(self.calendars, me, args.appointment, args.on, context.now, zone)
        change = self.change("cancel", one, self.scope(one, args.scope), None, None)
        when = say_span(one.start, one.end, zone, all_day=one.all_day)
        whole = f" ({SCOPES[change.scope]})" if one.original else ""
        lines = [f"- {one.title}{whole} · {when} ({zone_name(zone)})"]
        targets = [Target(**t) for t in change.targets]
        lines += self.written_in(one, targets)
        return proposed(change, f"Cancel “{one.title}”, {when}{whole}", lines, (one,), zone)

    def apply(self, args: ApplyArgs, context: ToolContext) -> ToolOutput:
        """Make a change that was confirmed; ``timeout``: whether it was made is not known.

        Raises: CalendarConflict, ToolUnavailable, ToolArgumentError.
        """
        people = [self.calendars.people[name] for name in args.people if name in self.calendars.people]
        change = Change(
            action=args.action,
            uid=args.uid,
            title=args.title,
            original=args.original,
            scope=args.scope,
            start=read_value(args.start, args.zone),
            end=read_value(args.end, args.zone),
            rule=args.rule,
            location=args.location,
            organizer=next(((p.name, p.email) for p in people if p.name == args.organizer), None),
            attendees=tuple((p.name, p.email) for p in people if p.name != args.organizer),
        )
        targets = [Target(**t) for t in args.targets]
        zone = read_zone(context.timezone)
        try:
            found = make_change(self.calendars.copies, change, targets, context.now)
        except ChangeUnknown as error:
            return ToolOutput(status="timeout", reason=str(error))
        evidence = (event_evidence(found, zone),) if found else ()
        whole = f", {SCOPES[args.scope]}" if args.original else ""
        if args.action == "cancel":
            return ToolOutput(summary=f"“{args.title}”{whole}, is cancelled")
        when = say_dates(read_value(args.start), read_value(args.end), zone)
        said = f"“{args.title}”{whole} is at {when}"
        read_back = f"read back from the calendar {targets[0].calendar}"
        if found is None:
            return ToolOutput(summary=f"{said}; the calendar took it, but does not show it yet")
        return ToolOutput(summary=f"{said} ({read_back})", evidence=evidence)

    # --- parts ------------------------------------------------------------------------------------------------

    def asker(self, context: ToolContext) -> Person:
        """Who asks. Raises: ToolArgumentError: nobody knows."""
        return self.calendars.find_people("me", context.user)[0]

    def scope(self, one: Occurrence, said: str) -> Scope:
        """How much of a series is meant. Raises: ToolArgumentError: it was not said."""
        if not one.original:
            return "this"
        for scope in SCOPES:
            if said == scope:
                return scope
        raise ToolArgumentError(
            f"“{one.title}” is one of a series: say only this one, this and all following, or the whole series",
            tuple(SCOPES.values()),
        )

    def change(
        self, action: Literal["move", "cancel"], one: Occurrence, scope: Scope, start: Any, end: Any
    ) -> ApplyArgs:
        """A change of an appointment in all calendars that hold it, that of who asks first. Raises: ToolDenied."""
        targets = [
            t for name, copy in self.calendars.copies.items() if (t := self.held(name, copy.owner.name, one.uid))
        ]
        targets.sort(key=lambda t: t.owner != one.owner)
        targets = [t for t in targets if self.calendars.copies[t.calendar].store.writable]
        if not targets or targets[0].owner != one.owner:
            raise ToolDenied(f"the calendar {one.calendar} is connected to be read only")
        if self.calendars.copies[targets[0].calendar].store.schedules:
            targets = targets[:1]
        return ApplyArgs(
            action=action,
            uid=one.uid,
            title=one.title,
            start=start.isoformat() if start else "",
            end=end.isoformat() if end else "",
            original=one.original,
            scope=scope,
            targets=[t.as_args() for t in targets],
        )

    def held(self, calendar: str, owner: str, uid: str) -> Target | None:
        """Where a calendar holds an appointment, with its version."""
        snapshot = self.calendars.copies[calendar].snapshot
        for one in snapshot.appointments if snapshot else ():
            if one.uid == uid:
                return Target(calendar, owner, one.resource.href, one.resource.version)
        return None

    def place_of(self, person: Person, href: str) -> Target | None:
        """Where a new appointment of somebody is put: the first of their calendars that can be written."""
        copies = self.calendars.of(person.name)
        return next((Target(c.owner.calendar, person.name, href, "") for c in copies if c.store.writable), None)

    def takers(self, one: Occurrence) -> list[Person]:
        """The people in whose calendars an appointment stands."""
        copies = self.calendars.copies.items()
        owners = [c.owner.name for name, c in copies if self.held(name, c.owner.name, one.uid)]
        return [self.calendars.people[name] for name in dict.fromkeys(owners) if name in self.calendars.people]

    def written_in(self, one: Occurrence | None, targets: Sequence[Target]) -> list[str]:
        """Which calendars are written, and which hold the appointment and are not."""
        lines = [f"in the calendars: {', '.join(t.calendar for t in targets)}"]
        if one:
            written = {t.owner for t in targets}
            left = [p.name for p in self.takers(one) if p.name not in written]
            lines += [f"not changed by me: the calendars of {', '.join(left)}"] if left else []
        return lines

    def untold(self, people: Sequence[Person], targets: Sequence[Target]) -> list[str]:
        """Who takes part in a new appointment and is not told of it: nobody writes their calendar."""
        written = {t.owner for t in targets}
        schedules = self.calendars.copies[targets[0].calendar].store.schedules
        left = [p.name for p in people if p.name not in written and not (schedules and p.email)]
        if not left:
            return []
        why = "no address to invite them is known" if schedules else "connected to be read only"
        return [f"not written: the calendars of {', '.join(left)} ({why}); tell them yourself"]

    def consequences(
        self,
        people: Sequence[Person],
        start: Any,
        end: Any,
        uid: str,
        context: ToolContext,
        targets: Sequence[Target],
    ) -> list[str]:
        """What it collides with, whose working hours it leaves, and where it is written."""
        lines = self.written_in(None, targets)
        if not isinstance(start, datetime):
            return lines
        zone, reader = read_zone(context.timezone), self.calendars.asker(context.user)
        for person in people:
            try:
                taken = self.calendars.between(person.name, start, end)
            except ToolUnavailable as error:
                lines.append(f"conflicts are not known for {person.name}: {error}")
                taken = []
            for one in taken:
                if one.busy and one.uid != uid and one.end > one.start:
                    shown = visible(one, reader)
                    when = say_span(one.start, one.end, zone, all_day=one.all_day)
                    lines.append(f"conflict: {person.name} has “{shown.title}”, {when}")
            if outside_hours(person, start, end):
                local = say_span(start, end, person.tz)
                lines.append(f"outside of the working hours of {person.name}: {local} {zone_name(person.tz)}")
        return lines


def proposed(
    change: ApplyArgs, title: str, lines: Sequence[str], before: Sequence[Occurrence], zone: Any = None
) -> ToolOutput:
    """A change that waits for a person."""
    shown = "\n".join(filter(None, lines))
    conflicts = [line for line in lines if line.startswith(("conflict", "outside", "not written"))]
    facts = texts("change", change=title, conflicts="; ".join(conflicts), preview=shown)
    head = Evidence(kind="tool", title=title, locator=APPLY, excerpt=shown, facts=facts)
    proposal = Proposal(tool=APPLY, args=change.model_dump(), title=title, preview=shown)
    return ToolOutput(
        summary=f"proposed, not done: {title}",
        data={"title": title, "conflicts": conflicts},
        evidence=(head, *(event_evidence(o, zone) for o in before)),
        proposals=(proposal,),
    )


def read_span(args: CreateArgs, context: ToolContext) -> tuple[Any, Any]:
    """Start and end of a new appointment: both times, or both dates. Raises: ToolArgumentError."""
    if len(args.start.strip()) == 10:
        first = read_date(args.start)
        last = read_date(args.end) if args.end else first + timedelta(days=1)
        if last <= first:
            raise ToolArgumentError("end is not after start")
        return first, last
    start = read_moment(args.start, read_zone(context.timezone))
    end = read_moment(args.end, read_zone(context.timezone))
    if start is None or (end is None and not args.duration_min):
        raise ToolArgumentError("say when it begins, and its end or duration_min")
    end = end or start + args.duration_min * MINUTE
    if end <= start:
        raise ToolArgumentError("end is not after start")
    if end < context.now:
        raise ToolArgumentError("that time is past")
    return start, end


def moved_span(one: Occurrence, args: MoveArgs, zone: Any) -> tuple[Any, Any]:
    """Where an appointment moves to. Raises: ToolArgumentError: nothing was said of it."""
    if not (args.date or args.time or args.shift_min or args.duration_min):
        raise ToolArgumentError("say what it moves to: date, time, shift_min or duration_min")
    length = args.duration_min * MINUTE or one.end - one.start
    if one.all_day and not args.time:
        first = (one.start + args.shift_min * MINUTE).date()
        first = read_date(args.date) if args.date else first
        days = max(round(length / timedelta(days=1)), 1)
        return first, first + timedelta(days=days)
    if one.all_day and not args.duration_min:
        raise ToolArgumentError("it lasts a whole day; say duration_min too")
    home = one.start.tzinfo
    local = one.start.astimezone(zone)
    day = read_date(args.date) if args.date else local.date()
    clock = read_clock(args.time) or time(local.hour, local.minute)
    start = datetime.combine(day, clock, zone).astimezone(home) + args.shift_min * MINUTE
    return start, start + length


def spelled(one: Occurrence) -> tuple[Any, Any]:
    """An occurrence's times as a change would have them."""
    return (one.start.date(), one.end.date()) if one.all_day else (one.start, one.end)


def read_date(text: str) -> date:
    """A date. Raises: ToolArgumentError."""
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError as error:
        raise ToolArgumentError(f"{text!r} is no date; write 2026-11-26") from error


def read_value(text: str, zone: str = "") -> Any:
    """A date or a time as a proposal holds it, in a zone if one is given; None for an empty one."""
    if not text:
        return None
    if "T" not in text:
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    return moment.astimezone(read_zone(zone)) if zone else moment


def say_dates(start: Any, end: Any, zone: Any) -> str:
    """A span of times, or of dates."""
    if isinstance(start, datetime):
        return say_span(start, end, zone)
    first, last = (datetime.combine(day, time(), zone) for day in (start, end))
    return say_span(first, last, zone, all_day=True)


def names(people: Sequence[Person], me: Person) -> str:
    """The others."""
    return ", ".join(p.name for p in people if p.name != me.name)


WRITES: dict[str, tuple[str, str, type[ToolArgs], Callable[..., ToolOutput]]] = {
    "calendar_create": ("create an appointment", "Create an appointment.", CreateArgs, CalendarChanging.create),
    "calendar_move": (
        "move an appointment",
        "Move an appointment, or change its length.",
        MoveArgs,
        CalendarChanging.move,
    ),
    "calendar_cancel": ("cancel an appointment", "Cancel an appointment.", CancelArgs, CalendarChanging.cancel),
    APPLY: (
        "change a calendar",
        "Make a change of calendars that a request proposed.",
        ApplyArgs,
        CalendarChanging.apply,
    ),
}


def refuse(args: Any, context: ToolContext) -> ToolOutput:
    """Raises: ToolDenied: always."""
    del args, context
    raise ToolDenied("a person confirms it first")


def changing_tool(name: str, options: dict[str, Any], resources: Resources) -> Tool:
    """One of the tools: those that propose, and the one that makes what was proposed, which who confirms calls alone.

    Raises: pydantic.ValidationError: an option is given.
    """
    NoOptions.model_validate(options)
    changing = CalendarChanging(resources.shared(open_calendars))
    purpose, description, arguments, call = WRITES[name]

    def called(args: Any, context: ToolContext) -> ToolOutput:
        return call(changing, args, context)

    return Tool(
        name=name,
        purpose=purpose,
        description=description if name == APPLY else f"{description} A person confirms it first.",
        access="write",
        args=arguments,
        run=called if name == APPLY else refuse,
        propose=None if name == APPLY else called,
        ping=changing.calendars.ping,
        prepare=changing.calendars.prepare,
        personal=True,
        source="calendars",
        key="calendars",
    )


build_calendar_create = partial(changing_tool, "calendar_create")
build_calendar_move = partial(changing_tool, "calendar_move")
build_calendar_cancel = partial(changing_tool, "calendar_cancel")
build_calendar_apply = partial(changing_tool, APPLY)
