"""Scores sections for a question: BM25 over fields, what the whole document holds and other documents say of it, words
that stand side by side, and what the words mean.

The constants were found by trial on headings that were hidden and on commit subjects (``python -m bench documents``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workers.language.stop_words import STOP_WORDS
from workers.language.tokens import WORD, terms_of
from workers.sources.code.file_kinds import HISTORY
from workers.sources.code.http_routes import resolve_route
from workers.sources.code.posting_lists import Postings, idf
from workers.sources.code.ranking import Floats
from workers.sources.code.word_vectors import SCALE, vector_of
from workers.sources.documents.index_records import BODY, HEADING, DocRecord
from workers.sources.documents.section_reader import Section
from workers.sources.terms.query_terms import Query
from workers.sources.terms.synonyms import ALTERNATES

K1 = 1.6
FIELD_WEIGHTS = np.array([1.0, 2.0, 2.5])  # body, heading, breadcrumb with title and path
FIELD_B = np.array([0.5, 0.6, 0.6])
WHOLE_DOCUMENT, FILE_K1, FILE_B = 0.2, 25.0, 0.9
SHARE, TITLE, SAID, MEANING = 0.15, 0.1, 0.3, 0.15
ALTERNATE, COMPOUND, ROUTE, PHRASE, NAMED = 0.2, 0.05, 0.6, 0.6, 1.0
TITLED, BESIDE, BESIDE_ABOVE = 0.3, 0.5, 0.15
TOP_SECTION, BARE_TITLE, BARE_WORDS = 0.85, 0.65, 20
ASKED_KIND = 1.35
LOGBOOK, REPLACED = 0.6, 0.5
LOOK_AT = 60
RERANKED_SECTIONS, NEAREST_SECTIONS = 30, 10
"""So many of the best sections by their words, and of the nearest by the encoder, are held against the question."""
SIMILARITY_WEIGHT, USUAL_SIMILARITY, LEAST_SCORE = 1.0, 0.15, 1e-3
"""What similarity to the question counts beside words; what it is for a section that says something related."""
KEPT = 4_096
KIND_INTENTS = {
    kind: re.compile(rf"\b({words})\b", re.IGNORECASE)
    for kind, words in {
        "runbook": r"run-?books?|play-?books?|mitigat\w*|on-?call|what (should|do) (i|we)? ?do|recover|roll(ing)? ?back"
        r"|how (do|to|can) (i|we)? ?(fix|restore|debug)|spik\w+|slow|outage|failing|latency|errors?",
        "adr": r"adrs?|why (did|do|have|are) we|why (was|were)|decid\w*|decisions?|rationale|chose|chosen|trade-?offs?",
        "postmortem": r"post-?mortems?|rca|(last|previous|past) (incident|outage)s?|happened before",
        "design": r"design\w*|architecture|overview|how (is|are|does) .*(work|works|wired|built|structured)",
    }.items()
}


@dataclass(frozen=True)
class Sections:
    """What is ranked: ``units`` are sections with the number of their document, ``words`` their postings by field.

    ``paths`` are those of the documents in their repository; ``said`` what links of other documents say of each;
    ``directions`` what each section is about, see `workers.sources.code.word_vectors`.
    """

    records: Sequence[DocRecord]
    units: Sequence[tuple[int, Section]]
    file_of: NDArray[np.int64]
    words: Postings
    lines_of: Callable[[int], list[str]]
    paths: Sequence[str]
    said: Postings
    directions: NDArray[np.int8]

    @cached_property
    def titles(self) -> list[frozenset[str]]:
        """Terms of each document's title."""
        return [frozenset(row_of(r.title).split()) for r in self.records]

    @cached_property
    def weights(self) -> Floats:
        """What one occurrence counts in each field of each section: less in long ones."""
        lengths = self.words.lengths.astype(np.float64)
        out: Floats = FIELD_WEIGHTS / (1 - FIELD_B + FIELD_B * lengths / np.maximum(lengths.mean(0), 1e-9))
        return out

    @cached_property
    def file_k1(self) -> Floats:
        """How many occurrences in a document count half; more in long ones."""
        lengths = np.bincount(self.file_of, self.words.lengths[:, BODY], len(self.records)).astype(np.float64)
        out: Floats = FILE_K1 * (1 - FILE_B + FILE_B * lengths / max(float(lengths.mean()), 1.0))
        return out

    @cached_property
    def standing(self) -> Floats:
        """Factors: less for change logs, what was superseded and openings, least for bare titles."""
        logs = np.array(
            [
                (LOGBOOK if HISTORY.search(r.path) else 1.0) * (REPLACED if r.status == "superseded" else 1.0)
                for r in self.records
            ]
        )
        several = [len(r.sections) > 1 for r in self.records]
        words = self.words.lengths[:, BODY]
        openings = [
            1.0 if s.level > 1 or not several[f] else TOP_SECTION if words[i] >= BARE_WORDS else BARE_TITLE
            for i, (f, s) in enumerate(self.units)
        ]
        out: Floats = logs[self.file_of] * np.array(openings)
        return out

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        """Kind of each section's document."""
        return np.array([r.kind for r in self.records])[self.file_of]

    @cached_property
    def in_a_row(self) -> Callable[[int], tuple[str, str]]:
        """Terms of a section in order, between spaces: of its text, and of what stands above it."""

        @lru_cache(maxsize=KEPT)
        def read(unit: int) -> tuple[str, str]:
            file, section = self.units[unit]
            record = self.records[file]
            above = dict.fromkeys((record.title, *section.breadcrumb, record.path.rpartition(".")[0]))
            return row_of(" ".join(self.lines_of(file)[section.start - 1 : section.end])), row_of(" ".join(above))

        return read


