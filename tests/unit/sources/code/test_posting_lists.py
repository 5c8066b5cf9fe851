"""The inverted index against plain counting."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workers.sources.code.posting_lists import Postings, WordCounter, combine, from_arrays

WORDS = st.sampled_from(["a", "b", "cc", "d_e", "ü", "/x"])
UNITS = st.lists(st.tuples(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=3)), max_size=8)
Units = list[tuple[list[str], list[str]]]


def expand(word: str) -> tuple[str, ...]:
    return ("d", "e", "=de") if word == "d_e" else () if word == "cc" else (word,)


def build(units: Units) -> Postings:
    counter = WordCounter(2)
    for number, fields in enumerate(units):
        for field, words in enumerate(fields):
            counter.add(number, field, words)
    return counter.postings(len(units), expand)


def plain(units: Units) -> dict[str, dict[int, list[int]]]:
    out: dict[str, dict[int, list[int]]] = {}
    for number, fields in enumerate(units):
        for field, words in enumerate(fields):
            for term, n in Counter(t for w in words for t in expand(w)).items():
                out.setdefault(term, {}).setdefault(number, [0, 0])[field] = n
    return out


def shown(postings: Postings) -> dict[str, dict[int, list[int]]]:
    out = {}
    for raw in postings.texts:
        units, counts = postings.get(raw.decode())
        out[raw.decode()] = dict(zip(units.tolist(), counts.tolist(), strict=True))
    return out


@given(UNITS)
def test_index_counts_as_plain_code_does(units: Units) -> None:
    postings = build(units)
    assert {t: u for t, u in shown(postings).items() if u} == plain(units)
    lengths = [[sum(len(expand(w)) for w in words) for words in fields] for fields in units]
    assert postings.lengths.tolist() == lengths
    assert postings.texts == sorted(postings.texts)


@given(UNITS, UNITS, st.randoms())
def test_combining_is_building_at_once(first: Units, second: Units, random: object) -> None:
    keep = np.array([-1 if i % 3 == 2 else 0 for i in range(len(first))], np.int64)
    kept = [u for u, k in zip(first, keep, strict=True) if k >= 0]
    mapping = keep.copy()
    mapping[keep >= 0] = np.arange(len(second), len(second) + len(kept))
    size = len(second) + len(kept)
    both = combine([(build(first), mapping), (build(second), np.arange(len(second)))], size, 2)
    whole = build([*second, *kept])
    assert {t: u for t, u in shown(both).items() if u} == {t: u for t, u in shown(whole).items() if u}
    assert both.lengths.tolist() == whole.lengths.tolist()


def test_arrays_round_trip() -> None:
    postings = build([(["a", "d_e"], ["b"])])
    assert shown(from_arrays(postings.arrays("p"), "p")) == shown(postings)
    assert postings.routes == []
    assert postings.get("nowhere")[0].tolist() == []


def test_counts_are_capped() -> None:
    assert build([(["a"] * 1_000, [])]).get("a")[1].tolist() == [[255, 0]]
