"""Times, clock times and weekdays as arguments of tools."""

from __future__ import annotations

from datetime import datetime, time, timedelta, tzinfo

from workers.agents.calendar.source.appointments import WEEKDAYS
from workers.errors import ToolArgumentError

LONGEST = timedelta(days=370)
PEOPLE = "names separated by commas; me: who asks; everyone: all who have a calendar here; empty: who asks"


def read_moment(text: str, zone: tzinfo) -> datetime | None:
    """A time or date of an argument; None when it is empty. Raises: ToolArgumentError."""
    if not text.strip():
        return None
    try:
        value = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ToolArgumentError(f"{text!r} is no time; write 2026-11-26T14:00:00+01:00, or a date") from error
    return value.astimezone(zone) if value.tzinfo else value.replace(tzinfo=zone)


def check_span(start: datetime, end: datetime) -> None:
    """Raises: ToolArgumentError: a span that is none, or too long."""
    if end <= start:
        raise ToolArgumentError("end is not after start")
    if end - start > LONGEST:
        raise ToolArgumentError(f"that is longer than {LONGEST.days} days; ask for less")


def read_clock(text: str) -> time | None:
    """``HH:MM``; None when it is empty. Raises: ToolArgumentError."""
    if not text.strip():
        return None
    try:
        return time.fromisoformat(text.strip().zfill(5))
    except ValueError as error:
        raise ToolArgumentError(f"{text!r} is no time of day; write 09:30") from error


def read_weekdays(text: str) -> tuple[int, ...]:
    """``mon,wed``. Raises: ToolArgumentError."""
    found = [part.strip().lower()[:3] for part in text.split(",") if part.strip()]
    if wrong := [part for part in found if part not in WEEKDAYS]:
        raise ToolArgumentError(f"{wrong[0]!r} is no weekday; write {','.join(WEEKDAYS)}")
    return tuple(WEEKDAYS.index(part) for part in found)
