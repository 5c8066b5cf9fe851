"""Times as the tools take them: RFC 3339, now, today, yesterday, "N hours ago", "N days ago"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from workers.errors import ToolArgumentError

KNOWN = "RFC 3339 such as 2026-11-20T14:00:00Z, now, today, yesterday, 24 hours ago, 7 days ago"
EXAMPLES = ("now", "today", "yesterday", "24 hours ago", "7 days ago")
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:)(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)", re.IGNORECASE | re.ASCII)
AGO = re.compile(r"(\d{1,6})\s+(hour|day)s?\s+ago", re.ASCII)
OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)


def read_zone(name: str) -> tzinfo:
    """An IANA name or ``±HH:MM`` as a zone; UTC when unknown."""
    offset = OFFSET.fullmatch(name)
    if offset and int(offset[2]) < 24 and int(offset[3]) < 60:
        delta = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(delta if offset[1] == "+" else -delta)
    try:
        return ZoneInfo(name) if name not in {"", "Z", "UTC"} else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def read_time(text: str, now: datetime, zone: tzinfo, name: str = "time") -> datetime:
    """A moment in UTC.

    Args:
        text: one of `KNOWN`; case and spaces around do not matter.
        now: aware.
        zone: the asker's, for the start of today and yesterday.
        name: the parameter, for the error.

    Raises:
        ToolArgumentError: it is none of these, or out of range.
    """
    words = " ".join(text.lower().split())
    try:
        if words == "now":
            return now.astimezone(UTC)
        if words in {"today", "yesterday"}:
            return midnight(now, zone, days_ago=int(words == "yesterday"))
        if ago := AGO.fullmatch(words):
            number = int(ago[1])
            return now.astimezone(UTC) - (timedelta(hours=number) if ago[2] == "hour" else timedelta(days=number))
        if moment := MOMENT.fullmatch(text.strip()):
            return read_moment(moment)
    except (ValueError, OverflowError) as error:
        raise ToolArgumentError(f"{name}: {text!r} is not a time that exists", EXAMPLES) from error
    raise ToolArgumentError(f"{name}: {text[:80]!r} is not a time; write {KNOWN}", EXAMPLES)


def midnight(now: datetime, zone: tzinfo, days_ago: int = 0) -> datetime:
    """The start of a local day, in UTC."""
    day = now.astimezone(zone).date() - timedelta(days=days_ago)
    return datetime.combine(day, time(), zone).astimezone(UTC)


def read_moment(match: re.Match[str]) -> datetime:
    """RFC 3339, a leap second included, which is taken for the next second. Raises: ValueError, OverflowError."""
    day, clock, second, fraction, offset = match.groups()
    leap = second == "60"
    text = f"{day}T{clock}{'59' if leap else second}.{(fraction or '0')[:6]:0<6}{offset.upper().replace('Z', '+00:00')}"
    moment = datetime.fromisoformat(text).astimezone(UTC)
    return moment.replace(microsecond=0) + timedelta(seconds=1) if leap else moment
