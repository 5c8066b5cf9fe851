"""Clock times and dates as people and programs write them: found in a text, read as a moment, compared with one."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from workers.grounding.value_format import Voice
from workers.language.clock_times import HOURS, MONTHS, on_clock, spoken_minutes
from workers.language.zones import CITY, IANA, LETTERS, zone_named

MONTH = rf"(?:{MONTHS})[a-z]*"
OFFSET = r"(?:UTC|GMT)?[+−-]\d{1,2}(?::?(?:00|30|45))?(?![\d:])"
NAMED = rf"(?:{OFFSET}|(?-i:{IANA})|(?:{LETTERS}|(?-i:[A-Z]{{2,4}}T))\b|(?:{CITY})(?=\W|$)|(?:local|our)(?= time))"
ZONE = rf"(?P<zone>\s?\(?(?:,? ?in (?:the )?)?{NAMED}(?: (?:local )?time| clock)?(?: \((?:{LETTERS})\)|\))?(?!\w))"
CLOCK = r"(?P<h>[01]?\d|2[0-5]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:[.,]\d+)?)?(?:(?:\s?(?P<half>[ap])\.?m\b\.?)| in the (?P<part>morning|afternoon|evening))?"
LITTLE = r"(?:five|ten|twenty(?:-five)?|\d{1,2} minutes|[a-z]+(?:-[a-z]+)? minutes?|(?:a )?quarter|half)"
FORMS = (
    rf"(?<!\d)(?P<y>\d{{4}})[-/](?P<mo>\d\d)[-/](?P<d>\d\d)(?:[T ]\s?{CLOCK}{ZONE}?)?(?!\d)",
    rf"(?P<d>\d\d)/(?P<mon>{MONTH})/(?P<y>\d{{4}}):{CLOCK}{ZONE}?",
    rf"(?<!\d\.)\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mon>{MONTH})\.?(?:,? (?P<y>\d{{4}}))?(?:,?(?: at)? {CLOCK}{ZONE}?)?(?![\d:])\b",
    rf"\b(?P<mon>{MONTH})\.? +(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}})(?![\d:]))?(?:[,-]*(?: at| -)? *{CLOCK}(?: (?P<y2>\d{{4}}))?{ZONE}?)?(?!:?\d)",
    rf"(?<![\w.,:$€£-])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?=\s?(?:and|to|or|until|through|[–,-])\s?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?P<mon>{MONTH})\b)",
    r"(?:^|(?<=\bon )|(?<=\bof )|(?<=\bsince )|(?<=\bfrom )|(?<=\bto ))the (?P<d>\d{1,2})(?:st|nd|rd|th)\b(?! (?:percentile|time|try|attempt|step))",
    rf"(?<![\d:.]){CLOCK}{ZONE}?(?!\d|:\d)",
    rf"\b(?P<h>\d{{1,2}})\s?(?P<half>[ap])\.?m\b\.?{ZONE}?",
    rf"\b(?P<said>{LITTLE} (?:past|to|before|after) (?:{'|'.join(HOURS)}|noon|midnight)|(?:{'|'.join(HOURS)}) o[’']clock)(?! (?:minutes?|seconds?|hours?|days?|of|percent|times)\b)(?: in the (?P<part>morning|afternoon|evening))?{ZONE}?(?![\w-])",
)  # fmt: skip


@cache
def patterns() -> tuple[re.Pattern[str], ...]:
    """Those of `FORMS`: large, and no question needs them before its answer is written."""
    return tuple(re.compile(form, re.IGNORECASE) for form in FORMS)


@dataclass(frozen=True)
class WrittenTime:
    """A time or date in a text; what is not written is None. ``zones``: as they are named; ``period``: of the clock, in minutes."""

    start: int
    end: int
    year: int | None = None
    month: int | None = None
    day: int | None = None
    minutes: int | None = None
    second: int | None = None
    zones: tuple[str, ...] = ()
    period: int = 1440
    seconds_only: bool = False

    @property
    def clocked(self) -> bool:
        """Whether a time of the day is written."""
        return self.minutes is not None


def find_times(text: str) -> Iterator[WrittenTime]:
    """All times and dates of a text, without overlaps."""
    taken = [False] * len(text)
    for pattern in patterns():
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]) or (found := read_time(match)) is None:
                continue
            taken[start:end] = [True] * (end - start)
            yield found


def read_time(match: re.Match[str]) -> WrittenTime | None:
    """What a match says."""
    got = match.groupdict()
    named = got.get("mon")
    month = MONTHS.split("|").index(named[:3].lower()) + 1 if named else int(got["mo"]) if got.get("mo") else None
    year, day = got.get("y") or got.get("y2"), got.get("d")
    minutes, period = None, 1440
    half = got.get("half") or {"morning": "a", "afternoon": "p", "evening": "p"}.get(
        (got.get("part") or "").lower(), ""
    )
    if got.get("said"):
        try:
            minutes = spoken_minutes(got["said"])
        except (ValueError, KeyError):
            return None
        minutes, period = (minutes + 720, 1440) if half == "p" else (minutes, 720)
    elif got.get("h"):
        minutes = 60 * on_clock(int(got["h"]), half) + int(got.get("m") or 0)
    zones = tuple(re.findall(rf"(?<!\w){NAMED}", got.get("zone") or "", re.IGNORECASE))
    second = int(got["s"]) if got.get("s") else None
    alone = bool(got.get("s")) and not (day or half or zones)
    return WrittenTime(
        *match.span(),
        int(year) if year else None,
        month,
        int(day) if day else None,
        minutes,
        second,
        zones,
        period,
        alone,
    )


def moment_of(said: WrittenTime, last: datetime | None) -> datetime | None:
    """A written time as a moment; a missing day or year is that of the time before it; None when there is no such moment."""
    last = last or datetime(2000, 1, 1, tzinfo=UTC)
    zone = (zone_named(said.zones[0]) if said.zones else None) or UTC
    minutes = said.minutes or 0
    try:
        day = (said.year or last.year, said.month or last.month, said.day or last.day)
        at = datetime(*day, minutes // 60 % 24, minutes % 60, said.second or 0, tzinfo=zone)
        return at.astimezone(UTC) + timedelta(days=minutes // 1440)
    except (ValueError, OverflowError):
        return None


def is_moment(said: WrittenTime, at: datetime, voice: Voice, *, dated: bool = True, shown: str = "") -> bool:
    """Whether a written time is this moment, to the minute, in every zone it names (in none: UTC or the asker's);
    local time is also that of the zone in which the evidence shows the moment."""
    own = next((t.zones for t in find_times(shown)), ()) if {z.lower() for z in said.zones} == {"local"} else ()
    if own and is_moment(replace(said, zones=own), at, voice, dated=dated):
        return True
    zones = [zone_of(word, voice) for word in said.zones]
    if any(zone is None for zone in zones):
        return False
    try:
        fits = [fits_clock(said, at.astimezone(zone), dated) for zone in (zones or [UTC, voice.tz()]) if zone]
    except OverflowError:  # the ends of the calendar have no clock in other zones
        return False
    return all(fits) if zones else any(fits)


def fits_clock(said: WrittenTime, local: datetime, dated: bool) -> bool:
    """The same in one zone; half a minute may have been rounded up, and words are rounded to five."""
    if dated and any(
        a is not None and a != b for a, b in ((said.year, local.year), (said.month, local.month), (said.day, local.day))
    ):
        return False
    if said.minutes is None:
        return dated
    if said.second is not None:
        return (said.minutes % 1440, said.second) == (local.hour * 60 + local.minute, local.second)
    slack = 150 if said.period == 720 and said.minutes % 5 == 0 else 30
    gap = (local.hour * 3600 + local.minute * 60 + local.second - said.minutes * 60) % (said.period * 60)
    return gap < 60 or min(gap, said.period * 60 - gap) <= slack


def zone_of(word: str, voice: Voice) -> tzinfo | None:
    """One zone by its letters, its place, its IANA name or its offset; None when there is no such zone."""
    if word.lower() in {"local", "our"}:
        return voice.tz()
    if named := zone_named(word):
        return named
    return voice.tz() if voice.now.astimezone(voice.tz()).tzname() == word.upper() else None
