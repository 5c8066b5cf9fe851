"""Which deals a text names: by whole names, also misspelt ones, or by the first word of a name that few share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from workers.sources.code.word_vectors import words as known_words

NAME_WORD = re.compile(r"[\w&'’-]+")
FEW, LEAST_CHARS = 3, 4
"""So many names may share a first word that stands for the whole name; and its letters."""
CLOSE = 80
"""Of 100: how alike a word of a name and a misspelt one are."""
Parts = tuple[str, ...]


@lru_cache(maxsize=16)
def by_word(names: tuple[str, ...]) -> tuple[dict[str, list[tuple[Parts, int]]], dict[str, list[tuple[Parts, int]]]]:
    """Names as words in lower case with their places, by the first word, and by the second."""
    first: dict[str, list[tuple[Parts, int]]] = {}
    second: dict[str, list[tuple[Parts, int]]] = {}
    for i, name in enumerate(names):
        parts = tuple(NAME_WORD.findall(name.lower()))
        for found, word in zip((first, second), parts, strict=False):
            found.setdefault(word, []).append((parts, i))
    return first, second


def whole_names(text: str, names: Sequence[str]) -> list[tuple[int, int, int]]:
    """The whole names in a text: the word that each begins with, the one behind it, and its place among the names.

    A name of one word that the language has too is one with a capital. Of a name of several words one may be misspelt.
    """
    first, second = by_word(tuple(names))
    said = NAME_WORD.findall(text)
    words = [w.lower().removesuffix("'s").removesuffix("’s") for w in said]
    out, covered = list[tuple[int, int, int]](), set[int]()
    for i, word in enumerate(words):
        near = {*first.get(word, ()), *(second.get(words[i + 1], ()) if i + 1 < len(words) else ())}
        whole = [(parts, k) for parts, k in near if is_name(parts, words[i : i + len(parts)])]
        exact = [w for w in whole if list(w[0]) == words[i : i + len(w[0])]] or whole
        longest = max((len(parts) for parts, _ in exact), default=0)
        plain = said[i].islower() and word.encode() in known_words().numbers
        if i in covered or not longest or (longest == 1 and (plain or len(word) < LEAST_CHARS)):
            continue
        out += sorted((i, i + longest, k) for parts, k in exact if len(parts) == longest)
        covered.update(range(i, i + longest))
    return out


def is_name(parts: Parts, words: Sequence[str]) -> bool:
    """Whether words are a name, or one with a slip in a word of it."""
    if len(words) < len(parts):
        return False
    other = [(p, w) for p, w in zip(parts, words, strict=True) if p != w]
    return not other or (len(parts) > 1 and len(other) == 1 and fuzz.ratio(*other[0]) >= CLOSE)


def spans_of_names(text: str, names: Sequence[str]) -> list[tuple[int, int]]:
    """Where whole names stand in a text: characters."""
    said = list(NAME_WORD.finditer(text))
    return [(said[i].start(), said[last - 1].end()) for i, last, _ in whole_names(text, names)]


def named(text: str, names: Sequence[str], *, inside: bool = False) -> list[int]:
    """The places of the names in a text, in its order; of a name with a capital its first word stands for it.

    A whole name counts before a part of one. ``inside``: a first word that begins the text is none.
    """
    said = NAME_WORD.findall(text)
    found: dict[int, int] = {}
    covered: set[int] = set()
    for i, last, k in whole_names(text, names):
        found.setdefault(k, i)
        covered.update(range(i, last))
    for i, word in enumerate(said):
        some = by_word(tuple(names))[0].get(word.lower(), ())
        if i not in covered and i >= inside and word[:1].isupper() and len(word) >= LEAST_CHARS and len(some) <= FEW:
            for _, k in some:
                found.setdefault(k, i)
    return sorted(found, key=lambda k: found[k])
