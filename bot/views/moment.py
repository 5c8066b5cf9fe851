""" "2h", "yesterday", "09:30" or a date, as the moment it means."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DEFAULT = timedelta(hours=24)
LONGEST = timedelta(days=365)
FORMS = "Say since when as 2h, 1d, yesterday, 09:30, or a date such as 2026-03-01 or 2026-03-01T09:30Z."
SPAN = re.compile(r"(\d{1,5})\s*(m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?)", re.IGNORECASE)
CLOCK = re.compile(r"([01]?\d|2[0-3])[:.]([0-5]\d)")
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def read_since(text: str, now: datetime, zone: str = "UTC") -> datetime | None:
    """The moment that someone means.

    Args:
        text: empty for the last 24 hours.
        now: aware.
        zone: the person's IANA zone, in which days begin and clocks are read; UTC when there is no such zone.

    Returns: an aware moment in UTC, at most `LONGEST` ago; None when it cannot be read or lies ahead.
    """
    words = text.strip().casefold().removeprefix("since ").removeprefix("last ").strip()
    local = now.astimezone(zone_of(zone))
    found = read_words(words, local)
    if found is None or found > now or now - found > LONGEST:
        return None
    return found.astimezone(UTC)


def read_words(words: str, now: datetime) -> datetime | None:
    """One of the forms; ``now`` is the person's own."""
    if not words:
        return now - DEFAULT
    if words in {"today", "this morning"}:
        return day_start(now)
    if words == "yesterday":
        return day_start(now - timedelta(days=1))
    if span := SPAN.fullmatch(words):
        return now - timedelta(**{UNITS[span[2][0]]: int(span[1])})
    if clock := CLOCK.fullmatch(words):
        at = datetime.combine(now.date(), time(int(clock[1]), int(clock[2])), now.tzinfo)
        return at if at <= now else at - timedelta(days=1)
    return read_date(words, now.tzinfo)


def read_date(words: str, zone: tzinfo | None) -> datetime | None:
    """A date or a moment of RFC 3339; one without a zone is the person's own."""
    try:
        at = datetime.fromisoformat(words.upper())
        return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def day_start(at: datetime) -> datetime:
    """Midnight before a moment."""
    return datetime.combine(at.date(), time(0), at.tzinfo)


def zone_of(name: str) -> tzinfo:
    """A zone by its name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
