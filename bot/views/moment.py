""" "2h", "yesterday", "09:30" or a date, as the moment it means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from workers.language.typed_times import read_typed_time
from workers.language.zones import read_zone

DEFAULT = timedelta(hours=24)
LONGEST = timedelta(days=365)
FORMS = "Say since when as 2h, 1d, yesterday, 09:30, or a date such as 2026-03-01 or 2026-03-01T09:30Z."


def read_since(text: str, now: datetime, zone: str = "UTC") -> datetime | None:
    """The moment that someone means.

    Args:
        text: empty for the last 24 hours.
        now: aware.
        zone: the person's IANA zone, in which days begin and clocks are read; UTC when there is no such zone.

    Returns: an aware moment in UTC, at most `LONGEST` ago; None when it cannot be read or lies ahead.
    """
    words = text.strip().casefold().removeprefix("since ").removeprefix("last ").strip()
    found = read_typed_time(words, now, read_zone(zone)) if words else now.astimezone(UTC) - DEFAULT
    return found if found and timedelta() <= now - found <= LONGEST else None
