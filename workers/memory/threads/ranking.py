"""Which entries answer best: full text and meaning together, of the entry, its neighbours and its whole thread. PURE.

An entry is short, so it is seldom found by its own words alone: what was said right before and after counts too, and
what its whole thread is about. Who spoke and when are further signals. The weights were chosen by leaving out one
conversation after another (``python -m bench.locomo --fit``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.memory.threads.question import TELLING, Wanted
from workers.store.thread_search import Position

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
K1, THREAD_LENGTH, ENTRY_LENGTH = 1.2, 0.75, 0.5
"""BM25's constants: saturation, and how much length counts, of threads and of entries."""


@dataclass(frozen=True)
class Weights:
    """What each signal counts beside the thread's own score by its words.

    ``entry``: the entry's words; ``beside``: those of its neighbours, half of it for the next but one; ``meaning``:
    words near in meaning; ``speaker``: it was said by, ``thread_speaker``: in a thread with, whom the question names;
    ``time``: when the question says, ``later``: soon after; ``again``: what a thread's score counts for its next entry.
    """

    entry: float = 0.5
    beside: float = 0.4
    meaning: float = 0.2
    speaker: float = 0.5
    thread_speaker: float = 8.0
    time: float = 3.0
    later: float = 1.0
    again: float = 0.9


WEIGHTS = Weights()


@dataclass(frozen=True)
class Ranked:
    """An entry's place in the ranking: its index among the positions, and its score."""

    index: int
    score: float


class Layout:
    """Positions as arrays: the thread of each entry as a number, lengths, which neighbours share its thread."""

    def __init__(self, positions: Sequence[Position]) -> None:
        names: dict[str, int] = {}
        self.thread: Rows = np.array([names.setdefault(p.thread_id, len(names)) for p in positions], np.int64)
        self.words: Floats = np.array([p.words for p in positions], np.float64)
        self.row_of = {p.id: i for i, p in enumerate(positions)}
        self.entries, self.threads = len(positions), len(names)
        self.thread_words: Floats = np.bincount(self.thread, self.words, self.threads).astype(np.float64)

    def rows(self, ids: set[int]) -> Rows:
        """Where entries stand, by their ids."""
        return np.array(sorted(self.row_of[i] for i in ids if i in self.row_of), np.int64)

    def beside(self, values: Floats, by: int) -> Floats:
        """The values of the entries so many places before and after, in the same thread, added up."""
        out = np.zeros_like(values)
        if 0 < by < len(values):
            same = self.thread[by:] == self.thread[:-by]
            out[by:] += np.where(same, values[:-by], 0.0)
            out[:-by] += np.where(same, values[by:], 0.0)
        return out

    def bm25(self, groups: Sequence[Rows]) -> tuple[Floats, Floats]:
        """Scores of threads and of entries by the groups of words that they hold."""
        threads, entries = np.zeros(self.threads), np.zeros(self.entries)
        mean_thread, mean_entry = max(1.0, self.thread_words.mean()), max(1.0, self.words.mean())
        long_thread = K1 * (1 - THREAD_LENGTH + THREAD_LENGTH * self.thread_words / mean_thread)
        long_entry = K1 * (1 - ENTRY_LENGTH + ENTRY_LENGTH * self.words / mean_entry)
        for rows in groups:
            often = np.bincount(self.thread[rows], minlength=self.threads).astype(np.float64)
            threads += rarity(self.threads, int(np.count_nonzero(often))) * often * (K1 + 1) / (often + long_thread)
            entries[rows] += rarity(self.entries, len(rows)) * (K1 + 1) / (1 + long_entry[rows])
        return threads, entries


def rarity(of: int, holding: int) -> float:
    """How telling a word is that so many of all hold (BM25's idf)."""
    return float(np.log1p((of - holding + 0.5) / (holding + 0.5))) if holding else 0.0


def rank_entries(
    positions: Sequence[Position],
    wanted: Wanted,
    held: Sequence[set[int]],
    near: Sequence[set[int]],
    weights: Weights = WEIGHTS,
) -> list[Ranked]:
    """Entries that have something of what is wanted, best first.

    Args:
        positions: ordered by thread, then time.
        wanted: by `question.read_question`.
        held: for each of its words the ids of entries that hold it.
        near: for each of its words the ids of entries that hold a word near it.
        weights: what each signal counts.
    """
    if not positions:
        return []
    layout = Layout(positions)
    own = [layout.rows(ids) for ids in held]
    threads, entries = layout.bm25(own)
    threads_near, entries_near = layout.bm25([layout.rows(ids) for ids in near])
    spoke = np.array([p.speaker.lower() in wanted.speakers for p in positions], np.float64)
    threads += weights.meaning * threads_near + weights.thread_speaker * speakers_there(positions, layout, wanted)
    said = (entries + weights.meaning * entries_near) * (1 + weights.speaker * spoke)
    around = entries + weights.meaning * entries_near
    said += weights.beside * (layout.beside(around, 1) + layout.beside(around, 2) / 2)
    score = weights.entry * said + threads[layout.thread] + time_scores(positions, wanted, weights)
    relevant = (said > 0) | ((spoke > 0) & (not wanted.words))
    order = [int(i) for i in np.lexsort((-said, -score)) if relevant[i]]
    return spread([Ranked(i, float(score[i])) for i in order], layout, threads, weights)


def speakers_there(positions: Sequence[Position], layout: Layout, wanted: Wanted) -> Floats:
    """For each thread how many of the speakers that the question names speak in it."""
    there = {(int(t), p.speaker.lower()) for t, p in zip(layout.thread, positions, strict=True)}
    counts = np.zeros(layout.threads)
    for thread, speaker in there:
        counts[thread] += speaker in wanted.speakers
    return counts


def time_scores(positions: Sequence[Position], wanted: Wanted, weights: Weights) -> Floats:
    """What each entry gains by when it was said; nothing when the question names no time."""
    if wanted.start is None or wanted.end is None:
        return np.zeros(len(positions))
    start, end, later = wanted.start, wanted.end, wanted.end + TELLING
    return np.array(
        [
            weights.time if start <= p.timestamp < end else weights.later if end <= p.timestamp < later else 0.0
            for p in positions
        ]
    )


def spread(ranked: Sequence[Ranked], layout: Layout, threads: Floats, weights: Weights) -> list[Ranked]:
    """Let each further entry of a thread count less of its thread's score, so that one thread is not all there is."""
    before: dict[int, int] = {}
    out: list[Ranked] = []
    for one in ranked:
        thread = int(layout.thread[one.index])
        number = before.get(thread, 0)
        before[thread] = number + 1
        share = weights.again**number
        out.append(Ranked(one.index, one.score - float(threads[thread]) * (1 - share)))
    return sorted(out, key=lambda one: -one.score)
