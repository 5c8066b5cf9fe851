"""A request as the arguments of its tool calls."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from workers.agents.calendar.known_names import ASKER, unique
from workers.agents.calendar.request import CalendarRequest
from workers.agents.calendar.write_calendar import whole_days
from workers.language.appointment_values import ONE_DAY
from workers.language.time_phrases import DAYS
from workers.language.title_match import overlap, words_of
from workers.language.wanted_times import Times, at_clock, clock_text

WEEKDAYS = tuple(day[:3] for day in DAYS)
AHEAD = timedelta(days=30)
DEFAULT_MINUTES = 30
EVENING = 18 * 60
NEXT = re.compile(r"\b(?:next|nächst\w*)\b", re.IGNORECASE)
WORKED = (date(2026, 11, 23), date(2026, 11, 28))
"""A span of worked days, for no day that was named."""


def slots_of(asked: CalendarRequest) -> dict[str, str]:
    """The slots that have a value."""
    readers = {
        "agenda": agenda_slots,
        "next": next_slots,
        "free": free_slots,
        "slots": meeting_slots,
        "on_call": on_call_slots,
        "create": create_slots,
        "move": move_slots,
        "cancel": cancel_slots,
    }
    reader = readers.get(asked.kind)
    return {name: value for name, value in reader(asked).items() if value} if reader else {}


def span_of(asked: CalendarRequest, times: Times) -> tuple[datetime, datetime] | None:
    """The span of the days named, with the time of day where it is one day; None when no day is."""
    span = times.span
    if not span and (times.at is not None or times.earliest is not None):
        span = asked.now.date(), asked.now.date() + ONE_DAY
    if not span:
        return None
    zone = times.zone or asked.zone
    start, end = at_clock(span[0], 0, zone), at_clock(span[1], 0, zone)
    if span[1] - span[0] == ONE_DAY:
        if times.at is not None:
            start = at_clock(span[0], times.at, zone)
            until = times.until if times.until is not None else times.at + (times.length or 1)
            return start, at_clock(span[0], until, zone)
        start = at_clock(span[0], times.earliest or 0, zone)
        end = at_clock(span[0], times.latest, zone) if times.latest else end
    return start, end


def iso(moment: datetime) -> str:
    """A moment as an argument."""
    return moment.isoformat(timespec="seconds")


def agenda_slots(asked: CalendarRequest) -> dict[str, str]:
    """A day or a week; when one appointment is asked for by its title, the days ahead."""
    span = span_of(asked, asked.source)
    values = {"people": unique(asked.asked)}
    one = asked.choice.appointment
    if one and asked.choice.by_title and not asked.source.span:
        held = [w for w in words_of(one.title) if overlap(words_of(asked.text), w) and len(w) > 1]
        start, end = asked.now, asked.now + AHEAD
        return {**values, "start": iso(start), "end": iso(end), "words": " ".join(sorted(held)), "limit": "3"}
    if span is None:
        start = at_clock(asked.now.date(), 0, asked.zone)
        span = start, start + ONE_DAY
    return {**values, "start": iso(span[0]), "end": iso(span[1])}


def next_slots(asked: CalendarRequest) -> dict[str, str]:
    """The next that begins, from now or from the day named."""
    start = asked.now
    if asked.source.span:
        start = max(start, at_clock(asked.source.span[0], asked.source.earliest or 0, asked.zone))
    own = asked.me.name if asked.me else "me"
    together = asked.asked == (own,) and bool(asked.others)
    return {
        "people": unique(asked.asked),
        "start": iso(start),
        "end": iso(start + AHEAD),
        "upcoming": "true",
        "limit": "1",
        "with_people": unique(asked.others) if together else "",
    }


def free_slots(asked: CalendarRequest) -> dict[str, str]:
    """One time; without one the free times of the days named."""
    times = asked.source
    values = {"people": unique(asked.asked)}
    if times.at is None and (times.now or not times.span) and times.earliest is None:
        return {**values, "start": iso(asked.now), "end": iso(asked.now + timedelta(minutes=times.length or 1))}
    if times.at is not None and (not times.span or times.single):
        start, end = span_of(asked, times) or (asked.now, asked.now + ONE_DAY)
        return {**values, "start": iso(start), "end": iso(end)}
    return {**meeting_slots(asked), **values}


def meeting_slots(asked: CalendarRequest) -> dict[str, str]:
    """Who, when, how long, and what days and times may be."""
    times = asked.source
    zone = times.zone or asked.zone
    span = times.span or (asked.now.date(), asked.now.date() + 7 * ONE_DAY)
    start, end = at_clock(span[0], 0, zone), at_clock(span[1], 0, zone)
    earliest, latest = times.earliest, times.latest
    if times.at is not None:
        earliest, latest = times.at, times.at + (times.length or DEFAULT_MINUTES)
    late = (earliest or 0) >= EVENING or times.part == "evening"
    return {
        "people": unique(asked.asked),
        "start": iso(max(start, asked.now)),
        "end": iso(end),
        "duration_min": str(times.length or DEFAULT_MINUTES),
        "earliest": clock_text(earliest) if earliest else "",
        "latest": clock_text(latest) if latest else "",
        "weekdays": weekdays_of(times),
        "every_day": "true" if all(d >= 5 for a, b in times.days or [WORKED] for d in weekday_numbers(a, b)) else "",
        "any_time": "true" if late else "",
    }


def weekday_numbers(first: date, last: date) -> list[int]:
    """The days of the week of a span."""
    return [(first + i * ONE_DAY).weekday() for i in range((last - first).days)]


def weekdays_of(times: Times) -> str:
    """The days of the week that are wanted, where the days named have gaps."""
    if len(times.days) < 2:
        return ""
    days = {first + i * ONE_DAY for first, last in times.days for i in range((last - first).days)}
    return ",".join(WEEKDAYS[i] for i in sorted({day.weekday() for day in days}))


def on_call_slots(asked: CalendarRequest) -> dict[str, str]:
    """The team, and now or the time named."""
    span = span_of(asked, asked.source)
    if span is None and asked.me and ASKER.search(asked.text) and NEXT.search(asked.text):
        return {"team": asked.team, "start": iso(asked.now), "person": asked.me.name}
    if span is None or asked.source.now:
        return {"team": asked.team, "start": iso(asked.now)}
    start, end = span
    return {"team": asked.team, "start": iso(start), "end": iso(end) if end > start + timedelta(minutes=1) else ""}


def create_slots(asked: CalendarRequest) -> dict[str, str]:
    """A new appointment; nothing when its time is not known."""
    times = asked.target
    values = {"title": asked.title, "people": unique(asked.others)}
    if whole_days(asked) and times.span:
        return {**values, "start": times.span[0].isoformat(), "end": times.span[1].isoformat()}
    day = times.single or first_every(asked, times)
    if day is None or times.at is None:
        return {}
    zone = times.zone or asked.zone
    until = times.until if times.until is not None else times.at + (times.length or 0)
    return {
        **values,
        "start": iso(at_clock(day, times.at, zone)),
        "end": iso(at_clock(day, until, zone)) if until > times.at else "",
        "rule": f"FREQ=WEEKLY;BYDAY={','.join(WEEKDAYS[d][:2].upper() for d in times.every)}" if times.every else "",
    }


def first_every(asked: CalendarRequest, times: Times) -> date | None:
    """The first day of a new series."""
    if not times.every:
        return None
    begin = times.span[0] if times.span else asked.now.date() + ONE_DAY
    return min(begin + ((d - begin.weekday()) % 7) * ONE_DAY for d in times.every)


def cancel_slots(asked: CalendarRequest) -> dict[str, str]:
    """Which appointment, which one of it, and how much of a series."""
    one = asked.choice.appointment
    if one is None:
        return {}
    return {
        "appointment": one.uid,
        "on": iso(one.start.astimezone(asked.zone)),
        "scope": asked.scope if one.series else "",
    }


def move_slots(asked: CalendarRequest) -> dict[str, str]:
    """The same, and what it moves to."""
    values, one, times = cancel_slots(asked), asked.choice.appointment, asked.target
    if one is None:
        return {}
    length = times.length or 0
    if times.at is not None and times.until is not None:
        length = times.until - times.at
    if asked.delta:
        length = one.minutes + asked.delta
    day = times.single
    zone = times.zone
    at = times.at
    if at is not None and zone is not None:
        base = day or one.start.astimezone(zone).date()
        moment = at_clock(base, at, zone).astimezone(asked.zone)
        day, at = moment.date(), moment.hour * 60 + moment.minute
    if day is None and len(times.days) == 1 and at is None:
        day = same_weekday(one.start.astimezone(asked.zone).date(), times.days[0])
    return {
        **values,
        "date": day.isoformat() if day else "",
        "time": clock_text(at) if at is not None else "",
        "shift_min": str(times.shift) if times.shift else "",
        "new_duration": str(length) if length > 0 else "",
    }


def same_weekday(day: date, span: tuple[date, date]) -> date | None:
    """The same day of another week: where something moves to "next week"."""
    days = [span[0] + i * ONE_DAY for i in range((span[1] - span[0]).days)]
    return next((d for d in days if d.weekday() == day.weekday()), None)
