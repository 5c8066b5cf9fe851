"""One order of passages from all sources: calibrated scores, weighed by what the question asks, each passage once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workers.agents.memory.source.retrieval.contract import Query, Retrieved, SourceType

PREFERENCE: Mapping[str, Mapping[SourceType, float]] = {
    "decision": {"code": -1.5, "document": -0.5, "vault": 0.8, "thread": 1.5, "web": -1.5},
    "notes": {"code": -1.5, "document": 0.2, "vault": 1.2, "thread": -0.3, "web": -1.5},
    "definition": {"code": 1.5, "document": 0.0, "vault": -0.3, "thread": -0.8, "web": -1.0},
    "references": {"code": 1.5, "document": -0.2, "vault": -0.3, "thread": -0.8, "web": -1.5},
    "conceptual": {"code": -0.5, "document": 0.6, "vault": 0.6, "thread": 0.3, "web": -0.3},
    "behavioral": {"code": 0.8, "document": 0.3, "vault": 0.0, "thread": 0.0, "web": -0.5},
    "unknown": {},
}
"""Added to the log-odds of a passage, by what is asked (its kind, else the type of question) and its source."""
ALIKE = 0.8
"""Of the words of two passages, so many are shared when they say the same."""
WORD = re.compile(r"\w{2,40}")


def rank(found: Iterable[Retrieved], query: Query) -> tuple[Retrieved, ...]:
    """Passages best first; of those that say nearly the same, the best alone."""
    preferred = PREFERENCE.get(query.kind) or PREFERENCE[query.query_type]
    weighed = [replace(p, score=shifted(p.score, preferred.get(p.source_type, 0.0))) for p in found]
    weighed.sort(key=lambda p: (-p.score, p.source_type, p.source_path))
    return tuple(distinct(weighed))


def shifted(score: float, by: float) -> float:
    """A probability with something added to its log-odds."""
    bounded = min(max(score, 1e-6), 1 - 1e-6)
    return 1 / (1 + math.exp(-(math.log(bounded / (1 - bounded)) + by)))


def distinct(ranked: Sequence[Retrieved]) -> list[Retrieved]:
    """Without passages that stand at the same place, or whose words a better one has."""
    kept: list[tuple[Retrieved, frozenset[str]]] = []
    for passage in ranked:
        words = frozenset(WORD.findall(passage.content.lower()))
        if not any(passage.source_path == other.source_path or says_same(words, known) for other, known in kept):
            kept.append((passage, words))
    return [passage for passage, _ in kept]


def says_same(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two passages have nearly the same words."""
    either = len(words | others)
    return either > 0 and len(words & others) / either >= ALIKE
