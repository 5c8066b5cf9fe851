"""Times as logs write them: ISO 8601, epochs, syslog's, those of web servers and of Go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

ISO = re.compile(
    r"[\[(]?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?: ?(Z|UTC|[+-]\d\d:?\d\d))?[\])]?(?!\d)",
    re.ASCII,
)
SYSLOG = re.compile(r"(?:<\d{1,3}>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d)(?=\s)", re.ASCII)
WEB = re.compile(r"\[(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})\]", re.ASCII)
EPOCH = re.compile(r"\d{9,19}(?:\.\d{1,9})?", re.ASCII)
MONTHS = {name: n for n, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (0, 1))
"""From which number on an epoch counts nanoseconds, microseconds, milliseconds or seconds."""
EARLIEST_S, LATEST_S = 631_152_000.0, 4_102_444_800.0
"""1990 and 2100: what lies outside is a number of something else."""
WEB_CHARS = 200


@dataclass(frozen=True)
class Clock:
    """How times are read that do not say all: ``zone`` of those without one; ``newest``: no time without a year is
    more than a day later, aware.
    """

    zone: tzinfo
    newest: datetime


def read_time(value: object, clock: Clock) -> datetime | None:
    """A field's time, in UTC: text or an epoch in s, ms, µs or ns; None when it is none."""
    if isinstance(value, str):
        try:  # nearly all are
            return in_range(zoned(datetime.fromisoformat(value), clock))
        except ValueError:
            return read_text_time(value, clock)
        except OverflowError:  # the year 1 or 9999
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return epoch(value)


def read_text_time(text: str, clock: Clock) -> datetime | None:
    """A time that is a whole text, in other forms than Python's own."""
    if EPOCH.fullmatch(text):
        return epoch(float(text) if "." in text else int(text))
    found = leading_time(f"{text} ", clock)
    return found[0] if found else None


def epoch(number: float) -> datetime | None:
    """Seconds, milliseconds, microseconds or nanoseconds since 1970; None when it can be none of these."""
    if not 0 < number < 1e20:
        return None
    scale = next(scale for least, scale in UNITS if number >= least)
    seconds = number / scale
    return datetime.fromtimestamp(seconds, UTC) if EARLIEST_S <= seconds <= LATEST_S else None


def leading_time(line: str, clock: Clock) -> tuple[datetime, str] | None:
    """The time that a line begins with, and what follows; web servers write it within. None when there is none."""
    try:
        if (found := ISO.match(line)) is not None:
            text = found[1].replace("/", "-")
            zone = "+00:00" if found[2] in {"Z", "UTC"} else found[2] or ""
            moment = in_range(zoned(datetime.fromisoformat(text + zone), clock))
            return (moment, line[found.end() :].lstrip()) if moment else None
        if (found := SYSLOG.match(line)) is not None and found[1] in MONTHS:
            return without_year(found, clock), line[found.end() :].lstrip()
        if (found := WEB.search(line, 0, WEB_CHARS)) is not None and found[2] in MONTHS:
            text = f"{found[3]}-{MONTHS[found[2]]:02}-{found[1]}T{found[4]}{found[5]}"
            moment = in_range(zoned(datetime.fromisoformat(text), clock))
            return (moment, (line[: found.start()] + line[found.end() :].lstrip()).strip()) if moment else None
    except (ValueError, OverflowError):  # the 31st of February
        return None
    return None


def without_year(found: re.Match[str], clock: Clock) -> datetime:
    """Syslog's time, in the last year in which it is not later than the newest. Raises: ValueError."""
    newest = clock.newest + timedelta(days=1)
    year = newest.year
    for back in range(5):  # the 29th of February is not in each
        try:
            text = f"{year - back}-{MONTHS[found[1]]:02}-{int(found[2]):02}T{found[3]}"
            moment = zoned(datetime.fromisoformat(text), clock)
        except ValueError:
            continue
        if moment <= newest:
            return moment
    raise ValueError(found.group())


def zoned(moment: datetime, clock: Clock) -> datetime:
    """A moment in UTC; one without a zone is of the clock's. Raises: OverflowError."""
    if moment.tzinfo is UTC:
        return moment
    return (moment if moment.tzinfo else moment.replace(tzinfo=clock.zone)).astimezone(UTC)


def in_range(moment: datetime) -> datetime | None:
    """A moment between 1990 and 2100; None for others, which are dates of something else."""
    return moment if 1990 <= moment.year < 2100 else None
