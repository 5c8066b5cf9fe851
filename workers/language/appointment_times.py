"""Times of appointments in a request, most of them to come: "next Tuesday, not before 10", "an hour later".

`time_phrases` reads phrases of the past, for metrics; its forms of dates, zones and spans are used here. Looked at and
not taken: dateparser and recurrent, which read a phrase as one moment and drop "not before", spans and exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from functools import cache
from typing import Any

from workers.language.appointment_values import (
    AND_MINUTES,
    CLOCK,
    DATE_SPAN,
    HOURS,
    LENGTH,
    MINUTES,
    MONTH,
    ONE_DAY,
    SURE,
    WEEK,
    WEEKDAY,
    WEEKDAYS,
    ZONE,
    clock_of,
    date_of,
    minutes_of,
    monday,
    safe_date,
    weekday_of,
)
from workers.language.durations import NUMBER, seconds_of
from workers.language.german_times import PlainText, plain_text
from workers.language.time_phrases import DATE
from workers.language.zones import zone_named

LEAD = (
    r"(?P<lead>(?:not|no|nothing|never) (?:before|earlier than|after|later than)|(?:done|over|finished|out) by"
    r"|from|after|before|until|till|by|at|around|about|to|for|starting)"
)
PARTS = {
    "morning": (0, 720), "before lunch": (0, 720), "midday": (690, 840), "after lunch": (780, 1_440),
    "afternoon": (720, 1_440), "evening": (1_020, 1_440), "night": (1_080, 1_440),
}  # fmt: skip
"""Parts of a day in minutes; those of work end with its hours."""
NTH = r"other|second|third|fourth|two|three|four|[2-9](?:nd|rd|th)?"
BAD = (
    r" (?:(?:is|are)(?: \w+)? (?:bad|out|off|no good|impossible|full)"
    r"|(?:isn't|aren't|is not|are not|doesn't|don't|does not|do not|won't) (?:works?|good|possible|ok|suits?)\b)"
)
"""What is said of a day that is not wanted."""
FORMS = (
    ("nth_of_month", rf"\b(?P<nth>first|second|third|fourth|last) (?P<what>{WEEKDAY}) of (?:every|each|the) month\b"),
    ("repeat", rf"\b(?:every|each) (?:(?P<nth>{NTH}) )?(?P<what>{WEEKDAYS}|weekday|days?|weeks?|months?)\b"),
    ("repeat", r"\b(?P<nth>)(?P<what>daily|weekly|monthly|fortnightly|bi-?weekly)\b"),
    ("times", rf"\bfor (?:the next )?(?P<count>{NUMBER}) (?P<unit>weeks|months|times)\b"),
    ("whose", r"\b(?P<whose>her|his|their|my|our|\w+(?: \w)?'s) (?:local )?time\b(?! off)"),
    ("part", r"\b(?P<not>not )?(?P<part>(?:after|before)(?: the)? lunch)(?:time| break)?\b"),
    ("shift", rf"\b(?:by )?(?P<length>{LENGTH}{AND_MINUTES}) (?P<way>later|earlier|back|forward|ahead|sooner)\b"),
    ("soon", rf"\bin (?P<length>{LENGTH})\b"),
    ("days_ahead", rf"\bin (?P<count>{NUMBER}) (?P<unit>days?|weeks?)\b"),
    ("week_of", rf"\bweek (?:of|from|starting|beginning)(?: the)? (?P<date>{DATE_SPAN})"),
    ("dates", rf"\b(?:from )?(?P<first>{DATE_SPAN})\s?(?:-|–|to|until|till|through) ?(?P<last>{DATE_SPAN})"),
    (
        "dates",
        rf"\b(?:from )?(?:the )?(?P<first>\d{{1,2}})(?:st|nd|rd|th|\.)?\s?(?:-|–|to|until|till) ?(?P<last>{DATE})",
    ),
    (
        "month_named",
        rf"\b(?P<lead>until|till|through|from|in|before|by|starting)(?: in|(?P<end>(?: the)? end(?: of)?))?"
        rf" (?P<month>{MONTH})\b(?! ?\d)",
    ),
    ("date", rf"(?<![\d:])(?:on )?(?P<date>{DATE_SPAN})(?! ?(?:{HOURS}|{MINUTES}))"),
    ("week", r"\b(?P<not>not |except )?(?P<which>this|next|coming|rest of the|after next) week(?P<end>end)?\b"),
    ("week", r"\b(?P<not>not )?(?:on |at |over )?the week(?P<end>end)(?P<which>)\b"),
    ("month", r"\b(?P<which>this|next) month\b"),
    ("week", r"\b(?P<not>)(?:the )?week (?P<which>after next)(?P<end>)\b"),
    (
        "weekdays",
        rf"\b(?:from |between )(?P<first>{WEEKDAY}) ?(?:-|–|to|and|until|till|through) ?(?P<last>{WEEKDAY})",
    ),
    ("weekdays", rf"\b(?P<first>{WEEKDAY})\s?(?:-|–|through|until|till) ?(?P<last>{WEEKDAY})"),
    (
        "weekday",
        rf"\b(?P<not>(?:not|except|no|avoid|without|any\w* but|any day but)(?: for| on)? )?(?:on )?"
        rf"(?P<which>(?:this|next|coming) )?(?P<day>{WEEKDAY})(?P<bad>{BAD})?",
    ),
    ("day", r"\b(?P<day>today|tomorrow|overmorrow|(?:the )?day after tomorrow|yesterday)\b"),
    ("part", r"\b(?P<part>tonight)\b"),
    ("part", r"\b(?P<not>not )?(?:in the |this |on )?(?P<part>morning|afternoon|evening|night)s?\b"),
    (
        "range",
        rf"\b(?P<lead>from|between|at|to)? ?(?P<first>{CLOCK})\s?(?:-|–|to|and|until)\s?(?P<last>{SURE}){ZONE}",
    ),
    (
        "range",
        rf"\b(?P<lead>from|between) (?P<first>{CLOCK})\s?(?:-|–|to|and|until|till)\s?(?P<last>{CLOCK}){ZONE}",
    ),
    ("length", rf"(?<![\d:.])\b(?P<length>{LENGTH}{AND_MINUTES})"),
    ("clock", rf"\b{LEAD} (?P<clock>{CLOCK}){ZONE}"),
    ("clock", rf"(?<![\d:.])\b(?P<lead>)(?P<clock>{SURE}){ZONE}"),
    ("part", r"\b(?P<not>not )?(?P<part>midday)\b"),
    ("now", r"\b(?:right now|currently|at the moment|just now|now)\b"),
)
"""Kinds and patterns; letter case is ignored."""


@cache
def compiled_forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The forms, compiled when a text is first read: that takes long."""
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in FORMS)


DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True)
class Repeat:
    """How something recurs. ``days``: codes of BYDAY; ``ends``: the first day that is none of it any more."""

    freq: str
    interval: int = 1
    days: tuple[str, ...] = ()
    ends: date | None = None
    count: int = 0


@dataclass(frozen=True)
class Mention:
    """One phrase of time. ``start``, ``end``: where it stands in the plain text; ``lead``: the words before it that say
    its part: ``to``, ``not before`` …; ``negated``: what it names is not wanted.

    ``value`` by ``kind``: a `Repeat`; whose zone, for ``whose``; (number, unit) for ``times``; minutes of a
    ``clock``, ``length`` or ``shift``; two of them for ``range``; two dates, the
    end excluded, for ``days``; (weekday, which) for ``weekday``; weekdays for ``weekdays``; a name for ``part``.
    """

    kind: str
    start: int
    end: int
    value: Any
    lead: str = ""
    negated: bool = False
    zone: tzinfo | None = None


def read_mentions(text: str, now: datetime) -> tuple[PlainText, list[Mention]]:
    """All phrases of time, in order; none overlaps another.

    Args:
        now: on the asker's clock.
    """
    plain = plain_text(text)
    taken: list[Mention] = []
    for form, pattern in compiled_forms():
        for match in pattern.finditer(plain.text):
            if any(match.start() < m.end and m.start < match.end() for m in taken):
                continue
            mention = READERS[form](match, now)
            if mention:
                taken.append(mention)
    return plain, negated_together(plain.text, sorted(taken, key=lambda m: m.start))


def negated_together(text: str, mentions: list[Mention]) -> list[Mention]:
    """With "not on Tuesday or Thursday" as no to both."""
    out: list[Mention] = []
    for m in mentions:
        before = out[-1] if out else None
        joined = before and re.fullmatch(r"\s*(?:,|or|and|nor)\s*", text[before.end : m.start])
        same = before and before.negated and before.kind == m.kind == "weekday" and joined
        out.append(replace(m, negated=True) if same else m)
    return out


