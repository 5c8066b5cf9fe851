"""What a question to one's threads asks for: words, words near them in meaning, who said it, when. PURE."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from workers.language.phrase_to_window import READERS, find_phrases
from workers.language.reference_moment import LONGEST_OF_CODE, Moment
from workers.language.repeated_actions import said_again
from workers.language.stems import stem
from workers.language.stop_words import HOW_MUCH, STOP_WORDS
from workers.language.zones import read_zone
from workers.sources.code.word_vectors import normed, words
from workers.sources.terms.synonyms import ALTERNATES

WORD = re.compile(r"\w{1,64}")
MOST_WORDS = 24
NEAR_WORDS, NEAREST = 8, 0.5
"""So many words near one in meaning are looked for, whose vectors have at least this cosine."""
TIMES = frozenset({"range", "iso", "last", "ago", "weekend", "week", "month", "day"})
"""Kinds of phrases that say when something was said; the others are of metrics and deploys."""


@dataclass(frozen=True)
class Wanted:
    """What is looked for. ``words``: each once; ``near``: for each of them, words that mean something like it;
    ``speakers``: those of the thread's that are named; ``start``, ``end``: when it was, None when nothing says so.
    """

    words: tuple[str, ...]
    near: tuple[tuple[str, ...], ...]
    speakers: frozenset[str] = frozenset()
    start: datetime | None = None
    end: datetime | None = None


def read_question(text: str, speakers: Collection[str], now: datetime, timezone: str = "UTC") -> Wanted:
    """Read a question.

    Args:
        text: any words.
        speakers: names of those who spoke, in lower case.
        now: aware; what "last week" is counted from.
        timezone: of the person, an IANA name or a fixed offset.
    """
    found = list(dict.fromkeys(WORD.findall(said_again(HOW_MUCH.sub(" ", text)).lower()))) or WORD.findall(text.lower())
    named = frozenset(name for name in speakers if name and set(WORD.findall(name)) & set(found))
    parts = {part for name in named for part in WORD.findall(name)}
    kept = [w for w in found if w not in STOP_WORDS] or found
    kept = kept[:MOST_WORDS]
    near = tuple(() if word in parts else near_words(stem(word)) for word in kept)
    start, end = span_in(text, now, timezone)
    return Wanted(tuple(kept), near, named, start, end)


def span_in(text: str, now: datetime, timezone: str) -> tuple[datetime | None, datetime | None]:
    """The most telling span of time that a text names; None and None when it names none that is past."""
    at = Moment(now, read_zone(timezone), longest=LONGEST_OF_CODE)
    for kind, match in find_phrases(text):
        if kind in TIMES:
            start, end, _ = READERS[kind](match, at)
            if start < min(end, now):
                return start, min(end, now)
    return None, None


@cache
def directions() -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Unit vectors of all known words, and the words in the same order."""
    table = words()
    names = sorted(table.numbers, key=table.numbers.__getitem__)
    return normed(table.vectors), tuple(name.decode() for name in names)


@lru_cache(maxsize=4_096)
def near_words(term: str) -> tuple[str, ...]:
    """Stems whose meaning is near that of a stem, the nearest first."""
    row = words().numbers.get(term.encode())
    if row is None:
        return ()
    vectors, names = directions()
    cosines = vectors @ vectors[row]
    best = np.argsort(-cosines)[: NEAR_WORDS + 1]
    near = (names[i] for i in best if i != row and cosines[i] >= NEAREST and names[i].isalpha())
    return tuple(dict.fromkeys((*ALTERNATES.get(term, ()), *near)))


TELLING = timedelta(days=14)
"""So long after something happened people still tell of it."""
