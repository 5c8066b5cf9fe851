"""PURE. Finds what is specific in plain text: quantities with units, times, paths, lines, URLs, commits, names.

Everything found here must be shown by the cited evidence; everything not found here is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from workers.engine.style import Voice

Kind = Literal[
    "quantity", "factor", "time", "date", "url", "lines", "path", "endpoint", "commit", "version", "name", "quote"
]

# unit word -> (dimension, multiplier to the base unit of `Fact.unit`)
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("µs", "us", "microsecond", "microseconds"), ("s", 1e-6)),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), ("s", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("d", "day", "days"), ("s", 86400.0)),
    **dict.fromkeys(("%", "percent", "per cent", "percentage points", "pp"), ("ratio", 0.01)),
    **dict.fromkeys(("/s", "rps", "qps", "req/s", "requests/s", "requests per second", "per second"), ("/s", 1.0)),
    **dict.fromkeys(("/min", "per minute", "rpm"), ("/s", 1 / 60)),
    **dict.fromkeys(("b", "bytes"), ("bytes", 1.0)),
    **dict.fromkeys(("kb", "kib"), ("bytes", 1024.0)),
    **dict.fromkeys(("mb", "mib"), ("bytes", 1024.0**2)),
    **dict.fromkeys(("gb", "gib"), ("bytes", 1024.0**3)),
}
NUMBER_WORDS = {
    w: i
    for i, w in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    )
}
ZONES = {"utc": "UTC", "z": "UTC", "gmt": "UTC", "cet": "+01:00", "cest": "+02:00", "bst": "+01:00", "est": "-05:00"}
ZONES |= {"edt": "-04:00", "cst": "-06:00", "cdt": "-05:00", "pst": "-08:00", "pdt": "-07:00", "jst": "+09:00"}
ZONES |= {"ist": "+05:30", "aest": "+10:00", "aedt": "+11:00", "eet": "+02:00", "eest": "+03:00", "msk": "+03:00"}

UNIT_WORD = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
EXT = (
    "py|pyi|go|rs|js|jsx|ts|tsx|mjs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|ya?ml|toml|json|ini|cfg|conf|md|"
    "rst|txt|proto|tf|hcl|xml|html|css|lock|env|ex|exs|lua|pl|dart|vue|gradle|properties|graphql|ipynb|adoc"
)
MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("url", re.compile(r"(?:https?|file)://[^\s)\]>\"'`]+[^\s)\]>\"'`.,;:]")),
    (
        "time",
        re.compile(
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?\s?(?:Z|UTC|[+-]\d\d:\d\d)?",
        ),
    ),
    ("lines", re.compile(rf"(?<![\w/])[\w./@-]*[\w-]\.(?:{EXT}):\d+(?:[-–]\d+)?(?!\w)")),
    ("path", re.compile(rf"(?<![\w/])(?:[\w.@-]+/)*[\w.@-]*[\w-]\.(?:{EXT})(?![\w/])(?!\.\w)")),
    ("path", re.compile(r"(?<![\w/])(?:Dockerfile|Makefile|Procfile)(?!\w)")),
    (
        "time",
        re.compile(r"\b(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s?(?:[A-Z]{3,4}\b|Z\b|[+-]\d\d:\d\d))?(?!\d)"),
    ),
    (
        "date",
        re.compile(
            rf"\b(?:\d{{4}}-\d\d-\d\d|(?:{MONTH})[a-z]*\.? \d{{1,2}}|\d{{1,2}} (?:{MONTH})[a-z]*)\b", re.IGNORECASE
        ),
    ),
    ("version", re.compile(r"\bv\d+(?:\.\d+)+[\w.-]*\b|\b\d+\.\d+\.\d+\b")),
    ("commit", re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b")),
    ("endpoint", re.compile(r"(?<![\w./:])/[A-Za-z_{][\w{}:.-]*(?:/[\w{}:.*-]+)*(?<![.:])")),
    ("factor", re.compile(r"×\s?\d+(?:\.\d+)?|\b\d+(?:\.\d+)?\s?(?:×|x\b|times\b|-?fold\b)")),
    (
        "quantity",
        re.compile(rf"(?<![\w.])[+−-]?\d[\d,]*(?:\.\d+)?(?:\s?(?:{UNIT_WORD})(?![\w/]))?(?![\w.]*\w)", re.IGNORECASE),
    ),
    (
        "quantity",
        re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\s(?:{UNIT_WORD})(?!\w)", re.IGNORECASE),
    ),
    ("name", re.compile(r"`[^`\n]+`")),
    ("quote", re.compile(r"[\"“][^\"”\n]{3,}[\"”]")),
    ("name", re.compile(r"\b(?:[a-z0-9]+_[A-Za-z0-9_]+|_[a-z]\w+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?:\(\))?")),
    ("name", re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[a-z]+[A-Z]\w*)\b(?:\(\))?")),
)


@dataclass(frozen=True)
class Specific:
    """One specific in a text. ``value`` and ``tolerance`` are in the dimension's base unit."""

    kind: Kind
    text: str
    start: int
    end: int
    value: float = 0.0
    tolerance: float = 0.0
    dimension: str = ""


