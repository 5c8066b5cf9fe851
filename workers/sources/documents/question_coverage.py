"""Whether documents answer a question at all, so that a page that mentions its words apart is not served as an answer.

A logistic sum of what stands where; ``python -m bench.documents.train_absent`` writes the weights. Deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.language.tokens import split_identifier
from workers.sources.code.answer_features import distinct, is_special
from workers.sources.code.logistic_model import read_chances
from workers.sources.code.name_occurrences import meet
from workers.sources.code.posting_lists import idf
from workers.sources.code.question_coverage import (
    Coverage,
    Searched,
    absent_words,
    known,
    last_word_known,
    look_up,
    says_only,
)
from workers.sources.documents.ranking import Sections, alike, beside, highest, row_of
from workers.sources.terms.query_terms import Query
from workers.sources.terms.synonyms import ALTERNATES, WEAK
from workers.sources.terms.topics import Name, find_topics, topics

WEIGHTS = Path(__file__).with_name("absent.npz")
DOUBT = 0.65
OTHER_WORD = 0.5
LOOK_AT = 10
MOST_READ = 200
EARLY = 3
MANY = 2
MOST = 2.5
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Judged:
    """``features`` by name; ``unnamed``: names of things, as the question writes them, that stand nowhere."""

    features: dict[str, float]
    unnamed: tuple[str, ...]


def cover_documents(
    index: Searched, sections: Sections, query: Query, scores: Floats, rarity: Mapping[str, float]
) -> Coverage:
    """Judge the best sections for a question.

    An endpoint must be there; the thing that it is named after is enough, for a runbook on search speaks of
    ``/api/search``. Files and functions need not stand in prose, unless the question says nothing else. What writes the
    endpoint or the file answers, and so does what writes a name that is the whole question.
    """
    specific, absent = look_up(index, query), absent_words(index, query)
    specific = replace(specific, files={f: there or stands(sections, f) for f, there in specific.files.items()})
    judged = judge(index, sections, query, scores, rarity)
    found = any((specific.routes or specific.files).values()) or (
        any(specific.names.values()) and len(query.words) == 1
    )
    chance = 1.0 if found else read_chances(WEIGHTS).of(judged.features)
    strange = any(not last_word_known(index, r) for r, there in specific.routes.items() if not there)
    enough = found or not (strange or (specific.missing and says_only(query, specific)))
    told = distinct((*specific.missing, *judged.unnamed))
    return Coverage(bool(scores.any()) and enough, told, absent, chance, DOUBT)


def judge(
    index: Searched,
    sections: Sections,
    query: Query,
    scores: Floats,
    rarity: Mapping[str, float],
) -> Judged:
    """Look up all that a question names, and how much of it stands together."""
    strong = [term for term, weight in query.terms.items() if weight == 1.0]
    gone = [term for term in strong if not known(index, term)]
    parts = [(w, [stem(p) for p in split_identifier(w)]) for w in dict.fromkeys(query.words)]
    special = [w for w, roots in parts if is_special(query, w) and roots and all(r in gone for r in roots)]
    topics = [(written, standing(sections, name)) for written, name in find_topics(query.text)]
    nowhere = [written for written, units in topics if not len(units)]
    held = {term: presence(sections, term) for term in strong}
    best = highest(scores, LOOK_AT)
    features = {
        "gone": len(gone) / max(len(strong), 1),
        "early gone": float(any(term in gone for term in strong[:EARLY])),
        "special gone": float(min(len(special), MANY)),
        "topics gone": float(min(len(nowhere), MANY)),
        "terms": float(np.log1p(len(strong))),
        "sections": float(np.log1p(len(sections.units))),
        "score": min(float(scores.max(initial=0.0)), MOST),
        "neighbours meet": meeting(sections, query),
        "beside": tightest(sections, query, dict(rarity), best),
        "near": float(alike(sections, query, best).max(initial=0.0)),
    }
    features |= together(sections, held, [units for _, units in topics if len(units)], best)
    return Judged(features, distinct([*nowhere, *special]))


def presence(sections: Sections, term: str) -> Floats:
    """1 for sections that hold a term, half for those that hold another word for it."""
    out = np.zeros(len(sections.units))
    for other in ALTERNATES.get(term, ()):
        out[sections.words.get(other)[0]] = OTHER_WORD
    out[sections.words.get(term)[0]] = 1.0
    return out


def together(
    sections: Sections, held: Mapping[str, Floats], topics: Sequence[Ints], best: NDArray[np.int64]
) -> dict[str, float]:
    """How much of the question one section holds, the best ones, and those that speak of its topics."""
    size = len(sections.units)
    worth = {t: idf(size, int((p > 0).sum())) for t, p in held.items()}
    total = sum(worth.values()) or 1.0
    plain = sum(held.values(), np.zeros(size)) / max(len(held), 1)
    share = sum((worth[t] * p for t, p in held.items()), np.zeros(size)) / total
    return {
        "plain": float(plain.max(initial=0.0)),
        "best": float(share[best[:1]].max(initial=0.0)),
        "first three": float(share[best[:3]].mean()) if len(best) else 0.0,
        "topics apart": sum(1.0 - float(plain[units].max()) for units in topics[:MANY]),
    }


def standing(sections: Sections, name: Name) -> Ints:
    """Sections that hold a thing by any of its names."""
    return np.unique(np.concatenate([units_of(sections, other) for other in topics()[name]]))


def units_of(sections: Sections, name: Name) -> Ints:
    """Sections that hold one word, or several that stand together; very many that hold all of them are not read."""
    words, whole = sections.words, "".join(name)
    as_one = np.concatenate([words.get(f"={whole}")[0], words.get(whole if len(name) == 1 else stem(whole))[0]])
    if len(name) == 1:
        return as_one
    both, row = meet([words.get(term)[0] for term in name]), f" {' '.join(name)} "
    if len(both) > MOST_READ:
        return np.concatenate([as_one, both])
    found = [unit for unit in both.tolist() if row in "".join(sections.in_a_row(unit))]
    return np.concatenate([as_one, np.array(found, as_one.dtype)])


def stands(sections: Sections, file: str) -> bool:
    """Whether some section writes the name of a file, its folders apart."""
    return len(units_of(sections, tuple(row_of(file.rpartition("/")[2]).split()))) > 0


def meeting(sections: Sections, query: Query) -> float:
    """Which share of the neighbours of the question meet in a section."""
    roots = [stem(p) for w in query.words for p in split_identifier(w)]
    pairs = [(a, b) for a, b in pairwise(roots) if a != b and not {a, b} & WEAK]
    met = sum(len(meet([sections.words.get(a)[0], sections.words.get(b)[0]])) > 0 for a, b in pairs)
    return met / len(pairs) if pairs else 0.5


def tightest(sections: Sections, query: Query, rarity: dict[str, float], best: NDArray[np.int64]) -> float:
    """How much of the question stands side by side in one of the best sections."""
    return float(beside(sections, query, rarity, best).max(initial=0.0)) / (sum(rarity.values()) or 1.0)
