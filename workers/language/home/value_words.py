"""The value that a sentence sets: a number with its unit, a colour, "half", "full"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from home_assistant_intents import get_intents

NUMBER = re.compile(
    r"(?<![\w.])(?P<n>-?\d{1,5}(?:[.,]\d{1,2})?)\s?(?:(?P<pct>%|percent\b|per cent\b)|(?P<deg>°\s?[CF]?|degrees?\b|[CF]\b))?",
    re.IGNORECASE,
)
SHARES = {"half": "50", "full": "100", "maximum": "100", "max": "100", "minimum": "1", "min": "1"}
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
    return frozenset(str(row["out"]) for row in rows if re.fullmatch("[a-z]+", str(row.get("out"))))


def read_value(sentence: str) -> Value:
    """The last number, else a share in words, else a colour after "to"; empty when there is none."""
    numbers = list(NUMBER.finditer(sentence))
    lower = sentence.lower()
    if numbers:
        last = numbers[-1]
        unit = "percent" if last["pct"] else "degree" if last["deg"] else ""
        words = ("percent", "degrees", "degree", "per", "cent", "c", "f")
        return Value(last["n"].replace(",", "."), unit, words=(*re.split(r"[.,-]", last["n"]), *words, "%", "°"))
    words = WORD.findall(lower)
    for word in words:
        if word in SHARES:
            return Value(SHARES[word], "percent", words=(word,))
    if words and words[-1] in color_names():
        return Value(words[-1], color=True, words=(words[-1],))
    return Value()
