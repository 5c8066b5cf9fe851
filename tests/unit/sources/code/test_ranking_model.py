"""The learned order of files."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.each_row import each_row
from workers.search import CodeIndex
from workers.sources.code.ranking import Floats, Ints, Parts, Weights, score_parts
from workers.sources.code.ranking_features import WANTED, candidates, describe, look_up, read_rows
from workers.sources.code.ranking_model import ranker, rerank
from workers.sources.terms.query_terms import Query, read_query

QUESTIONS = ["how are cards charged at the bank", "/api/orders", "where is BACKOFF_SECONDS", '"too many attempts"']


def parts_of(index: CodeIndex, question: str) -> Parts:
    return score_parts(index.columns, read_query(question), Weights())


def described(index: CodeIndex, query: Query, parts: Parts) -> tuple[Ints, dict[str, Floats]]:
    files = candidates(parts, index.columns.best_of_file(parts.scores))
    return files, describe(index.columns, query, parts, read_rows(index.columns, query, parts, files))


def reranked(index: CodeIndex, question: str, parts: Parts) -> Floats:
    chunks, scores = rerank(index.columns, read_query(question), parts)
    by_chunk = np.zeros(len(index.columns.chunks))
    by_chunk[chunks] = scores
    return by_chunk


@each_row("question", QUESTIONS)
def test_features_are_those_that_were_learned(index: CodeIndex, question: str) -> None:
    query, parts = read_query(question), parts_of(index, question)
    files, features = described(index, query, parts)
    assert tuple(features) == ranker().names
    assert all(v.shape == files.shape and np.isfinite(v).all() for v in features.values())


@each_row("question", QUESTIONS)
def test_the_scores_of_files_are_dealt_out_anew_and_stay_the_same(index: CodeIndex, question: str) -> None:
    parts = parts_of(index, question)
    columns = index.columns
    before, after = (
        columns.best_of_file(parts.scores),
        columns.best_of_file(reranked(index, question, parts)),
    )
    kept = before[before > 0]
    assert np.allclose(np.sort(after)[::-1][: len(kept)], np.sort(kept)[::-1])
    assert (after > 0).sum() >= len(kept)


def test_chunks_of_a_file_keep_their_proportions(index: CodeIndex) -> None:
    question = "how are cards charged at the bank"
    parts = parts_of(index, question)
    after = reranked(index, question, parts)
    for file in range(len(index.columns.paths)):
        own = index.columns.file_of == file
        if parts.scores[own].any():
            ratio = after[own][parts.scores[own] > 0] / parts.scores[own][parts.scores[own] > 0]
            assert np.ptp(ratio) < 1e-9


def test_a_file_that_is_named_comes_first_whatever_was_learned(index: CodeIndex) -> None:
    for path in index.columns.paths:
        assert index.search(f"card attempts bank {path}")[0].path == path


def test_a_kind_that_is_asked_for_is_never_worth_less_for_it() -> None:
    one = ranker()
    wanted = [i for i, name in enumerate(one.names) if name.endswith(WANTED)]
    assert len(wanted) == 4
    assert (one.straight[wanted] >= 0).all()
    assert not one.hidden[wanted].any()


def test_shares_are_of_the_whole_question(index: CodeIndex) -> None:
    question = "charge card bank"
    parts = parts_of(index, question)
    files, features = described(index, read_query(question), parts)
    at = files.tolist().index(index.columns.paths.index("billing/client.py"))
    assert features["file_share"][at] == pytest.approx(1.0)
    assert features["union_share"].max() <= 1.0 + 1e-9
    assert features["score_top"].max() == 1.0


def test_counts_are_found_by_unit() -> None:
    units, counts = np.array([2, 5, 9], np.int32), np.array([[1, 0], [2, 1], [3, 0]], np.uint8)
    wanted = np.array([0, 5, 9, 11], np.int32)
    assert look_up(units, counts, wanted).tolist() == [[0, 0], [2, 1], [3, 0], [0, 0]]
    assert look_up(units[:0], counts[:0], wanted).tolist() == [[0, 0]] * 4
