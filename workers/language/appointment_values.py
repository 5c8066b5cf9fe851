"""Dates, lengths and times of the day as they are written in requests, and their values."""

from __future__ import annotations

import re
from datetime import date, timedelta

from workers.language.clock_times import MONTHS, spoken_minutes
from workers.language.durations import NUMBER, seconds_of
from workers.language.time_phrases import DATE, DAYS, ZONE_NAME

ONE_DAY, WEEK = timedelta(days=1), timedelta(days=7)
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?\b"
WEEKDAYS = rf"{WEEKDAY}(?:(?:,? (?:and|&) |, ?){WEEKDAY})*"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
HOURS = r"(?:hours?|hrs?)(?![a-z])"
MINUTES = r"(?:minutes?|mins?)(?![a-z])"
LENGTH = (
    rf"(?:\d+\s?h\s?\d\d(?!\d)\s?(?:{MINUTES})?|half(?: an?)?[ -]?{HOURS}|(?:a |one )?quarter (?:of an )?hour"
    rf"|(?:free|spare|full|whole) hour\b"
    rf"|three[- ]quarters? of an hour|\d+(?:\.\d+)?\s?[hm](?![a-z\d])"
    rf"|{NUMBER}(?: full| whole)?(?: and a half)?[ -]?(?:{HOURS}|{MINUTES})(?: and a half| and a quarter)?)"
)
AND_MINUTES = rf"(?:(?: and)? \d+ ?{MINUTES})?"
HALF = r"\s?(?:[ap]\.?m\b\.?|o'?clock\b)"
SPOKEN = rf"(?:(?:half|quarter|ten|five|twenty) (?:past|to)|halb) (?:\d{{1,2}}|{NUMBER})\b"
SURE = (
    rf"(?:(?:[01]?\d|2[0-3])[:.][0-5]\d(?!\d)(?:{HALF})?|(?:[01]?\d|2[0-3])(?:{HALF}|h(?![a-z\d]))"
    rf"|noon|midnight|{SPOKEN})"
)
NO_UNIT = (
    rf"(?![\d:.]\d|\d|\s?(?:{HOURS}|{MINUTES}|[hm]\b|days?|weeks?|people|%|st\b|nd\b|rd\b|th\b"
    rf"|\. ?(?:{MONTHS})|(?:{MONTHS})))"
)
BARE = rf"(?:[01]?\d|2[0-3])\b{NO_UNIT}"
ZONE = rf"(?:\s?\(?(?P<zone>{ZONE_NAME}|eastern|pacific)\)?)?"
CLOCK = rf"(?:{SURE}|{BARE})"
DATE_SPAN = rf"(?:{DATE}|(?:the )?\d{{1,2}}(?:st|nd|rd|th)\b|\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}})?)"


def monday(day: date) -> date:
    """The Monday of a day's week."""
    return day - day.weekday() * ONE_DAY


def weekday_of(word: str) -> int:
    """0 for Monday."""
    return next(i for i, name in enumerate(DAYS) if name.startswith(word.lower().strip()[:3]))


def date_of(written: str, today: date) -> date | None:
    """A date without its year is the next one, not more than a month ago; None for no date."""
    low = written.lower()
    numbers = [int(n) for n in re.findall(r"\d+", low)]
    month = re.search(rf"\b(?:{MONTHS})", low)
    if re.match(r"\d{4}-", low):
        return safe_date(*numbers[:3])
    if month:
        day = next(n for n in numbers if n < 32)
        year = next((n for n in numbers if n > 1900), 0)
        return next_date(year, MONTHS.split("|").index(month.group()) + 1, day, today)
    if "." in low and len(numbers) > 1:
        return next_date(numbers[2] if len(numbers) > 2 else 0, numbers[1], numbers[0], today)
    for ahead in range(3):
        at = today.month - 1 + ahead
        found = safe_date(today.year + at // 12, at % 12 + 1, numbers[0])
        if found and found >= today:
            return found
    return None


def next_date(year: int, month: int, day: int, today: date) -> date | None:
    """The date in its year, or else the next."""
    if year:
        return safe_date(year, month, day)
    found = safe_date(today.year, month, day)
    return found if found and found >= today - 30 * ONE_DAY else safe_date(today.year + 1, month, day)


def safe_date(year: int, month: int, day: int) -> date | None:
    """A date; None when there is none."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def minutes_of(written: str) -> int:
    """A length in minutes."""
    low = re.sub(r"^(?:free|spare|full|whole) hour$", "one hour", written.lower())
    if both := re.match(r"(\d+)\s?h\s?(\d\d)(?!\d)", low):
        return int(both[1]) * 60 + int(both[2])
    extra = re.search(rf"{HOURS}(?: and)? (\d+) ?{MINUTES}", low)
    first = low[: extra.start(1)] if extra else low
    quarter = 15 if "and a quarter" in low else 0
    return (
        round(seconds_of(first.replace("-", " ").replace("and a quarter", "")) / 60)
        + (int(extra[1]) if extra else 0)
        + quarter
    )


def clock_of(written: str, same_half: str = "") -> int:
    """A time of day in minutes. A bare hour up to six is one of the afternoon, as appointments are.

    ``same_half``: the end of a range, whose half of the day counts for its start too, where that comes before it.
    """
    low = written.lower().strip()
    if low in {"noon", "midnight"}:
        return 720 if low == "noon" else 0
    if low.startswith("halb "):
        return afternoon(spoken_minutes(low[5:]) - 30)
    if re.match(r"[a-z]", low):
        return afternoon(spoken_minutes(low))
    numbers = re.match(r"(\d{1,2})(?:[:.](\d\d))?", low)
    hour, minute = (int(numbers[1]), int(numbers[2] or 0)) if numbers else (0, 0)
    half = re.search(r"([ap])\.?m", low)
    if half:
        return (hour % 12 + (12 if half[1] == "p" else 0)) * 60 + minute
    other = re.search(r"([ap])\.?m", same_half.lower())
    if other and hour < 13:
        end = clock_of(same_half)
        late, early = (hour % 12 + 12) * 60 + minute, (hour % 12) * 60 + minute
        return late if other[1] == "p" and late < end else early
    return hour * 60 + minute if low.startswith("0") else afternoon(hour * 60 + minute)


def afternoon(minutes: int) -> int:
    """A time before seven as one of the afternoon."""
    return minutes + 720 if 0 < minutes < 7 * 60 else minutes