def row_of(text: str) -> str:
    """Terms of a text in order, without function words."""
    words = (w for w in WORD.findall(text) if w.lower() not in STOP_WORDS)
    return f" {' '.join(t for w in words for t in terms_of(w) if not t.startswith('='))} "


def score_sections(sections: Sections, query: Query) -> tuple[Floats, dict[str, float]]:
    """Score every section, 0 where nothing matches, and say what each term is worth."""
    size, files = len(sections.units), len(sections.records)
    own, held, about = np.zeros(size), np.zeros(size), np.zeros(files)
    rarity: dict[str, float] = {}
    for term, weight in query.terms.items():
        dense, plain = count(sections, term)
        rarity[term] = weight * idf(size, len(sections.words.get(term)[0]))
        own += rarity[term] * dense / (dense + K1)
        held += rarity[term] * (dense > 0)
        document = np.bincount(sections.file_of, plain, files)
        about += WHOLE_DOCUMENT * rarity[term] * document / (document + sections.file_k1)
        units, counts = sections.said.get(term)
        about[units] += SAID * rarity[term] * counts[:, 0] / (counts[:, 0] + 1.0)
    total = sum(rarity.values()) or 1.0
    about = about / total + TITLE * entitled(sections, query)
    scores = (own + SHARE * held) / total + about[sections.file_of] * (own > 0)
    scores += TITLED * titled(sections, query)
    for compound in query.compounds:
        scores[sections.words.get(f"={compound}")[0]] += COMPOUND
    for route in query.routes:
        known = resolve_route(sections.words, frozenset(), route)
        scores[sections.words.get(known)[0] if known else []] += ROUTE
    if query.files:
        scores += np.where(named(sections, query), NAMED, 0.0)[sections.file_of]
    wanted = [kind for kind, pattern in KIND_INTENTS.items() if pattern.search(query.text)]
    factors = sections.standing * np.where(np.isin(sections.kinds, wanted), ASKED_KIND, 1.0)
    scores *= factors
    best = highest(scores, LOOK_AT)
    more = beside(sections, query, rarity, best) / total + quoted(sections, query, best)
    scores[best] += factors[best] * (more + MEANING * alike(sections, query, best))
    return scores, rarity


