"""Tells what a message asks of memory: a definition, a decision, a note, to remember, to put notes in order …

Learned from ``memory_kinds.yaml``; see `workers.language.question_kinds`.
"""

from __future__ import annotations

from workers.language.question_kinds import load_model

MODEL = "memory_kinds"
ELSEWHERE = "elsewhere"
"""The kind of what memory has nothing to say about."""
SURE = 0.3
"""Below this score of the best kind, a message is of no kind. See ``bench/README.md``."""


def best_kind(text: str) -> tuple[str, float]:
    """The most likely kind of a message, and its score: around 1 for a sure one, below 0 for the rest."""
    scores = load_model(MODEL).scores(text)
    kind = max(scores, key=lambda name: scores[name])
    return kind, scores[kind]


def sure_kind(text: str) -> str:
    """The kind of a message; empty when none is sure."""
    kind, score = best_kind(text)
    return kind if score >= SURE else ""
