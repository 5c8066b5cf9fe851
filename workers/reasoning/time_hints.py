"""PURE. Phrases of time in a question -> a window, in the asker's zone: "since yesterday's deploy", "last Tuesday"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo

from workers.contracts import Deploy, Window, rfc3339
from workers.engine.style import read_zone
from workers.engine.zones import OFFSETS, PLACES, offset_text
from workers.reasoning.time_phrases import (
    BARE,
    BEFORE_EARLY,
    DATE,
    DAY_REF,
    EARLY,
    ENDS,
    ISO_POINT,
    MONTHS,
    ONE_DAY,
    PHRASES,
    SINCE,
    ZONE_NAME,
    Span,
    day_of,
    days_meant,
    hours_of,
    is_exact,
    midnight,
    named_day,
    named_span,
    seconds_of,
    walls,
)

Reading = tuple[datetime, datetime, str]
HOUR = timedelta(hours=1)
WORKING = (7, 19)  # of an hour said without its half of the day, the half that people are at work in
LONGEST = 30 * 86_400  # of metrics, which are not kept for longer as a rule
LONGEST_OF_CODE = 3650 * 86_400


@dataclass(frozen=True)
class Moment:
    """What hints are read against. ``deploys`` are all known ones, oldest first.

    ``longest``: seconds that "the last …" reaches back at most.
    """

    now: datetime
    zone: tzinfo
    deploys: Sequence[Deploy] = ()
    longest: int = LONGEST

    def clock(self) -> datetime:
        """Now on the asker's clock."""
        return self.now.astimezone(self.zone).replace(tzinfo=None)

    def starts(self, wall: datetime) -> datetime:
        """The moment of a local time: of two the last that is past; of one that was skipped the hour before it."""
        first, second = (wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        return second if second <= self.now else first

    def ends(self, wall: datetime) -> datetime:
        """The moment of a local time at which something ends: the later one, where there are two."""
        return max(wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))


# --- deploys --------------------------------------------------------------------------------------------------


def read_deploy(match: re.Match[str], at: Moment) -> Reading:
    """Since the deploy that the phrase names; without one, the last 24 h, and the reason says so."""
    phrase = match.group().lower()
    past = [d for d in at.deploys if d.at <= at.now]
    version = re.search(r"\bv?\d+(?:\.\d+)+\b", phrase)
    if version:
        wanted = version.group().lstrip("v")
        past = [d for d in past if d.version.lstrip("v") == wanted]
    if not past:
        what = f"no deploy {version.group()} is known" if version else "no deploy is known"
        return at.now - timedelta(hours=24), at.now, f"{what}; last 24 h"
    day = named_day(phrase, at.clock())
    inside = [d for d in past if day and at.starts(day[0]) <= d.at < at.ends(day[1])]
    named = [d for d in (inside or past) if re.search(rf"\b{re.escape(d.service.lower())}\b", phrase)]
    chosen = max(named or inside or past, key=lambda d: d.at)
    note = f"since the deploy {chosen.service} {chosen.version} at {rfc3339(chosen.at)} ({chosen.source})"
    if day and not inside:
        note += "; no deploy is known on the day named, this is the last one"
    if at.now - chosen.at < EARLY:
        return chosen.at - BEFORE_EARLY, at.now, f"{note}; that is just now, so with the hour before it"
    return chosen.at, at.now, note


# --- days -----------------------------------------------------------------------------------------------------


def read_day(match: re.Match[str], at: Moment) -> Reading:
    """A day by name, or a part of it; with "since" it lasts until now."""
    named = named_span(match.group(), at.clock())
    if not named:
        return no_time(match, at)
    end = at.now if re.match(SINCE, match.group(), re.IGNORECASE) else at.ends(named[1])
    return at.starts(named[0]), end, f"“{match.group()}”"


def read_weekend(match: re.Match[str], at: Moment) -> Reading:
    """Saturday and Sunday: this weekend's when it has begun, unless it is "last weekend"."""
    low, weekday = match.group().lower(), at.clock().weekday()
    last = "last" in low and weekday >= 5
    saturday = midnight(at.clock(), (weekday - 5) % 7 + (7 if last else 0))
    end = at.now if re.match(SINCE, low) else at.ends(saturday + 2 * ONE_DAY)
    return at.starts(saturday), end, f"“{match.group()}”"


def read_week(match: re.Match[str], at: Moment) -> Reading:
    """This week or last week, from Monday; this month or year or the last, from its first day."""
    low = match.group().lower()
    if "year" in low:
        first = midnight(at.clock()).replace(month=1, day=1)
        before = first.replace(year=first.year - 1)
    elif "month" in low:
        first = midnight(at.clock(), at.clock().day - 1)
        before = (first - ONE_DAY).replace(day=1)
    else:
        first = midnight(at.clock(), at.clock().weekday())
        before = first - 7 * ONE_DAY
    if "last" not in low:
        return at.starts(first), at.now, f"“{match.group()}”"
    return at.starts(before), at.now if re.match(SINCE, low) else at.ends(first), f"“{match.group()}”"


