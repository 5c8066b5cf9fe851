"""Tells what a passage about a company tells of: a lever of value, a risk or what went wrong, or neither.

Learned from ``deal_passages.yaml``; see `workers.language.question_kinds`.
"""

from __future__ import annotations

from workers.language.question_kinds import load_model

MODEL = "deal_passages"
LEVER, RISK, OTHER = "lever", "risk", "other"
SURE = 0.25
"""Below this score of the best kind, a passage tells of neither. See ``bench/README.md``."""


def passage_kind(text: str) -> str:
    """`LEVER` or `RISK`; empty for anything else, and where that is not sure."""
    scores = load_model(MODEL).scores(text)
    best = max(scores, key=lambda kind: scores[kind])
    return best if best != OTHER and scores[best] >= SURE else ""
