"""Finds the names of a home in a sentence: the longest first, floors before areas before things before kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workers.contracts import EntityInfo
from workers.language.home.vocabulary import NOUN_STEMS
from workers.language.stems import stem

TOKEN = re.compile(r"[^\W_]+(?:['’][a-z]+)?|%|°")
Stems = tuple[str, ...]


@dataclass(frozen=True)
class Meaning:
    """What a phrase stands for: one of these."""

    floor: str = ""
    area: str = ""
    ids: frozenset[str] = frozenset()
    noun: str = ""


@dataclass(frozen=True)
class Mark:
    """A phrase that was found: its words as they stand there, from where to where (in tokens), what it means."""

    text: str
    start: int
    end: int
    meaning: Meaning


@dataclass(frozen=True)
class Phrases:
    """Every phrase that names something in a home, by the stems of its words. ``words``: stems of all names' words."""

    known: Mapping[Stems, Meaning] = field(default_factory=dict)
    longest: int = 1
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Token:
    """One word of a sentence, in lower case, and its stem."""

    text: str
    stem: str


def tokens_of(text: str) -> list[Token]:
    """The words of a text, percent and degree signs."""
    words = [w.lower().replace("’", "'").removesuffix("'s") for w in TOKEN.findall(text.replace("_", " "))]
    return [Token(w, stem(w)) for w in words]


def stems_of(text: str) -> Stems:
    """The stems of a text's words."""
    return tuple(token.stem for token in tokens_of(text))


@lru_cache(maxsize=8)
def phrases_of(entities: tuple[EntityInfo, ...]) -> Phrases:
    """All phrases of a home; of those that mean several things the one that comes first in their order."""
    known: dict[Stems, Meaning] = dict((key, Meaning(noun=noun)) for key, noun in NOUN_STEMS.items())
    for entity in entities:
        if entity.device_class:
            known.setdefault(stems_of(entity.device_class), Meaning(noun=entity.device_class))
    for phrase, ids in called(entities).items():
        known[phrase] = Meaning(ids=frozenset(ids))
    for entity in entities:
        for name in (entity.area, *entity.area_aliases):
            if name:
                known[stems_of(name)] = Meaning(area=entity.area)
    for entity in entities:
        for name in (entity.floor, *entity.floor_aliases):
            if name:
                known[stems_of(name)] = Meaning(floor=entity.floor)
    known.pop((), None)
    words = frozenset(s for e in entities for name in (e.name, *e.aliases) for s in stems_of(name))
    return Phrases(known, max(map(len, known), default=1), words)


def called(entities: Iterable[EntityInfo]) -> dict[Stems, set[str]]:
    """Names, aliases and ids -> the entities called so; a name is also found without the room it begins with."""
    found: dict[Stems, set[str]] = {}
    for entity in entities:
        for name in (entity.name, *entity.aliases, entity.id.partition(".")[2]):
            found.setdefault(stems_of(name), set()).add(entity.id)
    return found


def marks_in(tokens: Sequence[Token], phrases: Phrases) -> list[Mark]:
    """The phrases that stand in a sentence, from left to right, the longest at each place."""
    marks, at = [], 0
    while at < len(tokens):
        for size in range(min(phrases.longest, len(tokens) - at), 0, -1):
            words = tokens[at : at + size]
            meaning = phrases.known.get(tuple(token.stem for token in words))
            if meaning is not None:
                marks.append(Mark(" ".join(t.text for t in words), at, at + size, meaning))
                at += size - 1
                break
        at += 1
    return marks
