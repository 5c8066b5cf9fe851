"""PURE. Finds what is specific in plain text: quantities with units, times, paths, lines, URLs, commits, names.

Everything found here must be shown by the cited evidence; everything not found here is prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from workers.engine import quantities
from workers.engine.lexicon import NOT_PEOPLE
from workers.engine.style import Voice

Kind = Literal[
    "quantity", "factor", "time", "date", "url", "lines", "path", "endpoint", "commit", "version", "name", "quote",
    "person",
]  # fmt: skip
ZONES = {"utc": "UTC", "z": "UTC", "gmt": "UTC", "cet": "+01:00", "cest": "+02:00", "bst": "+01:00", "est": "-05:00"}
ZONES |= {"edt": "-04:00", "cst": "-06:00", "cdt": "-05:00", "pst": "-08:00", "pdt": "-07:00", "jst": "+09:00"}
ZONES |= {"ist": "+05:30", "aest": "+10:00", "aedt": "+11:00", "eet": "+02:00", "eest": "+03:00", "msk": "+03:00"}

EXT = (
    "py|pyi|go|rs|js|jsx|ts|tsx|mjs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|sql|ya?ml|toml|json|ini|cfg|conf|md|"
    "rst|txt|proto|tf|hcl|xml|html|css|lock|env|ex|exs|lua|pl|dart|vue|gradle|properties|graphql|ipynb|adoc"
)
MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
PART_OF_SYSTEM = (
    "db|database|cache|service|svc|api|pool|queue|worker|proxy|gateway|server|cluster|broker|redis|postgres|mysql|kafka"
)
CAPITALISED = r"[A-Z][a-z]+(?:[-’'][A-Z][a-z]+)?"
PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("url", re.compile(r"(?:https?|file)://[^\s)\]>\"'`]+[^\s)\]>\"'`.,;:]")),
    ("time", re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?\s?(?:Z|UTC|[+-]\d\d:\d\d)?")),
    ("lines", re.compile(rf"(?<![\w/])[\w./@-]*[\w-]\.(?:{EXT}):\d+(?:[-–]\d+)?(?!\w)")),
    ("lines", re.compile(r"\b[Ll]ines?\s\d+(?:(?:\s?[-–]\s?|\s(?:to|through|and)\s)\d+)?(?![\w.]*\w)")),
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
    ("endpoint", re.compile(r"(?<![\w./:])(?<!\d )/[A-Za-z_{][\w{}:.-]*(?:/[\w{}:.*-]+)*(?<![.:])")),
    ("factor", quantities.FACTOR),
    ("quantity", quantities.SHARE),
    ("quantity", quantities.PART_OF_TIME),
    ("quantity", quantities.PART),
    ("quantity", quantities.COMPOUND),
    ("quantity", quantities.WRITTEN),
    ("quantity", quantities.IN_WORDS),
    ("name", re.compile(r"`[^`\n]+`")),
    ("quote", re.compile(r"[\"“][^\"”\n]{3,}[\"”]")),
    ("name", re.compile(r"\b(?:[a-z0-9]+_[A-Za-z0-9_]+|_[a-z]\w+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?:\(\))?")),
    ("name", re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z]{2,}[a-z]+[A-Z]\w*)\b(?:\(\))?")),
    ("name", re.compile(rf"(?<![\w/.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:{PART_OF_SYSTEM})(?![\w/.-]*\w)")),
    ("name", re.compile(r"(?<![\w/.-])[a-z_]\w+(?:\.[a-z_]\w+)+(?![\w/-])(?:\(\))?")),
    ("person", re.compile(rf"(?<![\w/.-]){CAPITALISED}(?: {CAPITALISED})+\b")),
    (
        "person",
        re.compile(rf"(?:(?<=\bby )|(?<=\bauthor is )){CAPITALISED}\b|\b{CAPITALISED}(?= (?:wrote|authored)\b)"),
    ),
    ("person", re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b(?![-’'\w])")),
)


@dataclass(frozen=True)
class Specific:
    """One specific in a text. ``value`` and ``tolerance`` are in the dimension's base unit.

    ``bound`` is ``over``, ``under`` or ``near`` when the words before the number make it a bound; ``target`` is the
    ``path:start-end`` that words such as "line 33 of cache.py" stand for.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: float = 0.0
    tolerance: float = 0.0
    dimension: str = ""
    bound: str = ""
    target: str = ""


