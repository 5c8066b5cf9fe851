"""Clock times and dates as people write them, and whether they are a given moment in the zone they name."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from workers.grounding.value_format import Voice
from workers.language.clock_times import HOURS, MONTHS, on_clock, spoken_minutes
from workers.language.zones import CITY, IANA, LETTERS, zone_named

OFFSET = r"(?:UTC|GMT)?[+−-]\d{1,2}(?::?(?:00|30|45))?(?![\d:])"
NAMED = rf"{OFFSET}|{IANA}|(?:{LETTERS}|[A-Z]{{2,4}}T)\b|(?:{CITY})(?=\W|$)|local|our"
ZONE = rf"(?:{NAMED})(?: (?:local )?time| clock)?"
DAYPART = (
    r"(?: (?:early |late )?(?:in the|the next|yesterday|this|that) (?:morning|afternoon|evening)| at night| sharp)"
)
LITTLE = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    r"nineteen|twenty(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|\d{1,2}(?= minute))"
)
HOUR = rf"(?:{'|'.join(HOURS)}|noon|midnight)"
NO_COUNT = r"(?![\w-])(?! (?:minutes?|seconds?|hours?|days?|m?s|percent|times|requests|of|out|in (?!the |[A-Z]))\b)"
# "four minutes before half past four", "twenty to eleven", "one minute past noon", "five o'clock"
IN_WORDS = (
    rf"(?:(?:{LITTLE} minutes? (?:before|after|to|past) )?(?:half past|a quarter past|a quarter to) {HOUR}"
    rf"|(?<!from ){LITTLE}(?: minutes?)? (?:past|to|before|after) {HOUR}|{HOUR} o[’']clock){NO_COUNT}"
)
SPOKEN = re.compile(rf"(?P<clock>{IN_WORDS})(?P<part>{DAYPART})?", re.IGNORECASE)
IN_ZONE = rf"(?:,?(?: in(?: the)?)? (?:{ZONE})(?: \((?:{LETTERS})\))?(?!\w))"
CLOCK = re.compile(
    rf"\b{IN_WORDS}{DAYPART}?{IN_ZONE}?|(?<![\d:.])\d{{1,2}}:\d\d(?:{DAYPART}{IN_ZONE}?|, (?:{CITY}) time)|"
    rf"(?:\b(?:{CITY}) time (?=\d))?"
    r"(?<![\d:.])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?!\d)(?:\s?[ap]\.?m\b\.?)?"
    rf"(?:\s?\(?(?:in (?:the )?)?(?:{ZONE})(?: \((?:{LETTERS})\)|\))?(?!\w))?"
    r"|\b\d{1,2}\s?[ap]\.?m\b\.?"
    rf"(?:\s?(?:{ZONE})(?!\w))?",
    re.IGNORECASE,
)
ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s?(Z|UTC|[+-]\d\d:\d\d)?$")
DATE = re.compile(
    rf"(?<!\d\.)\b(?:\d{{4}}-\d\d-\d\d|(?:{MONTHS})[a-z]*\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}}(?!\d))?|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTHS})[a-z]*(?:,? \d{{4}}(?!\d))?|(?:(?<=\bon )|(?<=\bof )|(?<=\bsince ))the \d{{1,2}}(?:st|nd|rd|th)"
    r"(?! (?:percentile|time|try|attempt|step)))\b",
    re.IGNORECASE,
)


def time_matches(text: str, moment: datetime, voice: Voice) -> bool:
    """Whether a written time is this moment, to the minute, in every zone it names (in none: UTC or the asker's)."""
    if iso := ISO.match(text):
        zone = iso[3] or "Z"
        try:
            written = datetime.fromisoformat(f"{iso[1]}T{iso[2]}{'+00:00' if zone in {'Z', 'UTC'} else zone}")
        except ValueError:
            return False
        return same_minute(written, moment)
    if spoken := SPOKEN.match(text):
        return spoken_matches(spoken, text[spoken.end() :], moment, voice)
    if part := re.search(DAYPART, text, re.IGNORECASE):
        half = "am" if "morning" in part.group() else "" if part.group().endswith(("sharp", "night")) else "pm"
        text = f"{text[: part.start()]}{half}{text[part.end() :]}"
    clock = re.search(r"(\d{1,2})(?::(\d\d))?(?::\d\d)?(?:\s?([ap])\.?m)?", text, re.IGNORECASE)
    if not clock:
        return False
    seconds = re.search(r"\d:\d\d:(\d\d)", text)
    if seconds and int(seconds[1]) != moment.second:
        return False
    hour, minute = on_clock(int(clock[1]), clock[3] or ""), int(clock[2] or 0)
    named = [zone_of(word, voice) for word in zone_words(text)]
    if any(zone is None for zone in named):
        return False
    if not named:
        return any(clock_is(moment.astimezone(zone), hour, minute) for zone in (UTC, voice.tz()))
    return all(clock_is(moment.astimezone(zone), hour, minute) for zone in named if zone)


def spoken_matches(spoken: re.Match[str], rest: str, moment: datetime, voice: Voice) -> bool:
    """The same for a time in words, which says no half of the day and may be rounded to five minutes."""
    said = spoken_minutes(spoken["clock"])
    whole = re.search("noon|midnight", spoken["clock"], re.IGNORECASE) is not None
    period = 1440 if whole or spoken["part"] else 720
    if re.search("afternoon|evening", spoken["part"] or ""):
        said += 0 if whole else 720
    elif "morning" not in (spoken["part"] or "") and not whole:
        period = 720
    slack = 0 if "minute" in spoken["clock"] or said % 5 else 2
    named = [zone_of(word, voice) for word in zone_words(rest)]
    if any(zone is None for zone in named):
        return False
    local = [moment.astimezone(zone) for zone in (named or [UTC, voice.tz()]) if zone]
    fits = [min((gap := t.hour * 60 + t.minute - said) % period, -gap % period) <= slack for t in local]
    return all(fits) if named else any(fits)


def zone_words(text: str) -> list[str]:
    """The zones that a written time names: ``16:06 Berlin time (CET)`` names two."""
    bare = re.sub(
        r"\d{1,2}(?::\d\d){1,2}|\d{1,2}(?=\s?[ap]\.?m)|[ap]\.?m\b\.?", " ", text, count=2, flags=re.IGNORECASE
    )
    return re.findall(rf"(?<!\w)(?:{NAMED})", bare, re.IGNORECASE)


def zone_of(word: str, voice: Voice) -> tzinfo | None:
    """One zone by its letters, its place, its IANA name or its offset; None when there is no such zone."""
    if word.lower() in {"local", "our"}:
        return voice.tz()
    if named := zone_named(word):
        return named
    return voice.tz() if voice.now.astimezone(voice.tz()).tzname() == word.upper() else None


def clock_is(local: datetime, hour: int, minute: int) -> bool:
    """Same minute; a moment past half a minute may have been rounded up."""
    rounded = local + timedelta(seconds=30)
    return (hour % 24, minute) in {(local.hour, local.minute), (rounded.hour, rounded.minute)}


def same_minute(a: datetime, b: datetime) -> bool:
    """Within rounding to the minute."""
    return abs((a - b).total_seconds()) < 60


def date_matches(text: str, moment: datetime, voice: Voice) -> bool:
    """Whether a written date is the day of this moment in UTC or the asker's zone."""
    days = {moment.astimezone(UTC).date(), moment.astimezone(voice.tz()).date()}
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return text in {d.isoformat() for d in days}
    month = re.search(MONTHS, text, re.IGNORECASE)
    number = re.search(r"\b\d{1,2}(?!\d)", text)
    year = re.search(r"\d{4}", text)
    if not number or (year and int(year.group()) not in {d.year for d in days}):
        return False
    wanted = (MONTHS.split("|").index(month.group().lower()) + 1 if month else 0, int(number.group()))
    return any((d.month if month else 0, d.day) == wanted for d in days if isinstance(d, date))


def clock_only(text: str) -> bool:
    """Whether a time names no day and no zone, so that the very words of a text may be it."""
    return not zone_words(text) or bool(re.search(r"\bUTC\b|\bGMT\b|Z$", text))
