"""Whether a known plan covers a question with confidence. What none covers is handed over: no verdict, only passages.

The kind must be certain: likelier than not, with all kinds that come to the same. And the words that carry meaning must
be accounted for: each is a name in the sources, a phrase of time, or one of the words that questions of this kind are
made of. Where something is measured that the question names, a few others may be left aside, which the answer says;
what code and documents are searched for must stand in the passage that answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from workers.contracts import Evidence, Gap, Landscape
from workers.language.phrase_to_window import phrases_in
from workers.language.question_kinds import QUESTIONS, load_model, plain_words, probabilities
from workers.language.stems import stem
from workers.language.stop_words import NEGATED_VERBS, WEAK_WORDS, content_words
from workers.language.tokens import split_names
from workers.reasoning.metric_selection import KEY
from workers.reasoning.question_subjects import ENDPOINT, names_in, strip
from workers.reasoning.question_words import STOP
from workers.reasoning.request_identifiers import identifiers

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
ALIKE = {"incident": "measured", "status": "measured"}
"""Plans that read the same metrics: which of them it is need not be certain."""
SEARCHED = frozenset({"alerting", "places", "documents"})
"""Plans that look for the words of the question."""
CERTAIN = 0.5
"""So likely what comes of the kind has to be."""
ASIDE = 3
"""Fewer than one in so many words may be left aside; half of them where an endpoint, service or alert is named."""


@dataclass(frozen=True)
class Coverage:
    """``kind``: the likeliest. ``confidence``: how likely it is. ``certain``: what comes of it is likely enough.
    ``free``: words without an account, by stem.

    ``words``: how many carry meaning. ``names``: endpoints, services and alerts. ``named``: anything measured is named.
    ``measurable``: there are metrics at all.
    """

    kind: str
    certain: bool
    free: Mapping[str, str]
    words: int
    names: tuple[str, ...]
    named: bool
    measurable: bool = True
    confidence: float = 0.0

    @property
    def plan(self) -> str:
        """The plan of the kind; empty when there is none."""
        return PLANS.get(self.kind, "")

    @property
    def covered(self) -> bool:
        """Whether the plan may answer the question."""
        if not self.plan or not self.certain:
            return False
        if self.plan in ALIKE and not (self.names or self.measurable):
            return False
        left = len(self.free)
        few = left * 2 <= self.words if self.names else self.named and left * ASIDE < self.words
        return self.plan in SEARCHED or self.plan == "lookup" or not self.free or few


def cover(text: str, landscape: Landscape) -> Coverage:
    """Which kind of question it is, how surely, and which of its words nothing accounts for."""
    scores = load_model(QUESTIONS).scores(text)
    if not identifiers(text):
        scores = {k: v for k, v in scores.items() if PLANS.get(k) != "lookup"}
    likely = probabilities(scores)
    kind = max(likely, key=lambda k: likely[k])
    rest = strip(text, phrases_in(text))
    names = [n for n in names_in(rest, landscape, kind) if n.startswith("/") or n in landscape.names]
    if outcome(kind) == "measured":  # what is written as a metric's key is asked for by it
        names += [key for key in KEY.findall(rest) if key not in names]
        rest = KEY.sub(" ", rest)
    alerted = any(name in landscape.alerts for name in names)  # whatever is asked of an alert, its state is told
    alike = sum(p for k, p in likely.items() if outcome(k) == outcome(kind) or (alerted and k in PLANS))
    usual, ours = load_model(QUESTIONS).words[kind], name_stems(landscape)
    words = {stem(w): w for w in plain_words(split_names(ENDPOINT.sub(" ", rest))) if not is_small(w)}
    named = bool(names) or any(s in ours and s not in usual for s in words)
    known: frozenset[str] = frozenset()
    if PLANS.get(kind) not in {"places", "documents"}:
        known = usual if PLANS.get(kind) in SEARCHED else usual | ours
    weak = WEAK_WORDS if PLANS.get(kind) == "places" else frozenset()
    free = {s: w for s, w in words.items() if s not in known and w not in weak}
    return Coverage(
        kind,
        alike >= CERTAIN,
        free,
        len(words) + len(names),
        tuple(names),
        named,
        bool(landscape.metrics),
        likely[kind],
    )


def likeliest_kind(text: str, kinds: Collection[str]) -> str:
    """Which of some kinds a question is most likely."""
    scores = load_model(QUESTIONS).scores(text)
    return max((kind for kind in kinds if kind in scores), key=lambda kind: scores[kind])


def outcome(kind: str) -> str:
    """What comes of a kind: its plan, or those that read the same."""
    plan = PLANS.get(kind, "handover")
    return ALIKE.get(plan, plan)


def is_small(word: str) -> bool:
    """A word that carries no meaning of its own, or stands for a number or an id."""
    shape = re.fullmatch(r"x[a-z]+x", word) is not None
    return len(word) < 3 or shape or word in STOP or word.removesuffix("t") in NEGATED_VERBS or not content_words(word)


def name_stems(landscape: Landscape) -> frozenset[str]:
    """Stems of the words that names in the sources are made of, those of documents left out."""
    documents = frozenset(landscape.documents)
    names = " ".join(split_names(name) for name in landscape.names if name not in documents)
    return frozenset(stem(w.lower()) for w in re.findall(r"[A-Za-z]+|\d+(?:\.\d+)+", names))


def left_open(found: Coverage, *items: Evidence) -> frozenset[str]:
    """The free words of a question that stand in none of the passages which should answer it."""
    texts = ((i.title, i.locator, i.excerpt, *(str(f.value) for f in i.facts.values())) for i in items)
    said = " ".join(part for text in texts for part in text)
    return frozenset(found.free) - {stem(w.lower()) for w in re.findall(r"[A-Za-z]+", f"{split_names(said)} {said}")}


def answers(found: Coverage, *items: Evidence) -> bool:
    """Whether passages hold what is asked about, but for few words."""
    return len(left_open(found, *items)) * ASIDE < max(found.words, 1)


def aside(found: Coverage, *items: Evidence) -> tuple[Gap, ...]:
    """The words of the question that an answer leaves aside."""
    left = [found.free[s] for s in sorted(left_open(found, *items))]
    said = ", ".join(f"“{word}”" for word in left)
    return (Gap(text=f"Not taken into account: {said}.", tool="question"),) if left else ()
