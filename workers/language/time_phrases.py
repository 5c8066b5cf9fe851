"""The words and patterns of time phrases, most telling kind first, and the days and clock times they name.

`time_hints` turns matches into windows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cache

from workers.language.clock_times import MONTHS, on_clock
from workers.language.durations import COUNTS, NUMBER, SPAN, UNITS
from workers.language.zones import CITY, IANA, OFFSETS

Span = tuple[datetime, datetime]  # on a clock of no zone, so that days of 23 and 25 hours are days
ONE_DAY = timedelta(days=1)
EARLY = timedelta(minutes=2)
"""So soon after a deploy no metric shows what it did: samples are up to a minute apart, and rates need several."""
BEFORE_EARLY = timedelta(hours=1)
"""What is looked at instead: so long before the deploy, until now."""

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (17, 30), "noon": (11, 14)}

SINCE = r"(?:ever since|since|after|following|right after|from|post[- ]|as of)"
DAY = "|".join(DAYS)

# --- clock times and zones ------------------------------------------------------------------------------------

WORDS = frozenset({"art", "cat", "cot", "eat", "pet", "wat", "west", "et", "ct", "mt", "pt"})  # in capitals only
LETTERS = "|".join(sorted(OFFSETS.keys() - WORDS, key=len, reverse=True))
ZONE_NAME = (
    rf"(?:(?:utc|gmt)\s?[+−-]\d{{1,2}}(?::?\d\d)?|\+\d\d:?\d\d|(?:{LETTERS})\b|(?-i:{'|'.join(WORDS).upper()})\b"
    rf"|(?-i:{IANA})|(?:{CITY})(?: local)? time\b)"
)
ZONE = rf"(?:\s?\({ZONE_NAME}\)|\s?(?:in )?{ZONE_NAME})?"
HALF = r"(?:\s?(?:[ap]m\b|[ap]\.m\.))"
BARE = r"(?:[01]?\d|2[0-3])(?![\d:%]|\.\d)(?!\s?(?:-|to) ?\d+%)\b"
SURE = (
    rf"(?:(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?{HALF}?|(?:[01]?\d|2[0-3])(?:{HALF}|\s?o['’]clock\b)"
    r"|(?:noon|midday|midnight)\b)"
)
IN_PART = r"(?: in the (?:morning|afternoon|evening)| at night)?"
CLOCK = rf"(?:(?:{SURE}|{BARE}|(?:1\d|2[0-3])h\b){ZONE}{IN_PART})"
SURE_CLOCK = rf"(?:{SURE}{ZONE}{IN_PART})"

# --- days -----------------------------------------------------------------------------------------------------

MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
NO_VERB = r"(?!(?<=may) (?!at|around|between|from|since)[a-z])"  # "the 3 may fail"
TH = r"(?:st|nd|rd|th)?"
YEAR = r"(?:,? (?:19|20)\d\d\b)?"
DATE = (
    rf"(?:(?:19|20)\d\d-\d\d-\d\d(?!\d)|{MONTH}\.? \d{{1,2}}{TH}\b(?![:.]\d){YEAR}"
    rf"|(?:the )?\d{{1,2}}{TH}\.?(?: of)? {MONTH}{NO_VERB}{YEAR})"
)
TODAY = r"(?:yesterday|today|tonight|last night|overnight|this (?:morning|afternoon|evening|night))"
PART = r"(?:(?: in the)? (?:morning|afternoon|evening)| noon| night| at night)?"
DAY_REF = (
    rf"(?:the day before yesterday|(?:(?:earlier|early|late|later) )?{TODAY}|(?:last |this |this past |past )?(?:{DAY})"
    rf"|{NUMBER} days ago|{DATE})\b{PART}"
)
ISO = r"(?P<iso>(?:19|20)\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z\b|UTC\b|[+-]\d\d:\d\d)?)"
ISO_POINT = ISO.replace("?P<iso>", "?:")

DAY_CLOCK = r"(?:,? (?:at |around |about |from )?)"
POINT = rf"(?:{ISO_POINT}|(?:on )?{DAY_REF}(?:{DAY_CLOCK}{CLOCK})?|(?:at )?{CLOCK}(?:,? (?:on )?{DAY_REF})?)"
SURE_POINT = (
    rf"(?:{ISO_POINT}|{SURE_CLOCK}(?:,? (?:on )?{DAY_REF})?|{BARE}{ZONE}(?=\s?[-–—]\s?\d+(?::\d\d)?\s?[ap]\.?m))"
)
LEAD_DAY = rf"(?:(?:on )?{DAY_REF},? )?"
UP_TO = r"(?: (?:to|until|till|through) |\s?[-–—]\s?)"
TO = rf"(?:,? and |{UP_TO})"
# what may come after a number that nothing but its place makes an hour: "between 2 and 3?", not "… 3 replicas"
ENDS = (
    r"(?=\s*(?:$|[?!,;)]|\.(?!\d))|\s+(?:and|or|but|when|while|for|on|in|because|the|our|there|it|we|why|what|did|is"
    r"|are|was|were|has|have)\b)"
)

# --- deploys --------------------------------------------------------------------------------------------------

DEPLOY = r"(?:deploy(?:ment|ed)?s?|release|roll-?out|push|ship(?:ped|ment)?|version bump)"
POSSESSIVE = (
    rf"(?:day before yesterday|yesterday|today|this morning|this afternoon|tonight|last night|{DAY})(?:['’]?s)?"
)
HOUR = rf"(?:[01]?\d|2[0-3])(?::[0-5]\d)?{HALF}?"
WHOSE = rf"(?:the |our |my |that |this )?(?:very )?(?:last|latest|recent|most recent|newest|new|{POSSESSIVE}|{HOUR})?"
ON_DAY = rf"(?: (?:the day before yesterday|yesterday|today|this morning|last night|on (?:{DAY}|{DATE})))?"

NOT_COUNTED = r"(?! ?last (?:week|month|year)\b)"
IN = rf"(?:{SINCE}|in|during|throughout|over|all of)"
PHRASES: tuple[tuple[str, str], ...] = (
    ("deploy", rf"\b{SINCE}\s?{WHOSE}\s?(?:\w+ )?{DEPLOY}\b(?: of [\w.-]+)?(?: v?\d+(?:\.\d+)+)?{ON_DAY}"),
    (
        "deploy",
        rf"\b{SINCE} (?:we |they |you |i |it )?(?:deployed|released|shipped|pushed|rolled out)[^.?!,]{{0,30}}",
    ),
    ("deploy", rf"\b{SINCE} (?:version )?v\d+(?:\.\d+)+\b"),
    ("deploy", rf"\b(?:the |our )?(?:last|latest|{POSSESSIVE}) (?:\w+ )?{DEPLOY}\b"),
    ("range", rf"\b{LEAD_DAY}(?P<lead>between|from) (?P<first>{POINT}){TO}(?P<until>{POINT})"),
    (
        "range",
        rf"(?<![\w.:/-])(?P<lead>{LEAD_DAY})(?:at )?(?P<first>{SURE_POINT}){UP_TO}(?P<until>{SURE_POINT})",
    ),
    ("range", rf"\b(?P<lead>on )?(?P<first>{DAY_REF}){TO}(?P<until>{DAY_REF})"),
    ("iso", rf"(?:\b{SINCE} |\baround |\bon |\bat )?{ISO}"),
    (
        "clock",
        rf"\b(?:(?:on |since )?{DAY_REF},? )?(?:{SINCE} |around |about |at |~){{1,2}}(?:{SURE_CLOCK}|lunch(?:time)?\b)(?:,? (?:on )?{DAY_REF})?",
    ),
    ("clock", rf"\b(?:{SINCE} |on |at |around )?{DAY_REF},? (?:at |around )?{SURE_CLOCK}"),
    ("clock", rf"\b(?:{SINCE} |around |about |at ){{0,2}}{SURE_CLOCK},? (?:on )?{DAY_REF}"),
    ("clock", rf"\b(?:{SINCE} |around |about |at ){{1,2}}{BARE}{ZONE},? (?:on )?{DAY_REF}"),
    ("clock", rf"\b(?:on |since )?{DAY_REF},? (?:{SINCE} |around |about |at ){{1,2}}{BARE}{ZONE}{ENDS}"),
    (
        "clock",
        rf"\b(?:{SINCE} |around |about |at ){{1,2}}{BARE}(?:\s?\({ZONE_NAME}\)|\s?(?:in )?{ZONE_NAME}|(?= in the | at night){IN_PART})",
    ),
    ("clock", rf"\b(?:ever )?since (?:about |around )?{BARE}{ENDS}"),
    (
        "last",
        rf"{NOT_COUNTED}\b(?:in |for |over |during |within |from )?(?:the |these )?(?:last|past|previous) "
        rf"(?:{SPAN}|{UNITS}(?: and a half)?)",
    ),
    ("ago", rf"\b(?:{SINCE} |about |around |some |like ){{0,2}}{SPAN} ago\b"),
    ("last", rf"\bsince (?:about |around |some )?{SPAN}"),
    (
        "weekend",
        rf"\b(?:{SINCE} |over |during |on |at )?(?:the |this |last |this past |the past |the last )weekend\b",
    ),
    ("week", rf"\b(?:{SINCE} )?(?:earlier )?(?:this|last) (?:week|month|year)\b"),
    ("day", rf"\b(?:{SINCE} |on |around )?{DAY_REF}"),
    ("month", rf"\b{IN} {MONTH}(?:,? (?:of )?(?:19|20)\d\d\b)?(?!\.? \d)"),
    ("month", rf"\b(?:{SINCE}|in|during|throughout|all of) (?:the year )?(?:19[7-9]|20[0-4])\d{ENDS}"),
    ("recent", r"\b(?:right now|currently|at the moment|(?<!^)(?<!\. )now|recently|lately|these days)\b"),
)
"""Kinds and patterns, the most telling first; letter case is ignored."""
DAY_WORDS = r"\d|day|night|noon|morning|afternoon|evening|lunch"
SIGNS: dict[str, str] = {
    "deploy": r"deploy|release|roll|push|ship|version|v\d",
    "range": DAY_WORDS,
    "iso": r"\d",
    "clock": DAY_WORDS,
    "last": "last|past|previous|since",
    "ago": "ago",
    "weekend": "weekend",
    "week": "week|month|year",
    "day": DAY_WORDS,
    "month": r"\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
}
"""What stands in every phrase of a kind. The patterns take long to compile, and most texts have none of it."""


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """One of the patterns, compiled when a text first needs it."""
    return re.compile(pattern, re.IGNORECASE)


def patterns_for(text: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns that may match a text or a part of it, with their kinds."""
    for kind, pattern in PHRASES:
        if kind not in SIGNS or re.search(SIGNS[kind], text, re.IGNORECASE):
            yield kind, compiled(pattern)