# --- readers --------------------------------------------------------------------------------------------------


def made(match: re.Match[str], kind: str, value: Any, lead: str = "") -> Mention:
    """A mention of a match."""
    groups = match.groupdict()
    zone = zone_named(groups["zone"]) if groups.get("zone") else None
    negated = bool(groups.get("not") or groups.get("bad"))
    lead = lead or (groups.get("lead") or "").strip() or lead_before(match)
    start = match.start() + len(match.group()) - len(match.group().lstrip())
    return Mention(kind, start, match.end(), value, lead, negated, zone)


def lead_before(match: re.Match[str]) -> str:
    """The word before a phrase when it says whether it is the aim or the start: to, from, for."""
    found = re.search(
        r"\b(to|from|for|until|till|through|by|after|before|starting)(?: the)? ?$", match.string[: match.start()]
    )
    inner = re.match(r"(from|to|for)\b", match.group())
    return inner[1] if inner else found[1] if found else ""


def read_repeat(match: re.Match[str], now: datetime) -> Mention:
    """Every second Wednesday, weekly."""
    del now
    what, nth = match["what"].lower(), (match["nth"] or "").lower()
    counted = {"other": 2, "second": 2, "two": 2, "third": 3, "three": 3, "fourth": 4, "four": 4}
    interval = counted.get(nth) or int(re.sub(r"\D", "", nth) or 1)
    days = tuple(DAY_CODES[weekday_of(d)] for d in re.findall(WEEKDAY, what)) if what != "weekday" else DAY_CODES[:5]
    freq = "MONTHLY" if what.startswith("month") else "DAILY" if what.startswith(("day", "dai")) else "WEEKLY"
    interval = 2 if what.startswith(("fort", "bi")) else interval
    return made(match, "repeat", Repeat(freq, interval, days))


def read_nth(match: re.Match[str], now: datetime) -> Mention:
    """The first Monday of every month."""
    del now
    place = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}[match["nth"].lower()]
    return made(match, "repeat", Repeat("MONTHLY", 1, (f"{place}{DAY_CODES[weekday_of(match['what'])]}",)))


