"""A request as the arguments of its tool calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo

from workers.agents.calendar.known_names import ASKER, unique
from workers.agents.calendar.request import CalendarRequest
from workers.agents.calendar.write_calendar import whole_days
from workers.language.appointment_times import DAY_CODES, Repeat
from workers.language.appointment_values import ONE_DAY
from workers.language.time_phrases import DAYS
from workers.language.wanted_times import Times, at_clock, clock_text, minute_of

WEEKDAYS = tuple(day[:3] for day in DAYS)
AHEAD = timedelta(days=30)
DEFAULT_MINUTES = 30
EVENING = 18 * 60
WHEN = re.compile(r"\b(?:when|what time|wann|um wie viel|cuándo|cuando|a qué hora|quand)\b", re.IGNORECASE)
BEFORE_NAME = (
    r"\b(?:next|nächst\w*|próxim\w+|(?:when|wann|cuándo) (?:is|are|does|do|ist|sind|es|son)"
    r"(?: the| my| our| das| der| die| el| la)?) "
)
"""What the name of an appointment stands after."""
AFTER = r"\b(?:after|nach|tras|después de)\b"
NEXT = re.compile(r"\b(?:next|nächst\w*)\b", re.IGNORECASE)


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
    values = {"people": unique((*asked.asked, *asked.strangers)), "only": asked.only, "words": title_of(asked)}
    values |= {"min_minutes" if more else "max_minutes": str(minutes) for more, minutes in asked.limits}
    values["with_people"] = unique(asked.others) if is_together(asked) else ""
    if values["words"] and not asked.source.span:
        return {**values, "start": iso(asked.now), "end": iso(asked.now + AHEAD), "limit": "3"}
    if span is None:
        start = at_clock(asked.now.date(), 0, asked.zone)
        span = start, start + ONE_DAY
    return {**values, "start": iso(max(span[0], asked.now) if asked.left else span[0]), "end": iso(span[1])}


def title_of(asked: CalendarRequest) -> str:
    """What names the appointment that is asked for: its UID, or words of its title, also those that none has."""
    if asked.choice.by_title:
        one = asked.choice.appointment
        titles = {c.title for c in asked.choice.candidates}
        return one.uid if one else titles.pop() if len(titles) == 1 else " ".join(sorted(asked.choice.words))
    said = [
        w
        for w in asked.unread
        if re.search(rf"{BEFORE_NAME}(?:[\w-]+ ){{0,2}}{re.escape(w)}\b", asked.text, re.IGNORECASE)
    ]
    return " ".join(said) if asked.kind == "next" or WHEN.search(asked.text) else ""


def is_together(asked: CalendarRequest) -> bool:
    """Whether it asks for what the asker has with others."""
    return asked.me is not None and asked.asked == (asked.me.name,) and bool(asked.others)


def next_slots(asked: CalendarRequest) -> dict[str, str]:
    """The next that begins, from now, from the day named or after the appointment named."""
    start, one = asked.now, asked.choice.appointment
    said = "|".join(map(re.escape, asked.choice.words))
    behind = one if said and re.search(rf"{AFTER}(?: \w+)? (?:{said})\b", asked.text, re.IGNORECASE) else None
    if behind:
        start = max(start, (behind.start + timedelta(minutes=behind.minutes)).astimezone(asked.zone))
    if asked.source.span:
        start = max(start, at_clock(asked.source.span[0], asked.source.earliest or 0, asked.zone))
    return {
        "people": unique((*asked.asked, *asked.strangers)),
        "words": "" if behind else title_of(asked),
        "start": iso(start),
        "end": iso(start + AHEAD),
        "upcoming": "true",
        "limit": "1",
        "with_people": unique(asked.others) if is_together(asked) else "",
    }


def free_slots(asked: CalendarRequest) -> dict[str, str]:
    """One time; without one the free times of the days named."""
    times = asked.source
    values = {"people": unique((*asked.asked, *asked.strangers))}
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
    if times.zone:
        shift = round((at_clock(span[0], 0, asked.zone) - at_clock(span[0], 0, times.zone)).total_seconds() / 60)
        earliest, latest = (None if m is None else (m - shift) % 1_440 for m in (earliest, latest))
    late = (earliest or 0) >= EVENING or times.part == "evening"
    return {
        "people": unique((*asked.asked, *asked.strangers)),
        "ignoring": asked.ignoring.uid if asked.ignoring else "",
        "start": iso(max(start, asked.now)),
        "end": iso(end),
        "duration_min": str(times.length or DEFAULT_MINUTES),
        "earliest": clock_text(earliest) if earliest else "",
        "latest": clock_text(latest) if latest else "",
        "weekdays": weekdays_of(times),
        "every_day": "true" if times.days and all(d.weekday() >= 5 for d in days_in(times.days)) else "",
        "any_time": "true" if late else "",
        "limit": "1" if asked.first else "",
    }


def days_in(spans: Sequence[tuple[date, date]]) -> list[date]:
    """The days of some spans."""
    return [first + i * ONE_DAY for first, last in spans for i in range((last - first).days)]


def weekdays_of(times: Times) -> str:
    """The days of the week that are wanted, where the days named have gaps."""
    if len(times.days) < 2:
        return ""
    return ",".join(WEEKDAYS[i] for i in sorted({day.weekday() for day in days_in(times.days)}))


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
    values = {"title": asked.title, "people": unique(asked.others), "location": asked.location}
    if whole_days(asked) and times.span:
        return {**values, "start": times.span[0].isoformat(), "end": times.span[1].isoformat()}
    day = first_of(asked, times)
    if day is None or times.at is None:
        return {}
    zone = times.zone or asked.zone
    until = times.until if times.until is not None else times.at + (times.length or 0)
    return {
        **values,
        "start": iso(at_clock(day, times.at, zone)),
        "end": iso(at_clock(day, until, zone)) if until > times.at else "",
        "rule": rule_of(times.repeat, day, zone) if times.repeat else "",
    }


def first_of(asked: CalendarRequest, times: Times) -> date | None:
    """The day of a new appointment, or the first of a new series; None where none is said."""
    repeat = times.repeat
    if repeat is None:
        return times.single
    passed = times.at is not None and minute_of(asked.now) >= times.at
    begin = times.span[0] if times.span else asked.now.date() + passed * ONE_DAY
    if repeat.freq == "DAILY" or (times.single and not repeat.days):
        return begin
    days = dates_of(repeat, begin)
    return days[0] if days else None


def dates_of(repeat: Repeat, begin: date) -> list[date]:
    """The days of some weeks from a day on that are of the days that something recurs on."""
    ahead = [begin + i * ONE_DAY for i in range(70)]
    return [day for day in ahead if any(is_code(day, code) for code in repeat.days)]


def is_code(day: date, code: str) -> bool:
    """Whether a day is one of BYDAY: ``MO``, or the first Monday of a month, ``1MO``; the last, ``-1MO``."""
    if day.weekday() != DAY_CODES.index(code[-2:]):
        return False
    place = int(code[:-2] or 0)
    last = (day + 7 * ONE_DAY).month != day.month
    return place == 0 or (last if place < 0 else (day.day - 1) // 7 + 1 == place)


def rule_of(repeat: Repeat, first: date, zone: tzinfo) -> str:
    """How something recurs, as RRULE."""
    days = repeat.days or ((DAY_CODES[first.weekday()],) if repeat.freq == "WEEKLY" else ())
    parts = [f"FREQ={repeat.freq}"]
    parts += [f"INTERVAL={repeat.interval}"] if repeat.interval > 1 else []
    parts += [f"BYDAY={','.join(days)}"] if days and repeat.freq != "DAILY" else []
    if repeat.ends:
        last = at_clock(repeat.ends, 0, zone) - timedelta(seconds=1)
        parts.append(f"UNTIL={last.astimezone(UTC):%Y%m%dT%H%M%SZ}")
    elif repeat.count:
        parts.append(f"COUNT={repeat.count}")
    return ";".join(parts)


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
        day, at = moment.date(), minute_of(moment)
    if day is None and len(times.days) == 1 and at is None:
        was = one.start.astimezone(asked.zone).weekday()
        day = next((d for d in days_in(times.days) if d.weekday() == was), None)  # of "next week" the same day
    return {
        **values,
        "date": day.isoformat() if day else "",
        "time": clock_text(at) if at is not None else "",
        "shift_min": str(times.shift) if times.shift else "",
        "new_duration": str(length) if length > 0 else "",
    }
