"""Parts of the world by name: which regions of the records a question means by "European", "Nordic" or "DACH"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

FILE = Path(__file__).with_name("places.yaml")


@dataclass(frozen=True)
class Place:
    """A part of the world: how it is called in texts, its code, and what lies in it, by name."""

    name: str
    names: tuple[str, ...]
    code: str
    holds: tuple[str, ...]


@cache
def places() -> dict[str, Place]:
    """The known places by name."""
    read = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return {
        name: Place(name, tuple(p.get("names", ())), p.get("code", ""), tuple(p.get("holds", ())))
        for name, p in read.items()
    }


def place_of(region: str) -> Place | None:
    """The place that a region of the records is, by its name or code; None: it is none that is known."""
    wanted = region.strip().lower()
    for place in places().values():
        if wanted in {place.name.lower(), place.code.lower(), *(n.lower() for n in place.names)} - {""}:
            return place
    return None


def lies_in(place: Place | None, outer: Place) -> bool:
    """Whether a place is another one or lies in it."""
    if place is None:
        return False
    return place == outer or any(lies_in(place, places()[name]) for name in outer.holds)


def places_in(text: str) -> list[tuple[Place, str, int]]:
    """The places that a text names, with how it names them, and where; of "North American" only the longer."""
    found: list[tuple[int, int, Place]] = []
    for place in places().values():
        for name in (place.name, *place.names):
            found.extend((m.start(), m.end(), place) for m in spelled(name).finditer(text))
    kept = [f for f in found if not any(o[0] <= f[0] and f[1] <= o[1] and o[:2] != f[:2] for o in found)]
    return [(place, text[start:end], start) for start, end, place in sorted(kept, key=lambda f: f[:2])]


@cache
def spelled(name: str) -> re.Pattern[str]:
    """Finds a name as a whole word; one in capitals only as it is written."""
    loose = 0 if name.isupper() else re.IGNORECASE
    tail = "" if name.isupper() else r"(?:n|s|e[nrms]?)?"  # German endings: deutsche, schwedischen
    return re.compile(rf"(?<![\w.]){re.escape(name)}{tail}(?!\w)", loose)


def regions_named(text: str, regions: Sequence[str]) -> tuple[list[tuple[int, int]], list[tuple[str, int]], list[str]]:
    """Which regions of the records a text names, by their own names or by the places that they lie in.

    For a place in which no region lies those are taken that it lies in, and told: "DACH (for German)".

    Returns:
        the numbers of the regions, and where each is named; how they are named, and where; what is named where the
        records have nothing.
    """
    known = [place_of(region) for region in regions]
    own = {i: m.start() for i, region in enumerate(regions) if (m := spelled(region).search(text))}
    chosen, words, unknown = dict(own), {regions[i]: at for i, at in sorted(own.items())}, list[str]()
    for place, word, at in places_in(text):
        inside = {i for i, other in enumerate(known) if lies_in(other, place)}
        around = {i for i, other in enumerate(known) if other and lies_in(place, other)} - inside
        if inside:
            words.setdefault(word, at)
        elif around:
            words.setdefault(f"{', '.join(regions[i] for i in sorted(around))} (for {word})", at)
        else:
            unknown.append(word)
        for i in inside or around:
            chosen.setdefault(i, at)
    said = {word.lower(): (word, at) for word, at in reversed(words.items())}
    return sorted(chosen.items()), list(said.values())[::-1], unique(unknown)


def unique(words: Iterable[str]) -> list[str]:
    """Each word once, whatever its case, in order."""
    return list({word.lower(): word for word in words}.values())
