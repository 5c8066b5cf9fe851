"""Directions of chunks and questions: the sums are right, and words of one meaning are near each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.language.stems import stem
from workers.language.tokens import terms_of
from workers.sources.code.posting_lists import Postings, WordCounter
from workers.sources.code.word_vectors import SCALE, chunk_vectors, vector_of, words

WORDS = "delete user mail zzqx HttpServer retry 404".split()
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8), min_size=1)


def index_of(texts: list[list[str]]) -> Postings:
    counter = WordCounter(2)
    for unit, text in enumerate(texts):
        counter.add(unit, 0, text)
    return counter.postings(len(texts), terms_of)


def slow(text: list[str], path: list[str]) -> np.ndarray:
    """The direction of one chunk, word by word."""
    table = words()
    total = np.zeros(table.vectors.shape[1])
    for source in (text, path):
        said = [t.encode() for word in source for t in terms_of(word)]
        for term in set(said):
            if term in table.numbers:
                total += np.log1p(said.count(term)) * table.vectors[table.numbers[term]]
    length = np.linalg.norm(total)
    return total / length if length else total


@given(TEXTS, TEXTS, st.data())
def test_a_chunk_is_the_sum_of_its_words_and_those_of_its_path(
    texts: list[list[str]], paths: list[list[str]], data: st.DataObject
) -> None:
    file_of = np.array(data.draw(st.lists(st.integers(0, len(paths) - 1), min_size=len(texts), max_size=len(texts))))
    found = chunk_vectors(index_of(texts), index_of(paths), file_of)
    for row, text, file in zip(found, texts, file_of.tolist(), strict=True):
        assert np.allclose(row / SCALE, slow(text, paths[file]), atol=1 / SCALE)


def test_a_question_has_length_one_and_none_of_unknown_words() -> None:
    assert np.linalg.norm(vector_of(["delet", "user"])) == pytest.approx(1.0, abs=1e-5)
    assert not vector_of(["zzqx"]).any()
    assert not vector_of([]).any()


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [("delete", "remove", "parse"), ("mail", "email", "graph"), ("password", "credentials", "window")],
)
def test_words_of_one_meaning_are_nearer_than_others(word: str, near: str, far: str) -> None:
    own, other, third = (vector_of([stem(w)]) for w in (word, near, far))
    assert own @ other > own @ third + 0.2
