"""Whether a known plan covers a question with confidence. What none covers is handed over: no verdict, only passages.

The kind must be certain: its score leads that of every kind with another plan. And each word that carries meaning must
be accounted for: it is a name in the sources, a phrase of time, or one of the words that questions of this kind are
made of. What code and documents are searched for is free; it must stand in the passage that answers, see `left_open`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workers.contracts import Evidence, Landscape
from workers.language.phrase_to_window import phrases_in
from workers.language.question_kinds import QUESTIONS, load_model
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.reasoning.question_subjects import ENDPOINT, strip
from workers.reasoning.question_words import STOP

PLANS: Mapping[str, str] = {
    "debug_incident": "incident",
    "operations_status": "status",
    "traffic": "traffic",
    "deploys": "deploys",
    "alerting": "alerting",
    "locate_code": "places",
    "design_overview": "documents",
    "conceptual": "documents",
    "request_lookup": "lookup",
    "user_lookup": "lookup",
}
"""Kinds of question with the plan that answers them; kinds that are not here have none."""
SEARCHED = frozenset({"alerting", "places", "documents"})
"""Plans that look for the words of the question."""
MARGIN = 0.08
WORD = re.compile(r"[A-Za-z][A-Za-z0-9'’]*|\d+(?:\.\d+)+")


@dataclass(frozen=True)
class Coverage:
    """``kind``: the likeliest. ``certain``: its score leads by enough. ``free``: stems of words without an account."""

    kind: str
    certain: bool
    free: frozenset[str]

    @property
    def plan(self) -> str:
        """The plan of the kind; empty when there is none."""
        return PLANS.get(self.kind, "")

    @property
    def covered(self) -> bool:
        """Whether the plan answers the question."""
        return bool(self.plan) and self.certain and (self.plan in SEARCHED or self.plan == "lookup" or not self.free)


def cover(text: str, landscape: Landscape) -> Coverage:
    """Which kind of question it is, how surely, and which of its words nothing accounts for."""
    scores = load_model(QUESTIONS).scores(text)
    kind = max(scores, key=lambda k: scores[k])
    rivals = (score for k, score in scores.items() if PLANS.get(k, k) != PLANS.get(kind, kind))
    plain = ENDPOINT.sub(" ", strip(text, phrases_in(text)))
    own = load_model(QUESTIONS).words[kind] | name_stems(landscape)
    words = {w.lower().replace("’", "'").removesuffix("'s") for w in WORD.findall(split_names(plain))}
    free = frozenset(stem(w) for w in words if not is_small(w)) - own
    return Coverage(kind, scores[kind] - max(rivals) >= MARGIN, free)


def is_small(word: str) -> bool:
    """A word that carries no meaning of its own."""
    return len(word) < 3 or word in STOP or not content_words(word.replace("'", ""))


def name_stems(landscape: Landscape) -> frozenset[str]:
    """Stems of the words that names in the sources are made of, those of documents left out."""
    documents = frozenset(landscape.documents)
    names = " ".join(split_names(name) for name in landscape.names if name not in documents)
    return frozenset(stem(w.lower()) for w in re.findall(r"[A-Za-z]+|\d+(?:\.\d+)+", names))


def left_open(found: Coverage, *items: Evidence) -> frozenset[str]:
    """The free words of a question that stand in none of the passages which should answer it."""
    texts = ((i.title, i.locator, i.excerpt, *(str(f.value) for f in i.facts.values())) for i in items)
    said = " ".join(part for text in texts for part in text)
    return found.free - {stem(w.lower()) for w in WORD.findall(f"{split_names(said)} {said}")}
