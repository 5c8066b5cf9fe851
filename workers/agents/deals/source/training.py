"""Learns the ranking from labelled queries, and measures rankings on them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.features import FEATURES
from workers.agents.deals.source.labelled_queries import LabelledQuery
from workers.agents.deals.source.ranker import Artefact, rank
from workers.agents.deals.source.records import KINDS, DealBook
from workers.agents.deals.source.search import Candidates, DealIndex, find_candidates
from workers.errors import ToolUnavailable

CUTOFFS = (1, 3, 5, 10)
GOOD = 2
"""From this grade on a deal counts as found, for recall and the reciprocal rank."""
STOP_SHARE = 0.2
"""Of the queries, the newest: they choose when to stop."""
FEWEST = 20
"""So few queries teach nothing."""
ROUNDS, PATIENCE = 300, 25
PARAMETERS: Mapping[str, Any] = {
    "objective": "lambdarank",
    "metric": "ndcg",
    "eval_at": [10],
    "learning_rate": 0.08,
    "num_leaves": 15,
    "min_data_in_leaf": 30,
    "lambda_l2": 5.0,
    "feature_fraction": 0.8,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambdarank_truncation_level": 20,
    "label_gain": [0, 1, 3, 7],
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


def train(index: DealIndex, queries: Sequence[LabelledQuery], seed: int = 1) -> Artefact:
    """Learn from all but the newest queries, and stop when those are not ranked better any more.

    The candidates of each query are what search finds for it, so that a deal of no use is always a near miss.

    Args:
        index: the deals.
        queries: in the order of their dates.
        seed: of what LightGBM leaves to chance; the same gives the same ranker.

    Raises:
        DealDataError: there are too few queries to learn from.
        ToolUnavailable: LightGBM cannot be loaded.
    """
    found = [(find_candidates(index, query.text), query) for query in queries]
    judged = [(c, q) for c, q in found if len(c.deals)]
    if len(judged) < FEWEST:
        raise DealDataError(
            f"{len(judged)} labelled queries that find deals are too few: a ranking is learned from {FEWEST} or more."
        )
    cut = part_of(judged)
    for part in (judged[:cut], judged[cut:]):
        if not any(labels_of(c, q).any() for c, q in part):
            raise DealDataError("Neither part of the queries, the older and the newest, may be without a useful deal.")
    return learn(judged, data_hash(index.book, queries), seed)


def part_of(judged: Sequence[tuple[Candidates, LabelledQuery]]) -> int:
    """So many of the queries are learned from; the others choose when to stop."""
    return max(1, round(len(judged) * (1 - STOP_SHARE)))


def learn(judged: Sequence[tuple[Candidates, LabelledQuery]], hashed: str, seed: int) -> Artefact:
    """Learn from candidates and the queries that judge them, in the order of their dates."""
    cut = part_of(judged)
    model = fit(judged[:cut], judged[cut:], seed)
    draft = Artefact(model, FEATURES, hashed, {}, str(judged[-1][1].asked_at))
    measured = measure([([r.deal.id for r in rank(c, draft)], q) for c, q in judged[cut:]])
    return replace(draft, metrics=measured)


def fit(
    earlier: Sequence[tuple[Candidates, LabelledQuery]], later: Sequence[tuple[Candidates, LabelledQuery]], seed: int
) -> str:
    """Fit LightGBM to the earlier queries, stop by the later ones, and return its text."""
    try:
        import lightgbm  # noqa: PLC0415 - most processes never learn a ranking
    except (ImportError, OSError) as error:  # its wheel needs a library of the system
        raise ToolUnavailable(f"LightGBM cannot be loaded ({error}); on Debian: apt install libgomp1") from error

    def data_of(judged: Sequence[tuple[Candidates, LabelledQuery]], base: Any = None) -> lightgbm.Dataset:
        return lightgbm.Dataset(
            np.concatenate([c.rows for c, _ in judged]),
            np.concatenate([labels_of(c, q) for c, q in judged]),
            group=[len(c.deals) for c, _ in judged],
            feature_name=list(FEATURES),
            reference=base,
        )

    data = data_of(earlier)
    booster = lightgbm.train(
        dict(PARAMETERS) | {"seed": seed},
        data,
        num_boost_round=ROUNDS,
        valid_sets=[data_of(later, data)],
        callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)],
    )
    return str(booster.model_to_string(num_iteration=booster.best_iteration))


def labels_of(candidates: Candidates, query: LabelledQuery) -> NDArray[np.int64]:
    """The grade of each candidate."""
    return np.array([query.grades.get(d.id, 0) for d in candidates.deals], dtype=np.int64)


def data_hash(book: DealBook, queries: Sequence[LabelledQuery]) -> str:
    """What a ranker was learned from, as SHA-256."""
    digest = hashlib.sha256()
    for kind in KINDS:
        for record in getattr(book, kind):
            digest.update(record.model_dump_json().encode())
    for query in queries:
        digest.update(query.model_dump_json().encode())
    return digest.hexdigest()


# --- measures -------------------------------------------------------------------------------------------------

Ranking = tuple[Sequence[str], LabelledQuery]
"""The ids of deals in their order, and the query that they were ranked for."""


def measure(rankings: Sequence[Ranking]) -> dict[str, float]:
    """Recall and NDCG at each cut-off, and the mean reciprocal rank, over all queries that have a good deal."""
    judged = [(ids, q) for ids, q in rankings if any(g >= GOOD for g in q.grades.values())]
    out: dict[str, float] = {}
    for k in CUTOFFS:
        out[f"recall@{k}"] = mean([recall(ids, q.grades, k) for ids, q in judged])
        out[f"ndcg@{k}"] = mean([ndcg(ids, q.grades, k) for ids, q in judged])
    out["mrr"] = mean([reciprocal_rank(ids, q.grades) for ids, q in judged])
    return {name: round(value, 4) for name, value in out.items()}


def recall(ids: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """The share of the good deals among the first k."""
    good = {d for d, g in grades.items() if g >= GOOD}
    return len(good & set(ids[:k])) / len(good)


def ndcg(ids: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Discounted gain of the first k as a share of the most that can be had; a grade g gains 2^g - 1."""
    best = gain(sorted(grades.values(), reverse=True)[:k])
    return gain([grades.get(d, 0) for d in ids[:k]]) / best if best else 0.0


def gain(grades: Sequence[int]) -> float:
    """The discounted cumulative gain of grades in their order."""
    return sum((float(2**grade) - 1) / math.log2(place + 2) for place, grade in enumerate(grades))


def reciprocal_rank(ids: Sequence[str], grades: Mapping[str, int]) -> float:
    """One over the place of the first good deal; 0 when there is none."""
    return next((1 / place for place, d in enumerate(ids, 1) if grades.get(d, 0) >= GOOD), 0.0)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return float(np.mean(values)) if values else 0.0