def find_specifics(text: str) -> list[Specific]:
    """All specifics, left to right, without overlaps; an earlier pattern of the list wins."""
    taken = [False] * len(text)
    out: list[Specific] = []
    for kind, pattern in PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(taken[start:end]) or start == end:
                continue
            found = read_one(kind, match.group(), start)
            if found is None:
                continue
            taken[start:end] = [True] * (end - start)
            out.append(replace(found, bound=quantities.bound_before(text[:start])) if found.dimension else found)
    out.sort(key=lambda s: s.start)
    return [share_unit(s, out[i + 1 :], text) if s.dimension == "plain" else aim(s, out) for i, s in enumerate(out)]


def read_one(kind: Kind, text: str, start: int) -> Specific | None:
    """Give a match its value; None when it is prose after all."""
    end = start + len(text)
    if kind == "factor":
        value, tolerance = quantities.read_factor(text)
        return Specific(kind, text, start, end, value, tolerance, "factor")
    if kind == "quantity":
        return Specific(kind, text, start, end, *quantities.read_quantity(text))
    if kind == "person":
        return read_person(text, start)
    if kind in {"name", "quote"}:
        inner = text.strip('`"“”').removesuffix("()")
        inside = [s for s in find_specifics(inner) if s.text == inner] if kind == "name" and "`" in text else []
        if inside and inside[0].kind not in {"name", "quote", "person"}:
            return replace(inside[0], start=start, end=end)
        return Specific(kind, inner, start, end)
    return Specific(kind, text, start, end)


def read_person(text: str, start: int) -> Specific | None:
    """A name of capitalised words, without the ordinary words that a sentence may start with."""
    words = text.split(" ")
    while words and words[0].lower() in NOT_PEOPLE:
        start += len(words.pop(0)) + 1
    if not words or any(w.lower() in NOT_PEOPLE for w in words) or (len(words) == 1 and " " in text):
        return None
    name = " ".join(words)
    return Specific("person", name, start, start + len(name))


def share_unit(plain: Specific, following: list[Specific], text: str) -> Specific:
    """``412 → 418 req/s``: a bare number right before one with a unit, as its counterpart, has that unit."""
    for other in following[:3]:
        between = text[plain.end : other.start]
        if other.kind != "quantity" or not re.fullmatch(
            r"\s?(?:→|->|–|-)\s?|\s(?:to|and|or|vs\.?|versus|against)\s", between
        ):
            break
        if other.dimension != "plain":
            return with_unit_of(other, plain)
    return plain


def with_unit_of(other: Specific, plain: Specific) -> Specific:
    """A bare number with the unit of another one."""
    word = re.sub(rf"^{quantities.NUMBER}", "", other.text).strip().lower()
    dimension, scale = quantities.unit_of(word) or ("plain", 1.0)
    return replace(
        plain,
        value=plain.value * scale,
        tolerance=plain.tolerance * scale,
        dimension=dimension,
    )


def aim(found: Specific, others: list[Specific]) -> Specific:
    """``line 33``: the lines of the path that is named closest."""
    if found.kind != "lines" or found.text[:4].lower() != "line":
        return found
    paths = [o for o in others if o.kind == "path" or (o.kind == "lines" and o.text[:4].lower() != "line")]
    nearest = min(paths, key=lambda o: abs(o.start - found.end), default=None)
    path = re.sub(r":\d+(?:[-–]\d+)?$", "", nearest.text) if nearest else ""
    first, *last = re.findall(r"\d+", found.text)
    return replace(found, target=f"{path}:{first}-{last[0] if last else first}")


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
