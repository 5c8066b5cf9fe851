"""A confirmed change in all calendars that hold an appointment: all of them, or none as far as servers allow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal

from workers.agents.calendar.source import recurrence_changes
from workers.agents.calendar.source.appointments import Occurrence, Resource
from workers.agents.calendar.source.calendar_copy import CalendarCopy
from workers.agents.calendar.source.calendar_store import AnswerLost, CalendarConflict
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.icalendar_objects import moment_of, parse
from workers.agents.calendar.source.recurrence_changes import Scope, Texts
from workers.errors import ToolError

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


class ChangeUnknown(ToolError):
    """A write was begun, and nobody knows whether all of it was done, or what was done could not be taken back."""


@dataclass
class Written:
    """One write that was begun, and what takes it back. ``wanted``: what it makes of it, None: it is deleted;
    ``before``: what was there; ``after_version``: that of what was written, if it is known.
    """

    copy: CalendarCopy
    href: str
    before: Resource | None
    wanted: str | None
    after_version: str = ""
    made: bool = False


def make_change(
    copies: Mapping[str, CalendarCopy], change: Change, targets: Sequence[Target], now: datetime
) -> Occurrence | None:
    """Make a change, and read it back from the first calendar.

    Every calendar is looked at before the first is written; when a later one cannot be written, what was written
    before is taken back.

    Returns: the occurrence as the calendar shows it now; None when it shows none.

    Raises:
        CalendarConflict: something was changed meanwhile; nothing is changed.
        ToolUnavailable: a calendar does not answer or refuses; nothing is changed.
        ToolArgumentError: the change cannot be made.
        ChangeUnknown: a write was begun and its end is not known, or it could not be taken back.
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
    except Exception as error:  # whatever fails after the first write leaves something to be told
        unknown = [one.copy.owner.calendar for one in done if not one.made]
        left = [*take_back([one for one in done if one.made]), *unknown]
        if left:
            where = ", ".join(dict.fromkeys(left))
            raise ChangeUnknown(f"{said(error)}; it may be changed already in {where}: look there") from error
        raise
    return read_back(work, change)


def read_back(work: Sequence[tuple[CalendarCopy, Target, Resource | None, Texts]], change: Change) -> Occurrence | None:
    """The occurrence as the first calendar that answers shows it. All is written: a failure here is none of it."""
    shown = None
    for copy, target, _, texts in work:
        try:
            copy.refreshed(target.href)
            if texts.added:
                copy.refreshed(beside(target.href, texts.added[0]))
            shown = shown or (find_again(copy, change, texts) if change.start is not None else None)
        except (ToolError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return shown


def said(error: Exception) -> str:
    """What an error says that a person may read."""
    return str(error) if isinstance(error, ToolError) else "something went wrong while it was written"


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
        write_one(Written(copy, beside(target.href, name), None, text), "", done)
    write_one(Written(copy, target.href, held, texts.kept), target.version, done)


def write_one(one: Written, version: str, done: list[Written]) -> None:
    """One write, registered before it is begun. One that failed is looked at: it may have been made all the same.

    Raises: ToolError: it was not made, and is not in ``done``; or nobody knows, and it is, not ``made``.
    """
    done.append(one)
    try:
        if one.wanted is None:
            one.copy.store.delete(one.href, version)
        else:
            one.after_version = one.copy.store.put(one.href, one.wanted, version)
    except ToolError as error:
        seen = look(one, version)
        if seen == "unmade" and not isinstance(error, AnswerLost):
            done.remove(one)
            raise
        if isinstance(error, CalendarConflict) and seen != "made":
            done.remove(one)
            raise
        if seen != "made":
            raise
    one.made = True


def look(one: Written, version: str) -> Literal["made", "unmade", "unknown"]:
    """Whether a write that failed was made, by what is there now."""
    try:
        held = one.copy.store.get(one.href)
    except ToolError:
        return "unknown"
    if (held.version if held else "") == version:
        return "unmade"
    if held is None:
        return "made" if one.wanted is None else "unknown"
    if one.wanted is not None and same_text(held.text, one.wanted):
        one.after_version = held.version
        return "made"
    return "unknown"


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same but for their line ends and folding."""
    try:
        return bool(parse(one).to_ical() == parse(other).to_ical())
    except ValueError:
        return False


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
                store.put(one.href, one.before.text, version)
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
