"""How likely it is that an index answers a question at all: what the question names, and where that stands.

``python -m bench.search.train_absent`` writes the weights. Deterministic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workers.language.stems import stem
from workers.language.tokens import joined, split_identifier
from workers.sources.code.index_columns import Columns
from workers.sources.code.name_occurrences import LARGE, OWN, Occurrences, apart, meet, occurrences, where
from workers.sources.code.ranking import Parts
from workers.sources.terms.query_terms import Query
from workers.sources.terms.synonyms import ALTERNATES, WEAK
from workers.sources.terms.topics import find_topics, topics

WEIGHTS = Path(__file__).with_name("absent.npz")
ELSEWHERE = 0.7
EARLY = 3
MANY = 2
FEW = 2
FEW_CHUNKS = 15
MOST = 2.5
WORD = re.compile(r"[A-Za-z0-9]+")
NAME = re.compile(r"\A\D[^A-Za-z\n]*[A-Za-z][^A-Za-z\n]*[A-Za-z]|[A-Za-z]{2}")  # ``p95`` and ``10s`` are none
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """``features`` by name; ``unnamed``: names of things, as the question writes them, that stand nowhere.

    ``plain``: words of plain English that stand nowhere; the source may say the same in other words. ``renamed``: what
    the source calls by another name, spelling-free.
    """

    features: dict[str, float]
    unnamed: tuple[str, ...]
    plain: tuple[str, ...]
    renamed: frozenset[str]


def judge(index: Columns, query: Query, parts: Parts) -> Judged:
    """Look up everything that a question names."""
    topics = find_topics(query.text)
    own = [occurrences(index, name) for _, name in topics]
    anyhow = [max(at, standing_otherwise(index, name)) for at, (_, name) in zip(own, topics, strict=True)]
    every = list(zip(topics, own, anyhow, strict=True))
    renamed = frozenset(joined(written) for (written, _), at, best in every if at == Occurrences.GONE < best)
    words = [w for w in dict.fromkeys(query.words) if joined(w) not in renamed]
    other = {stem(p) for w in query.words if joined(w) in renamed for p in split_identifier(w)}
    strong = [term for term, weight in query.terms.items() if weight == 1.0 and term not in other]
    terms = {term: occurrences(index, (term,)) for term in strong}
    whole = [w for w in words if is_unwritten(index, w)]
    special = [w for w in words if w not in whole and is_special(query, w)]
    gone = [
        w
        for w in special
        if all(terms.get(stem(p), Occurrences.NAMED) == Occurrences.GONE for p in split_identifier(w))
    ]
    pairs = list(tight_pairs(index, query))
    lost = [written for written, firm, found in pairs if firm and not found]
    held = chunk_shares(index, strong)
    rare = [name for (_, name), _, best in every if best in {Occurrences.BESIDE, Occurrences.SCARCE}]
    features = word_features(list(terms.values()), len(whole) + len(gone), pairs)
    features |= topic_features(anyhow, own) | meeting_features(index, query)
    known = [name for (_, name), _, best in every if best == Occurrences.NAMED]
    features["scarce topics apart"] = min(sum(1 - best_share(index, name, held) for name in rare), float(MANY))
    few = sum(1 - best_share(index, name, held, FEW_CHUNKS) for name in known)
    features["few topics apart"] = min(few, float(MANY))
    features |= {"chunk": float(held.max(initial=0.0)), "score": min(float(parts.scores.max(initial=0.0)), MOST)}
    nowhere = [written for (written, _), _, best in every if best == Occurrences.GONE]
    plain = plain_words(index, [w for w in words if w not in special], terms)
    return Judged(features, distinct([*nowhere, *whole, *gone, *lost]), plain, renamed)


def plain_words(index: Columns, words: Sequence[str], terms: Mapping[str, Occurrences]) -> tuple[str, ...]:
    """Words of plain English that stand nowhere, by no other word of the trade; none in small talk."""
    lone = {
        t for t, at in terms.items() if at == Occurrences.GONE and not any(map(index.words.has, ALTERNATES.get(t, ())))
    }
    out = [w for w in words if w.isalpha() and stem(w.lower()) in lone]
    return distinct(out) if index.standing[1] >= LARGE and len(out) <= FEW else ()


def standing_otherwise(index: Columns, name: Sequence[str]) -> Occurrences:
    """Where a thing stands under its other names."""
    return max(
        (occurrences(index, other) for other in topics()[tuple(name)] if other != name), default=Occurrences.GONE
    )


def is_special(query: Query, word: str) -> bool:
    """Whether a word is a name: with a capital inside a sentence, in capitals, of several parts."""
    odd = word in query.proper or len(split_identifier(word)) > 1 or (len(word) > 1 and not word[1:].islower())
    return odd and NAME.match(word) is not None


def is_unwritten(index: Columns, word: str) -> bool:
    """Whether a word of several parts (``RxJava``, ``S3_BUCKET``) stands nowhere as one."""
    if len(split_identifier(word)) < 2 or not NAME.match(word):
        return False
    whole = joined(word)
    return not any(index.words.has(t) or index.path_words.has(t) for t in (f"={whole}", stem(whole)))


def neighbours(query: Query) -> Iterator[tuple[re.Match[str], re.Match[str], str]]:
    """Words in a row that mean something, two at a time, and what is between them: a space, a hyphen or a slash."""
    content = {part for word in query.words for part in WORD.findall(word)}
    for a, b in pairwise(WORD.finditer(query.text)):
        gap = query.text[a.end() : b.start()]
        if gap in {" ", "-", "/"} and {a[0], b[0]} <= content and not any(stem(w[0].lower()) in WEAK for w in (a, b)):
            yield a, b, gap


def tight_pairs(index: Columns, query: Query) -> Iterator[tuple[str, bool, bool]]:
    """Neighbours that may be one name (``Server-Timing``, ``JSON Feed``), whether they surely are (``API token`` may be
    two), and whether they stand together in the source.
    """
    for a, b, gap in neighbours(query):
        capital = a[0][0].isupper() and b[0][0].isupper()
        shouted = any(len(w[0]) > 1 and w[0].isupper() for w in (a, b))
        if gap != " " or capital or shouted:
            units, files = where(index, roots(a[0], b[0]))
            yield f"{a[0]}{gap}{b[0]}", capital, bool(len(units) or len(files))


def roots(first: str, second: str) -> list[str]:
    """The stems that meet where two words stand next to each other."""
    return [stem(split_identifier(first)[-1]), stem(split_identifier(second)[0])]


def never_together(index: Columns, query: Query) -> tuple[str, ...]:
    """The first two known words in a row of a question that the source never puts next to each other, as one name."""
    for a, b, gap in neighbours(query):
        name = roots(a[0], b[0])
        if NAME.match(a[0]) and NAME.match(b[0]) and all(map(index.words.has, name)) and apart(index, name):
            return (f"{a[0]}{gap}{b[0]}",)
    return ()


def word_features(
    standings: Sequence[Occurrences], special: int, pairs: Sequence[tuple[str, bool, bool]]
) -> dict[str, float]:
    """How the plain words stand, and how many special ones and pairs stand nowhere."""
    count = max(len(standings), 1)
    return {
        "any special gone": float(special > 0),
        "pairs gone": min(sum(firm and not found for _, firm, found in pairs), MANY),
        "loose pairs gone": min(sum(not firm and not found for _, firm, found in pairs), MANY),
        "low": sum(s <= Occurrences.SCARCE for s in standings) / count,
        "early gone": float(any(s == Occurrences.GONE for s in standings[:EARLY])),
        "first low": float(bool(standings) and standings[0] <= Occurrences.SCARCE),
    }


def topic_features(anyhow: Sequence[Occurrences], own: Sequence[Occurrences]) -> dict[str, float]:
    """How many of the things that a project has or does not have stand nowhere, under any name or under this one."""
    return {
        "topic gone": float(Occurrences.GONE in anyhow),
        "topics gone": min(sum(s == Occurrences.GONE for s in anyhow), MANY),
        "topic by this name gone": float(Occurrences.GONE in own),
    }


def chunk_shares(index: Columns, strong: Sequence[str]) -> Floats:
    """The share of the question's words that each chunk holds, chunks beside the code held down."""
    halves = np.zeros(len(index.chunks), np.uint16)  # small numbers: a large index stays within the processor's cache
    for term in strong:
        units = index.words.get(term)[0]
        others = [index.words.get(other)[0] for other in ALTERNATES.get(term, ())]
        if any(map(len, others)):
            present = np.zeros(len(halves), np.uint16)
            present[np.concatenate(others)] = 1
            present[units] = 2
            halves += present
        else:
            np.add.at(halves, units.astype(np.intp), np.uint16(2))
    by_file = np.where(OWN, 1.0, ELSEWHERE)[index.kinds] / (2 * max(len(strong), 1))
    shares: Floats = halves * by_file.take(index.file_of)
    return shares


