"""The weights of the ranking, chosen on some conversations and measured on the one that was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from bench.locomo.data import Asked
from workers.agents.memory.source.threads.ranking import WEIGHTS, Layout, Signals, Weights, weigh

STEPS = {
    "entry": (0.25, 0.5, 0.7),
    "beside": (0.2, 0.6),
    "meaning": (0.1, 0.3),
    "speaker": (0.25, 0.5),
    "thread_speaker": (8.0, 16.0),
    "time": (1.5, 3.0),
    "later": (0.5, 1.0),
}
MOST = 100
Scores = list[tuple[float, float, float, float]]


class Fit:
    """Weights tried on all questions; what each of them reached is kept, as most are tried for every conversation."""

    def __init__(
        self, searches: Sequence[tuple[Layout, Signals]], asked: Sequence[Asked], ids: Mapping[int, str]
    ) -> None:
        self.searches, self.asked, self.ids = searches, asked, ids
        self.tried: dict[Weights, Scores] = {}

    def reached(self, weights: Weights) -> Scores:
        """Recall@5 and reciprocal rank of each question, by session and by turn."""
        if weights not in self.tried:
            self.tried[weights] = [
                score_both(*best_of(layout, signals, weights), question, self.ids)
                for (layout, signals), question in zip(self.searches, self.asked, strict=True)
            ]
        return self.tried[weights]

    def choose(self, without: int | None = None) -> Weights:
        """The weights with the greatest sum of the four, one after another changed for the better.

        Args:
            without: a conversation that has no part in it.
        """
        some = [i for i, question in enumerate(self.asked) if question.conversation != without]

        def goodness(weights: Weights) -> float:
            reached = self.reached(weights)
            return sum(sum(reached[i]) for i in some)

        best = WEIGHTS
        for name, values in STEPS.items():
            tried = [replace(best, **{name: value}) for value in values]
            best = max([best, *tried], key=goodness)
        return best

    def held_out(self) -> tuple[float, ...]:
        """The four over all questions, each ranked by weights that its conversation had no part in."""
        out: Scores = []
        for left_out in sorted({question.conversation for question in self.asked}):
            reached = self.reached(self.choose(left_out))
            out += [s for s, question in zip(reached, self.asked, strict=True) if question.conversation == left_out]
        return mean(out)


def best_of(layout: Layout, signals: Signals, weights: Weights) -> tuple[list[str], list[int]]:
    """The best threads, and the rows of the best entries."""
    ranked = weigh(layout, signals, weights)[:MOST]
    found = [layout.positions[one.index] for one in ranked]
    return list(dict.fromkeys(one.thread_id for one in found))[:10], [one.id for one in found[:10]]


def score_both(
    threads: Sequence[str], rows: Sequence[int], question: Asked, ids: Mapping[int, str]
) -> tuple[float, float, float, float]:
    """Recall@5 and reciprocal rank of one question, by session and by turn."""
    return *score(threads, question.threads), *score([ids[row] for row in rows], question.entries)


def score(best: Sequence[str], wanted: frozenset[str]) -> tuple[float, float]:
    """Recall@5 and reciprocal rank of one question."""
    recall = len(wanted & set(best[:5])) / len(wanted) if wanted else 0.0
    return recall, next((1 / rank for rank, one in enumerate(best[:10], 1) if one in wanted), 0.0)


def mean(reached: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Means over questions."""
    return tuple(round(sum(column) / len(reached), 4) for column in zip(*reached, strict=True))


def chosen_differs(weights: Weights) -> dict[str, float]:
    """What differs from the weights that are in use."""
    return {name: value for name, value in asdict(weights).items() if value != asdict(WEIGHTS)[name]}
