"""Phrases of time in a question -> a window, in the asker's zone: "since yesterday's deploy", "last Tuesday"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from workers.contracts import Window, rfc3339
from workers.language.clock_times import MONTHS
from workers.language.clock_windows import is_amount, read_clock, read_iso, read_range
from workers.language.durations import seconds_of
from workers.language.german_times import plain_text
from workers.language.reference_moment import Moment, Reading, no_time
from workers.language.time_phrases import (
    BEFORE_EARLY,
    EARLY,
    ONE_DAY,
    SINCE,
    day_start,
    matches_of,
    named_day,
    named_span,
)

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
    saturday = day_start(at.clock(), (weekday - 5) % 7 + (7 if last else 0))
    end = at.now if re.match(SINCE, low) else at.ends(saturday + 2 * ONE_DAY)
    return at.starts(saturday), end, f"“{match.group()}”"


def read_week(match: re.Match[str], at: Moment) -> Reading:
    """This week or last week, from Monday; this month or year or the last, from its first day."""
    low = match.group().lower()
    if "year" in low:
        first = day_start(at.clock()).replace(month=1, day=1)
        before = first.replace(year=first.year - 1)
    elif "month" in low:
        first = day_start(at.clock(), at.clock().day - 1)
        before = (first - ONE_DAY).replace(day=1)
    else:
        first = day_start(at.clock(), at.clock().weekday())
        before = first - 7 * ONE_DAY
    if "last" not in low:
        return at.starts(first), at.now, f"“{match.group()}”"
    return at.starts(before), at.now if re.match(SINCE, low) else at.ends(first), f"“{match.group()}”"


def read_month(match: re.Match[str], at: Moment) -> Reading:
    """A month or a year by name, the last one that has begun; with "since" it lasts until now."""
    low = match.group().lower()
    year, month = re.search(r"\b(?:19|20)\d\d\b", low), re.search(rf"\b({MONTHS})[a-z]*(?:,? (?:of )?\d{{4}})?$", low)
    today = day_start(at.clock())
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
    seconds = max(1, seconds_of(match.group()))
    most = f", at most {at.longest // 86_400} days" if seconds > at.longest else ""
    return at.now - timedelta(seconds=min(seconds, at.longest)), at.now, f"“{match.group()}”{most}"


def read_ago(match: re.Match[str], at: Moment) -> Reading:
    """Around, or since, a moment so long ago."""
    ago = timedelta(seconds=min(max(1, seconds_of(match.group())), 3650 * 86_400))
    if re.match(SINCE, match.group(), re.IGNORECASE):
        return at.now - ago, at.now, f"“{match.group()}”"
    return at.now - 1.5 * ago, at.now, f"around “{match.group()}”"


def read_recent(match: re.Match[str], at: Moment) -> Reading:
    """ "recently", "right now": the last day, the last hour."""
    now = re.search(r"now|current|moment", match.group(), re.IGNORECASE)
    return at.now - timedelta(hours=1 if now else 24), at.now, f"“{match.group()}”"


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
    return in_order(found, text), window


def phrases_in(text: str) -> tuple[str, ...]:
    """All phrases of time, in order."""
    return in_order(find_phrases(text), text)


def without_phrases(text: str) -> str:
    """A text with a blank in place of each phrase of time."""
    for phrase in phrases_in(text):
        text = text.replace(phrase, " ")
    return text


def find_phrases(text: str) -> list[tuple[str, re.Match[str]]]:
    """Phrases of time with their kinds, the most telling first; none overlaps one before it.

    Where there is none in English, German ones, each a match in its translation.
    """
    return matches_in(text) or matches_in(plain_text(text).text)


def matches_in(text: str) -> list[tuple[str, re.Match[str]]]:
    """See `find_phrases`; of English ones alone."""
    taken: list[tuple[str, re.Match[str]]] = []
    for kind, match in matches_of(text):
        overlaps = any(match.start() < m.end() and m.start() < match.end() for _, m in taken)
        if not overlaps and not (kind == "range" and is_amount(match, text)):
            taken.append((kind, match))
    return taken


def in_order(found: Sequence[tuple[str, re.Match[str]]], text: str) -> tuple[str, ...]:
    """As they stand in the text."""
    spans = sorted(m.span() if m.string == text else plain_text(text).source(*m.span()) for _, m in found)
    return tuple(text[start:end].strip() for start, end in spans)


def make_window(start: datetime, end: datetime, why: str, now: datetime) -> Window:
    """Whole seconds, UTC, past. Where nothing is left of it, the last 24 h, and the reason says so."""
    first, last = (t.astimezone(UTC).replace(microsecond=0) for t in (start, min(end, now)))
    if first >= last:
        last = now.astimezone(UTC).replace(microsecond=0)
        return Window(start=last - ONE_DAY, end=last, why=f"{why}: nothing of it is past; last 24 h")
    return Window(start=first, end=last, why=why)
