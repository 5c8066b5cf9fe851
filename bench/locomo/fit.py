"""The weights of the ranking, chosen on some conversations and measured on the one that was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from bench.locomo.data import Asked
from workers.memory.threads.ranking import WEIGHTS, Layout, Signals, Weights, scores

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
Scores = list[tuple[float, float]]


class Fit:
    """Weights tried on all questions; what each of them reached is kept, as most are tried for every conversation."""

    def __init__(self, searches: Sequence[tuple[Layout, Signals]], asked: Sequence[Asked]) -> None:
        self.searches, self.asked = searches, asked
        self.tried: dict[Weights, Scores] = {}

    def reached(self, weights: Weights) -> Scores:
        """Recall@5 and reciprocal rank of each question, by thread."""
        if weights not in self.tried:
            self.tried[weights] = [
                score(best_threads(layout, signals, weights), question.threads)
                for (layout, signals), question in zip(self.searches, self.asked, strict=True)
            ]
        return self.tried[weights]

    def choose(self, without: int | None = None) -> Weights:
        """The weights with the greatest sum of recall@5 and MRR, one after another changed for the better.

        Args:
            without: a conversation that has no part in it.
        """
        some = [i for i, question in enumerate(self.asked) if question.conversation != without]

        def goodness(weights: Weights) -> float:
            reached = self.reached(weights)
            return sum(sum(reached[i]) for i in some)

        best = WEIGHTS
        for _ in range(ROUNDS):
            for name, values in STEPS.items():
                tried = [replace(best, **{name: value}) for value in values]
                best = max([best, *tried], key=goodness)
        return best

    def held_out(self) -> tuple[float, float]:
        """Recall@5 and MRR over all questions, each ranked by weights that its conversation had no part in."""
        out: Scores = []
        for left_out in sorted({question.conversation for question in self.asked}):
            reached = self.reached(self.choose(left_out))
            out += [s for s, question in zip(reached, self.asked, strict=True) if question.conversation == left_out]
        return mean(out)


def best_threads(layout: Layout, signals: Signals, weights: Weights) -> list[str]:
    """The ten best threads: each counts by its best entry, as the first one of a thread has its whole score."""
    own, threads, found = scores(layout, signals, weights)
    best = np.full(layout.threads, -np.inf)
    np.maximum.at(best, layout.thread[found], own[found])
    order = np.argsort(-(best + threads), kind="stable")[:10]
    first = np.searchsorted(layout.thread, order)
    return [layout.positions[i].thread_id for i, thread in zip(first, order, strict=True) if best[thread] > -np.inf]


def score(best: Sequence[str], wanted: frozenset[str]) -> tuple[float, float]:
    """Recall@5 and reciprocal rank of one question."""
    recall = len(wanted & set(best[:5])) / len(wanted) if wanted else 0.0
    return recall, next((1 / rank for rank, one in enumerate(best[:10], 1) if one in wanted), 0.0)


def mean(reached: Scores) -> tuple[float, float]:
    """Means over questions."""
    return sum(s[0] for s in reached) / len(reached), sum(s[1] for s in reached) / len(reached)


def chosen_differs(weights: Weights) -> dict[str, float]:
    """What differs from the weights that are in use."""
    return {name: value for name, value in asdict(weights).items() if value != asdict(WEIGHTS)[name]}
