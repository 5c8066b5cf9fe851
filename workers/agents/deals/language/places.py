"""Parts of the world by name: which regions of the records a question means by "European", "Nordic" or "DACH"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from workers.agents.deals.language.terms import Token, tokens_of

FILE = Path(__file__).with_name("places.yaml")
ENDINGS = ("", "n", "s", "e", "en", "er", "em", "es")
"""German ones: deutsche, schwedischen."""
MOST_WORDS = 5


@dataclass(frozen=True)
class Place:
    """A part of the world: how it is called in texts, its code, and what lies in it, by name."""

    name: str
    names: tuple[str, ...]
    code: str
    holds: tuple[str, ...]


@dataclass(frozen=True)
class Named:
    """A place or region that the tokens from ``first`` to before ``last`` name."""

    name: str
    first: int
    last: int


@cache
def places() -> dict[str, Place]:
    """The known places by name."""
    read = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {
        name: Place(name, tuple(p.get("names", ())), p.get("code", ""), tuple(p.get("holds", ())))
        for name, p in read.items()
    }


def letters(name: str) -> str:
    """A name without spaces, hyphens and the like: “South east” is Southeast in letters of one case."""
    return re.sub(r"[\W_]", "", name)


@cache
def spellings() -> dict[str, str]:
    """Names of places, as letters alone: the place; one in capitals keeps them."""
    found = {}
    for place in places().values():
        for name in (place.name, *place.names):
            plain = letters(name)
            found[plain if name.isupper() else plain.lower()] = place.name
    return found


def place_of(region: str) -> Place | None:
    """The place that a region of the records is, by its name or code; None: it is none that is known."""
    plain = letters(region)
    by_code = next((p for p in places().values() if p.code and p.code == plain.upper()), None)
    name = spellings().get(plain.lower()) or spellings().get(plain.upper())
    return places()[name] if name else by_code


def lies_in(place: Place | None, outer: Place) -> bool:
    """Whether a place is another one or lies in it."""
    if place is None:
        return False
    return place == outer or any(lies_in(place, places()[name]) for name in outer.holds)


def within(place: Place) -> Iterator[str]:
    """The names of a place and of all that lies in it."""
    yield place.name
    for name in place.holds:
        yield from within(places()[name])


def places_in(text: str, tokens: Sequence[Token] = (), regions: Sequence[str] = ()) -> list[Named]:
    """The places and the regions of the records that a text names; of "North American" only the longer.

    A name is looked for as whole words, with German endings; one in capitals as it is written.
    """
    tokens = tokens or tokens_of(text)
    own = {letters(region).lower(): region for region in regions}
    out, at = list[Named](), 0
    while at < len(tokens):
        for size in range(min(MOST_WORDS, len(tokens) - at), 0, -1):
            said = letters(text[tokens[at].start : tokens[at + size - 1].end])
            if name := called(said, own):
                out.append(Named(name, at, at + size))
                at += size
                break
        else:
            at += 1
    return out


def called(said: str, own: dict[str, str]) -> str:
    """The region or place that letters name; empty: none."""
    if (known := spellings().get(said)) and said.isupper():
        return known
    for ending in ENDINGS:
        plain = said.lower().removesuffix(ending) if ending and len(said) > 5 else said.lower() if not ending else ""
        if plain and (name := own.get(plain) or spellings().get(plain)):
            return name
    return ""
