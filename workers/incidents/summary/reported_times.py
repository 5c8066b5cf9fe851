"""The moments that people write of: "since 14:05 CET", "started 10 min ago", "half past two my time"."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from workers.incidents.summary.utterances import Utterance
from workers.language.clock_times import HOURS, on_clock, spoken_minutes
from workers.language.durations import seconds_of
from workers.language.zones import CITY, LETTERS, read_zone, zone_named

OWN = r"(?:my|our|local|your|meiner|mi) (?:local )?(?:time|zeit|hora)|local(?: time)?"
ZONE = (
    rf"(?P<zone>(?:utc|gmt)\s?[+−-]\s?\d{{1,2}}(?::?\d\d)?|(?:{LETTERS})\b|(?:{CITY})\b(?: time)?|[A-Za-z]+/[A-Za-z_]+)"
)
DIGITS = r"(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:\.\d+)?|(?=\s?[ap]\.?m\b)|h(?P<hm>[0-5]\d)\b)"
HALF = r"(?:\s?(?P<half>[ap])\.?m\b\.?)?"
CLOCK = re.compile(
    rf"(?<![\d:.\-/v#])(?:(?P<day>\d{{4}}-\d\d-\d\d)[T ])?{DIGITS}{HALF}(?:\s?\(?(?:in )?(?:{ZONE}|(?P<own>{OWN})))?(?![\d:%])",
    re.IGNORECASE,
)
SPOKEN = re.compile(
    rf"\b(?:(?P<part>half|quarter|ten|five|twenty|twenty-five)(?: minutes)? (?P<way>past|to|after|before) )"
    rf"(?P<hour>{'|'.join(HOURS)}|\d{{1,2}})(?:\s?\(?(?:{ZONE}|(?P<own>{OWN})))?",
    re.IGNORECASE,
)
AGO = re.compile(
    r"\b(?:about |around |roughly |some |~ ?)?(?P<count>\d{1,4}|an?|half an|a few|couple of|ten|five|fifteen|twenty|thirty) ?"
    r"(?P<unit>m|mins?|minutes?|h|hrs?|hours?)\b (?:ago|earlier)",
    re.IGNORECASE,
)
AHEAD = re.compile(
    r"\bin (?:about |around |~ ?)?(?P<count>\d{1,4}|an?|half an|ten|five|fifteen|twenty|thirty) ?(?P<unit>m|mins?|minutes?|h|hrs?|hours?)\b",
    re.IGNORECASE,
)
NOT_A_CLOCK = re.compile(
    r"\b(?:in|ratio|took|lasted|every|score|line|version|port|(?:fires?|runs?|scheduled|meant|due|set)(?: at| for)?)\s*$",
    re.IGNORECASE,
)
"""What stands before figures that are no time, or before one of a plan: "the job fires 08:30"."""
EARLY, LATE = timedelta(hours=20), timedelta(minutes=3)


@dataclass(frozen=True)
class Clock:
    """A moment in a sentence: where it stands there, and when it is. ``named``: its zone was said."""

    at: datetime
    start: int
    end: int
    named: bool


def clocks_in(sentence: Utterance, zones: Iterable[str] = ()) -> tuple[Clock, ...]:
    """The moments that a sentence names, each as the last one before it was written (or soon after).

    Args:
        sentence: the zone of its writer counts for times without one.
        zones: the zones of the channel, tried when neither UTC nor the writer's own fits.
    """
    said = sentence.message.at
    found = [*digital(sentence, said, tuple(zones)), *spoken(sentence, said, tuple(zones)), *ago(sentence, said)]
    return tuple(sorted(found, key=lambda c: c.start))


def ahead_of(sentence: Utterance) -> datetime | None:
    """The moment that a sentence promises, in its writer's zone where it names none: "next update in 30 min", "update by 15:30"."""
    said = sentence.message.at
    if span := AHEAD.search(sentence.text):
        return said + timedelta(seconds=seconds_of(span.group()))
    for match in CLOCK.finditer(sentence.text):
        candidates = (moment for zone in zones_for(match, sentence, ()) for moment in days(match, zone, said))
        later = [moment for moment in candidates if said < moment <= said + timedelta(hours=18)]
        if later:
            return min(later)
    for match in SPOKEN.finditer(sentence.text):
        later = [moment for moment in spoken_moments(match, sentence, said, ()) if moment > said]
        if later:
            return min(later)
    return None