def read_times(match: re.Match[str], now: datetime) -> Mention:
    """For six weeks, of what is repeated."""
    del now
    return made(match, "times", (int(seconds_of(f"{match['count']} days") // 86_400), match["unit"]))


def read_whose(match: re.Match[str], now: datetime) -> Mention:
    """Her time."""
    del now
    return made(match, "whose", match["whose"])


def read_named_month(match: re.Match[str], now: datetime) -> Mention | None:
    """Until March, from November on: the month to come of that name; until its end is through it."""
    first = date_of(f"1 {match['month']}", now.date().replace(day=1))
    lead = "through" if match["end"] else match["lead"]
    return made(match, "days", (first, (first + 32 * ONE_DAY).replace(day=1)), lead) if first else None


def read_shift(match: re.Match[str], now: datetime) -> Mention:
    """An hour later, 15 minutes earlier. Pushing back is later, bringing forward earlier."""
    del now
    sign = 1 if match["way"] in {"later", "back"} else -1
    return made(match, "shift", sign * minutes_of(match["length"]))


def read_soon(match: re.Match[str], now: datetime) -> Mention:
    """In two hours."""
    at = now + timedelta(minutes=minutes_of(match["length"]))
    return made(match, "clock", at.hour * 60 + at.minute, "at")


def read_ahead(match: re.Match[str], now: datetime) -> Mention:
    """In three days, in two weeks."""
    count = seconds_of(f"{match['count']} days") // 86_400
    if match["unit"].startswith("week"):
        first = monday(now.date()) + count * WEEK
        return made(match, "days", (first, first + WEEK))
    day = now.date() + count * ONE_DAY
    return made(match, "days", (day, day + ONE_DAY))


def read_week_of(match: re.Match[str], now: datetime) -> Mention | None:
    """The week of a date."""
    day = date_of(match["date"], now.date())
    return made(match, "days", (monday(day), monday(day) + WEEK)) if day else None


def read_dates(match: re.Match[str], now: datetime) -> Mention | None:
    """From one date to another."""
    last = date_of(match["last"], now.date())
    alone = re.fullmatch(r"\d{1,2}", match["first"])
    first = (
        safe_date(last.year, last.month, int(match["first"])) if alone and last else date_of(match["first"], now.date())
    )
    if not alone and first:
        last = date_of(match["last"], first)
    return made(match, "days", (first, last + ONE_DAY)) if first and last and last >= first else None


def read_date(match: re.Match[str], now: datetime) -> Mention | None:
    """One date."""
    day = date_of(match["date"], now.date())
    return made(match, "days", (day, day + ONE_DAY)) if day else None


def read_week(match: re.Match[str], now: datetime) -> Mention:
    """This week from today, next week, the weekend."""
    first, which = monday(now.date()), match["which"]
    first += {"next": WEEK, "coming": WEEK, "after next": 2 * WEEK}.get(which, timedelta(0))
    if match["end"]:
        first = first + WEEK if which == "" and now.weekday() == 6 else first
        return made(match, "days", (first + 5 * ONE_DAY, first + WEEK))
    start = max(first, now.date())
    return made(match, "days", (start, first + WEEK))


def read_month(match: re.Match[str], now: datetime) -> Mention:
    """This month from today, or next month."""
    first = now.date().replace(day=1)
    after = (first + 32 * ONE_DAY).replace(day=1)
    if match["which"] == "next":
        return made(match, "days", (after, (after + 32 * ONE_DAY).replace(day=1)))
    return made(match, "days", (now.date(), after))


def read_weekdays(match: re.Match[str], now: datetime) -> Mention:
    """Monday to Wednesday."""
    del now
    first, last = weekday_of(match["first"]), weekday_of(match["last"])
    return made(match, "weekdays", tuple((first + i) % 7 for i in range((last - first) % 7 + 1)))


def read_weekday(match: re.Match[str], now: datetime) -> Mention | None:
    """A day of the week; "sun", "sat" and "wed" in full or after a lead only, as they are words."""
    del now
    word = match["day"]
    if word in {"sat", "sun", "wed", "mon"} and not (match["which"] or match.group().startswith("on ")):
        before = match.string[: match.start()].rstrip()
        after = match.string[match.end() :].lstrip()
        if not before.endswith((",", "(", "/", "or", "and", "to", "next", "for")) and not re.match(
            r"[\d,/)?]|at|or", after
        ):
            return None
    return made(match, "weekday", (weekday_of(word), (match["which"] or "").strip()))


def read_day(match: re.Match[str], now: datetime) -> Mention:
    """Today, tomorrow."""
    word = match["day"].removeprefix("the ")
    ahead = {"tomorrow": 1, "overmorrow": 2, "day after tomorrow": 2, "yesterday": -1}.get(word, 0)
    day = now.date() + ahead * ONE_DAY
    return made(match, "days", (day, day + ONE_DAY))


def read_part(match: re.Match[str], now: datetime) -> Mention:
    """In the morning; "this morning" is today's."""
    del now
    if match["part"].lower() == "tonight":
        return made(match, "part", ("evening", True))
    return made(match, "part", (match["part"].lower().replace("the ", ""), "this " in match.group()))


def read_range(match: re.Match[str], now: datetime) -> Mention | None:
    """From three to four."""
    del now
    last = clock_of(match["last"])
    first = clock_of(match["first"], same_half=match["last"])
    return made(match, "range", (first, last)) if first < last else None


def read_length(match: re.Match[str], now: datetime) -> Mention:
    """45 minutes."""
    del now
    return made(match, "length", minutes_of(match["length"]))


def read_clock(match: re.Match[str], now: datetime) -> Mention:
    """At three."""
    del now
    return made(match, "clock", clock_of(match["clock"]))


def read_now(match: re.Match[str], now: datetime) -> Mention:
    """Right now."""
    return made(match, "now", now)


READERS: dict[str, Callable[[re.Match[str], datetime], Mention | None]] = {
    "repeat": read_repeat,
    "nth_of_month": read_nth,
    "times": read_times,
    "whose": read_whose,
    "month_named": read_named_month,
    "shift": read_shift,
    "soon": read_soon,
    "days_ahead": read_ahead,
    "week_of": read_week_of,
    "dates": read_dates,
    "date": read_date,
    "week": read_week,
    "month": read_month,
    "weekdays": read_weekdays,
    "weekday": read_weekday,
    "day": read_day,
    "part": read_part,
    "range": read_range,
    "length": read_length,
    "clock": read_clock,
    "now": read_now,
}
