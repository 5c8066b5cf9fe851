"""Clock times and dates as people write them, and whether they are a given moment in the zone they name."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from workers.grounding.quantities import counted
from workers.grounding.value_format import Voice, read_zone

# a zone's name -> its offset, or the place whose clock is meant
OFFSETS = {
    "utc": 0, "z": 0, "gmt": 0, "wet": 0, "west": 1, "cet": 1, "cest": 2, "mez": 1, "mesz": 2, "bst": 1, "eet": 2,
    "eest": 3, "msk": 3, "trt": 3, "eat": 3, "wat": 1, "cat": 2, "sast": 2, "est": -5, "edt": -4, "cst": -6, "cdt": -5,
    "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10, "adt": -3, "nst": -3.5, "ndt": -2.5,
    "brt": -3, "brst": -2, "art": -3, "clt": -4, "clst": -3, "cot": -5, "pet": -5, "ist": 5.5, "pkt": 5, "npt": 5.75,
    "gst": 4, "ict": 7, "wib": 7, "sgt": 8, "hkt": 8, "pht": 8, "myt": 8, "awst": 8, "jst": 9, "kst": 9, "acst": 9.5,
    "acdt": 10.5, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
}  # fmt: skip
PLACES = {
    "et": "America/New_York", "eastern": "America/New_York", "ct": "America/Chicago", "central": "America/Chicago",
    "mt": "America/Denver", "mountain": "America/Denver", "pt": "America/Los_Angeles", "pacific": "America/Los_Angeles",
    "new york": "America/New_York", "boston": "America/New_York", "toronto": "America/Toronto",
    "chicago": "America/Chicago", "denver": "America/Denver", "los angeles": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "vancouver": "America/Vancouver",
    "mexico city": "America/Mexico_City", "bogota": "America/Bogota", "lima": "America/Lima",
    "santiago": "America/Santiago", "buenos aires": "America/Argentina/Buenos_Aires", "sao paulo": "America/Sao_Paulo",
    "são paulo": "America/Sao_Paulo", "london": "Europe/London", "uk": "Europe/London", "dublin": "Europe/Dublin",
    "lisbon": "Europe/Lisbon", "madrid": "Europe/Madrid", "paris": "Europe/Paris", "brussels": "Europe/Brussels",
    "amsterdam": "Europe/Amsterdam", "berlin": "Europe/Berlin", "german": "Europe/Berlin", "munich": "Europe/Berlin",
    "hamburg": "Europe/Berlin", "zurich": "Europe/Zurich", "vienna": "Europe/Vienna", "rome": "Europe/Rome",
    "milan": "Europe/Rome", "prague": "Europe/Prague", "warsaw": "Europe/Warsaw", "budapest": "Europe/Budapest",
    "copenhagen": "Europe/Copenhagen", "oslo": "Europe/Oslo", "stockholm": "Europe/Stockholm",
    "helsinki": "Europe/Helsinki", "athens": "Europe/Athens", "bucharest": "Europe/Bucharest", "kyiv": "Europe/Kyiv",
    "istanbul": "Europe/Istanbul", "moscow": "Europe/Moscow", "cairo": "Africa/Cairo", "lagos": "Africa/Lagos",
    "nairobi": "Africa/Nairobi", "johannesburg": "Africa/Johannesburg", "tel aviv": "Asia/Jerusalem",
    "dubai": "Asia/Dubai", "karachi": "Asia/Karachi", "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata",
    "kolkata": "Asia/Kolkata", "bangalore": "Asia/Kolkata", "bengaluru": "Asia/Kolkata", "indian": "Asia/Kolkata",
    "india": "Asia/Kolkata", "dhaka": "Asia/Dhaka", "bangkok": "Asia/Bangkok", "hanoi": "Asia/Bangkok",
    "jakarta": "Asia/Jakarta", "singapore": "Asia/Singapore", "kuala lumpur": "Asia/Kuala_Lumpur",
    "manila": "Asia/Manila", "hong kong": "Asia/Hong_Kong", "shanghai": "Asia/Shanghai", "beijing": "Asia/Shanghai",
    "taipei": "Asia/Taipei", "seoul": "Asia/Seoul", "tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo",
    "perth": "Australia/Perth", "brisbane": "Australia/Brisbane", "sydney": "Australia/Sydney",
    "melbourne": "Australia/Melbourne", "auckland": "Pacific/Auckland",
}  # fmt: skip
MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
LETTERS = "|".join(sorted(OFFSETS, key=len, reverse=True))
CITY = "|".join(sorted(PLACES, key=len, reverse=True))
IANA = r"[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?"
OFFSET = r"(?:UTC|GMT)?[+−-]\d{1,2}(?::?\d\d)?"
NAMED = rf"{OFFSET}|{IANA}|(?:{LETTERS}|[A-Z]{{2,4}}T)\b|(?:{CITY})(?=\W|$)|local|our"
ZONE = rf"(?:{NAMED})(?: (?:local )?time| clock)?"
DAYPART = (
    r"(?: (?:early |late )?(?:in the|the next|yesterday|this|that) (?:morning|afternoon|evening)| at night| sharp)"
)
HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
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
    rf"(?<!\d\.)\b(?:\d{{4}}-\d\d-\d\d|(?:{MONTH})[a-z]*\.? \d{{1,2}}(?:st|nd|rd|th)?|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH})[a-z]*|(?:(?<=\bon )|(?<=\bof )|(?<=\bsince ))the \d{{1,2}}(?:st|nd|rd|th)"
    r"(?! (?:percentile|time|try|attempt|step)))\b",
    re.IGNORECASE,
)


def offset_text(hours: float) -> str:
    """``-3.5`` -> ``-03:30``."""
    return f"{'-' if hours < 0 else '+'}{int(abs(hours)):02}:{round(abs(hours) % 1 * 60):02}"


ZONES = {name: "UTC" if name in {"utc", "z"} else offset_text(hours) for name, hours in OFFSETS.items()}


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
    hour, minute = int(clock[1]), int(clock[2] or 0)
    if half := (clock[3] or "").lower():
        hour = hour % 12 + (12 if half == "p" else 0)
    named = [zone_of(word, voice) for word in zone_words(text)]
    if any(zone is None for zone in named):
        return False
    if not named:
        return any(clock_is(moment.astimezone(zone), hour, minute) for zone in (UTC, voice.tz()))
    return all(clock_is(moment.astimezone(zone), hour, minute) for zone in named if zone)


def spoken_matches(spoken: re.Match[str], rest: str, moment: datetime, voice: Voice) -> bool:
    """The same for a time in words, which says no half of the day and may be rounded to five minutes."""
    words = re.split(r"\s", spoken["clock"].lower())
    said, sign = 0, 1
    *lead, hour = [w for w in words if w not in {"a", "minute", "minutes", "o'clock", "o’clock"}]
    for word in reversed(lead):
        if word in {"to", "before", "past", "after"}:
            sign = -1 if word in {"to", "before"} else 1
        else:
            said += sign * ({"half": 30, "quarter": 15}.get(word) or int(counted(word)))
    said += 60 * ({"noon": 12, "midnight": 0}.get(hour) or (HOURS.index(hour) if hour in HOURS else 0))
    period = 1440 if hour in {"noon", "midnight"} or spoken["part"] else 720
    if re.search("afternoon|evening", spoken["part"] or ""):
        said += 720 if hour not in {"noon", "midnight"} else 0
    elif "morning" not in (spoken["part"] or "") and hour in HOURS:
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
    low = word.lower()
    if low in {"local", "our"}:
        return voice.tz()
    if low in OFFSETS:
        return read_zone(ZONES[low])
    if low in PLACES:
        return read_zone(PLACES[low])
    if match := re.fullmatch(r"(?:utc|gmt)?([+−-])(\d{1,2})(?::?(\d\d))?", low):
        return read_zone(f"{match[1].replace('−', '-')}{int(match[2]) % 24:02}:{int(match[3] or 0) % 60:02}")
    if "/" in word:
        found = read_zone(word)
        return found if found is not UTC or word == "Etc/UTC" else None
    local = voice.now.astimezone(voice.tz())
    return voice.tz() if local.tzname() == word.upper() else None


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
    month = re.search(MONTH, text, re.IGNORECASE)
    number = re.search(r"\d{1,2}", text)
    if not number:
        return False
    wanted = (MONTH.split("|").index(month.group().lower()) + 1 if month else 0, int(number.group()))
    return any((d.month if month else 0, d.day) == wanted for d in days if isinstance(d, date))
