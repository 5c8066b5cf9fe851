"""Ranking: the heuristic, what is learned, and the file it is kept in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from examples.deals.generate import generate
from tests.support.deal_books import small_book
from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.features import FEATURES
from workers.agents.deals.source.labelled_queries import LabelledQuery, read_queries, write_queries
from workers.agents.deals.source.ranker import Artefact, rank, read_artefact, write_artefact
from workers.agents.deals.source.search import DealIndex, build_index, find_candidates
from workers.agents.deals.source.training import gain, measure, ndcg, recall, reciprocal_rank, train

INDEX = build_index(small_book(), 2026)


@pytest.fixture(scope="module")
def taught() -> tuple[DealIndex, tuple[LabelledQuery, ...], Artefact]:
    portfolio = generate(3, deals=300, queries=60)
    index = build_index(portfolio.book, 2026)
    return index, portfolio.queries[:40], train(index, portfolio.queries[:40])


def test_the_heuristic_is_the_sum_of_its_parts() -> None:
    for item in rank(find_candidates(INDEX, "card payments in DACH")):
        assert item.score == pytest.approx(sum(item.contributions.values()), abs=1e-5)


def test_contributions_of_the_learned_ranker_give_its_score(
    taught: tuple[DealIndex, tuple[LabelledQuery, ...], Artefact],
) -> None:
    index, queries, artefact = taught
    found = find_candidates(index, queries[0].text)
    ranked = rank(found, artefact)
    scores = [item.score for item in ranked]
    assert scores == sorted(scores, reverse=True)
    assert set(ranked[0].contributions) == set(FEATURES)
    predicted = artefact.booster.predict([[item.features[name] for name in FEATURES] for item in ranked])
    assert scores == pytest.approx(list(predicted), abs=1e-5)


def test_learning_twice_gives_the_same_ranker(taught: tuple[DealIndex, tuple[LabelledQuery, ...], Artefact]) -> None:
    index, queries, artefact = taught
    assert train(index, queries).model == artefact.model


def test_the_newest_queries_choose_when_to_stop(taught: tuple[DealIndex, tuple[LabelledQuery, ...], Artefact]) -> None:
    index, queries, artefact = taught
    later = [(find_candidates(index, q.text), q) for q in queries[32:]]
    assert artefact.metrics == measure([([r.deal.id for r in rank(c, artefact)], q) for c, q in later])
    assert artefact.created == str(queries[-1].asked_at)


def test_a_kept_ranker_reads_back(
    tmp_path: Path, taught: tuple[DealIndex, tuple[LabelledQuery, ...], Artefact]
) -> None:
    file = tmp_path / "ranker.json"
    write_artefact(file, taught[2])
    assert read_artefact(file) == (taught[2], "")


@pytest.mark.parametrize(
    "change",
    [
        {"features": ["text_similarity"]},
        {"version": 99},
        {"model": "tree\nnonsense"},
        {"more": 1},
    ],
)
def test_a_ranker_that_does_not_fit_gives_way_with_a_sentence(
    tmp_path: Path, taught: tuple[DealIndex, tuple[LabelledQuery, ...], Artefact], change: dict[str, object]
) -> None:
    file = tmp_path / "ranker.json"
    write_artefact(file, taught[2])
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    found, note = read_artefact(file)
    assert found is None
    assert note.endswith((".", "again."))
    assert "fixed sum" in note


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b"{}", b"null"])
def test_a_damaged_ranker_gives_way_with_a_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "ranker.json"
    file.write_bytes(content)
    found, note = read_artefact(file)
    assert found is None
    assert "fixed sum" in note


def test_too_few_queries_teach_nothing() -> None:
    with pytest.raises(DealDataError, match="too few"):
        train(INDEX, [])


def test_measures_are_those_of_the_textbook() -> None:
    grades = {"a": 3, "b": 2, "c": 1}
    assert recall(["a", "x", "b"], grades, 1) == 0.5
    assert ndcg(["a", "b", "c"], grades, 3) == pytest.approx(1)
    assert ndcg(["x", "y"], grades, 2) == 0
    assert gain([3, 2]) == pytest.approx(7 + 3 / 1.584962500721156)
    assert reciprocal_rank(["x", "c", "b"], grades) == pytest.approx(1 / 3)


def test_labelled_queries_read_back(tmp_path: Path) -> None:
    queries = generate(1, deals=60, queries=5).queries
    file = tmp_path / "queries.jsonl"
    write_queries(file, queries)
    known = {d for q in queries for d in q.grades}
    assert read_queries(file, known) == queries


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "line 1: it is no JSON object"),
        ('{"id": "q", "text": "t"}', "asked_at"),
        ('{"id": "q", "text": "t", "asked_at": "2026-01-01", "grades": {"zz": 1}}', "no deal has the id 'zz'"),
        ('{"id": "q", "text": "t", "asked_at": "2026-01-01", "grades": {"d1": 9}}', "9 is no grade"),
        ("", "holds no queries"),
    ],
)
def test_a_broken_query_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text(line)
    with pytest.raises(DealDataError) as raised:
        read_queries(file, {"d1"})
    assert len(raised.value.faults) == 1
    assert said in raised.value.faults[0]
