"""PURE. Phrases of time in a question -> a window, in the asker's zone: "since yesterday's deploy", "last Tuesday"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from workers.contracts import Deploy, Window, rfc3339
from workers.engine.literals import ZONES
from workers.engine.style import read_zone
from workers.reasoning.time_phrases import COUNTS, DAY, DAYS, MONTHS, PHRASES, SINCE, UNIT_SECONDS

Span = tuple[datetime, datetime, str]


@dataclass(frozen=True)
class Moment:
    """What hints are read against. ``deploys`` are all known ones, oldest first."""

    now: datetime
    zone: tzinfo
    deploys: Sequence[Deploy] = ()

    def local(self) -> datetime:
        """Now on the asker's clock."""
        return self.now.astimezone(self.zone)

    def midnight(self, days_ago: int = 0) -> datetime:
        """The start of a local day."""
        day = self.local().date() - timedelta(days=days_ago)
        return datetime.combine(day, time(), self.zone)


def read_deploy(match: re.Match[str], at: Moment) -> Span:
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
    day = named_day(phrase, at)
    inside = [d for d in past if day and day[0] <= d.at < day[1]]
    named = [d for d in (inside or past) if re.search(rf"\b{re.escape(d.service.lower())}\b", phrase)]
    chosen = max(named or inside or past, key=lambda d: d.at)
    note = f"since the deploy {chosen.service} {chosen.version} at {rfc3339(chosen.at)} ({chosen.source})"
    if day and not inside:
        note += "; no deploy is known on the day named, this is the last one"
    return chosen.at, at.now, note


def named_day(phrase: str, at: Moment) -> tuple[datetime, datetime] | None:
    """The local day a phrase names."""
    if "today" in phrase or "this morning" in phrase:
        return at.midnight(), at.midnight(-1)
    if "last night" in phrase:
        return at.midnight(1) + timedelta(hours=17), at.midnight() + timedelta(hours=6)
    if "yesterday" in phrase:
        return at.midnight(1), at.midnight()
    for i, name in enumerate(DAYS):
        if name in phrase:
            back = (at.local().weekday() - i) % 7 or 7
            return at.midnight(back), at.midnight(back - 1)
    return None


def read_last(match: re.Match[str], at: Moment) -> Span:
    """The last so-many hours or days."""
    groups = match.groupdict()
    count = groups.get("count") or "1"
    number = int(count) if count.isdigit() else COUNTS.get(count.lower(), 1)
    seconds = number * UNIT_SECONDS[groups["unit"].lower()]
    return at.now - timedelta(seconds=min(seconds, 30 * 86_400)), at.now, f"“{match.group()}”"


def read_ago(match: re.Match[str], at: Moment) -> Span:
    """Around, or since, a moment so long ago."""
    start, _, _ = read_last(match, at)
    if re.match(SINCE, match.group(), re.IGNORECASE):
        return start, at.now, f"“{match.group()}”"
    lead = (at.now - start) * 0.5
    return start - lead, at.now, f"around “{match.group()}”"


def read_day(match: re.Match[str], at: Moment) -> Span:
    """A day by name; with "since" it lasts until now."""
    phrase = match.group().lower()
    start, end = named_day(phrase, at) or (at.now - timedelta(hours=24), at.now)
    for part, (first, last) in {
        "this morning": (5, 12),
        "morning": (5, 12),
        "afternoon": (12, 18),
        "evening": (17, 24),
        "noon": (11, 14),
    }.items():
        if part in phrase and "last night" not in phrase:
            start, end = start + timedelta(hours=first), start + timedelta(hours=last)
            break
    if re.match(SINCE, phrase) or end > at.now:
        end = at.now
    if start >= end:
        start = at.now - timedelta(hours=24)
    return start, end, f"“{match.group()}”"


def read_week(match: re.Match[str], at: Moment) -> Span:
    """This week or last week, from Monday; this month or last month, from its first day."""
    if "month" in match.group().lower():
        first = at.midnight(at.local().day - 1)
        before = (first - timedelta(days=1)).replace(day=1)
        start, end = (before, first) if "last" in match.group().lower() else (first, at.now)
        return start, end, f"“{match.group()}”"
    monday = at.midnight(at.local().weekday())
    if "last" in match.group().lower() and not re.match(SINCE, match.group(), re.IGNORECASE):
        return monday - timedelta(days=7), monday, f"“{match.group()}”"
    start = monday - timedelta(days=7) if "last" in match.group().lower() else monday
    return start, at.now, f"“{match.group()}”"


def clock_on(text: str, day: datetime) -> datetime:
    """``3pm`` or ``14:06`` on a local day."""
    match = re.search(r"(\d{1,2})(?::(\d\d))?\s?(am|pm)?", text, re.IGNORECASE)
    if not match:
        return day
    hour = int(match[1]) % 12 + 12 if (match[3] or "").lower() == "pm" else int(match[1])
    if (match[3] or "").lower() == "am" and hour == 12:
        hour = 0
    return day + timedelta(hours=min(hour, 23), minutes=int(match[2] or 0))