def read_month(match: re.Match[str], at: Moment) -> Reading:
    """A month or a year by name, the last one that has begun; with "since" it lasts until now."""
    low = match.group().lower()
    year, month = re.search(r"\b(?:19|20)\d\d\b", low), re.search(rf"\b({MONTHS})[a-z]*(?:,? (?:of )?\d{{4}})?$", low)
    today = midnight(at.clock())
    first = today.replace(year=int(year.group()) if year else today.year, month=1, day=1)
    end = first.replace(year=first.year + 1)
    if month:
        first = first.replace(month=MONTHS.split("|").index(month[1]) + 1)
        first = first if year or first <= today else first.replace(year=first.year - 1)
        end = (first + 31 * ONE_DAY).replace(day=1)
    if first > today:
        return no_time(match, at)
    return at.starts(first), at.now if re.match(SINCE, low) else at.ends(end), f"“{match.group()}”"


# --- so long ago ----------------------------------------------------------------------------------------------


def read_last(match: re.Match[str], at: Moment) -> Reading:
    """The last so-many hours or days."""
    seconds = seconds_of(match.group())
    most = f", at most {at.longest // 86_400} days" if seconds > at.longest else ""
    return at.now - timedelta(seconds=min(seconds, at.longest)), at.now, f"“{match.group()}”{most}"


def read_ago(match: re.Match[str], at: Moment) -> Reading:
    """Around, or since, a moment so long ago."""
    ago = timedelta(seconds=min(seconds_of(match.group()), 3650 * 86_400))
    if re.match(SINCE, match.group(), re.IGNORECASE):
        return at.now - ago, at.now, f"“{match.group()}”"
    return at.now - 1.5 * ago, at.now, f"around “{match.group()}”"


def read_recent(match: re.Match[str], at: Moment) -> Reading:
    """ "recently", "right now": the last day, the last hour."""
    now = re.search(r"now|current|moment", match.group(), re.IGNORECASE)
    return at.now - timedelta(hours=1 if now else 24), at.now, f"“{match.group()}”"


def no_time(match: re.Match[str], at: Moment) -> Reading:
    """For what is no date or time after all."""
    return at.now - ONE_DAY, at.now, f"“{match.group()}” is no time; last 24 h"


# --- clock times ----------------------------------------------------------------------------------------------


def in_zone(text: str, at: Moment) -> Moment:
    """On the clock that a phrase names, else the asker's."""
    bare = re.sub(DAY_REF, " ", text, flags=re.IGNORECASE)
    match = re.search(rf"(?<![A-Za-z/]){ZONE_NAME}", bare, re.IGNORECASE)
    if not match:
        return at
    name = match.group()
    low = re.sub(r"(?: local)? time$", "", name.lower())
    if offset := re.fullmatch(r"(?:utc|gmt)?\s?([+−-])(\d{1,2})(?::?(\d\d))?", low):
        sign = "+" if offset[1] == "+" else "-"
        return replace(at, zone=read_zone(f"{sign}{int(offset[2]) % 24:02}:{int(offset[3] or 0) % 60:02}"))
    return replace(at, zone=read_zone(offset_text(OFFSETS[low]) if low in OFFSETS else PLACES.get(low, name)))


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


READERS: dict[str, Callable[[re.Match[str], Moment], Reading]] = {
    "deploy": read_deploy,
    "range": read_range,
    "iso": read_iso,
    "clock": read_clock,
    "last": read_last,
    "ago": read_ago,
    "weekend": read_weekend,
    "week": read_week,
    "month": read_month,
    "day": read_day,
    "recent": read_recent,
}


def read_hints(text: str, at: Moment) -> tuple[tuple[str, ...], Window | None]:
    """All phrases of time, in order, and the window of the most telling one."""
    found = find_phrases(text)
    window = make_window(*READERS[found[0][0]](found[0][1], at), at.now) if found else None
    return in_order(found), window


def phrases_in(text: str) -> tuple[str, ...]:
    """All phrases of time, in order."""
    return in_order(find_phrases(text))


def find_phrases(text: str) -> list[tuple[str, re.Match[str]]]:
    """Phrases of time with their kinds, the most telling first; none overlaps one before it."""
    taken: list[tuple[str, re.Match[str]]] = []
    for kind, pattern in PHRASES:
        for match in pattern.finditer(text):
            overlaps = any(match.start() < m.end() and m.start() < match.end() for _, m in taken)
            if not overlaps and not (kind == "range" and is_amount(match, text)):
                taken.append((kind, match))
    return taken


def in_order(found: Sequence[tuple[str, re.Match[str]]]) -> tuple[str, ...]:
    """As they stand in the text."""
    return tuple(m.group().strip() for _, m in sorted(found, key=lambda f: f[1].start()))


def make_window(start: datetime, end: datetime, why: str, now: datetime) -> Window:
    """Whole seconds, UTC, past. Where nothing is left of it, the last 24 h, and the reason says so."""
    first, last = (t.astimezone(UTC).replace(microsecond=0) for t in (start, min(end, now)))
    if first >= last:
        last = now.astimezone(UTC).replace(microsecond=0)
        return Window(start=last - ONE_DAY, end=last, why=f"{why}: nothing of it is past; last 24 h")
    return Window(start=first, end=last, why=why)