def find_specifics(text: str) -> list[Specific]:
    """All specifics, left to right, without overlaps; an earlier pattern of the list wins."""
    taken = [False] * len(text)
    out: list[Specific] = []
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            taken[start:end] = [True] * (end - start)
            out.append(read_one(kind, match.group(), start))
    return sorted(out, key=lambda s: s.start)


def read_one(kind: Kind, text: str, start: int) -> Specific:
    """Give a match its value."""
    end = start + len(text)
    if kind == "factor":
        number = re.search(r"\d+(?:\.\d+)?", text)
        raw = number.group() if number else "0"
        return Specific(kind, text, start, end, float(raw), half_step(raw), "factor")
    if kind == "quantity":
        return read_quantity(text, start)
    if kind in {"name", "quote"}:
        inner = text.strip('`"“”').removesuffix("()")
        inside = [s for s in find_specifics(inner) if s.text == inner] if kind == "name" and "`" in text else []
        if inside and inside[0].kind not in {"name", "quote"}:
            found = inside[0]
            return Specific(found.kind, inner, start, end, found.value, found.tolerance, found.dimension)
        return Specific(kind, inner, start, end)
    return Specific(kind, text, start, end)


def read_quantity(text: str, start: int) -> Specific:
    """``1.9 s`` -> 1.9 ± 0.05 in seconds; ``two minutes`` -> 120 ± 30."""
    word = text.split(maxsplit=1)[0].lower()
    if word in NUMBER_WORDS:
        raw, rest = str(NUMBER_WORDS[word]), text[len(word) :].strip().lower()
    else:
        match = re.match(r"[+−-]?\d[\d,]*(?:\.\d+)?", text)
        raw = match.group() if match else "0"
        rest = text[len(raw) :].strip().lower()
    dimension, scale = UNITS.get(rest, ("", 1.0))
    number = raw.replace(",", "").replace("−", "-")
    step = half_step(number)
    return Specific(
        "quantity", text, start, start + len(text), float(number) * scale, step * scale, dimension or "plain"
    )


def half_step(number: str) -> float:
    """Half of the last digit shown, which is what rounding may have moved: 240 may stand for 235..245."""
    digits = number.lstrip("+-")
    if "." in digits:
        return float(0.5 * 10 ** -len(digits.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return float(0.5 * 10 ** min(zeros, max(len(digits) - 2, 0)))


def time_matches(text: str, moment: datetime, voice: Voice) -> bool:
    """Whether a written time is this moment, to the minute, in the zone it names (else UTC or the asker's)."""
    iso = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?\s?(Z|UTC|[+-]\d\d:\d\d)?$", text)
    if iso:
        zone = iso[3] or "Z"
        written = datetime.fromisoformat(f"{iso[1]}T{iso[2]}{'+00:00' if zone in {'Z', 'UTC'} else zone}")
        return same_minute(written, moment)
    match = re.match(r"(\d{1,2}):(\d\d)(?::(\d\d))?\s?(\S+)?$", text)
    if not match:
        return False
    return any(clock_is(moment.astimezone(zone), int(match[1]), int(match[2])) for zone in zones_named(match[4], voice))


def clock_is(local: datetime, hour: int, minute: int) -> bool:
    """Same minute; a moment past half a minute may have been rounded up."""
    rounded = local + timedelta(seconds=30)
    return (hour, minute) in {(local.hour, local.minute), (rounded.hour, rounded.minute)}


def zones_named(name: str | None, voice: Voice) -> tuple[tzinfo, ...]:
    """The zones a clock time may be meant in."""
    if not name:
        return (UTC, voice.tz())
    if name[0] in "+-":
        return (Voice(voice.now, name).tz(),)
    known = ZONES.get(name.lower())
    if known:
        return (Voice(voice.now, known).tz(),)
    local = voice.now.astimezone(voice.tz())
    return (voice.tz(),) if local.tzname() == name else (ZoneInfo("UTC"),)


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
    if not month or not number:
        return False
    wanted = (MONTH.split("|").index(month.group().lower()) + 1, int(number.group()))
    return any((d.month, d.day) == wanted for d in days if isinstance(d, date))
