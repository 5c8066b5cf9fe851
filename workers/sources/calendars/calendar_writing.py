"""A confirmed change in all calendars that hold an appointment: all of them, or none as far as servers allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal

from workers.errors import ToolError, ToolUnavailable
from workers.sources.calendars import recurrence_changes
from workers.sources.calendars.appointments import Occurrence, Resource
from workers.sources.calendars.calendar_copy import CalendarCopy
from workers.sources.calendars.calendar_store import CalendarConflict
from workers.sources.calendars.calendar_texts import new_appointment
from workers.sources.calendars.icalendar_objects import moment_of
from workers.sources.calendars.recurrence_changes import Scope, Texts

When = date | datetime


@dataclass(frozen=True)
class Target:
    """Where one calendar holds an appointment, and the version that is expected there; empty: none yet."""

    calendar: str
    owner: str
    href: str
    version: str

    def as_args(self) -> dict[str, str]:
        """As arguments of a tool."""
        return {"calendar": self.calendar, "owner": self.owner, "href": self.href, "version": self.version}


@dataclass(frozen=True)
class Change:
    """What is to be done, see `recurrence_changes`. ``organizer``, ``attendees``: name and address."""

    action: Literal["create", "move", "cancel"]
    uid: str
    title: str
    original: str = ""
    scope: Scope = "this"
    start: When | None = None
    end: When | None = None
    rule: str = ""
    location: str = ""
    organizer: tuple[str, str] | None = None
    attendees: tuple[tuple[str, str], ...] = ()


@dataclass
class Written:
    """One write that was made, and what takes it back."""

    copy: CalendarCopy
    href: str
    before: str
    after_version: str


def make_change(
    copies: Mapping[str, CalendarCopy], change: Change, targets: Sequence[Target], now: datetime
) -> Occurrence | None:
    """Make a change, and read it back from the first calendar.

    Every calendar is looked at before the first is written; when a later one cannot be written, what was written
    before is taken back.

    Returns: the occurrence as the calendar shows it now; None when it shows none.

    Raises:
        CalendarConflict: something was changed meanwhile; nothing is changed.
        ToolUnavailable: a calendar does not answer, or what was done in others could not be taken back.
        ToolArgumentError: the change cannot be made.
    """
    work = []
    for target in targets:
        copy = copies.get(target.calendar)
        if copy is None:
            raise CalendarConflict(f"the calendar {target.calendar} is no longer connected; nothing was changed")
        work.append((copy, target, *texts_for(copy, change, target, now)))
    done: list[Written] = []
    try:
        for copy, target, held, texts in work:
            write(copy, target, held, texts, done)
    except ToolError as error:
        left = take_back(done)
        if left:
            raise ToolUnavailable(f"{error}; but it is changed already in {', '.join(left)}: look there") from error
        raise
    shown = None
    for copy, target, _, texts in work:
        try:
            copy.refreshed(target.href)
            if texts.added:
                copy.refreshed(beside(target.href, texts.added[0]))
        except ToolUnavailable:
            continue
        shown = shown or (find_again(copy, change, texts) if change.start is not None else None)
    return shown


def texts_for(copy: CalendarCopy, change: Change, target: Target, now: datetime) -> tuple[Resource | None, Texts]:
    """What a calendar holds, and what is written there. Raises: CalendarConflict: it holds something else by now."""
    held = copy.store.get(target.href)
    if (held.version if held else "") != target.version:
        raise CalendarConflict(f"“{change.title}” was changed meanwhile; nothing was changed")
    zone = copy.owner.zone
    if held is None:
        if change.start is None or change.end is None:
            raise CalendarConflict(f"“{change.title}” is gone; nothing was changed")
        text = new_appointment(
            change.uid, change.title, change.start, change.end, stamp=now, rule=change.rule,
            location=change.location, organizer=change.organizer, attendees=change.attendees,
        )  # fmt: skip
        return None, Texts(text)
    if change.action == "cancel" or change.start is None or change.end is None:
        return held, recurrence_changes.cancel(held.text, change.uid, change.original, change.scope, zone)
    return held, recurrence_changes.move(
        held.text, change.uid, change.original, change.scope, zone, change.start, change.end
    )


def write(copy: CalendarCopy, target: Target, held: Resource | None, texts: Texts, done: list[Written]) -> None:
    """Write one calendar: the new part of a series first, so that none is lost."""
    if texts.added:
        name, text = texts.added
        href = beside(target.href, name)
        done.append(Written(copy, href, "", copy.store.put(href, text, "")))
    if texts.kept is None:
        copy.store.delete(target.href, target.version)
        done.append(Written(copy, target.href, held.text if held else "", ""))
        return
    version = copy.store.put(target.href, texts.kept, target.version)
    done.append(Written(copy, target.href, held.text if held else "", version))


def take_back(done: Sequence[Written]) -> list[str]:
    """Undo writes, the last first. Returns: the calendars in which that failed."""
    left = []
    for one in reversed(done):
        store = one.copy.store
        try:
            version = one.after_version
            if not version and (held := store.get(one.href)):
                version = held.version
            if one.before:
                store.put(one.href, one.before, version)
            else:
                store.delete(one.href, version)
        except ToolError:
            left.append(one.copy.owner.calendar)
    return list(dict.fromkeys(left))


def beside(href: str, name: str) -> str:
    """The place of a new resource in the same calendar."""
    folder, slash, _ = href.rpartition("/")
    return f"{folder}{slash}{name}.ics"


def find_again(copy: CalendarCopy, change: Change, texts: Texts) -> Occurrence | None:
    """The occurrence that was written, as the copy has it now."""
    if change.start is None or copy.snapshot is None:
        return None
    uids = {change.uid, texts.added[0] if texts.added else change.uid}
    start = start_of(change.start, copy.owner.zone)
    near = copy.snapshot.between(start, start + timedelta(minutes=1))
    return next((o for o in near if o.uid in uids and o.start == start), None)


def start_of(value: When, zone: tzinfo) -> datetime:
    """A start as a moment."""
    return moment_of(value, zone).astimezone(UTC)
