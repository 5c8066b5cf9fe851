"""Which appointment somebody means by its UID or by words of its title, and by its date."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo

from workers.agents.calendar.source.appointments import Occurrence, Person, midnight
from workers.agents.calendar.source.evidence import say_span
from workers.agents.calendar.source.open_calendars import Calendars
from workers.errors import ToolArgumentError
from workers.language.title_match import overlap, words_of

LOOK_AHEAD, LOOK_BACK = timedelta(days=120), timedelta(hours=12)
MOST_NAMED = 5


def find_occurrence(
    calendars: Calendars, person: Person, wanted: str, on: str, now: datetime, zone: tzinfo
) -> Occurrence:
    """The one occurrence in somebody's calendars that is meant; of a series the next in the span.

    Args:
        wanted: UID, or words of the title.
        on: a date, a start, or a span of dates; empty: from now on.

    Raises:
        ToolArgumentError: there is none, or there are several.
    """
    start, end = read_on(on, now, zone)
    listed = [o for o in calendars.between(person.name, start, end) if o.end > now or o.start >= start]
    if "T" in on and "/" not in on:
        listed = [o for o in listed if o.start == start]
    found = [o for o in listed if o.uid == wanted]
    if not found:
        said = words_of(wanted)
        scores = {id(o): overlap(said, o.title) for o in listed}
        best = max(scores.values(), default=0)
        found = [o for o in listed if best and scores[id(o)] == best]
    if not found:
        near = tuple(dict.fromkeys(o.title for o in listed))[:MOST_NAMED]
        there = f"; there are {', '.join(near)}" if near else ""
        raise ToolArgumentError(f"{person.name} has no appointment like {wanted[:80]!r} then{there}", near)
    if len({o.uid for o in found}) > 1:
        near = tuple(f"{o.title}, {say_span(o.start, o.end, zone)}" for o in found)[:MOST_NAMED]
        raise ToolArgumentError(f"several may be meant: {'; '.join(near)}", near)
    upcoming = [o for o in found if o.start >= now]
    return (upcoming or found)[0]


def read_on(on: str, now: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    """The span in which an appointment is looked for. Raises: ToolArgumentError."""
    if not on.strip():
        return now - LOOK_BACK, now + LOOK_AHEAD
    first, _, last = on.strip().partition("/")
    try:
        if "T" in first:
            start = datetime.fromisoformat(first)
            start = start if start.tzinfo else start.replace(tzinfo=zone)
            end = datetime.fromisoformat(last) if last else start + timedelta(minutes=1)
            return start, end if end.tzinfo else end.replace(tzinfo=zone)
        begin = midnight(date.fromisoformat(first), zone)
        until = date.fromisoformat(last) if last else date.fromisoformat(first) + timedelta(days=1)
        return begin, midnight(until, zone)
    except ValueError as error:
        raise ToolArgumentError(f"{on!r} is no date; write 2026-11-26 or 2026-11-30/2026-12-05") from error
