"""How likely it is that an index holds what a question asks for, and what of the question nothing names."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import Field, dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.language.tokens import NAME_PARTS, joined, split_identifier
from workers.sources.code.answer_features import MANY, WEIGHTS, Judged, distinct, judge, never_together
from workers.sources.code.http_routes import resolve_route
from workers.sources.code.index_columns import Columns
from workers.sources.code.logistic_model import read_chances
from workers.sources.code.posting_lists import Terms
from workers.sources.code.ranking import Parts
from workers.sources.terms.query_terms import Query
from workers.sources.terms.synonyms import ALTERNATES, WEAK

LIKELY_CHANCE = 0.2
"""Below this chance what was found is shown as lying nearest, and nothing else is concluded from it."""
DOUBT = 0.8


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
    """What of a question was found.

    ``covered``: False where nothing matched, or all that is asked for is a name that stands nowhere. ``missing``:
    things that nothing names, though there may be hits beside them. ``absent``: words that stand nowhere.
    ``chance``: how likely it is that the hits answer, were half of all questions about things that are not there;
    below ``doubt`` it is told that they lie nearest at best.
    """

    covered: bool
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    chance: float = 0.0
    doubt: float = DOUBT

    @property
    def doubtful(self) -> bool:
        """Whether it has to be told that what was found lies nearest at best."""
        return self.chance < self.doubt

    @property
    def unmatched(self) -> tuple[str, ...]:
        """All that nothing names."""
        return distinct((*self.missing, *self.absent))

    @property
    def likely(self) -> bool:
        """Whether what was found may be taken for what is asked, and not only for what lies nearest."""
        return self.covered and self.chance >= LIKELY_CHANCE


class Weighed(Protocol):
    """A hit of any index."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def score(self) -> float:
        """0..1."""
        ...


Hit = TypeVar("Hit", bound=Weighed)


def weigh_hits(hits: Iterable[Hit], coverage: Coverage) -> tuple[Hit, ...]:
    """The hits with what nothing names; where it is doubtful that they answer, with lower scores."""
    sure, unmatched = min(1.0, coverage.chance / coverage.doubt), coverage.unmatched
    return tuple(replace(hit, score=round(hit.score * sure, 4), unmatched=unmatched) for hit in hits)


@dataclass(frozen=True)
class Specific:
    """Endpoints, identifiers and files of a question, and whether each is known."""

    routes: dict[str, bool]
    names: dict[str, bool]
    files: dict[str, bool]

    @property
    def missing(self) -> tuple[str, ...]:
        """Those that are not."""
        return tuple(k for group in (self.routes, self.names, self.files) for k, found in group.items() if not found)

    @property
    def decisive(self) -> dict[str, bool]:
        """Those of which one has to be there: an endpoint outweighs the others."""
        return self.routes or self.names | self.files


def cover_code(index: Columns, query: Query, parts: Parts) -> Coverage:
    """Judge the best code for a question.

    An endpoint must be there, and so must an identifier or a file that is all the question says. What nothing names is
    told in any case; where there is doubt, words of plain English too, or else two words in a row that never stand
    together.
    """
    absent, judged = absent_words(index, query), judge(index, query, parts)
    specific = look_up(index, query, judged.renamed)
    chance = read_chances(WEIGHTS).of(with_missing(judged, specific))
    unknown = bool(specific.decisive) and not any(specific.decisive.values())
    alone = unknown and (bool(specific.routes) or says_only(query, specific))
    doubt = chance < DOUBT
    told = (*specific.missing, *judged.unnamed, *(judged.plain if doubt else ()))
    told = told or (never_together(index, query) if doubt else ())
    return Coverage(bool(parts.scores.any()) and not alone, distinct(told), absent, chance)


def describe_cover(index: Columns, query: Query, parts: Parts) -> dict[str, float]:
    """All that the chance is reckoned from."""
    judged = judge(index, query, parts)
    return with_missing(judged, look_up(index, query, judged.renamed))


def with_missing(judged: Judged, specific: Specific) -> dict[str, float]:
    """The features, with how many endpoints, identifiers and files nothing names."""
    return judged.features | {"missing": float(min(len(specific.missing), MANY))}


def says_only(query: Query, specific: Specific) -> bool:
    """Whether a question says nothing beside identifiers and files that are missing."""
    parts = {stem(p) for name in specific.missing for p in split_identifier(name)}
    return not any(weight == 1.0 and term not in parts for term, weight in query.terms.items())


def look_up(index: Searched, query: Query, renamed: Set[str] = frozenset()) -> Specific:
    """Look for what a question names by an identifier, an endpoint or a path; ``renamed`` has another name here."""
    return Specific(
        {r: resolve_route(index.words, index.registered, r) is not None for r in query.routes},
        {n: name_exists(index, n) for n in query.names if joined(n) not in renamed},
        {f: file_exists(index, f) for f in query.files},
    )


def absent_words(index: Searched, query: Query) -> tuple[str, ...]:
    """Words of a question that stand nowhere, whatever they say."""
    out = (w for w in dict.fromkeys(query.words) if not any(known(index, stem(p)) for p in split_identifier(w)))
    return tuple(w for w in out if stem(w.lower()) not in WEAK)


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