def digital(sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> Iterator[Clock]:
    """``14:05``, ``2:05 pm ET``, ``2026-11-20 14:05Z``."""
    for match in CLOCK.finditer(sentence.text):
        if NOT_A_CLOCK.search(sentence.text[: match.start()]) and not (match["zone"] or match["half"]):
            continue
        moment = nearest(match, sentence, said, zones)
        if moment:
            yield Clock(moment, match.start(), match.end(), bool(match["zone"] or match["own"]))


def spoken(sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> Iterator[Clock]:
    """``half past two my time``: of both halves of the day the one that is nearer."""
    for match in SPOKEN.finditer(sentence.text):
        if moment := last_before(spoken_moments(match, sentence, said, zones), said):
            yield Clock(moment, match.start(), match.end(), named=True)


def spoken_moments(match: re.Match[str], sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> list[datetime]:
    """All that a time in words may mean around the day it was said."""
    hour, minute = divmod(spoken_minutes(f"{match['part']} {match['way']} {match['hour']}"), 60)
    return [
        moment
        for zone in zones_for(match, sentence, zones)
        for wall in (hour % 12, hour % 12 + 12)
        for moment in around(said, zone, wall, minute)
    ]


def ago(sentence: Utterance, said: datetime) -> Iterator[Clock]:
    """``10 min ago``."""
    for match in AGO.finditer(sentence.text):
        yield Clock(said - timedelta(seconds=seconds_of(match.group())), match.start(), match.end(), named=True)


def nearest(match: re.Match[str], sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> datetime | None:
    """A time of the clock as a moment: in the zone it names, else in the first of UTC, the writer's, the channel's that
    puts it shortly before it was written."""
    for zone in zones_for(match, sentence, zones):
        if moment := last_before(days(match, zone, said), said):
            near = timedelta(hours=3) if not (match["zone"] or match["own"]) else EARLY
            if said - moment <= near:
                return moment
    candidates = [m for zone in zones_for(match, sentence, zones) for m in days(match, zone, said)]
    return last_before(candidates[:3], said)


def zones_for(match: re.Match[str], sentence: Utterance, zones: tuple[str, ...]) -> list[tzinfo]:
    """The zones in which a time may be meant."""
    own = sentence.message.zone
    if match["zone"]:
        return [zone_named(match["zone"]) or UTC]
    if match["own"]:
        return [read_zone(own)] if own else [read_zone(zone) for zone in zones] or [UTC]
    names = dict.fromkeys(["UTC", *([own] if own else []), *zones])
    return [read_zone(name) for name in names]


def days(match: re.Match[str], zone: tzinfo, said: datetime) -> list[datetime]:
    """A written time on the day it names, or on the days around."""
    hour, minute = on_clock(int(match["hour"]), match["half"] or ""), int(match["minute"] or match["hm"] or 0)
    if hour > 23:
        return []
    if match["day"]:
        try:
            return [datetime.combine(date.fromisoformat(match["day"]), time(hour, minute), zone).astimezone(UTC)]
        except (ValueError, OverflowError):  # no such day, or one at the end of the calendar
            return []
    return around(said, zone, hour, minute)


def around(said: datetime, zone: tzinfo, hour: int, minute: int) -> list[datetime]:
    """A time of the clock today, yesterday and tomorrow, on a zone's calendar."""
    today = said.astimezone(zone).date()
    spread = (today, today - timedelta(days=1), today + timedelta(days=1))
    return [datetime.combine(day, time(hour, minute), zone).astimezone(UTC) for day in spread]


def last_before(moments: Iterable[datetime], said: datetime) -> datetime | None:
    """The last of some moments that lies before what was said, or a little after; not too long before."""
    fitting = [moment for moment in moments if said - EARLY <= moment <= said + LATE]
    return max(fitting, default=None)


def zones_said(sentences: Iterable[Utterance]) -> tuple[str, ...]:
    """The zones of a channel: those of its writers."""
    return tuple(dict.fromkeys(s.message.zone for s in sentences if s.message.zone))
