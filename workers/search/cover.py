"""Whether an index holds what a question asks for at all, so that noise is not served as an answer."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workers.search.postings import Terms, idf
from workers.search.query import Query
from workers.search.routes import resolve_route
from workers.search.tokens import NAME_PARTS, joined, split_identifier, stem
from workers.search.vocabulary import ALTERNATES, WEAK

LOWEST = 0.25
MOST_ABSENT = 0.5
LOOK_AT = 5


class Searched(Protocol):
    """What can be judged: an index of code or of documents. Units are chunks or sections."""

    @property
    def words(self) -> Terms:
        """Terms of units."""
        ...

    @property
    def path_words(self) -> Terms:
        """Terms of paths, by file."""
        ...

    @property
    def registered(self) -> Set[str]:
        """Endpoints that code registers, as terms."""
        ...

    @property
    def paths(self) -> list[str]:
        """Path of each file."""
        ...

    @property
    def standing(self) -> tuple[int, int]:
        """How many files and units there are to be found."""
        ...

    @property
    def file_of(self) -> NDArray[np.int64]:
        """File of each unit."""
        ...


@dataclass(frozen=True)
class Coverage:
    """What of a question was found. ``missing`` are specific things that nothing names, ``absent`` plain words."""

    covered: bool
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def check_coverage(index: Searched, query: Query, scores: NDArray[np.float64], *, prose: bool = False) -> Coverage:
    """Judge the best results for a question.

    Endpoints, identifiers and files must exist: when the question names some, at least one has to be found, and an
    endpoint outweighs the others; so must one of its proper nouns. Plain words count by how rare they are. In
    ``prose`` the thing that an endpoint is named after is enough (a runbook on search speaks of ``/api/search``), if
    the plain words fit too.
    """
    absent = tuple(w for w in dict.fromkeys(query.words) if not any(known(index, stem(p)) for p in split_identifier(w)))
    absent = tuple(w for w in absent if stem(w.lower()) not in WEAK)
    routes = {r: resolve_route(index.words, index.registered, r) is not None for r in query.routes}
    names = {n: name_exists(index, n) for n in query.names}
    files = {f: file_exists(index, f) for f in query.files}
    missing = tuple(k for group in (routes, names, files) for k, found in group.items() if not found)
    specific = routes or names | files
    if any(specific.values()):
        return Coverage(True, missing, absent)
    if specific and not (prose and all(last_word_known(index, r) for r in routes) and not names | files):
        return Coverage(False, missing, absent)
    nouns = [n for n in query.proper if not known(index, stem(n.lower()))]
    if not scores.any() or (nouns and len(nouns) == len(query.proper)):
        return Coverage(False, (*missing, *nouns), absent)
    plain = [t for t, weight in query.terms.items() if weight == 1.0]
    gone = [t for t in plain if not known(index, t)]
    enough = best_share(index, query, scores) >= LOWEST and len(gone) <= MOST_ABSENT * len(plain)
    return Coverage(enough or has_compound(index, query), missing, absent)


def last_word_known(index: Searched, route: str) -> bool:
    """True when the last part of an endpoint that is no parameter is a word somewhere."""
    parts = [p for p in route.split("/") if p and p != "*"]
    return bool(parts) and all(term_exists(index, stem(p)) for p in split_identifier(parts[-1]))


def known(index: Searched, term: str) -> bool:
    """True when a chunk or a path holds the term or another spelling of it."""
    return any(term_exists(index, t) for t in (term, *ALTERNATES.get(term, ())))


def term_exists(index: Searched, term: str) -> bool:
    """True when a chunk or a path holds exactly this term."""
    return index.words.has(term) or index.path_words.has(term)


def name_exists(index: Searched, name: str) -> bool:
    """True when an identifier is written somewhere, or all its parts stand in one chunk."""
    for piece in reversed(NAME_PARTS.split(name)):
        whole = joined(piece)
        parts = [stem(p) for p in split_identifier(piece) if len(p) > 1]
        if term_exists(index, f"={whole}") or term_exists(index, stem(whole)):
            return True
        if len(parts) > 1:
            together = set(index.words.get(parts[0])[0].tolist())
            for part in parts[1:]:
                together &= set(index.words.get(part)[0].tolist())
            if together:
                return True
    return False


def file_exists(index: Searched, wanted: str) -> bool:
    """True when some path ends with this one."""
    return any(f"/{path.lower()}".endswith(f"/{wanted.lower()}") for path in index.paths)


def has_compound(index: Searched, query: Query) -> bool:
    """True when words of the question stand as one identifier in the source."""
    return any(term_exists(index, f"={c}") for c in query.compounds)


def best_share(index: Searched, query: Query, scores: NDArray[np.float64]) -> float:
    """The largest share of the question's rarity that one of the best files holds."""
    files = np.zeros(len(index.paths))
    np.maximum.at(files, index.file_of, scores)
    held, total = np.zeros(len(index.paths)), 0.0
    _, size = index.standing
    for term, weight in query.terms.items():
        units, _ = index.words.get(term)
        rarity = weight * idf(size, len(units))
        total += rarity
        present = np.zeros(len(index.paths))
        for other in ALTERNATES.get(term, ()):
            present[index.file_of[index.words.get(other)[0]]] = 0.5
        present[index.file_of[units]] = 1.0
        present[index.path_words.get(term)[0]] = 1.0
        held += rarity * present
    best = np.argsort(-files)[:LOOK_AT]
    return float(held[best].max() / total) if total else 0.0