def best_share(index: Columns, name: Sequence[str], shares: Floats, most: int | None = None) -> float:
    """The largest share among the chunks that hold a thing by some name.

    With ``most``, 1 where more chunks do, or none: what a path or a commit names is met nowhere.
    """
    units = np.concatenate([where(index, other)[0] for other in topics()[tuple(name)]])
    return 1.0 if most is not None and not 0 < len(units) <= most else float(shares[units].max(initial=0.0))


def meeting_features(index: Columns, query: Query) -> dict[str, float]:
    """How many neighbours of the question meet in a chunk."""
    roots = [[stem(p) for p in split_identifier(w)] for w in query.words]
    pairs = [(a[-1], b[0]) for a, b in pairwise(roots) if a and b]
    pairs = [(a, b) for a, b in pairs if a not in WEAK and b not in WEAK]
    met = sum(len(meet([index.words.get(a)[0], index.words.get(b)[0]])) > 0 for a, b in pairs)
    return {"neighbours meet": met / len(pairs) if pairs else 0.5, "no neighbours": float(not pairs)}


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Names without those that are part of another."""
    whole = [joined(n) for n in names]
    return tuple(
        n
        for i, n in enumerate(names)
        if not any(whole[i] in w and (whole[i] != w or j < i) for j, w in enumerate(whole) if j != i)
    )
