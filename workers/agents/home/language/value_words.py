"""The value that a sentence sets: a number with its unit, a colour, "half", "full"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from home_assistant_intents import get_intents

UNIT = r"(?:(?P<pct>%|percent\b|per cent\b)|(?P<deg>°\s?[CF]?|degrees?\b|[CF]\b))?"
NUMBER = re.compile(rf"(?<![\w.])(?P<n>-?\d{{1,5}}(?:[.,]\d{{1,2}})?)\s?{UNIT}", re.IGNORECASE)
SHARES = {
    "half": "50",
    "halfway": "50",
    "fully": "100",
    "completely": "100",
    "full": "100",
    "maximum": "100",
    "max": "100",
    "minimum": "1",
    "min": "1",
}
UNIT_WORDS = ("percent", "per", "cent", "degree", "degrees", "c", "f", "%", "°")
WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Value:
    """What is set. ``unit``: ``percent``, ``degree`` or empty; ``words``: what it is written with."""

    text: str = ""
    unit: str = ""
    color: bool = False
    words: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def color_names() -> frozenset[str]:
    """The colours that Home Assistant knows by one word."""
    found = get_intents("en") or {}
    rows = found.get("lists", {}).get("color", {}).get("values", ())
    names = (str(row.get("out")) if isinstance(row, dict) else str(row) for row in rows)
    return frozenset(name for name in names if WORD.fullmatch(name))


def read_value(sentence: str) -> Value:
    """The last number, else a share in words, else a colour after "to"; empty when there is none."""
    numbers = list(NUMBER.finditer(sentence))
    lower = sentence.lower()
    if numbers:
        last = numbers[-1]
        unit = "percent" if last["pct"] else "degree" if last["deg"] else ""
        written = (*re.split(r"[.,-]", last["n"]), *UNIT_WORDS)
        return Value(last["n"].replace(",", "."), unit, words=written)
    words = WORD.findall(lower)
    for word in words:
        if word in SHARES:
            return Value(SHARES[word], "percent", words=(word,))
    if words and words[-1] in color_names():
        return Value(words[-1], color=True, words=(words[-1],))
    return Value()
