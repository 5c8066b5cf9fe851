"""Numbers as people and programs write them: with a unit, in words, as a share, a factor, a bound, a length of time."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from workers.language.durations import NUMBER_WORDS, ONES, TENS

Reading = tuple[float, float, str]
"""Value and tolerance in the dimension's base unit, and the dimension."""
# unit word -> (dimension, multiplier to the base unit of `Fact.unit`)
UNITS: dict[str, tuple[str, float]] = {
    **{w: ("s", s) for names, s in (
        ("ns nanosecond nanoseconds nanos", 1e-9), ("µs μs us microsecond microseconds micros", 1e-6),
        ("ms msec millis millisecond milliseconds", 1e-3), ("s sec secs second seconds", 1.0),
        ("m min mins minute minutes", 60.0), ("h hr hrs hour hours", 3600.0), ("d day days", 86_400.0),
        ("week weeks", 604_800.0)) for w in names.split()},
    **dict.fromkeys(("%", "percent", "per cent", "pct", "perc"), ("ratio", 0.01)),
    **dict.fromkeys(("percentage points", "percentage point", "points", "pp", "pts"), ("points", 0.01)),
    **dict.fromkeys(("rps", "qps", "req/s"), ("/s", 1.0)),
    **dict.fromkeys(("rpm", "qpm"), ("/s", 1 / 60)),
    **dict.fromkeys(("b", "byte", "bytes"), ("bytes", 1.0)),
    **{f"{p}b": ("bytes", 1000.0**n) for n, p in enumerate("kmgtp", 1)}, "g": ("bytes", 1000.0**3),
    **{f"{p}byte{s}": ("bytes", 1000.0**n) for n, p in enumerate(("kilo", "mega", "giga", "tera"), 1) for s in ("", "s")},
    **{f"{p}bit{s}": ("bytes", 1000.0**n / 8) for n, p in enumerate(("", *"kmgt")) for s in ("", "s")},
    **{f"{p}bps": ("bytes/s", 1000.0**n / 8) for n, p in enumerate(("", *"kmgt"))},
    **{f"{p}{i}": ("bytes", 1024.0**n) for n, p in enumerate("kmgtp", 1) for i in ("ib", "i")},
}  # fmt: skip
PARTS = {
    "half": 1 / 2,
    "third": 1 / 3,
    "quarter": 1 / 4,
    "fifth": 1 / 5,
    "sixth": 1 / 6,
    "eighth": 1 / 8,
    "tenth": 1 / 10,
}
LARGEST = 1e30
NUMBER = r"(?:(?<!\w)[+−-])?(?:\d{1,3}(?:,\d{3})+|\d+(?:_\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
TIMES = {"hundred": 100.0, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "M": 1e6, "billion": 1e9, "bn": 1e9}
MANY = r"(?:\s(?:hundred|thousand|million|billion|mn|bn)\b|(?:k|(?-i:M))(?!\w))"
WORD = (
    rf"(?:(?:{'|'.join(TENS)})(?:-(?:{'|'.join(ONES)}))?|"
    + "|".join(w for w in NUMBER_WORDS if "-" not in w and w not in TENS)
    + ")"
)
COUNTED = r"(?!is\b|are\b|was\b|were\b|has\b|had\b|in\b)[a-z-]+(?:\s(?!before|after|in\b|within|for\b|of\b|at\b|by\b|to\b|on\b|than|and\b|or\b|each|every|per\b|an?\b)[a-z-]+)?"
LONG = r"(?:seconds?|sec|s|minutes?|min|hours?|h|days?)"
RATE = rf"(?:{COUNTED}\s?)?(?:/\s?|per\s|\ban?\s|\beach\s|\bevery\s){LONG}"
BYTES_RATE = rf"(?:[kmgt]i?b|[kmgt]?bits?)(?:/\s?|\sper\s|\san?\s){LONG}"
UNIT = f"(?:{BYTES_RATE}|(?:(?!minutes?|hours?|days?)[a-z]+-(?=minutes?|hours?|days?))?(?:{'|'.join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))})|{RATE})"
WHOLE = "|".join(sorted((u for u in UNITS if len(u) > 1 and u.isalpha()), key=len, reverse=True))
SPAN = r"(second|minute|hour|day|week)s?"
TIMED = rf"(?:{NUMBER}|{WORD}|an?)\s?(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)"
HALF = r"(?: and (?P<more>an? half|an? quarter|three quarters))"

