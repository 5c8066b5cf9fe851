"""PURE. Numbers as people write them: with a unit, in words, as a share, a factor or a bound."""

from __future__ import annotations

import re

# unit word -> (dimension, multiplier to the base unit of `Fact.unit`)
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("µs", "us", "microsecond", "microseconds"), ("s", 1e-6)),
    **dict.fromkeys(("ms", "msec", "millis", "millisecond", "milliseconds"), ("s", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("d", "day", "days"), ("s", 86400.0)),
    **dict.fromkeys(("%", "percent", "per cent", "pct"), ("ratio", 0.01)),
    **dict.fromkeys(("percentage points", "percentage point", "points", "pp", "pts"), ("points", 0.01)),
    **dict.fromkeys(("rps", "qps"), ("/s", 1.0)),
    **dict.fromkeys(("rpm", "qpm"), ("/s", 1 / 60)),
    **dict.fromkeys(("b", "bytes"), ("bytes", 1.0)),
    **dict.fromkeys(("kb", "kib"), ("bytes", 1024.0)),
    **dict.fromkeys(("mb", "mib"), ("bytes", 1024.0**2)),
    **dict.fromkeys(("gb", "gib"), ("bytes", 1024.0**3)),
}
NUMBER_WORDS = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "tenth": 1 / 10}

NUMBER = r"[+−-]?\d[\d,]*(?:\.\d+)?"
WORD = "|".join(NUMBER_WORDS)
EVENT_NOUN = r"(?:requests?|reqs?|calls?|quer(?:y|ies)|lookups?|errors?|hits?|events?|messages?|ops|operations)"
RATE = rf"(?:{EVENT_NOUN}\s?)?(?:/\s?|per\s|an?\s|each\s|every\s)(?:seconds?|sec|s|minutes?|min|hours?)"
UNIT = f"(?:{'|'.join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))}|{RATE})"

SHARE = re.compile(rf"\b(\d+|{WORD}) (?:in|out of) (?:every )?(\d+|{WORD})\b(?![:.]\d)", re.IGNORECASE)
PART_OF_TIME = re.compile(
    r"\b(?:(a|one|two|three) )?(half|third|quarter|fifth|tenth)s? (?:of )?an? (second|minute|hour)\b", re.IGNORECASE
)
PART = re.compile(
    r"\b(a|one|two|three) (third|quarter|fifth|tenth)s? (?:of|above|below|more|less|higher|lower|faster|slower)"
    r"(?= \w|[.,;]|$)",
    re.IGNORECASE,
)
COMPOUND = re.compile(r"\b(\d+) ?h(?:ours?|rs?)?,? (?:and )?(\d+) ?m(?:in(?:ute)?s?)?\b", re.IGNORECASE)
WRITTEN = re.compile(rf"(?<![\w.])(?<![Ss]tep ){NUMBER}(?:\s?{UNIT}(?![\w/]))?(?![\w.]*\w)", re.IGNORECASE)
IN_WORDS = re.compile(rf"\b(?:{WORD})\s{UNIT}(?!\w)|\ban? (?:minute|hour)\b", re.IGNORECASE)
FACTOR = re.compile(
    rf"×\s?\d+(?:\.\d+)?|\b(?:\d+(?:\.\d+)?|{WORD})(?:\s?×|x\b|[\s-]times\b|[\s-]?fold\b)|\btwice\b|"
    rf"\ba factor of (?:about )?(?:\d+(?:\.\d+)?|{WORD})\b",
    re.IGNORECASE,
)
OVER = re.compile(r"\b(?:(?:more|greater|longer) than|over|above|at least|upwards of|in excess of)\s*$", re.IGNORECASE)
UNDER = re.compile(r"\b(?:(?:less|fewer|shorter) than|under|below|at most|short of)\s*$", re.IGNORECASE)
NEAR = re.compile(r"\b(?:nearly|almost|close to|not quite)\s*$", re.IGNORECASE)

ABOUT = re.compile(r"(?:\b(?:about|around|roughly|approximately|some)|~|≈)\s*$", re.IGNORECASE)


def unit_of(word: str) -> tuple[str, float] | None:
    """The dimension of a unit and its multiplier to the base unit; None when it is none."""
    found = UNITS.get(word)
    if found or not word or not re.fullmatch(RATE, word, re.IGNORECASE):
        return found
    last = re.split(r"[\s/]+", word)[-1]
    return "/s", 1 / UNITS[last][1]


def read_number(text: str) -> tuple[float, float]:
    """A number in digits or a word, and half of its last digit shown."""
    if text.lower() in NUMBER_WORDS:
        return float(NUMBER_WORDS[text.lower()]), 0.5
    plain = text.replace(",", "").replace("−", "-")
    return float(plain), half_step(plain)


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
    for reader in (read_share, read_part, read_compound):
        if found := reader(text):
            return found
    article = re.fullmatch(r"an? (minute|hour)", text, re.IGNORECASE)
    if article:
        scale = UNITS[article[1].lower()][1]
        return scale, scale / 4, "s"
    match = re.match(rf"{NUMBER}|[A-Za-z]+", text)
    raw = match.group() if match else "0"
    dimension, scale = unit_of(text[len(raw) :].strip().lower()) or ("plain", 1.0)
    value, step = read_number(raw)
    return value * scale, step * scale, dimension


def read_share(text: str) -> tuple[float, float, str] | None:
    """``23 in 100`` -> 0.23; one in so many is said roughly."""
    match = SHARE.fullmatch(text)
    if not match:
        return None
    (some, _), (whole, _) = read_number(match[1]), read_number(match[2])
    if not whole or some > whole:
        return None
    return some / whole, (0.5 if whole >= 100 else 0.1 * some) / whole, "ratio"


def read_part(text: str) -> tuple[float, float, str] | None:
    """``a third of a second``, ``half an hour``, ``three quarters of`` something."""
    timed = PART_OF_TIME.fullmatch(text)
    match = timed or PART.fullmatch(text) or PART.match(f"{text} x")
    if not match:
        return None
    share = NUMBER_WORDS.get((match[1] or "one").lower(), 1) * PARTS[match[2].lower()]
    scale = UNITS[timed[3].lower()][1] if timed else 1.0
    return share * scale, share * scale * 0.05, "s" if timed else "ratio"


def read_compound(text: str) -> tuple[float, float, str] | None:
    """``1 h 5 min``."""
    match = COMPOUND.fullmatch(text)
    return (int(match[1]) * 3600.0 + int(match[2]) * 60.0, 30.0, "s") if match else None


def read_factor(text: str) -> tuple[float, float]:
    """``×9``, ``eight-fold``, ``a factor of 8``, ``twice``."""
    if text.lower() == "twice":
        return 2.0, 0.25
    match = re.search(rf"\d+(?:\.\d+)?|\b(?:{WORD})(?=\b|fold)", text, re.IGNORECASE)
    return read_number(match.group()) if match else (0.0, 0.0)


def bound_before(lead: str) -> str:
    """Whether the words right before a number make it a bound: ``over``, ``under``, ``near``, ``about`` or ""."""
    tail = lead[-24:]
    every = (("over", OVER), ("under", UNDER), ("near", NEAR), ("about", ABOUT))
    return next((name for name, pattern in every if pattern.search(tail)), "")
