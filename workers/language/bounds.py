"""Bounds of an amount ("more than two", "5 or fewer", "between 3 and 6") and what is left out ("except", "without").

English, German and Spanish. Pure: what is counted or left out, who reads a text knows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal

from workers.language import german_times, spanish_times
from workers.language.durations import NUMBER_WORDS

Sign = Literal[">", "≥", "<", "≤"]
NUMBERS = NUMBER_WORDS | {
    word: NUMBER_WORDS["one" if number == "a" else number]
    for words in (german_times.NUMBERS, spanish_times.NUMBERS)
    for word, number in words.items()
    if number == "a" or number in NUMBER_WORDS
}
BEFORE: dict[Sign, str] = {
    "≥": r"at least|no (?:fewer|less) than|mindestens|al menos|como mínimo",
    "≤": r"at most|(?:no|not) more than|up to|höchstens|maximal|bis zu|como mucho|como máximo",
    ">": r"more than|over|above|mehr als|über|más de",
    "<": r"fewer than|less than|under|below|weniger als|unter|menos de",
}
"""What stands before a number; a longer phrase comes before the one that ends it."""
BEHIND: dict[Sign, str] = {
    "≥": r"\+|or more|or above|oder mehr|o más",
    "≤": r"or fewer|or less|or below|oder weniger|o menos",
}
SEVERAL = re.compile(r"\b(?:several|multiple|mehrere[nr]?|vari[ao]s)\b", re.IGNORECASE)
NUMBER = rf"(?:\d+(?:\.\d+)?(?![\w:]|[.:]\d)|(?:{'|'.join(sorted(NUMBERS, key=len, reverse=True))})\b)"
"""In digits or words; no part of an address, a time of day or a name."""
SIGNED = {
    **{re.compile(rf"\b(?:{said}) ({NUMBER})", re.IGNORECASE): sign for sign, said in BEFORE.items()},
    **{
        re.compile(rf"(?<![\w.])({NUMBER})(?P<noun> [^\W\d_]+)?? ?(?:{said})(?!\w)", re.IGNORECASE): sign
        for sign, said in BEHIND.items()
    },
}
BETWEEN = re.compile(
    rf"\b(?:between|zwischen|entre) ({NUMBER}) (?:and|und|y) ({NUMBER})(?! ?(?:h|uhr|am|pm|o['’]clock)\b)",
    re.IGNORECASE,
)
EXCEPT = (
    r"without|except(?:ing)?(?: for)?|exclud\w+|other than|apart from|besides|but not|ohne|außer(?:halb)?|sin|excepto"
    r"|salvo|fuera de"
)
NOT = rf"not|no|never|nicht|kein\w*|outside|ignor\w+|leav\w+ out|minus|menos|{EXCEPT}"
LEFT_OUT = re.compile(
    rf"(?:n['’]t\b|\b(?:{NOT})\b)(?:[ :]+(?!and\b|but\b|against\b|gegen\b|contra\b|to\b)[\w'-]+){{0,3}}[ :]*$",
    re.IGNORECASE,
)
"""A word that leaves out what comes at the end of a text, three words behind it at most."""


@dataclass(frozen=True)
class Bounds:
    """An amount is ``least`` or more, and ``most`` or less; None where it is open. ``start``, ``end``: its place.

    ``noun``: what is counted, where it stands inside: "5 lamps or more".
    """

    start: int
    end: int
    least: float | None = None
    most: float | None = None
    noun: str = ""


def read_bounds(text: str) -> list[Bounds]:
    """Bounds of whole amounts in a text, in its order; no two share a character."""
    found = [Bounds(m.start(), m.end(), 2) for m in SEVERAL.finditer(text)]
    for m in BETWEEN.finditer(text):
        least, most = sorted((number_of(m[1]), number_of(m[2])))
        found.append(Bounds(m.start(), m.end(), least, most))
    for pattern, sign in SIGNED.items():
        for m in pattern.finditer(text):
            if not any(other.start < m.end() and m.start() < other.end for other in found):
                noun = (m.groupdict().get("noun") or "").strip()
                found.append(replace(bounds_of(sign, number_of(m[1]), *m.span()), noun=noun))
    return sorted(found, key=lambda b: b.start)


def bounds_of(sign: Sign, number: float, start: int, end: int) -> Bounds:
    """Whole amounts on one side of a number."""
    if sign in ">≥":
        return Bounds(start, end, least=math.floor(number) + 1 if sign == ">" else math.ceil(number))
    return Bounds(start, end, most=math.ceil(number) - 1 if sign == "<" else math.floor(number))


def number_of(said: str) -> float:
    """A number in digits or words."""
    return float(NUMBERS[said.lower()]) if said.lower() in NUMBERS else float(said)


def is_left_out(before: str) -> bool:
    """Whether what stands behind a text is left out: "alerts that are not from …"."""
    return LEFT_OUT.search(before) is not None
