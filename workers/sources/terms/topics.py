"""Things that a project has or does not have, by the names that people give them.

A question about Kafka is about nothing in a project that never writes the word, while a question about "tiny graphs"
may well be answered where another word is used. These are the words of the first sort: names of systems, protocols,
formats and platforms, and of what a product can do.
"""

from __future__ import annotations

import re
from functools import cache

from workers.language.stems import stem
from workers.language.tokens import split_identifier
from workers.sources.terms.product_names import GROUPS, NAMES

WORD = re.compile(r"[A-Za-z0-9]+")
Name = tuple[str, ...]


def words_of(text: str) -> tuple[str, ...]:
    """Stems of words as written, identifiers whole."""
    return tuple(stem(word) for word in WORD.findall(text.lower()))


@cache
def topics() -> dict[Name, tuple[Name, ...]]:
    """Each name as stems -> all names of the same thing, itself among them."""
    out: dict[Name, tuple[Name, ...]] = {}
    for group in (*GROUPS.split(";"), *NAMES.split()):
        names = tuple(words_of(name) for name in group.split(","))
        for name in names:
            out[name] = tuple(dict.fromkeys((*out.get(name, ()), *names)))
    return out


@cache
def longest_name() -> int:
    """Words of the longest one."""
    return max(map(len, topics()))


def find_topics(text: str) -> list[tuple[str, Name]]:
    """The names in a text, as written and as stems, each once: by whole words, then by parts of identifiers."""
    found: dict[Name, str] = {}
    whole = [(stem(m[0].lower()), m.start(), m.end()) for m in WORD.finditer(text)]
    parts = [(stem(part), m.start(), m.end()) for m in WORD.finditer(text) for part in split_identifier(m[0])]
    for words in (whole, parts):
        at = 0
        while at < len(words):
            sizes = range(min(longest_name(), len(words) - at), 0, -1)
            names = (tuple(root for root, _, _ in words[at : at + size]) for size in sizes)
            name = next((n for n in names if n in topics()), None)
            if name and not any(set(name) <= set(known) for known in found):
                found[name] = text[words[at][1] : words[at + len(name) - 1][2]]
            at += len(name) if name else 1
    return [(written, name) for name, written in found.items()]