def clock_zone(text: str, at: Moment) -> Moment:
    """The zone a clock time names, else the asker's."""

    match = re.search(r"\b(utc|gmt|z|[ce]e?s?t|[pm][sd]t|bst|jst|ist)\b", text, re.IGNORECASE)
    zone = ZONES.get(match.group().lower()) if match else None
    return Moment(at.now, read_zone(zone), at.deploys) if zone else at


def read_clock(match: re.Match[str], at: Moment) -> Span:
    """Around a clock time, or since it, today or yesterday."""
    phrase = match.group().lower()
    here = clock_zone(phrase, at)
    named = re.search(rf"\b(?:yesterday|{DAY})\b", phrase)
    day = (named_day(named.group(), here) if named else None) or (here.midnight(), at.now)
    moment = clock_on(match["clock"], day[0])
    if moment > at.now:
        moment -= timedelta(days=1)
    if re.match(SINCE, phrase):
        return moment, at.now, f"“{match.group()}”"
    return moment - timedelta(hours=1), min(moment + timedelta(hours=1), at.now), f"around “{match.group()}”"


def read_between(match: re.Match[str], at: Moment) -> Span:
    """Between two clock times."""
    phrase = match.group().lower()
    here = clock_zone(phrase, at)
    day = here.midnight(1) if "yesterday" in phrase else here.midnight()
    start, end = clock_on(match["clock"], day), clock_on(match["until"], day)
    if start > at.now:
        start, end = start - timedelta(days=1), end - timedelta(days=1)
    if end <= start:
        end += timedelta(days=1)
    return start, min(end, at.now) if end > at.now > start else end, f"“{match.group()}”"


def read_iso(match: re.Match[str], at: Moment) -> Span:
    """An ISO date or time."""
    text = match["iso"].replace(" ", "T").replace("UTC", "+00:00").replace("Z", "+00:00")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return at.now - timedelta(hours=24), at.now, "last 24 h"
    moment = moment if moment.tzinfo else moment.replace(tzinfo=at.zone)
    whole_day = "T" not in text
    if re.match(SINCE, match.group(), re.IGNORECASE) and moment < at.now:
        return moment, at.now, f"“{match.group()}”"
    if whole_day:
        return moment, min(moment + timedelta(days=1), max(at.now, moment + timedelta(hours=1))), f"“{match.group()}”"
    return moment - timedelta(hours=1), moment + timedelta(hours=1), f"around “{match.group()}”"


def read_date(match: re.Match[str], at: Moment) -> Span:
    """``Nov 20`` or ``20 November``: the latest such day."""
    month = MONTHS.split("|").index(match["month"][:3].lower()) + 1
    local = at.local()
    try:
        day = datetime(local.year, month, int(match["day"]), tzinfo=at.zone)
    except ValueError:
        return at.now - timedelta(hours=24), at.now, "last 24 h"
    if day > at.now:
        day = day.replace(year=day.year - 1)
    since = re.match(SINCE, match.group(), re.IGNORECASE)
    return day, at.now if since else min(day + timedelta(days=1), at.now), f"“{match.group()}”"


def read_recent(match: re.Match[str], at: Moment) -> Span:
    """ "recently", "right now": the last day, the last hour."""
    now = re.search(r"now|current|moment", match.group(), re.IGNORECASE)
    return at.now - timedelta(hours=1 if now else 24), at.now, f"“{match.group()}”"


READERS: dict[str, Callable[[re.Match[str], Moment], Span]] = {
    "deploy": read_deploy,
    "iso": read_iso,
    "between": read_between,
    "last": read_last,
    "ago": read_ago,
    "clock": read_clock,
    "week": read_week,
    "day": read_day,
    "date": read_date,
    "recent": read_recent,
}


def read_hints(text: str, at: Moment) -> tuple[tuple[str, ...], Window | None]:
    """All phrases of time, in order, and the window of the most telling one."""
    found = find_phrases(text)
    window = make_window(*READERS[found[0][0]](found[0][1], at)) if found else None
    return in_order(found), window


def phrases_in(text: str) -> tuple[str, ...]:
    """All phrases of time, in order."""
    return in_order(find_phrases(text))


def find_phrases(text: str) -> list[tuple[str, re.Match[str]]]:
    """Phrases of time with their kinds, the most telling first; none overlaps one before it."""
    taken: list[tuple[str, re.Match[str]]] = []
    for kind, pattern in PHRASES:
        for match in pattern.finditer(text):
            if not any(match.start() < m.end() and m.start() < match.end() for _, m in taken):
                taken.append((kind, match))
    return taken


def in_order(found: Sequence[tuple[str, re.Match[str]]]) -> tuple[str, ...]:
    """As they stand in the text."""
    return tuple(m.group().strip() for _, m in sorted(found, key=lambda f: f[1].start()))


def make_window(start: datetime, end: datetime, why: str) -> Window:
    """Whole seconds, UTC."""
    first, last = (t.astimezone(UTC).replace(microsecond=0) for t in (start, end))
    return Window(start=first, end=last, why=why)
