"""Which entries answer best: full text and meaning together, of the entry, its neighbours and its whole thread. PURE.

An entry is short, so it is seldom found by its own words alone: what was said right before and after counts too, and
what its whole thread is about. Who spoke and when are further signals. The weights were chosen by leaving out one
conversation after another (``python -m bench locomo --fit``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.agents.memory.source.threads.entry_search import Position
from workers.agents.memory.source.threads.question import TELLING, Wanted

MOST_RANKED = 1_000
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
K1, THREAD_LENGTH, ENTRY_LENGTH = 1.2, 0.75, 0.5
"""BM25's constants: saturation, and how much length counts, of threads and of entries."""


@dataclass(frozen=True)
class Weights:
    """What each signal counts beside the thread's own score by its words.

    ``entry``: the entry's words; ``beside``: those of its neighbours, half of it for the next but one; ``meaning``:
    words near in meaning; ``speaker``: it was said by, ``thread_speaker``: in a thread with, whom the question names;
    ``time``: when the question says, ``later``: soon after.
    """

    entry: float = 0.35
    beside: float = 0.4
    meaning: float = 0.2
    speaker: float = 1.0
    thread_speaker: float = 5.0
    time: float = 5.0
    later: float = 2.0


WEIGHTS = Weights()


@dataclass(frozen=True)
class Ranked:
    """An entry's place in the ranking: its index among the positions, and its score."""

    index: int
    score: float


class Layout:
    """Entries as arrays, ordered by thread, then time: thread numbers, lengths, who spoke in which thread."""

    def __init__(self, positions: Sequence[Position]) -> None:
        self.positions = positions
        names: dict[str, int] = {}
        self.thread: Rows = np.array([names.setdefault(p.thread_id, len(names)) for p in positions], np.int64)
        self.words: Floats = np.array([p.words for p in positions], np.float64)
        self.times: Floats = np.array([p.timestamp.timestamp() for p in positions], np.float64)
        self.row_of = {p.id: i for i, p in enumerate(positions)}
        self.entries, self.threads = len(positions), len(names)
        self.thread_words: Floats = np.bincount(self.thread, self.words, self.threads).astype(np.float64)
        self.said_by: dict[str, list[int]] = {}
        for i, position in enumerate(positions):
            if position.speaker:
                self.said_by.setdefault(position.speaker.lower(), []).append(i)

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
        if not self.entries:
            return threads, entries
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


@dataclass(frozen=True)
class Signals:
    """What speaks for each thread and each entry, before it is weighed."""

    threads: Floats
    threads_near: Floats
    threads_speakers: Floats
    entries: Floats
    entries_near: Floats
    spoken: Floats
    inside: Floats
    later: Floats


def read_signals(layout: Layout, wanted: Wanted, held: Sequence[set[int]], near: Sequence[set[int]]) -> Signals:
    """What speaks for each entry.

    Args:
        layout: of all entries that may be found.
        wanted: by `question.read_question`.
        held: for each of its words the ids of entries that hold it.
        near: for each of its words the ids of entries that hold a word near it.
    """
    threads, entries = layout.bm25([layout.rows(ids) for ids in held])
    threads_near, entries_near = layout.bm25([layout.rows(ids) for ids in near])
    spoken, speakers = np.zeros(layout.entries), np.zeros(layout.threads)
    for name in wanted.speakers:
        rows = layout.said_by.get(name, [])
        spoken[rows] = 1.0
        speakers[np.unique(layout.thread[rows])] += 1.0
    inside, later = np.zeros(layout.entries), np.zeros(layout.entries)
    if wanted.start is not None and wanted.end is not None:
        start, end = wanted.start.timestamp(), wanted.end.timestamp()
        inside = ((start <= layout.times) & (layout.times < end)).astype(np.float64)
        later = ((end <= layout.times) & (layout.times < end + TELLING.total_seconds())).astype(np.float64)
    return Signals(threads, threads_near, speakers, entries, entries_near, spoken, inside, later)


def scores(layout: Layout, signals: Signals, weights: Weights) -> tuple[Floats, Floats, Rows]:
    """What each entry scores by itself, and each thread; the entries that something speaks for."""
    around = signals.entries + weights.meaning * signals.entries_near
    said = around * (1 + weights.speaker * signals.spoken)
    said += weights.beside * (layout.beside(around, 1) + layout.beside(around, 2) / 2)
    own = weights.entry * said + weights.time * signals.inside + weights.later * signals.later
    threads = signals.threads + weights.meaning * signals.threads_near
    return own, threads + weights.thread_speaker * signals.threads_speakers, np.flatnonzero(said > 0)


def weigh(layout: Layout, signals: Signals, weights: Weights = WEIGHTS) -> list[Ranked]:
    """Entries that something speaks for, best first."""
    own, threads, found = scores(layout, signals, weights)
    score = own + threads[layout.thread]
    order = found[np.lexsort((-own[found], -score[found]))][:MOST_RANKED]
    return [Ranked(i, float(score[i])) for i in order.tolist()]
