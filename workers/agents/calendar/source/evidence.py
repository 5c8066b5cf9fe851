"""Occurrences, slots and shifts as evidence, with the times as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

from workers.agents.calendar.source.appointments import Occurrence, Person, Span
from workers.contracts import Evidence, Fact, rfc3339

MINUTE = timedelta(minutes=1)
UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
NAMES = {"MO": "Mon", "TU": "Tue", "WE": "Wed", "TH": "Thu", "FR": "Fri", "SA": "Sat", "SU": "Sun"}


def say_day(moment: datetime, zone: tzinfo) -> str:
    """``Thu 26 Nov``."""
    local = moment.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b}"


def say_span(start: datetime, end: datetime, zone: tzinfo, *, all_day: bool = False) -> str:
    """``Thu 26 Nov 11:00–11:30``; whole days as days."""
    if all_day:
        return f"{say_days(start, end, start.tzinfo or zone)}, all day"
    first, until = start.astimezone(zone), end.astimezone(zone)
    if end > start and not (first.hour or first.minute or until.hour or until.minute):
        return say_days(start, end, zone)
    if end - start <= MINUTE:
        return f"{say_day(start, zone)} {first:%H:%M}"
    if first.date() == until.date():
        return f"{say_day(start, zone)} {first:%H:%M}–{until:%H:%M}"
    return f"{say_day(start, zone)} {first:%H:%M} – {say_day(end, zone)} {until:%H:%M}"


def say_days(start: datetime, end: datetime, zone: tzinfo) -> str:
    """Whole days: the first, and the last when it is another."""
    first, last = say_day(start, zone), say_day(end - MINUTE, zone)
    return first if first == last else f"{first} – {last}"


def say_rule(rule: str, zone: tzinfo) -> str:
    """An RRULE in words: ``every 2 weeks on Wed until 28 Feb 2027``; parts that have none stand as they are."""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    unit = UNITS.get(parts.pop("FREQ", ""), "")
    if not unit:
        return rule
    interval, days = parts.pop("INTERVAL", "1"), parts.pop("BYDAY", "")
    out = [f"every {unit}" if interval == "1" else f"every {interval} {unit}s"]
    out += [f"on {', '.join(say_code(code) for code in days.split(','))}"] if days else []
    if until := parts.pop("UNTIL", ""):
        last = datetime.fromisoformat(until)
        last = last.astimezone(zone) if last.tzinfo else last
        out.append(f"until {last.day} {last:%b %Y}")
    if count := parts.pop("COUNT", ""):
        out.append(f"{count} times")
    return " ".join((*out, *(f"{name}={value}" for name, value in parts.items())))


def say_code(code: str) -> str:
    """A code of BYDAY: ``Wed``; ``1 Wed`` as "the first Wed"."""
    places = {"1": "the first ", "2": "the second ", "3": "the third ", "4": "the fourth ", "-1": "the last "}
    return places.get(code[:-2], code[:-2]) + NAMES.get(code[-2:], code[-2:])


def say_age(seconds: float) -> str:
    """How old a copy is."""
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7_200
        else f"{seconds / 3600:.0f} h"
    )


def zone_name(zone: tzinfo) -> str:
    """What a zone is called."""
    return str(getattr(zone, "key", "")) or ("UTC" if zone is UTC else str(zone))


def times(start: datetime, end: datetime, entity: str) -> dict[str, Fact]:
    """Start and end as facts."""
    return {
        "start": Fact(value=rfc3339(start.astimezone(UTC)), unit="time", entity=entity),
        "end": Fact(value=rfc3339(end.astimezone(UTC)), unit="time", entity=entity),
    }


def texts(entity: str, **values: str) -> dict[str, Fact]:
    """Texts as facts, the empty ones left out."""
    return {name: Fact(value=value, entity=entity) for name, value in values.items() if value}


def event_evidence(one: Occurrence, zone: tzinfo) -> Evidence:
    """One appointment: title, when, whose, and whether it takes time."""
    when = say_span(one.start, one.end, zone, all_day=one.all_day)
    facts = texts(
        one.owner,
        title=one.title,
        when=when,
        owner=one.owner,
        busy="busy" if one.busy else "free",
        location=one.location,
        uid=one.uid,
        original=one.original,
        rule=one.rule,
        people=", ".join(one.attendees[:12]),
    )
    return Evidence(
        kind="event",
        title=f"{one.title}, {one.owner}",
        locator=f"{one.calendar}/{one.href}#{rfc3339(one.start.astimezone(UTC))}",
        excerpt=f"{when} {one.title}",
        facts=facts | times(one.start, one.end, one.owner),
        observed_at=one.start.astimezone(UTC),
    )


def slot_evidence(span: Span, people: Sequence[Person], zone: tzinfo) -> Evidence:
    """One span in which people have time, with its time on the clocks of those in other zones."""
    start, end = span
    others = [p for p in people if start.astimezone(p.tz).utcoffset() != start.astimezone(zone).utcoffset()]
    also = "; ".join(f"{start.astimezone(p.tz):%H:%M}–{end.astimezone(p.tz):%H:%M} for {p.name}" for p in others[:6])
    who = ", ".join(p.name for p in people)
    minutes = {"minutes": Fact(value=round((end - start) / MINUTE), unit="count", entity=who)}
    when = say_span(start, end, zone)
    return Evidence(
        kind="event",
        title=f"Free: {when}",
        locator=f"free/{rfc3339(start.astimezone(UTC))}",
        excerpt=when,
        facts=texts(who, when=when, also=also, people=who) | minutes | times(start, end, who),
    )


def shift_evidence(one: Occurrence, team: str, person: str, zone: tzinfo) -> Evidence:
    """One shift of a rotation."""
    when = say_span(one.start, one.end, zone, all_day=one.all_day)
    return Evidence(
        kind="event",
        title=f"On call for {team}: {person}",
        locator=f"{one.calendar}/{one.href}#{rfc3339(one.start.astimezone(UTC))}",
        excerpt=f"{when} {person}",
        facts=texts(team, person=person, team=team, when=when, uid=one.uid) | times(one.start, one.end, team),
        observed_at=one.start.astimezone(UTC),
    )
