"""Finds the names of a home in a sentence: the longest first, floors before areas before things before kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workers.agents.home.language.vocabulary import NOUN_BASES, NOUNS, SWITCHING, VERBS, base, kinds_of
from workers.contracts import EntityInfo

TOKEN = re.compile(r"[^\W_]+(?:['’][a-z]+)?|%|°")
Bases = tuple[str, ...]
BOTH = NOUNS.keys() & (VERBS.keys() | SWITCHING)
"""Words that are a verb where a sentence begins with them: "lock", "switch"."""


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
    """Every phrase that names something in a home, by the bare forms of its words."""

    known: Mapping[Bases, Meaning] = field(default_factory=dict)
    longest: int = 1


@dataclass(frozen=True)
class Token:
    """One word of a sentence, in lower case, its bare form, and where it stands."""

    text: str
    base: str
    start: int = 0
    end: int = 0


def tokens_of(text: str) -> list[Token]:
    """The words of a text, percent and degree signs."""
    found = []
    for match in TOKEN.finditer(text.replace("_", " ")):
        word = match.group().lower().replace("’", "'").removesuffix("'s")
        found.append(Token(word, base(word), *match.span()))
    return found


def bases_of(text: str) -> Bases:
    """The bare forms of a text's words."""
    return tuple(token.base for token in tokens_of(text))


@lru_cache(maxsize=8)
def phrases_of(entities: tuple[EntityInfo, ...]) -> Phrases:
    """All phrases of a home; of those that mean several things the one that comes first in their order."""
    known: dict[Bases, Meaning] = {key: Meaning(noun=noun) for key, noun in NOUN_BASES.items()}
    for entity in entities:
        if entity.device_class:
            known.setdefault(bases_of(entity.device_class), Meaning(noun=entity.device_class))
    domains = {entity.id: entity.domain for entity in entities}
    for phrase, ids in called(entities).items():
        kinds = {kind.partition(".")[0] for kind in kinds_of(NOUN_BASES[phrase])} if phrase in NOUN_BASES else set()
        if not kinds or kinds & {domains[i] for i in ids}:  # a sensor called "Light" is not what "the lights" are
            known[phrase] = Meaning(ids=frozenset(ids))
    for phrase, ids in called(entities, with_kind=True).items():
        known.setdefault(phrase, Meaning(ids=frozenset(ids)))
    for entity in entities:
        for name in (entity.area, *entity.area_aliases):
            if name:
                known[bases_of(name)] = Meaning(area=entity.area)
    for entity in entities:
        for name in (entity.floor, *entity.floor_aliases):
            if name:
                known[bases_of(name)] = Meaning(floor=entity.floor)
    known.pop((), None)
    return Phrases(known, max(map(len, known), default=1))


def called(entities: Iterable[EntityInfo], *, with_kind: bool = False) -> dict[Bases, set[str]]:
    """Names, aliases and ids -> the entities called so; ``with_kind``: a light called "Hall" is "the hall light"."""
    found: dict[Bases, set[str]] = {}
    for entity in entities:
        nouns = [noun for noun, meant in NOUNS.items() if entity.domain in meant] if with_kind else [""]
        for name in (entity.name, *entity.aliases, entity.id.partition(".")[2]):
            for noun in nouns:
                found.setdefault(bases_of(f"{name} {noun}"), set()).add(entity.id)
    return found


def marks_in(tokens: Sequence[Token], phrases: Phrases) -> list[Mark]:
    """The phrases that stand in a sentence, from left to right, the longest at each place."""
    marks, at = [], 0
    while at < len(tokens):
        for size in range(min(phrases.longest, len(tokens) - at), 0, -1):
            words = tokens[at : at + size]
            meaning = phrases.known.get(tuple(token.base for token in words))
            verb = at == 0 and size == 1 and meaning is not None and meaning.noun and words[0].text in BOTH
            if meaning is not None and not verb:
                marks.append(Mark(" ".join(t.text for t in words), at, at + size, meaning))
                at += size - 1
                break
        at += 1
    return marks
