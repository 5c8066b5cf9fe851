"""How much of a title was said in a message, small slips allowed."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

WORD = re.compile(r"\d+:\d+|#?\w+(?:-\w+)*")
ALIKE = 85
"""How like a word must be, of 100."""


def words_of(text: str) -> set[str]:
    """The words of a title, in lower case, parts of joined ones too."""
    found = WORD.findall(text.lower())
    return {part for word in found for part in (word, *word.split("-")) if part}


def overlap(said: set[str], title: str) -> float:
    """How many words of a title were said, with small slips; a longer word counts more, and a whole title more."""
    held = words_of(title)
    hits = [w for w in held if w in said or (len(w) > 3 and any(fuzz.ratio(w, s) >= ALIKE for s in said))]
    score = sum(1 + min(len(w), 10) / 20 for w in hits)
    return score + (score / max(len(held), 1) / 10 if hits else 0)


def initials(title: str) -> str:
    """The first letters of a title's words, in small letters: ``slo`` of "Service level objectives"; empty for one."""
    words = re.findall(r"[A-Za-z]+", title)
    return "".join(word[0] for word in words).lower() if len(words) > 1 else ""
