"""Changes of appointments as iCalendar texts: one of a series, all that follow, or all. Pure.

Each function takes a resource's text and returns the texts to be written: ``Texts.kept`` in its place (None: it is
deleted), and ``Texts.added``: a further resource, where a series is parted.
"""

from __future__ import annotations

import copy
import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Literal

import icalendar
from icalendar import Component

from workers.errors import ToolArgumentError
from workers.sources.calendars.calendar_texts import empty_calendar
from workers.sources.calendars.icalendar_objects import cancelled, length_of, moment_of, name_start, parse

Scope = Literal["this", "following", "all"]
DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True)
class Texts:
    """What is written. ``added``: the UID and the text of a new resource."""

    kept: str | None
    added: tuple[str, str] | None = None


@dataclass(frozen=True)
class Series:
    """The parts of a resource that belong to one appointment."""

    calendar: icalendar.Calendar
    master: Component
    changed: tuple[Component, ...]
    zone: tzinfo

    def override_of(self, original: str) -> Component | None:
        """The exception of one occurrence."""
        return next((c for c in self.changed if self.original_of(c) == original), None)

    def original_of(self, event: Component) -> str:
        """Which occurrence an exception is of."""
        return name_start(event["RECURRENCE-ID"].dt, self.zone)


def read_series(text: str, uid: str, zone: tzinfo) -> Series:
    """The parts of an appointment. Raises: ToolArgumentError: it is not there, or lacks its rule."""
    calendar = parse(text)
    events = [e for e in calendar.walk("VEVENT") if str(e.get("UID", "")) == uid]
    masters = [e for e in events if "RECURRENCE-ID" not in e]
    if len(masters) != 1:
        raise ToolArgumentError("this appointment cannot be changed here: its calendar holds only a part of it")
    return Series(calendar, masters[0], tuple(e for e in events if "RECURRENCE-ID" in e), zone)


def cancel(text: str, uid: str, original: str, scope: Scope, zone: tzinfo) -> Texts:
    """Cancel an appointment. ``original``: which of a series, see `Occurrence.original`; empty for a single one."""
    series = read_series(text, uid, zone)
    if scope == "all" or not original or not {"RRULE", "RDATE"} & set(series.master):
        return Texts(None)
    if scope == "following":
        if is_first(series, original):
            return Texts(None)
        end_before(series, original)
        return Texts(written(series.calendar))
    without_override(series, original)
    add_dates(series.master, "EXDATE", [value_of(series.master, original, zone)])
    bump(series.master)
    return Texts(written(series.calendar))


def move(
    text: str, uid: str, original: str, scope: Scope, zone: tzinfo, start: date | datetime, end: date | datetime
) -> Texts:
    """Move an appointment so that the occurrence meant begins and ends then.

    Of a series the others move by as much on the local clock, so that a change of daylight saving shifts none.
    """
    series = read_series(text, uid, zone)
    first = series.master["DTSTART"].dt
    start, end = on_clock_of(start, first, zone), on_clock_of(end, first, zone)
    if not original:
        set_times(series.master, start, end)
        bump(series.master)
        return Texts(written(series.calendar))
    if scope == "this":
        return Texts(move_one(series, original, start, end))
    if scope == "following" and not is_first(series, original):
        return parted(series, original, start, end)
    move_all(series, original, start, end)
    return Texts(written(series.calendar))


def move_one(series: Series, original: str, start: date | datetime, end: date | datetime) -> str:
    """With an exception for one occurrence."""
    override = series.override_of(original)
    if override is None:
        override = copy.deepcopy(series.master)
        for name in ("RRULE", "RDATE", "EXDATE", "EXRULE"):
            override.pop(name, None)
        override.add("RECURRENCE-ID", value_of(series.master, original, series.zone))
        series.calendar.add_component(override)
    set_times(override, start, end)
    bump(override)
    return written(series.calendar)


def move_all(series: Series, original: str, start: date | datetime, end: date | datetime) -> None:
    """Shift the rule, its excluded dates and exceptions by as much as the occurrence meant is moved."""
    master, zone = series.master, series.zone
    override = series.override_of(original)
    before = override["DTSTART"].dt if override is not None else value_of(master, original, zone)
    shift = local(start, before) - local(before, before)
    length = span_length(start, end)
    shift_rule(master, shift, before)
    first = shifted(master["DTSTART"].dt, shift)
    for name in ("EXDATE", "RDATE"):
        shift_dates(master, name, shift)
    set_times(master, first, lengthened(first, length))
    bump(master)
    for one in series.changed:
        replace(one, "RECURRENCE-ID", shifted(one["RECURRENCE-ID"].dt, shift))
        if not cancelled(one):
            begin = shifted(one["DTSTART"].dt, shift)
            last = one["DTEND"].dt if "DTEND" in one else one["DTSTART"].dt + length_of(one, not is_timed(begin))
            set_times(one, begin, shifted(last, shift))
        bump(one)


