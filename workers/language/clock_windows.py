"""Clock times and pairs of ends -> a span: "around 3pm", "between Tuesday and Friday", "14:00 UTC"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from workers.language.reference_moment import Moment, Reading, no_time
from workers.language.time_phrases import (
    BARE,
    DATE,
    DAY_REF,
    ENDS,
    ISO_POINT,
    ONE_DAY,
    SINCE,
    ZONE_NAME,
    Span,
    day_of,
    days_meant,
    hours_of,
    is_exact,
    named_span,
    walls,
)
from workers.language.zones import zone_named

HOUR = timedelta(hours=1)
WORKING = (7, 19)  # of an hour said without its half of the day, the half that people are at work in


def in_zone(text: str, at: Moment) -> Moment:
    """On the clock that a phrase names, else the asker's."""
    bare = re.sub(DAY_REF, " ", text, flags=re.IGNORECASE)
    match = re.search(rf"(?<![A-Za-z/]){ZONE_NAME}", bare, re.IGNORECASE)
    if not match:
        return at
    return replace(at, zone=zone_named(match.group()) or UTC)


def read_clock(match: re.Match[str], at: Moment) -> Reading:
    """Around a clock time, or since it: the last such time of the day named."""
    phrase = match.group()
    here = in_zone(phrase, at)
    found = [w for w in walls(hours_of(phrase), days_meant(phrase, here.clock())) if here.starts(w) < at.now]
    found = found or [w for w in walls(hours_of(phrase), days_meant("", here.clock())) if here.starts(w) < at.now]
    if not found:
        return no_time(match, at)
    moment = here.starts(max(found, key=lambda w: likely(w, phrase)))
    if re.search(rf"\b{SINCE}\b", phrase, re.IGNORECASE):
        return moment, at.now, f"“{phrase}”"
    return moment - HOUR, moment + HOUR, f"around “{phrase}”"


def read_iso(match: re.Match[str], at: Moment) -> Reading:
    """Around an ISO time, or since it."""
    try:
        moment = iso_moment(match["iso"], at)
    except ValueError:
        return no_time(match, at)
    if re.match(SINCE, match.group(), re.IGNORECASE):
        return moment, at.now, f"“{match.group()}”"
    return moment - HOUR, moment + HOUR, f"around “{match.group()}”"


def iso_moment(text: str, at: Moment) -> datetime:
    """An ISO time; without an offset it is the asker's. Raises ValueError when there is no such time."""
    plain = re.sub(r"\s?(?:UTC|Z)$", "+00:00", text, flags=re.IGNORECASE).replace(" ", "T", 1)
    moment = datetime.fromisoformat(plain)
    return moment.astimezone(UTC) if moment.tzinfo else at.starts(moment)


def read_range(match: re.Match[str], at: Moment) -> Reading:
    """Between two clock times, days, or clock times on days; the last day named is a whole one."""
    first, until = match["first"], match["until"]
    if re.fullmatch(ISO_POINT, first, re.IGNORECASE) and re.fullmatch(ISO_POINT, until, re.IGNORECASE):
        try:
            return iso_moment(first, at), iso_moment(until, at), f"“{match.group()}”"
        except ValueError:
            return no_time(match, at)
    if re.search(DATE, first, re.IGNORECASE) and re.fullmatch(BARE, until) and not hours_of(first):
        until = re.sub(r"\b\d{1,2}(?!\d)", until, first, count=1)  # "between Nov 18 and 20"
    here = in_zone(f"{first} {until}", at)
    lead = match.group()[: match.start("first") - match.start()]
    today = here.clock().date()
    for last in (today, today - ONE_DAY):
        found = pairs(lead, first, until, here.clock(), last)
        short = min((end - start for start, end in found), default=ONE_DAY)
        dated = re.search(DAY_REF, match.group(), re.IGNORECASE)
        past = [p for p in found if (dated or p[1] - p[0] == short) and here.starts(p[0]) < at.now]
        if past:
            start, end = max(past, key=lambda p: (likely(p[0], match.group()), p[0] - p[1]))
            return here.starts(start), here.ends(end), f"“{match.group()}”"
    return no_time(match, at)


def pairs(lead: str, first: str, until: str, now: datetime, last: date) -> list[Span]:
    """All that two ends can mean on a local clock: "between 2 and 3", yesterday or today, night or afternoon."""
    end_day = named_span(until, now, last)
    start_day = named_span(first, now, end_day[0].date() if end_day else last) or named_span(lead, now, last)
    literal = is_exact(first) or is_exact(until)
    one, two = hours_of(first, literal=literal), hours_of(until, literal=literal)
    near = start_day or end_day
    starts = walls(one, [near] if near else [day_of(now), day_of(now - ONE_DAY)])
    if not one and start_day:
        starts = [start_day[0]]
    found: list[Span] = []
    for start in starts:
        ends = [end_day[1]] if end_day and not two else []
        if two:
            both_named = end_day and start_day
            ends = walls(two, [end_day] if both_named and end_day else [day_of(start), day_of(start + ONE_DAY)])
            ends = [max(ends, key=lambda e: likely(e, until))] if both_named and end_day != start_day else ends
        found.extend((start, end) for end in [e for e in sorted(ends) if e > start][:1])
    return found


def likely(wall: datetime, phrase: str) -> tuple[bool, datetime]:
    """What a clock time rather means: on a day that is named, the hour of the working day; the last one otherwise."""
    dated = re.search(DAY_REF, phrase, re.IGNORECASE) is not None
    return dated and WORKING[0] <= wall.hour < WORKING[1], wall


def is_amount(match: re.Match[str], text: str) -> bool:
    """Whether a pair is of plain numbers, and nothing beside them says that they are hours: "from 2 to 3 replicas"."""
    plain = all(re.fullmatch(rf"(?:at )?{BARE}", match[end], re.IGNORECASE) for end in ("first", "until"))
    dated = re.search(DAY_REF, match.group(), re.IGNORECASE)
    if not plain or dated:
        return False
    return (match["lead"] or "").lower() != "between" or not re.match(ENDS, text[match.end() :], re.IGNORECASE)
