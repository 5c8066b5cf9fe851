"""Words of a text by what they mean for deals: phrases of ``terms.yaml``, and the tokens that they stand on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from workers.language.durations import COUNTS
from workers.language.stems import stem

TERMS = Path(__file__).with_name("terms.yaml")
TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
COMPOUND = re.compile(
    r"(\w{4,}?)(firm(?:a|en)|unternehmen|beteiligung(?:en)?|sektor|branche|bereich|betriebe|gruppen|deals|exits)"
)
NUMBERS = {**COUNTS, "zero": 0, "once": 1, "twice": 2} | {
    word: number
    for number, words in enumerate(
        (
            "null cero zéro", "eins uno un", "zwei dos deux", "drei tres trois", "vier cuatro quatre",
            "fünf cinco cinq",
            "sechs seis six", "sieben siete sept", "acht ocho huit", "neun nueve neuf", "zehn diez dix",
        )
    )
    for word in words.split()
}  # fmt: skip
"""Numbers in words; articles are none."""
ARTICLES = frozenset("a an un uno couple few several".split())


@dataclass(frozen=True)
class Token:
    """A word or number of a text, in lower case, and where it stands."""

    word: str
    start: int
    end: int


@dataclass(frozen=True)
class Mention:
    """What the tokens from ``first`` to before ``last`` mean."""

    concept: str
    first: int
    last: int


def tokens_of(text: str) -> list[Token]:
    """The words and numbers of a text; German firms of a trade are two words: Logistikfirmen."""
    out = list[Token]()
    for m in TOKEN.finditer(text):
        word, cut = m.group().lower(), 0
        if compound := COMPOUND.fullmatch(word):
            cut = compound.end(1)
            out.append(Token(compound[1].removesuffix("s"), m.start(), m.start() + cut))
        out.append(Token(word[cut:], m.start() + cut, m.end()))
    return out


def number_of(word: str) -> float | None:
    """A number in digits or in words."""
    if word[0].isdecimal():
        parts = word.replace(",", ".").split(".")
        return float(".".join(("".join(parts[:-1]), parts[-1])) if len(parts) > 1 else word)
    return None if word in ARTICLES else NUMBERS.get(word)


@cache
def phrases() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The phrases, each with what it means, by the first letter that they begin with; the longest first."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for concept, listed in yaml.safe_load(TERMS.read_text(encoding="utf-8")).items():
        for phrase in listed:
            parts = tuple(str(phrase).split())
            found.setdefault(parts[0].lstrip("=")[0], []).append((concept, parts))
    for some in found.values():
        some.sort(key=lambda p: (-len(p[1]), p[0] in {"request", "firm", "deal", "nothing"}))
    return found


def mentions_in(tokens: Sequence[Token]) -> list[Mention]:
    """What the tokens mean, the longest phrase at each place, none over another."""
    out, at = list[Mention](), 0
    while at < len(tokens):
        fitting = phrases().get(tokens[at].word[0], ())
        hit = next((p for p in fitting if all(map(fits, p[1], words_at(tokens, at, len(p[1]))))), None)
        size = len(hit[1]) if hit else 1
        if hit and at + size <= len(tokens):
            out.append(Mention(hit[0], at, at + size))
            at += size
        else:
            at += 1
    return out


def words_at(tokens: Sequence[Token], at: int, size: int) -> Iterable[str]:
    """So many words from a place on; empty ones behind the end."""
    return (tokens[i].word if i < len(tokens) else "" for i in range(at, at + size))


@cache
def fits(part: str, word: str) -> bool:
    """Whether a word is one that a part of a phrase stands for."""
    if part.startswith("="):
        return word == part[1:]
    if part.endswith("*"):
        return word.startswith(part[:-1])
    return bool(word) and stem(word) == stem(part)
