"""How often the terms of a question occur in texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workers.language.tokens import WORD, routes_in, terms_of
from workers.sources.terms.synonyms import ALTERNATES


@dataclass(frozen=True)
class Said:
    """What of a question a text says: counts of its terms, those that another word stands for, and its length."""

    counts: Mapping[str, float]
    others: frozenset[str] = frozenset()
    length: int = 0


class TermCounter:
    """Counts the wanted terms of texts; a word is looked up once."""

    def __init__(self, terms: Iterable[str]) -> None:
        self.terms = frozenset(terms)
        self.others = {o: t for t in self.terms for o in ALTERNATES.get(t, ()) if o not in self.terms}
        self.routes = any(t.startswith("/") for t in self.terms)
        self.known: dict[str, tuple[str, ...]] = {}
        self.paths: dict[str, Said] = {}

    def count_paths(self, paths: Iterable[str]) -> Said:
        """As `count`, of paths; each is read once however many commits changed it."""
        counts: dict[str, float] = {}
        others: frozenset[str] = frozenset()
        length = 0
        for path in paths:
            said = self.paths.get(path)
            if said is None:
                said = self.paths[path] = self.count(path)
            length += said.length
            if said.counts or said.others:  # few of very many
                others |= said.others
                for term, number in said.counts.items():
                    counts[term] = counts.get(term, 0.0) + number
        return Said(counts, others, length)

    def count(self, text: str) -> Said:
        """How often each wanted term occurs, for which of them another word stands, and how many words there are."""
        counts: dict[str, float] = {}
        others: set[str] = set()
        words = WORD.findall(text)
        for word in words:
            meant = self.known.get(word)
            if meant is None:
                held = [t for t in terms_of(word) if t in self.terms or t in self.others]
                meant = self.known[word] = tuple(held)
            for term in meant:
                if term in self.terms:
                    counts[term] = counts.get(term, 0.0) + 1.0
                else:
                    others.add(self.others[term])
        for route in routes_in(text) if self.routes and "/" in text else ():
            if route in self.terms:
                counts[route] = counts.get(route, 0.0) + 1.0
        return Said(counts, frozenset(others), len(words))
