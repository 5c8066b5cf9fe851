"""Misspelt words: one that nobody writes is read as the one common word that differs from it by a slip."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from rapidfuzz.distance import OSA

from workers.language.labelled_questions import question_files, read_questions
from workers.language.question_kinds import load_model
from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS, WEAK_WORDS

PLAIN = re.compile(r"(?<![\w/.@#`-])[a-zäöüß]{3,24}(?![\w/.@`-]|\()")
"""A word that is no name, by its form."""
CARRYING_NO_MEANING = STOP_WORDS | WEAK_WORDS
COMMON_FROM = 3
"""So many questions hold a common word."""
SHORTEST = 4
"""Letters of a word that is meant by nothing but its own letters in another order: undo is no und."""
LONG = 7
"""Letters of a word in which one may be another: in a shorter word that mostly makes another, such as lanes, lines."""


def slips_of_words(text: str, known: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Pairs of a word as written and as it was probably meant.

    Args:
        text: what was written.
        known: words that mean something here, such as those of names; one of them is preferred.
    """
    stems = load_model().vocabulary
    here = {word: COMMON_FROM for word in known if PLAIN.fullmatch(word)}
    for word in dict.fromkeys(PLAIN.findall(text)):
        if word in here or word in CARRYING_NO_MEANING or stem(word) in stems or any(word in name for name in known):
            continue
        if word not in common_words() and (right := nearest(word, here) or nearest(word, common_words())):
            yield word, right


def nearest(word: str, known: Mapping[str, int]) -> str:
    """The known word that is one slip away and begins alike; of several a letter is rather lacking than wrong."""
    close = [k for k in known if k[0] == word[0] and abs(len(k) - len(word)) < 2 and OSA.distance(word, k) == 1]
    if len(word) < LONG:  # another letter makes another word
        close = [k for k in close if len(k) != len(word) or sorted(k) == sorted(word)]
    close = [k for k in close if len(k) > SHORTEST or sorted(k) == sorted(word)]
    return max(close, key=lambda k: (len(k) > len(word), k.startswith(word), known[k]), default="")


@lru_cache(maxsize=1)
def common_words() -> Mapping[str, int]:
    """Words that several labelled questions hold, and those that carry no meaning, with how often."""
    counted = Counter(w for q in read_questions(*question_files()) for w in set(PLAIN.findall(q.text.lower())))
    common = {word: n for word, n in counted.items() if n >= COMMON_FROM}
    return {**dict.fromkeys(CARRYING_NO_MEANING, COMMON_FROM), **common}
