"""The weights of the ranking, chosen on some conversations and measured on the one that was left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from bench.locomo.data import Asked
from workers.memory.threads.ranking import WEIGHTS, Weights, rank_entries
from workers.memory.threads.seek import Search

STEPS = {
    "entry": (0.25, 0.35, 0.5, 0.7, 1.0),
    "beside": (0.2, 0.4, 0.6),
    "meaning": (0.0, 0.1, 0.2, 0.3),
    "speaker": (0.0, 0.25, 0.5, 1.0),
    "thread_speaker": (0.0, 2.0, 5.0, 8.0, 16.0),
    "time": (0.0, 1.5, 3.0, 5.0),
    "later": (0.0, 0.5, 1.0, 2.0),
}
ROUNDS = 2
Fit = Callable[[Sequence[Search], Sequence[Asked]], Weights]


def scores_of(searches: Sequence[Search], asked: Sequence[Asked], weights: Weights) -> list[tuple[float, float]]:
    """Recall@5 and reciprocal rank of each question, by thread."""
    out = []
    for search, question in zip(searches, asked, strict=True):
        ranked = rank_entries(search.positions, search.wanted, search.held, search.near, weights)
        best = list(dict.fromkeys(search.positions[one.index].thread_id for one in ranked))[:10]
        recall = len(question.threads & set(best[:5])) / len(question.threads) if question.threads else 0.0
        rank = next((1 / r for r, thread in enumerate(best, 1) if thread in question.threads), 0.0)
        out.append((recall, rank))
    return out


def fitted(searches: Sequence[Search], asked: Sequence[Asked]) -> Weights:
    """The weights with the greatest sum of recall@5 and MRR, one after another changed for the better."""

    def goodness(weights: Weights) -> float:
        return sum(map(sum, scores_of(searches, asked, weights)))

    best, reached = WEIGHTS, goodness(WEIGHTS)
    for _ in range(ROUNDS):
        for name, values in STEPS.items():
            for value in values:
                if value == asdict(best)[name]:
                    continue
                tried = replace(best, **{name: value})
                if (good := goodness(tried)) > reached:
                    best, reached = tried, good
    return best


def cross_validated(searches: Sequence[Search], asked: Sequence[Asked], fit: Fit) -> tuple[float, float]:
    """Recall@5 and MRR over all questions, each ranked by weights that its conversation had no part in."""
    all_scores: list[tuple[float, float]] = []
    for left_out in sorted({question.conversation for question in asked}):
        others = [i for i, question in enumerate(asked) if question.conversation != left_out]
        own = [i for i, question in enumerate(asked) if question.conversation == left_out]
        weights = fit([searches[i] for i in others], [asked[i] for i in others])
        all_scores += scores_of([searches[i] for i in own], [asked[i] for i in own], weights)
    return tuple(round(sum(column) / len(all_scores), 4) for column in zip(*all_scores, strict=True))
