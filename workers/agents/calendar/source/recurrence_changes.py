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

from workers.agents.calendar.source.calendar_texts import empty_calendar
from workers.agents.calendar.source.component_values import (
    bump,
    dates_of,
    day_of,
    is_timed,
    keep_dates,
    lengthened,
    local,
    moment,
    on_clock_of,
    replace,
    set_dates,
    set_times,
    shift_dates,
    value_of,
)
from workers.agents.calendar.source.icalendar_objects import cancelled, length_of, moment_of, name_start, parse
from workers.errors import ToolArgumentError
from workers.language.appointment_times import DAY_CODES

Scope = Literal["this", "following", "all"]
HELD = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
"""What a resource may hold beside an appointment."""


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
        return without_series(series)
    if scope == "following":
        has_rule(series)
        if is_first(series, original):
            return without_series(series)
        end_before(series, original)
        return Texts(written(series.calendar))
    if override := series.override_of(original):
        series.calendar.subcomponents.remove(override)
    left_out = [*dates_of(series.master, "EXDATE"), value_of(series.master, original, zone)]
    set_dates(series.master, "EXDATE", left_out)
    bump(series.master)
    return Texts(written(series.calendar))


def without_series(series: Series) -> Texts:
    """The resource without this appointment; None where it holds no other one."""
    for one in (series.master, *series.changed):
        series.calendar.subcomponents.remove(one)
    left = any(one.name in HELD for one in series.calendar.subcomponents)
    return Texts(written(series.calendar) if left else None)


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
    if scope == "following":
        has_rule(series)
    if scope == "following" and not is_first(series, original):
        return parted(series, original, start, end)
    move_all(series, original, start, end)
    return Texts(written(series.calendar))


def has_rule(series: Series) -> None:
    """Raises: ToolArgumentError: a series of single dates, which has no end to be set."""
    if "RRULE" not in series.master:
        raise ToolArgumentError("this series is a list of dates and cannot be parted; change one of it, or all")


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


def move_all(series: Series, original: str, start: Any, end: Any) -> None:
    """Shift the rule, its excluded dates and exceptions by as much as the occurrence meant is moved."""
    master, zone = series.master, series.zone
    override = series.override_of(original)
    before = override["DTSTART"].dt if override is not None else value_of(master, original, zone)
    shift = local(start, before) - local(before, before)
    shift_rule(master, shift, before)
    first = master["DTSTART"].dt + shift
    shift_dates(master, shift)
    set_times(master, first, lengthened(first, end - start))
    bump(master)
    for one in series.changed:
        replace(one, "RECURRENCE-ID", one["RECURRENCE-ID"].dt + shift)
        if not cancelled(one):
            begin = one["DTSTART"].dt + shift
            last = one["DTEND"].dt if "DTEND" in one else one["DTSTART"].dt + length_of(one, not is_timed(begin))
            set_times(one, begin, last + shift)
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
    keep_dates(master, lambda value: moment_of(value, zone) >= at)
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
    keep_dates(master, lambda value: moment_of(value, series.zone) < at)
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
        if int(rule.get("INTERVAL", [1])[0]) > 1:
            begin = DAY_CODES.index(str(rule.get("WKST", ["MO"])[0]))
            weeks = {((DAY_CODES.index(code) - begin) % 7 + days) // 7 for code in codes}
            if len(weeks) > 1:  # some days would go to another week than the rest, and so into the weeks between
                raise ToolArgumentError("this series cannot be moved to other days; move one of it")
        rule["BYDAY"] = [DAY_CODES[(DAY_CODES.index(code) + days) % 7] for code in codes]
    if "UNTIL" in rule:
        rule["UNTIL"] = [value + shift for value in rule["UNTIL"]]
    replace(master, "RRULE", rule)


def is_first(series: Series, original: str) -> bool:
    """Whether an occurrence is the first of the rule."""
    return name_start(series.master["DTSTART"].dt, series.zone) == original


def written(calendar: icalendar.Calendar) -> str:
    """A calendar as text."""
    text: str = calendar.to_ical().decode()
    return text