def matches_of(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Each match of each pattern with its kind, the most telling kind first; matches of two patterns may overlap."""
    for kind, pattern in patterns_for(text):
        yield from ((kind, match) for match in pattern.finditer(text))


def names_deploy(phrase: str) -> bool:
    """Whether a phrase of time counts from a deploy."""
    text = phrase.strip()
    return next((kind for kind, pattern in patterns_for(text) if pattern.fullmatch(text)), "") == "deploy"


def hours_of(phrase: str, *, literal: bool = False) -> list[tuple[int, int]]:
    """The clock time in words, as (hour, minute); two for a number that may be of either half of the day.

    ``literal`` reads such a number by the 24-hour clock.
    """
    low = re.sub(rf"{DATE}|{ZONE_NAME}|{NUMBER} days ago", " ", phrase, flags=re.IGNORECASE).lower()
    if word := re.search(r"\b(noon|midday|midnight|lunch)", low):
        return [(0 if word[1] == "midnight" else 12, 0)]
    clock = re.search(r"(?<![\d.])(\d{1,2})(?::(\d\d))?(?::\d\d)?(?:\s?([ap])\.?m\b)?", low)
    if not clock:
        return []
    hour, minute = min(int(clock[1]), 23), int(clock[2] or 0)
    half = clock[3] or ("a" if "morning" in low else "p" if re.search("afternoon|evening", low) else "")
    if half:
        return [(on_clock(hour, half), minute)]
    if literal or is_exact(low):
        return [(hour, minute)]
    return [(hour % 12, minute), (hour % 12 + 12, minute)]


def is_exact(phrase: str) -> bool:
    """Whether a clock time is written by the 24-hour clock: ``14:06``, ``17``, ``09``."""
    bare = re.sub(rf"{DATE}|{ZONE_NAME}|{NUMBER} days ago", " ", phrase, flags=re.IGNORECASE)
    clock = re.search(r"(?<![\d.])(\d{1,2})(:\d\d)?(?!\d)(?:\s?([ap])\.?m\b)?", bare, re.IGNORECASE)
    return bool(clock and not clock[3] and (clock[2] or int(clock[1]) > 12 or clock[1].startswith("0")))


# --- days -----------------------------------------------------------------------------------------------------


def day_start(now: datetime, days_ago: int = 0) -> datetime:
    """The start of a day by the clock of ``now``; `clock_times.midnight` is that of a zone, in UTC."""
    return datetime.combine(now.date(), time()) - days_ago * ONE_DAY


def day_of(moment: datetime) -> Span:
    """The whole day of a moment."""
    return day_start(moment), day_start(moment, -1)


def named_day(phrase: str, now: datetime, last: date | None = None) -> Span | None:
    """The whole local day a phrase names, or the night. ``last`` is the latest that a weekday or date may mean."""
    low = phrase.lower()
    if written := re.search(DATE, low):
        day = latest_date(written.group(), last or now.date())
        return (day, day + ONE_DAY) if day else None
    if ago := re.search(r"([0-9]{1,4}|[a-z]+)(?: of)? days ago", low):
        count = int(ago[1]) if ago[1].isdigit() else COUNTS.get(ago[1], 1)
        return day_start(now, min(count, 3650)), day_start(now, min(count, 3650) - 1)
    if "day before yesterday" in low:
        return day_start(now, 2), day_start(now, 1)
    if re.search("tonight|this night|last night|overnight", low):
        begun = now.hour >= PARTS["evening"][0] and not re.search("last|over", low)
        back = 0 if begun else 1
        return day_start(now, back) + timedelta(hours=17), day_start(now, back) + timedelta(hours=30)
    if "yesterday" in low:
        return day_start(now, 1), day_start(now)
    for i, name in enumerate(DAYS):
        if name in low:
            until = day_start(now, 0) if last is None else datetime.combine(last, time())
            back = (until.weekday() - i) % 7
            back = 7 if back == 0 and (last is None or f"last {name}" in low) else back
            return until - timedelta(days=back), until - timedelta(days=back - 1)
    return (day_start(now), day_start(now, -1)) if re.search("today|this (?:morning|afternoon|evening)", low) else None


def latest_date(written: str, last: date) -> datetime | None:
    """``2026-11-20``, ``Nov 20`` or ``20th of November``: without its year the latest one; None for no date."""
    year = re.search(r"\b(?:19|20)\d\d\b", written)
    month = re.search(rf"\b(?:{MONTHS})", written)
    numbers = [int(n) for n in re.findall(r"\d+", written)]
    if not month:
        years, parts = [numbers[0]], (numbers[1], numbers[2])
    else:
        years = [int(year.group())] if year else list(range(last.year, last.year - 9, -1))
        parts = MONTHS.split("|").index(month.group()) + 1, numbers[0]
    for each in years:
        try:
            day = datetime.combine(date(each, *parts), time())
        except ValueError:
            continue
        if not month or year or day.date() <= last:
            return day
    return None


def named_span(phrase: str, now: datetime, last: date | None = None) -> Span | None:
    """The day that a phrase names, or its part of that day: "yesterday afternoon", "tonight", "Monday night"."""
    low, day = phrase.lower(), named_day(phrase, now, last)
    if not day or re.search("last night|tonight|this night|overnight", low):
        return day
    part = next((hours for name, hours in PARTS.items() if re.search(rf"\b{name}\b", low)), None)
    if not part:
        return day
    start, end = (day[0] + timedelta(hours=h) for h in part)
    if "this" in low and start > now:  # said before it: early in the day, or of the day before
        return (day[0], end) if "morning" in low else (start - ONE_DAY, end - ONE_DAY)
    return start, end


def walls(hours: Iterable[tuple[int, int]], spans: Iterable[Span]) -> list[datetime]:
    """The clock times on the days that the spans touch, those inside their span when there are any."""
    inside, near = [], []
    for start, end in spans:
        for back in range((end - timedelta(seconds=1)).date().toordinal() - start.date().toordinal() + 1):
            for hour, minute in hours:
                wall = datetime.combine(start.date(), time(hour, minute)) + back * ONE_DAY
                near.append(wall)
                inside.extend([wall] if start <= wall < end else [])
    return inside or near


def days_meant(phrase: str, now: datetime) -> list[Span]:
    """The days a clock time may be of: the day named, its own day of the week included; else today or yesterday."""
    today = now.date()
    named = [named_span(phrase, now, today), named_span(phrase, now)]
    found = [n for n in named if n and n[0] <= now]
    return found or [(day_start(now), day_start(now, -1)), (day_start(now, 1), day_start(now))]
