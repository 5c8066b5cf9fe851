"""The classes above a class, as the heads of their definitions name them."""

from __future__ import annotations

import re

from workers.sources.code.definition_lookup import places_named
from workers.sources.code.index import CodeIndex

MOST_ABOVE = 24
CLASSES = frozenset({"class", "type"})
NAME = re.compile(r"[A-Za-z_]\w*")


class Lineage:
    """Looks classes up in one index, each once.

    Args:
        index: of the repository.
    """

    def __init__(self, index: CodeIndex) -> None:
        self.index = index
        self.parents: dict[str, tuple[str, ...]] = {}

    def of(self, name: str) -> tuple[str, ...]:
        """A class and those above it, the nearest first; the class alone when nothing is known of it."""
        out = [name]
        for one in out:
            out += [above for above in self.above(one) if above not in out]
            if len(out) > MOST_ABOVE:
                break
        return tuple(out)

    def above(self, name: str) -> tuple[str, ...]:
        """What the head of a class names behind its own name."""
        if name not in self.parents:
            found: list[str] = []
            for place in places_named(self.index, name):
                if place.name == name and place.kind in CLASSES:
                    found += NAME.findall(place.signature.partition(name)[2])
            self.parents[name] = tuple(dict.fromkeys(found))
        return self.parents[name]