def titled(sections: Sections, query: Query) -> Floats:
    """Which share of a heading the question is; 0 for headings that lack one of its words."""
    held, lengths = np.zeros(len(sections.units)), np.maximum(sections.words.lengths[:, HEADING], 1)
    for term in query.terms:
        units, counts = sections.words.get(term)
        held[units] += counts[:, HEADING] > 0
    return np.where(held == len(query.terms), np.minimum(held / lengths, 1.0), 0.0)


def entitled(sections: Sections, query: Query) -> Floats:
    """Which share of the words of each document's title the question holds."""
    asked = frozenset(query.terms)
    return np.array([len(title & asked) / max(len(title), 1) for title in sections.titles])


def alike(sections: Sections, query: Query, units: NDArray[np.int64]) -> Floats:
    """How near sections are to what the question means, from 0 to 1."""
    out: Floats = np.maximum(sections.directions[units] @ vector_of(query.terms) / SCALE, 0.0).astype(float)
    return out


def add_similarity(scores: Floats, similarity: NDArray[np.float32]) -> Floats:
    """Add to the best sections, and to those nearest to the question, how near they are; NaN: that is not known."""
    beyond = np.nan_to_num(similarity - USUAL_SIMILARITY)
    again = np.union1d(highest(scores, RERANKED_SECTIONS), highest(beyond, NEAREST_SECTIONS))
    again = again[~np.isnan(similarity[again])]
    out = scores.copy()
    out[again] = np.maximum(scores[again] + SIMILARITY_WEIGHT * beyond[again], LEAST_SCORE)
    return out


def highest(scores: Floats, most: int) -> NDArray[np.int64]:
    """Units with the highest scores above 0, the earlier of equals first."""
    found = np.flatnonzero(scores > 0)
    if len(found) > most:  # sorting all would take longer
        found = found[scores[found] >= np.partition(scores[found], -most)[-most]]
    return found[np.argsort(-scores[found], kind="stable")][:most]


def named(sections: Sections, query: Query) -> NDArray[np.bool_]:
    """Which documents the question names by the end of their path."""
    ends = tuple(f"/{name.lower()}" for name in query.files)
    return np.array([f"/{path.lower()}".endswith(ends) for path in sections.paths], bool)


def count(sections: Sections, term: str) -> tuple[Floats, Floats]:
    """How often each section holds a term or another spelling of it: weighed by field and length, and by field."""
    dense, plain = np.zeros(len(sections.units)), np.zeros(len(sections.units))
    for other in (term, *ALTERNATES.get(term, ())):
        units, counts = sections.words.get(other)
        share = 1.0 if other == term else ALTERNATE
        dense[units] += share * (counts * sections.weights[units]).sum(1)
        plain[units] += share * (counts @ FIELD_WEIGHTS)
    return dense, plain


def beside(sections: Sections, query: Query, rarity: dict[str, float], units: NDArray[np.int64]) -> Floats:
    """What sections gain where words that follow each other in the question do so too, in either order."""
    asked = [t for w in query.words for t in terms_of(w) if t in rarity]
    pairs = {(a, b): min(rarity[a], rarity[b]) for a, b in pairwise(asked) if a != b}
    out = np.zeros(len(units))
    for i, unit in enumerate(units.tolist() if pairs else ()):
        text, above = sections.in_a_row(unit)
        for (a, b), worth in pairs.items():
            for row, share in ((text, BESIDE), (above, BESIDE_ABOVE)):
                out[i] += share * worth * (f" {a} {b} " in row or f" {b} {a} " in row)
    return out


def quoted(sections: Sections, query: Query, units: NDArray[np.int64]) -> Floats:
    """What sections gain that hold quoted text of the question word for word."""
    out = np.zeros(len(units))
    for i, unit in enumerate(units.tolist() if query.phrases else ()):
        file, section = sections.units[unit]
        text = " ".join(sections.lines_of(file)[section.start - 1 : section.end]).lower()
        out[i] = PHRASE * sum(phrase in text for phrase in query.phrases)
    return out
