"""Amounts in words, and spans of time: "a couple of days", "an hour and a half", "24h"."""

from __future__ import annotations

import re

NUMBER_WORDS = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
}
ONES, TENS = tuple(NUMBER_WORDS)[1:10], tuple(NUMBER_WORDS)[20:28]
NUMBER_WORDS |= {f"{t}-{o}": NUMBER_WORDS[t] + NUMBER_WORDS[o] for t in TENS for o in ONES}
UNIT_SECONDS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600}
UNIT_SECONDS |= {
    "d": 86_400,
    "day": 86_400,
    "w": 604_800,
    "week": 604_800,
    "fortnight": 1_209_600,
    "month": 2_592_000,
    "year": 31_536_000,
}
COUNTS = {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}
COUNTS |= {word: number for word, number in NUMBER_WORDS.items() if 0 < number < 100 and "-" not in word}
NUMBER = rf"(?:\d+(?:\.\d+)?|(?:a )?(?:couple|few)(?: of)?|{'|'.join(c for c in COUNTS if c not in {'couple', 'few'})})"
AMOUNT = rf"(?:half(?: an?)?|(?:an? |one )?quarter (?:of )?an|three quarters of an|{NUMBER}(?: and a half)?)"
UNITS = rf"(?:{'|'.join(sorted((u for u in UNIT_SECONDS if len(u) > 1), key=len, reverse=True))})s?\b"
SPAN = rf"(?:{AMOUNT}[\s-]?{UNITS}(?: and a half)?|\d+(?:\.\d+)?\s?[smhd]\b)"


def seconds_of(phrase: str) -> int:
    """How long a span is that is said in words: "an hour and a half", "24h", "the past quarter of an hour", "day"."""
    low = phrase.lower()
    unit = re.search(rf"({UNITS})|(?<=[\d\s])([smhdw])\b", low)
    one = UNIT_SECONDS[(unit[1] or unit[2]).removesuffix("s") or "s"] if unit else 86_400
    before = low[: unit.start()] if unit else low
    if "quarter" in before:
        count = 0.75 if "three" in before else 0.25
    elif re.search(r"(?<!and a )\bhalf\b", before):
        count = 0.5
    else:
        number = re.search(r"\d+(?:\.\d+)?", before)
        words = before.replace("and a half", "")
        said = [COUNTS[w] for w in re.findall(r"[a-z]+", words) if w in COUNTS]
        count = float(number.group()) if number else max(said, default=1)
        count += 0.5 if "and a half" in low else 0
    return round(min(count, 1e9) * one)