COMPOUND = re.compile(rf"(?<![\w.-])(?:{TIMED}(?: and | ?)(?=\w)){{1,3}}{TIMED}(?!\w)", re.IGNORECASE)
SHARE = re.compile(
    rf"\b(?P<some>\d[\d,]*|{WORD})(?: [a-z]+){{0,2}} (?:in|out of|of every|of each|of(?= (?:100|1,?000|a hundred|a thousand)\b))(?: every| each| a)? "
    rf"(?P<whole>\d+(?:,\d{{3}})*|{WORD})\b(?![:.]\d)(?! {SPAN})",
    re.IGNORECASE,
)
PLAIN = r"\d+(?:,\d{3})*(?:\.\d+)?"
FACTOR = re.compile(
    rf"×\s?{PLAIN}|(?<![\w.,-])(?:{PLAIN}|{WORD})(?: and a half)?(?:\s?×|x\b|[\s-]times\b(?! (?:per|an?|each|every) )|[\s-]?fold\b)|\btwice\b|"
    rf"\b(?:a factor of|multiplied by) (?:about |almost |nearly |over |under |roughly |around |more than |less than )?(?:{PLAIN}|{WORD})\b",
    re.IGNORECASE,
)
PART = re.compile(
    rf"\b(?:(?P<n>an?|one|two|three|four) (?P<p>half|third|quarter|fifth|sixth|eighth|tenth)s?(?: (?:of )?an? (?P<unit>{WHOLE})\b)?(?! (?:time|try|attempt|of the way))"
    rf"|(?<!first )(?<!second )(?<!other )(?<!latter )(?<!and a )half (?:(?:of )?an? (?P<u>{WHOLE}|million|billion|dozen)\b|(?=of|the|its|that|what|as)))",
    re.IGNORECASE,
)
WRITTEN = re.compile(
    rf"(?<![\w.])(?<![A-Za-z\d]-)(?<![Ss]tep )(?P<n>{NUMBER})(?P<k>{MANY})?{HALF}?(?:[\s-]?(?:more )?(?P<u>{UNIT})(?!\w|/[a-z])|(?![A-Za-z_]))(?![.]?\d)",
    re.IGNORECASE,
)
IN_WORDS = re.compile(
    rf"(?<![\w-])(?:(?P<n>{WORD})(?P<k>{MANY})?{HALF}?[\s-](?P<u>{UNIT})(?!\w)|(?P<a>an?) (?P<au>second|minute|hour|day|week)\b{HALF.replace('more', 'amore')}?)",
    re.IGNORECASE,
)
HALVED = re.compile(
    rf"(?<![\w.-])(?:(?P<n>{NUMBER}|{WORD})(?P<k>){HALF} (?P<u>{UNIT})\b|(?P<a>an?) (?P<au>second|minute|hour|day|week){HALF.replace('more', 'amore')})",
    re.IGNORECASE,
)
COUNT = re.compile(
    rf"(?<![\w-])(?:(?<!the )(?<!last )(?<!first )(?<!these )(?<!those )(?<!between )(?<!other )(?<! or )(?!(?:one|zero|hundred|thousand)\b)(?P<n>{WORD})(?P<k>{MANY})?(?![\w-])(?! or )"
    r"|an? (?P<a>hundred|thousand|million|billion|dozen)\b)",
    re.IGNORECASE,
)
BOUNDS = tuple(
    (name, re.compile(rf"(?:{words})\s*$", re.IGNORECASE))
    for name, words in (
        (
            "over",
            r"\b(?:(?:more|greater|longer|better|higher) than|a good|a solid|over|above|at least|upwards of|in excess of|past)",
        ),
        ("under", r"\b(?:(?:less|fewer|shorter|lower) than|(?<!just )under|below|within|at most|short of|up to)"),
        ("near", r"\b(?:nearly|almost|just under|close to|not quite)"),
        ("about", r"(?:\b(?:about|around|roughly|approximately|some|or so)|~|≈)"),
    )
)


@dataclass(frozen=True)
class Quantity:
    """A number in a text, read. ``bound``: ``over``, ``under``, ``near`` or ``about`` by the words before it."""

    start: int
    end: int
    kind: str
    value: float
    tolerance: float
    dimension: str
    bound: str = ""


def find_quantities(text: str, *, words: bool = True) -> Iterator[Quantity]:
    """All numbers of a text, without overlaps; numbers in words and parts only when they are asked for."""
    taken = [False] * len(text)
    for kind, pattern, read, spoken in PATTERNS:
        for match in pattern.finditer(text) if words or not spoken else ():
            start, end = match.start(), match.start() + len(match.group().rstrip())
            if start == end or any(taken[start:end]) or (found := read(match)) is None:
                continue
            taken[start:end] = [True] * (end - start)
            yield Quantity(start, end, kind, *found, bound_before(text, start, match.group()))


def bound_before(text: str, start: int, written: str) -> str:
    """The bound that the words right before a number make it, or those within "a factor of almost 14"."""
    inner = re.sub(r"\S+$", "", written) if "factor of" in written.lower() else ""
    for lead in (inner, re.sub(r"(?:\b(?:an?|the)\s*|[$€£]|\b[A-Z]{3} )$", "", text[max(0, start - 28) : start])):
        if found := next((name for name, pattern in BOUNDS if pattern.search(lead)), ""):
            return found
    return ""


