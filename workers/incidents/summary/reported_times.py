"""The moments that people write of: "since 14:05 CET", "started 10 min ago", "half past two my time"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from workers.incidents.summary.utterances import Utterance
from workers.language.clock_times import HOURS, on_clock, spoken_minutes
from workers.language.durations import seconds_of
from workers.language.zones import read_zone, zone_named

CLOCK = re.compile(
    r"(?<![\d:.\-/v#])(?P<hour>[01]?\d|2[0-3])(?:[:h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?:\.\d+)?|(?=\s?[ap]\.?m\b))"
    r"(?:\s?(?P<half>[ap])\.?m\b)?(?![\d:%m])",
    re.IGNORECASE,
)
DAY = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)[T ]$")
"""What stands before a time that names its day."""
SPOKEN = re.compile(
    r"\b(?P<part>half|quarter|ten|five|twenty|twenty-five)(?: minutes)? (?P<way>past|to|after|before) "
    r"(?P<hour>[a-z]+|\d{1,2})\b",
    re.IGNORECASE,
)
OWN = re.compile(
    r"\s?\(?(?:in )?(?:(?:my|our|local|your|meiner|mi) (?:local )?(?:time|zeit|hora)|local(?: time)?)\b", re.IGNORECASE
)
"""What stands behind a time in its writer's own zone."""
SHIFTED = re.compile(r"\s?\(?(?:in )?((?:utc|gmt)\s?[+−-]\s?\d{1,2}(?::?\d\d)?)", re.IGNORECASE)
NAMED = re.compile(r"\s?\(?(?:in )?([^\W\d_]+(?:[/_ ][^\W\d_]+){0,2})", re.IGNORECASE)
"""What stands behind a time and may name a zone: ``CET``, ``New York time``, ``Asia/Tokyo``."""
AGO = re.compile(
    r"\b(?:about |around )?(?:\d{1,4}|an?|half an|a few|couple of|ten|five|fifteen|twenty|thirty) ?"
    r"(?:m|mins?|minutes?|h|hrs?|hours?)\b (?:ago|earlier)",
    re.IGNORECASE,
)
AHEAD = re.compile(
    r"\bin (?:about |around |~ ?)?(?:\d{1,4}|an?|half an|ten|five|fifteen|twenty|thirty) ?"
    r"(?:m|mins?|minutes?|h|hrs?|hours?)\b",
    re.IGNORECASE,
)
NOT_A_CLOCK = re.compile(
    r"\b(?:in|ratio|took|lasted|every|score|line|version|port"
    r"|(?:fires?|runs?|scheduled|meant|due|set)(?: at| for)?)\s*$",
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


@dataclass(frozen=True)
class Written:
    """A time as it is written: its figures or words, and the zone that is named behind. ``own``: the writer's own."""

    match: re.Match[str]
    start: int
    end: int
    day: str = ""
    zone: str = ""
    own: bool = False


def written_in(pattern: re.Pattern[str], text: str) -> Iterator[Written]:
    """The times of a form in a text."""
    for match in pattern.finditer(text):
        day = DAY.search(text[: match.start()])
        zone, end = zone_behind(text, match.end())
        own = None if zone else OWN.match(text, match.end())
        start = day.start() if day else match.start()
        yield Written(match, start, own.end() if own else end, day[1] if day else "", zone, bool(own))


def zone_behind(text: str, place: int) -> tuple[str, int]:
    """The zone that is named at a place of a text, and where it ends; nothing and the place for none."""
    if shift := SHIFTED.match(text, place):
        return shift[1], shift.end()
    named = NAMED.match(text, place)
    name = named[1] if named else ""
    while named and name:
        if zone_named(name):
            return name, named.start(1) + len(name)
        name = name.rpartition(" ")[0]
    return "", place


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
    """The moment that a sentence promises, in its writer's zone where it names none: "next update in 30 min"."""
    said = sentence.message.at
    if span := AHEAD.search(sentence.text):
        return said + timedelta(seconds=seconds_of(span.group()))
    for time_written in written_in(CLOCK, sentence.text):
        zones = zones_for(time_written, sentence, ())
        candidates = (moment for zone in zones for moment in days(time_written, zone, said))
        later = [moment for moment in candidates if said < moment <= said + timedelta(hours=18)]
        if later:
            return min(later)
    for time_written in written_in(SPOKEN, sentence.text):
        later = [moment for moment in spoken_moments(time_written, sentence, said, ()) if moment > said]
        if later:
            return min(later)
    return None


def digital(sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> Iterator[Clock]:
    """``14:05``, ``2:05 pm ET``, ``2026-11-20 14:05Z``."""
    for one in written_in(CLOCK, sentence.text):
        if NOT_A_CLOCK.search(sentence.text[: one.start]) and not (one.zone or one.match["half"]):
            continue
        moment = nearest(one, sentence, said, zones)
        if moment:
            yield Clock(moment, one.start, one.end, bool(one.zone or one.own))


def spoken(sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> Iterator[Clock]:
    """``half past two my time``: of both halves of the day the one that is nearer."""
    for one in written_in(SPOKEN, sentence.text):
        if moment := last_before(spoken_moments(one, sentence, said, zones), said):
            yield Clock(moment, one.start, one.end, named=True)


def spoken_moments(one: Written, sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> list[datetime]:
    """All that a time in words may mean around the day it was said; none where no hour stands."""
    part, way, word = one.match["part"], one.match["way"], one.match["hour"].lower()
    if not (word.isdigit() or word in HOURS):
        return []
    hour, minute = divmod(spoken_minutes(f"{part} {way} {word}"), 60)
    return [
        moment
        for zone in zones_for(one, sentence, zones)
        for wall in (hour % 12, hour % 12 + 12)
        for moment in around(said, zone, wall, minute)
    ]


def ago(sentence: Utterance, said: datetime) -> Iterator[Clock]:
    """``10 min ago``."""
    for match in AGO.finditer(sentence.text):
        yield Clock(said - timedelta(seconds=seconds_of(match.group())), match.start(), match.end(), named=True)


def nearest(one: Written, sentence: Utterance, said: datetime, zones: tuple[str, ...]) -> datetime | None:
    """A time of the clock as a moment: in the zone it names, else in the first of UTC, the writer's, the channel's that
    puts it shortly before it was written."""
    for zone in zones_for(one, sentence, zones):
        if moment := last_before(days(one, zone, said), said):
            near = timedelta(hours=3) if not (one.zone or one.own) else EARLY
            if said - moment <= near:
                return moment
    candidates = [m for zone in zones_for(one, sentence, zones) for m in days(one, zone, said)]
    return last_before(candidates[:3], said)


def zones_for(one: Written, sentence: Utterance, zones: tuple[str, ...]) -> list[tzinfo]:
    """The zones in which a time may be meant."""
    own = sentence.message.zone
    if one.zone:
        return [zone_named(one.zone) or UTC]
    if one.own:
        return [read_zone(own)] if own else [read_zone(zone) for zone in zones] or [UTC]
    names = dict.fromkeys(["UTC", *([own] if own else []), *zones])
    return [read_zone(name) for name in names]


def days(one: Written, zone: tzinfo, said: datetime) -> list[datetime]:
    """A written time on the day it names, or on the days around."""
    hour, minute = on_clock(int(one.match["hour"]), one.match["half"] or ""), int(one.match["minute"] or 0)
    if hour > 23:
        return []
    if one.day:
        try:
            return [datetime.combine(date.fromisoformat(one.day), time(hour, minute), zone).astimezone(UTC)]
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
