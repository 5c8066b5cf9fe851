"""Numbers as people write them: with a unit, in words, as a share, a factor or a bound."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import math
import re

from workers.language.durations import NUMBER_WORDS, ONES, TENS

# unit word -> (dimension, multiplier to the base unit of `Fact.unit`)
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), ("s", 1e-9)),
    **dict.fromkeys(("µs", "μs", "us", "microsecond", "microseconds"), ("s", 1e-6)),
    **dict.fromkeys(("ms", "msec", "millis", "millisecond", "milliseconds"), ("s", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("d", "day", "days"), ("s", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("s", 604_800.0)),
    **dict.fromkeys(("%", "percent", "per cent", "pct"), ("ratio", 0.01)),
    **dict.fromkeys(("percentage points", "percentage point", "points", "pp", "pts"), ("points", 0.01)),
    **dict.fromkeys(("rps", "qps"), ("/s", 1.0)),
    **dict.fromkeys(("rpm", "qpm"), ("/s", 1 / 60)),
    **dict.fromkeys(("b", "bytes"), ("bytes", 1.0)),
    **{f"{p}b": ("bytes", 1000.0**n) for n, p in enumerate("kmgt", 1)},
    **{
        f"{p}byte{s}": ("bytes", 1000.0**n)
        for n, p in enumerate(("kilo", "mega", "giga", "tera"), 1)
        for s in ("", "s")
    },
    **{f"{p}{i}": ("bytes", 1024.0**n) for n, p in enumerate("kmgt", 1) for i in ("ib", "i")},
}
PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "tenth": 1 / 10}

LARGEST = 1e30
NUMBER = r"[+−-]?\d+(?:,\d{3})*(?:\.\d+)?"
TIMES = {"hundred": 100.0, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "M": 1e6, "billion": 1e9, "bn": 1e9}
MANY = r"(?:\s(?:thousand|million|billion|mn|bn)|k|(?-i:M))(?![\w])"
WORD = rf"(?:{'|'.join(TENS)})(?:-(?:{'|'.join(ONES)}))?|" + "|".join(
    w for w in NUMBER_WORDS if "-" not in w and w not in TENS
)
COUNTED = r"(?!is\b|are\b|was\b|were\b|has\b|had\b|in\b)[a-z-]+(?:\s(?!before|after|in\b|within|for\b|of\b|at\b|by\b|to\b|on\b|than|and\b|or\b|each|every|per\b|an?\b)[a-z-]+)?"
RATE = rf"(?:{COUNTED}\s?)?(?:/\s?|per\s|\ban?\s|\beach\s|\bevery\s)(?:seconds?|sec|s|minutes?|min|hours?|h|days?)"
BYTES_RATE = r"[kmgt]i?b(?:/\s?|\sper\s|\san?\s)(?:seconds?|sec|s|minutes?|min|hours?|h|days?)"
UNIT = f"(?:{BYTES_RATE}|{'|'.join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))}|{RATE})"

COUNT_WORDS = re.compile(
    rf"(?<![\w-])(?<!the )(?<!these )(?<!those )(?<!between )(?<!other )(?<! or )(?!(?:one|zero|hundred|thousand)\b)(?:{WORD})(?:\s(?:hundred|thousand|million|billion))?(?![\w-])(?! and a half| or )"
    r"|\b(?:half a (?:million|billion)|an? (?:hundred|thousand|million|billion)|a dozen)\b(?! (?:second|minute|hour|day))",
    re.IGNORECASE,
)
A_PART = re.compile(r"\b(?:(a|one|two|three|four) )(third|quarter|fifth|tenth)s?\b", re.IGNORECASE)
PERIOD = r"(?:second|minute|min|hour|day|week|month)s?"
SHARE = re.compile(
    rf"\b(\d[\d,]*|{WORD})(?: [a-z]+){{0,2}} (?:in|out of|of every|of each|of(?= (?:100|1,?000|a hundred|a thousand)\b))(?: every| each| a)? (\d+(?:,\d{{3}})*|{WORD})\b(?![:.]\d)(?! {PERIOD})",
    re.IGNORECASE,
)
OFTEN = re.compile(
    rf"\b(?:(\d+(?:\.\d+)?|{WORD}) times|once|twice) (?:per|an?|each|every) (?:(\d+|{WORD}) )?{PERIOD}\b", re.IGNORECASE
)
HALVES = re.compile(
    rf"\b(?:(\d+|an?|{WORD}) and (?:an? (half|quarter)|(three quarters)) ({PERIOD})|(\d+|an?|{WORD}) ({PERIOD}) and (?:an? (half|quarter)|(three quarters)))\b",
    re.IGNORECASE,
)
PART_OF_TIME = re.compile(
    r"\b(?:(a|one|two|three) )?(half|third|quarter|fifth|tenth)s? (?:of )?an? (second|minute|hour)\b", re.IGNORECASE
)
PART = re.compile(
    r"(?:\b(a|one|two|three|four) (third|quarter|fifth|tenth)s?|(?<!first )(?<!second )(?<!other )(?<!latter )\b(half))"
    r" (?:of|the|its|that|what|as|above|below|more|less|higher|lower|faster|slower)(?= \w|[.,;]|$)",
    re.IGNORECASE,
)
COMPOUND = re.compile(
    rf"\b(\d+|an?|{WORD}) ?(h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?)(?:,? | and )"
    rf"([1-5]?\d|an?|{WORD}) ?(m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b",
    re.IGNORECASE,
)
WRITTEN = re.compile(
    rf"(?<![\w.])(?<![A-Za-z]-)(?<![Ss]tep ){NUMBER}(?:{MANY})?(?:[\s-]?{UNIT}(?![\w/]))?(?![\w.]*\w)", re.IGNORECASE
)
RANGE = re.compile(
    rf"(?<![\w.])(?<!\d[:–-])(\d+(?:,\d{{3}})*(?:\.\d+)?)\s?[–-]\s?(\d+(?:,\d{{3}})*(?:\.\d+)?(?:{MANY})?"
    rf"(?:\s?{UNIT}(?![\w/]))|\d+k)(?![\w.]*\w)",
    re.IGNORECASE,
)
IN_WORDS = re.compile(
    rf"(?<![\w-])(?:{WORD})(?: hundred| thousand| million)?[\s-]{UNIT}(?!\w)|\ban? (?:minute|hour|day|week)\b",
    re.IGNORECASE,
)
PLAIN = r"\d+(?:,\d{3})*(?:\.\d+)?"
FACTOR = re.compile(
    rf"×\s?{PLAIN}|(?<![\w.,-])(?:{PLAIN}|{WORD})(?: and a half)?(?:\s?×|x\b|[\s-]times\b|[\s-]?fold\b)|\btwice\b|"
    rf"\b(?:a factor of|multiplied by) (?:about |almost |nearly |over |under |roughly |around |more than |less than )?(?:{PLAIN}|{WORD})\b",
    re.IGNORECASE,
)
OVER = re.compile(
    r"\b(?:(?:more|greater|longer) than|a good|a solid|over|above|at least|upwards of|in excess of)\s*$", re.IGNORECASE
)
UNDER = re.compile(
    r"\b(?:(?:less|fewer|shorter) than|under|below|within|at most|(?:a little|just) under|short of)\s*$", re.IGNORECASE
)
NEAR = re.compile(r"\b(?:nearly|almost|close to|not quite)\s*$", re.IGNORECASE)

ABOUT = re.compile(r"(?:\b(?:about|around|roughly|approximately|some)|~|≈)\s*$", re.IGNORECASE)


def unit_of(word: str) -> tuple[str, float] | None:
    """The dimension of a unit and its multiplier to the base unit; None when it is none."""
    found = UNITS.get(word)
    if found or not word or not re.fullmatch(f"{BYTES_RATE}|{RATE}", word, re.IGNORECASE):
        return found
    counted, *_, last = re.split(r"[\s/]+", word)
    size = UNITS.get(counted, ("", 1.0))
    return ("bytes/s", size[1] / UNITS[last][1]) if size[0] == "bytes" else ("/s", 1 / UNITS[last][1])


def read_number(text: str) -> tuple[float, float]:
    """A number in digits or a word, and half of its last digit shown; NaN when it is too large to be a measurement."""
    if text.lower() in NUMBER_WORDS:
        return float(NUMBER_WORDS[text.lower()]), 0.5
    plain = text.replace(",", "").replace("−", "-")
    value = float(plain)
    return (value, half_step(plain)) if abs(value) < LARGEST else (math.nan, math.nan)


def half_step(number: str) -> float:
    """Half of the last digit shown, which is what rounding may have moved: 240 may stand for 235..245."""
    digits = number.lstrip("+-")
    if "." in digits:
        return float(0.5 * 10 ** -len(digits.partition(".")[2]))
    zeros = len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0
    return float(0.5 * 10 ** min(zeros, max(len(digits) - 2, 0)))


def read_quantity(text: str) -> tuple[float, float, str]:
    """``1.9 s`` -> 1.9 ± 0.05 in seconds; ``two minutes`` -> 120 ± 30.

    Returns:
        Value, tolerance and dimension, in the dimension's base unit.
    """
    for reader in (read_count, read_range, read_share, read_often, read_halves, read_part, read_compound):
        if found := reader(text):
            return found
    article = re.fullmatch(r"an? (minute|hour|day|week)", text, re.IGNORECASE)
    if article:
        scale = UNITS[article[1].lower()][1]
        return scale, scale / 4, "s"
    match = re.match(rf"{NUMBER}|(?:{WORD})\b|[A-Za-z]+", text, re.IGNORECASE)
    raw = match.group() if match else "0"
    rest = text[len(raw) :]
    many = re.match(MANY if raw[-1].isdigit() else r"\s(?:hundred|thousand|million)\b", rest, re.IGNORECASE)
    size = TIMES.get(many.group().strip(), 1.0) if many else 1.0
    dimension, scale = unit_of((rest[many.end() :] if many else rest).strip(" -").lower()) or ("plain", 1.0)
    value, step = read_number(raw)
    step = step if not many or "." in raw else 0.5
    return value * size * scale, step * size * scale, dimension


def read_count(text: str) -> tuple[float, float, str] | None:
    """``a dozen``, ``half a million``, ``two hundred``."""
    low = text.lower()
    if low == "a dozen":
        return 12.0, 0.5, "plain"
    first, _, rest = low.partition(" ")
    if first in {"a", "an", "half"}:
        size = TIMES.get(rest.removeprefix("an ").removeprefix("a "), 0.0)
        return ((0.5 if first == "half" else 1.0) * size, 0.05 * size, "plain") if size else None
    return None


def read_range(text: str) -> tuple[float, float, str] | None:
    """``52–53 thousand per second``: the middle, give or take half of the way."""
    match = RANGE.fullmatch(text)
    if not match:
        return None
    value, step, dimension = read_quantity(match[2])
    last, low = read_number(re.match(NUMBER, match[2]).group())[0], read_number(match[1])[0]  # type: ignore[union-attr]
    scale = value / last if last else 1.0
    return (low * scale + value) / 2, abs(value - low * scale) / 2 + step, dimension


def read_share(text: str) -> tuple[float, float, str] | None:
    """``23 in 100`` -> 0.23; one in so many is said roughly."""
    match = SHARE.fullmatch(text)
    if not match:
        return None
    (some, _), (whole, _) = read_number(match[1].rstrip(",")), read_number(match[2])
    if not whole or some > whole:
        return None
    return some / whole, (0.5 if whole >= 100 else 0.1 * some) / whole, "ratio"


def read_part(text: str) -> tuple[float, float, str] | None:
    """``a third of a second``, ``half an hour``, ``three quarters of`` something."""
    timed = PART_OF_TIME.fullmatch(text)
    match = timed or PART.fullmatch(text) or PART.match(f"{text} x") or A_PART.fullmatch(text)
    if not match:
        return None
    share = NUMBER_WORDS.get((match[1] or "one").lower(), 1) * PARTS[(match[2] or "half").lower()]
    scale = UNITS[timed[3].lower()][1] if timed else 1.0
    return share * scale, share * scale * 0.1, "s" if timed else "ratio"


def read_compound(text: str) -> tuple[float, float, str] | None:
    """``1 h 5 min``, ``an hour and five minutes``, ``2 min 30 s``."""
    match = COMPOUND.fullmatch(text)
    if not match or match[2][0].lower() == match[4][0].lower():
        return None
    scale = {"h": 3600.0, "m": 60.0, "s": 1.0}
    big, small = scale[match[2][0].lower()], scale[match[4][0].lower()]
    return counted(match[1]) * big + counted(match[3]) * small, small / 2, "s"


def counted(word: str) -> float:
    """``an``, ``two`` or ``46`` as a number."""
    return 1.0 if word.lower() in {"a", "an"} else read_number(word)[0]


def read_often(text: str) -> tuple[float, float, str] | None:
    """``14 times an hour``, ``once every two hours``."""
    match = OFTEN.fullmatch(text)
    if not match:
        return None
    times = counted(match[1]) if match[1] else 2.0 if text[:5].lower() == "twice" else 1.0
    period = (counted(match[2]) if match[2] else 1.0) * period_s(text)
    return (times / period, 0.05 * times / period, "/s") if period else (math.nan, math.nan, "/s")


def read_halves(text: str) -> tuple[float, float, str] | None:
    """``two and a half minutes``, ``an hour and three quarters``."""
    match = HALVES.fullmatch(text)
    if not match:
        return None
    scale = period_s(match[4] or match[6])
    part = {"half": 0.5, "quarter": 0.25}.get((match[2] or match[7] or "").lower(), 0.75)
    return (counted(match[1] or match[5]) + part) * scale, scale / 8, "s"


def period_s(text: str) -> float:
    """Seconds of the last word, a unit of time; longer ones than a day count as days."""
    return UNITS.get(text.rsplit(maxsplit=1)[-1].lower(), ("s", 86400.0))[1]


def read_factor(text: str) -> tuple[float, float]:
    """``×9``, ``eight-fold``, ``a factor of 8``, ``twice``."""
    if text.lower() == "twice":
        return 2.0, 0.25
    match = re.search(rf"{PLAIN}|\b(?:{WORD})(?=\b|fold)", text, re.IGNORECASE)
    value, step = read_number(match.group()) if match else (0.0, 0.0)
    return (value + 0.5, 0.25) if "and a half" in text else (value, step)


def bound_before(lead: str) -> str:
    """Whether the words right before a number make it a bound: ``over``, ``under``, ``near``, ``about`` or ""."""
    tail = re.sub(r"\b(?:an?|the)\s*$", "", lead[-28:])
    every = (("over", OVER), ("under", UNDER), ("near", NEAR), ("about", ABOUT))
    return next((name for name, pattern in every if pattern.search(tail)), "")
