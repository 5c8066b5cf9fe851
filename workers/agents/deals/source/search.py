"""Finds the deals nearest to a question: by words, by what words mean, and by the deals around them in the graph."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workers.agents.deals.language.reading import topic_of
from workers.agents.deals.source.conditions import Conditions, Years, read_conditions
from workers.agents.deals.source.features import Floats, RecordFeatures, column, feature_rows, record_features
from workers.agents.deals.source.graph import Graph, build_graph
from workers.agents.deals.source.names import models_named
from workers.agents.deals.source.records import Deal, DealBook
from workers.language.stop_words import STOP_WORDS
from workers.language.tokens import WORD, terms_of
from workers.sources.code.posting_lists import Postings, WordCounter, idf
from workers.sources.code.word_vectors import SCALE, directions, vector_of, words

Flags = NDArray[np.bool_]
FIELDS = ("name", "place", "description", "snippets")
FIELD_WEIGHTS = np.array([2.0, 1.5, 1.0, 0.5])
MEANT = (1, 1, 1, 0)
"""The fields that say what a deal is; passages of memos tell of what happened to it."""
K1, B = 1.4, 0.6
LEAST_BEGINNING, MOST_COMPLETIONS = 5, 4
WORDS_SHARE = 0.5
"""Of the text similarity; the rest is meaning."""
MEETS = {">": np.greater, "≥": np.greater_equal, "<": np.less, "≤": np.less_equal, "=": np.equal}
NEAREST, AROUND, MOST = 150, 20, 300
"""Deals that are nearest by text; so many of them bring those they are joined to; and candidates in all."""


@dataclass(frozen=True)
class Columns:
    """One value a deal: whether it is realized, its years, how long it was held, and how often the money came back.

    NaN: not known, or not ended; ``age``: of those that are still held, since when in years.
    """

    realized: Flags
    invested: Floats
    exited: Floats
    held_years: Floats
    age: Floats
    multiple: Floats


@dataclass(frozen=True)
class DealIndex:
    """A book with its graph and what is searched by; ``year``: the present one, for how long deals are held."""

    book: DealBook
    graph: Graph
    words: Postings
    directions: NDArray[np.int8]
    year: int

    def warm(self) -> None:
        """Make what the first question would wait for."""
        self.features, self.columns, self.weights, words()

    @cached_property
    def features(self) -> RecordFeatures:
        """What the record and the graph say of each deal."""
        return record_features(self.book, self.graph, self.year)

    @cached_property
    def vocabulary(self) -> list[str]:
        """Every term of the records, sorted."""
        return [term.decode() for term in self.words.texts]

    @cached_property
    def columns(self) -> Columns:
        """What conditions are held against."""
        realized = np.array([d.status == "realized" for d in self.book.deals], dtype=np.bool_)
        invested = np.array([d.year_invested or np.nan for d in self.book.deals], dtype=np.float64)
        exited = np.array([d.year_exited or np.nan for d in self.book.deals], dtype=np.float64)
        multiple = np.array([self.book.multiples.get(d.id, np.nan) for d in self.book.deals], dtype=np.float64)
        return Columns(realized, invested, exited, exited - invested, self.year - invested, multiple)

    @cached_property
    def place(self) -> dict[str, int]:
        """The place of each deal in the book, by id."""
        return {d.id: i for i, d in enumerate(self.book.deals)}

    @cached_property
    def weights(self) -> Floats:
        """What one occurrence counts in each field of each deal: less in long ones."""
        lengths = self.words.lengths.astype(np.float64)
        out: Floats = FIELD_WEIGHTS / (1 - B + B * lengths / np.maximum(lengths.mean(0), 1e-9))
        return out


@dataclass(frozen=True)
class Candidates:
    """Deals that may answer a question, the nearest by text first, with their features: one row a deal.

    ``terms``: what the question is about; ``most``: how near the text of any deal is to them, 0 to 1; ``closest``:
    that of any that meets the conditions.
    """

    query: str
    deals: tuple[Deal, ...]
    rows: Floats
    conditions: Conditions
    terms: tuple[str, ...]
    most: float = 0.0
    closest: float = 0.0


def build_index(book: DealBook, year: int) -> DealIndex:
    """Index a book: some seconds for tens of thousands of deals."""
    counter = WordCounter(len(FIELDS))
    for i, deal in enumerate(book.deals):
        place = f"{book.sector_names[deal.sector_id]} {book.region_names[deal.region_id]}"
        texts = (deal.name, place, deal.description, " ".join(s.text for s in book.snippets_of.get(deal.id, ())))
        for field, text in enumerate(texts):
            counter.add(i, field, [w for w in WORD.findall(text) if w.lower() not in STOP_WORDS])
    postings = counter.postings(len(book.deals), terms_of)
    meant = replace(postings, counts=postings.counts * np.array(MEANT, dtype=np.uint8))
    return DealIndex(book, build_graph(book), postings, directions(meant), year)


def query_words(text: str) -> list[str]:
    """The words of a question that say what it is about, beside its conditions."""
    return [w for w in WORD.findall(topic_of(text)) if w.lower() not in STOP_WORDS]


def query_terms(text: str) -> tuple[str, ...]:
    """The terms of those words, each once."""
    return tuple(dict.fromkeys(term for word in query_words(text) for term in terms_of(word)))


def completed(index: DealIndex, terms: Sequence[str]) -> tuple[str, ...]:
    """The terms, and behind each whose meaning is not known the terms of the records that it begins: "biotech"."""
    known = words().numbers
    out: dict[str, None] = {}
    for term in terms:
        out[term] = None
        if len(term) >= LEAST_BEGINNING and term.isalpha() and term.encode() not in known:
            at = bisect_right(index.vocabulary, term)
            longer = [t for t in index.vocabulary[at : at + MOST_COMPLETIONS] if t.startswith(term)]
            out |= dict.fromkeys(longer)
    return tuple(out)


def unspoken(index: DealIndex, query: str) -> list[str]:
    """The words of a question, beside its conditions, that stand in no record: names, and words of unknown meaning."""
    known = words().numbers
    out = []
    for word in query_words(query):
        terms = [t for t in terms_of(word) if not t.startswith("=")]
        meant = word.islower() and any(t.encode() in known for t in terms)
        if terms and not meant and not any(index.words.has(t) for t in completed(index, terms)):
            out.append(word)
    return out


def about(deal: Deal, book: DealBook) -> str:
    """What a deal is, in words."""
    return f"{book.sector_names[deal.sector_id]} {deal.description}"


def word_scores(index: DealIndex, terms: Sequence[str]) -> Floats:
    """BM25 over the fields of every deal, as a share of the most that these terms can give: 0 to 1."""
    total = np.zeros(len(index.book.deals))
    most = 0.0
    for term in terms:
        units, counts = index.words.get(term)
        if not len(units):
            continue
        weight = idf(len(units), len(index.book.deals))
        often = (counts * index.weights[units]).sum(1)
        total[units] += weight * often * (K1 + 1) / (often + K1)
        most += weight * (K1 + 1)
    return total / most if most else total


def meaning_scores(index: DealIndex, terms: Sequence[str]) -> Floats:
    """How near the meaning of every deal is to that of the terms: 0 to 1."""
    wanted = vector_of(terms)
    scores: Floats = np.clip(index.directions.astype(np.float32) @ wanted / SCALE, 0, 1).astype(np.float64)
    return scores


def closeness(index: DealIndex, terms: Sequence[str]) -> Floats:
    """How near the text of every deal is to the terms, by words and by meaning: 0 to 1."""
    words, meaning = word_scores(index, terms), meaning_scores(index, terms)
    out: Floats = WORDS_SHARE * words + (1 - WORDS_SHARE) * meaning
    return out


def find_candidates(index: DealIndex, query: str) -> Candidates:
    """The deals that may be precedents for a question.

    All meet its conditions of status, years, platform and add-ons, and what was chosen in a menu; sector and region
    that the question only names are for the ranking, as the nearest deal may lie next door. A deal that others shall
    be like lends the question its own words, and is no candidate.
    """
    read = read_conditions(query, index.book, index.year)
    models = models_named(query, index.book)
    terms = completed(index, query_terms(" ".join((query, *(about(d, index.book) for d in models)))))
    near = closeness(index, terms)
    allowed = admitted(index, read)
    allowed[[index.place[d.id] for d in models]] = False
    most = float(near.max(initial=0.0))
    similarity = near / most if most > 0 else near
    closest = float(near[allowed].max(initial=0.0))
    here = None
    if read.regions:  # whatever their sector: a deal may be of several, and is recorded in one
        here = allowed & lying(index.features.regions, [r.id for r in index.book.regions], read.regions)
    elif read.sectors:
        here = allowed & lying(index.features.sectors, [s.id for s in index.book.sectors], read.sectors)
    nearest = chosen_places(index, similarity, allowed, here)
    sectors = {i for i, s in enumerate(index.book.sectors) if s.id in {*read.sectors, *read.near_sectors}}
    regions = {i for i, r in enumerate(index.book.regions) if r.id in read.regions}
    rows = feature_rows(index.features, nearest, similarity, sectors, regions)
    return Candidates(query, tuple(index.book.deals[i] for i in nearest.tolist()), rows, read, terms, most, closest)


def admitted(index: DealIndex, read: Conditions, *, everywhere: bool = True) -> Flags:
    """Which deals meet the conditions; those of sector and region only when a menu set them, or not ``everywhere``."""
    known, columns = index.features, index.columns
    found: Flags = np.ones(len(index.book.deals), dtype=np.bool_)
    if read.status:
        found &= columns.realized == (read.status == "realized")
    if read.platform is not None:
        found &= known.table[:, column("is_platform")].astype(np.bool_) == read.platform
    for m in read.measures:
        if everywhere and m.name != "add_ons":
            continue
        name = "age" if m.name == "held_years" and read.status == "current" else m.name
        values = known.table[:, column("num_addons")] if name == "add_ons" else getattr(columns, name)
        found &= MEETS[m.sign](values, m.value)
    found &= within(columns.invested, read.invested) & within(columns.exited, read.exited)
    if read.no_sectors:
        found &= ~lying(known.sectors, [s.id for s in index.book.sectors], read.no_sectors)
    if read.no_regions:
        found &= ~lying(known.regions, [r.id for r in index.book.regions], read.no_regions)
    if not everywhere:
        found &= told(index, read)
    if not everywhere or "sector" in read.chosen:
        found &= lying(known.sectors, [s.id for s in index.book.sectors], read.sectors)
    if not everywhere or "region" in read.chosen:
        found &= lying(known.regions, [r.id for r in index.book.regions], read.regions)
    return found


def told(index: DealIndex, read: Conditions) -> Flags:
    """Which deals meet what only descriptions and events say: who sold, names, add-ons that are deals themselves."""
    book = index.book
    merged = {e.deal_id for e in book.events if e.type == "addon" and e.related_deal_id}
    return np.array(
        [
            all(d.id in ids for ids in read.told)
            and d.id not in read.not_told
            and (not read.sellers or book.sellers.get(d.id) in read.sellers)
            and (not read.merged or d.id in merged)
            for d in book.deals
        ],
        dtype=np.bool_,
    )


def within(years: Floats, spans: Sequence[Years]) -> Flags:
    """Which years are within one of some spans, all where there is none; one that is not known is within none."""
    found: Flags = np.full(len(years), not spans, dtype=np.bool_)
    for first, last in spans:
        found |= (years >= (first or -np.inf)) & (years <= (last or np.inf))
    return found


def lying(numbers: NDArray[np.int64], ids: Sequence[str], wanted: Sequence[str]) -> Flags:
    """Which deals lie in one of the wanted sectors or regions; all when none is wanted."""
    chosen = [i for i, name in enumerate(ids) if name in wanted]
    return np.isin(numbers, chosen) if wanted else np.ones(len(numbers), dtype=np.bool_)


def chosen_places(index: DealIndex, similarity: Floats, allowed: Flags, here: Flags | None) -> NDArray[np.int64]:
    """The places of the candidates: the nearest by text, those around them in the graph, and the nearest ``here``."""
    order = np.argsort(-np.where(allowed, similarity, -1.0), kind="stable")[: int(allowed.sum())]
    chosen = dict.fromkeys(order[:NEAREST].tolist())
    for i in order[:AROUND].tolist():
        chosen |= dict.fromkeys(j for j in index.features.joined[i] if allowed[j])
    if here is not None:
        chosen |= dict.fromkeys(order[here[order]][:NEAREST].tolist())
    found = np.array(list(chosen)[:MOST], dtype=np.int64)
    return found[np.argsort(-similarity[found], kind="stable")] if len(found) else found
