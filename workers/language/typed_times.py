"""Times as people type them into a field: now, yesterday, 2h, "24 hours ago", 09:30, a date, RFC 3339."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, tzinfo

from workers.errors import ConfigError
from workers.language.clock_times import midnight
from workers.language.durations import seconds_of

DAYS_AGO = {"today": 0, "this morning": 0, "yesterday": 1}
AGO = re.compile(r"\d{1,6}\s*(?:m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?: ago)?", re.ASCII)
CLOCK = re.compile(r"([01]?\d|2[0-3])[:.]([0-5]\d)")
LEAP = re.compile(r"(?<=:\d\d):60(?=[.Zz+-]|$)")


def read_typed_time(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment that someone means.

    Args:
        text: in any case; a date or time without a zone is the person's own.
        now: aware.
        zone: the person's, in which days begin and clocks are read.

    Returns: a moment in UTC; of a clock the last time it showed that; None for anything else.
    """
    words = " ".join(text.lower().split())
    try:
        if words == "now":
            return now.astimezone(UTC)
        if words in DAYS_AGO:
            return midnight(now, zone, DAYS_AGO[words])
        if AGO.fullmatch(words):
            return now.astimezone(UTC) - timedelta(seconds=seconds_of(words))
        if clock := CLOCK.fullmatch(words):
            at = datetime.combine(now.astimezone(zone).date(), time(int(clock[1]), int(clock[2])), zone)
            return (at if at <= now else at - timedelta(days=1)).astimezone(UTC)
        return read_date(words, zone)
    except (ValueError, OverflowError):
        return None


def read_date(words: str, zone: tzinfo) -> datetime:
    """A date or a moment of RFC 3339; a leap second is taken for the next one. Raises: ValueError, OverflowError."""
    leap = LEAP.search(words)
    found = datetime.fromisoformat((LEAP.sub(":59", words) if leap else words).upper())
    moment = (found if found.tzinfo else found.replace(tzinfo=zone)).astimezone(UTC)
    return moment.replace(microsecond=0) + timedelta(seconds=1) if leap else moment


def read_zoned_time(text: str, name: str) -> datetime:
    """A moment of RFC 3339, in its own zone.

    Args:
        text: as someone typed it.
        name: of the field, for the error.

    Raises:
        ConfigError: it is no moment, or has no zone.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ConfigError(f"{name}: {text!r} is not a time such as 2026-11-20T14:00:00Z") from error
    if moment.tzinfo is None:
        raise ConfigError(f"{name}: {text!r} has no zone; write 2026-11-20T14:00:00Z or …+01:00")
    return moment