def unit_of(word: str) -> tuple[str, float] | None:
    """The dimension of a unit and its multiplier to the base unit; None when it is none: ``GiB``, ``requests per minute``."""
    low = word.strip(" -").lower()
    if found := UNITS.get(low) or UNITS.get(low.rpartition("-")[2]):
        return found
    parts = re.fullmatch(r"(?:(.*?)\s?)?(?:/|\b(?:per|an?|each|every)\b|_per_)\s?(\w+)", low)
    period = UNITS.get(parts[2]) if parts else None
    if not parts or not period or period[0] != "s":
        return None
    inner = UNITS.get((parts[1] or "").strip())
    return ("bytes/s", inner[1] / period[1]) if inner and inner[0] == "bytes" else ("/s", 1 / period[1])


def read_number(text: str) -> tuple[float, float]:
    """A number in digits or a word, and half of its last digit shown; NaN when it is too large to be a measurement."""
    low = text.lower()
    if low in NUMBER_WORDS or low in {"a", "an"}:
        return float(NUMBER_WORDS.get(low, 1)), 0.5
    plain = re.sub("[,_]", "", low).replace("−", "-")
    value = float(plain)
    return (value, half_step(plain)) if abs(value) < LARGEST else (math.nan, math.nan)


def half_step(number: str) -> float:
    """Half of the last digit shown, which is what rounding may have moved: 240 may stand for 235..245."""
    digits = number.lstrip("+-").partition("e")[0]
    if "." in digits:
        return float(0.5 * 10 ** -len(digits.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return float(0.5 * 10 ** min(zeros, max(len(digits) - 2, 0)))


def read_written(match: re.Match[str]) -> Reading | None:
    """``1.9 s``, ``three hundred``, ``two and a half hours``, ``an hour``, ``a dozen``."""
    got = match.groupdict()
    if whole := (got.get("a") or "").lower():
        if got.get("au"):
            scale = UNITS[got["au"].lower()][1]
            return ((1 + more_of(got)) * scale, scale / 8 if got.get("amore") else scale / 4, "s")
        size = 12.0 if whole == "dozen" else TIMES[whole]
        return size, 0.05 * size, "plain"
    many = (got.get("k") or "").strip()
    size = TIMES.get(many, TIMES.get(many.lower(), 1.0))
    dimension, scale = unit_of(got.get("u") or "") or ("plain", 1.0)
    value, step = read_number(got["n"])
    if got.get("more"):
        value, step = value + more_of(got), 0.125
    return value * size * scale, (0.5 if many and "." not in got["n"] else step) * size * scale, dimension


def more_of(got: dict[str, str]) -> float:
    """The part after "and": ``and a half``."""
    said = (got.get("more") or got.get("amore") or "").lower()
    return 0.5 if said.endswith("half") else 0.25 if said.endswith("quarter") else 0.75 if said else 0.0


def read_compound(match: re.Match[str]) -> Reading | None:
    """``2h41m``, ``1 h 5 min``, ``an hour and five minutes``: from large to small units."""
    parts = re.findall(rf"({NUMBER}|{WORD}|\ban?(?!d))\s?([dhms])[a-z]*", match.group(), re.IGNORECASE)
    scales = [{"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0}[u.lower()] for _, u in parts]
    if len(parts) < 2 or any(a <= b for a, b in pairwise(scales)):
        return None
    return sum(read_number(n)[0] * s for (n, _), s in zip(parts, scales, strict=True)), scales[-1] / 2, "s"


def read_share(match: re.Match[str]) -> Reading | None:
    """``23 in 100`` -> 0.23; one in so many is said roughly."""
    (some, _), (whole, _) = read_number(match["some"].rstrip(",")), read_number(match["whole"])
    if not whole or some > whole:
        return None
    return some / whole, (0.5 if whole >= 100 and some >= 5 else 0.1 * some) / whole, "ratio"


def read_part(match: re.Match[str]) -> Reading | None:
    """``a third of a second``, ``half an hour``, ``three quarters``, ``half a million``."""
    share = read_number(match["n"] or "one")[0] * PARTS[(match["p"] or "half").lower()]
    unit = (match["u"] or match["unit"] or "").lower()
    if unit in TIMES or unit == "dozen":
        return share * TIMES.get(unit, 12.0), 0.05 * TIMES.get(unit, 12.0), "plain"
    dimension, scale = UNITS[unit] if unit else ("ratio", 1.0)
    return share * scale, share * scale * 0.1, dimension


def read_factor(match: re.Match[str]) -> Reading | None:
    """``×9``, ``eight-fold``, ``a factor of 8``, ``twice``."""
    text = match.group()
    if text.lower() == "twice":
        return 2.0, 0.25, "factor"
    inner = re.search(rf"{PLAIN}|\b{WORD}(?=\b|fold)", text, re.IGNORECASE)
    value, step = read_number(inner.group()) if inner else (0.0, 0.0)
    return (value + 0.5, 0.25, "factor") if "and a half" in text else (value, step, "factor")


PATTERNS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], Reading | None], bool], ...] = (
    ("quantity", HALVED, read_written, True), ("quantity", SHARE, read_share, True), ("factor", FACTOR, read_factor, True), ("quantity", PART, read_part, True),
    ("quantity", COMPOUND, read_compound, False),
    ("quantity", WRITTEN, read_written, False),
    ("quantity", IN_WORDS, read_written, True), ("quantity", COUNT, read_written, True),
)  # fmt: skip