def parted(series: Series, original: str, start: date | datetime, end: date | datetime) -> Texts:
    """The series ends before an occurrence; from there on another one goes on at the new times."""
    tail = read_series(series.calendar.to_ical().decode(), str(series.master["UID"]), series.zone)
    zone, name = series.zone, f"{uuid.uuid4()}"
    at = moment(original, zone)
    earlier = count_before(series, original)
    later = empty_calendar()
    master = tail.master
    rule = master["RRULE"]
    if "COUNT" in rule:
        rule["COUNT"] = [max(int(rule["COUNT"][0]) - earlier, 1)]
    length = master["DTEND"].dt - master["DTSTART"].dt if "DTEND" in master else length_of(master, not is_timed(start))
    begin = value_of(master, original, zone)
    keep_dates(master, "EXDATE", lambda value: moment_of(value, zone) >= at)
    keep_dates(master, "RDATE", lambda value: moment_of(value, zone) >= at)
    set_times(master, begin, lengthened(begin, length))
    later.add_component(master)
    kept = [one for one in tail.changed if moment(tail.original_of(one), zone) >= at]
    for one in (master, *kept):
        replace(one, "UID", name)
    for one in kept:
        later.add_component(one)
    new = Series(later, master, tuple(kept), zone)
    move_all(new, original, start, end)
    later.add_missing_timezones()
    end_before(series, original)
    return Texts(written(series.calendar), (name, written(later)))


def count_before(series: Series, original: str) -> int:
    """How many occurrences the rule has before one, excluded ones too."""
    import recurring_ical_events  # noqa: PLC0415 - loaded by what parts a series only

    bare = copy.deepcopy(series.master)
    for name in ("EXDATE", "RDATE"):
        bare.pop(name, None)
    alone = icalendar.Calendar()
    alone.add_component(bare)
    first = moment_of(series.master["DTSTART"].dt, series.zone)
    at = moment(original, series.zone)
    found = recurring_ical_events.of(alone).between(first, at + timedelta(days=1))
    return sum(moment_of(e["DTSTART"].dt, series.zone) < at for e in found)


def end_before(series: Series, original: str) -> None:
    """End a series before one of its occurrences."""
    master, at = series.master, moment(original, series.zone)
    rule = master["RRULE"]
    rule.pop("COUNT", None)
    last = value_of(master, original, series.zone)
    until = last - timedelta(days=1) if not is_timed(last) else at.astimezone(UTC) - timedelta(seconds=1)
    rule["UNTIL"] = [until]
    replace(master, "RRULE", rule)
    keep_dates(master, "EXDATE", lambda value: moment_of(value, series.zone) < at)
    keep_dates(master, "RDATE", lambda value: moment_of(value, series.zone) < at)
    for one in series.changed:
        if moment(series.original_of(one), series.zone) >= at:
            series.calendar.subcomponents.remove(one)
    bump(master)


def shift_rule(master: Component, shift: timedelta, before: date | datetime) -> None:
    """Move the days of a rule with its start. Raises: ToolArgumentError: a rule that cannot be moved to other days."""
    if "RRULE" not in master:
        return
    rule = master["RRULE"]
    days = day_of(before + shift).toordinal() - day_of(before).toordinal()
    if days and any(name in rule for name in ("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS", "BYMONTH")):
        raise ToolArgumentError(
            "this series follows days of the month and cannot be moved to other days; move one of it"
        )
    if days and "BYDAY" in rule:
        codes = [str(code) for code in rule["BYDAY"]]
        if any(code not in DAY_CODES for code in codes):
            raise ToolArgumentError("this series follows days of the month and cannot be moved to other days")
        rule["BYDAY"] = [DAY_CODES[(DAY_CODES.index(code) + days) % 7] for code in codes]
    if "UNTIL" in rule:
        rule["UNTIL"] = [shifted(value, shift) for value in rule["UNTIL"]]
    replace(master, "RRULE", rule)


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


def shifted(value: Any, shift: timedelta) -> Any:
    """So much later on its own clock."""
    return value + shift


def span_length(start: Any, end: Any) -> timedelta:
    """From a start to an end of the same kind."""
    length: timedelta = end - start
    return length


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


def is_first(series: Series, original: str) -> bool:
    """Whether an occurrence is the first of the rule."""
    return name_start(series.master["DTSTART"].dt, series.zone) == original


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


def add_dates(event: Component, name: str, values: list[Any]) -> None:
    """Add dates to those that are there."""
    keep = [*dates_of(event, name), *values]
    event.pop(name, None)
    for value in keep:
        event.add(name, [value])


def keep_dates(event: Component, name: str, wanted: Any) -> None:
    """Keep some dates."""
    kept = [value for value in dates_of(event, name) if wanted(value)]
    event.pop(name, None)
    for value in kept:
        event.add(name, [value])


def shift_dates(event: Component, name: str, shift: timedelta) -> None:
    """Shift all dates."""
    moved = [shifted(value, shift) for value in dates_of(event, name)]
    event.pop(name, None)
    for value in moved:
        event.add(name, [value])


def without_override(series: Series, original: str) -> None:
    """Drop the exception of one occurrence."""
    override = series.override_of(original)
    if override is not None:
        series.calendar.subcomponents.remove(override)


def written(calendar: icalendar.Calendar) -> str:
    """A calendar as text."""
    text: str = calendar.to_ical().decode()
    return text
