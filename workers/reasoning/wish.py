"""What a question wishes to know: its kinds, what it names, what it wants measured, which words carry meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workers.contracts import Landscape
from workers.language.question_kinds import QUESTIONS, likeliest_of, load_model, probabilities
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.metric_selection import roles_in
from workers.reasoning.question_features import asks_to_do, asks_value
from workers.reasoning.relevance import asked_words
from workers.reasoning.request_identifiers import identifiers

WHO = re.compile(r"\b(?:who|whose|whom|owner|owns|wer|wem|quién|quien)\b", re.IGNORECASE)
VERSION = re.compile(r"(?<![\w.])v?\d+(?:\.\d+)+[\w-]*")
FILE = re.compile(r"(?<![\w/.-])/?(?:[\w-]+/)*([\w-]+\.(?!com\b|org\b)[a-z]\w{0,5})\b(?![/(])")
ON_CALL = re.compile(
    r"\bon[- ]?call\b|\brotas?\b|\brotations?\b|\bpager(?:duty)?\b|\b(?:ruf)?bereitschaft\b", re.IGNORECASE
)
OF_WHO = content_words(
    "own owns owned owner owners maintain maintains maintainer responsible ask asks contact talk turn call oncall "
    "rota rotation pager duty look looks after team code service component person people now today week tonight "
    "currently right gehört zuständig verantwortlich fragen bereitschaft rufbereitschaft besitzt"
)
"""Stems of what a question of an owner is made of, beside what is owned."""
WHY = re.compile(r"\b(?:why|decid\w+|decisions?|chose\w*|choose|warum|por qu[ée])\b", re.IGNORECASE)
WHAT_IS = re.compile(
    r"\W*(?:what(?:'?s| is| are| does)|define|explain|meaning of|was (?:ist|sind|bedeutet)|qué (?:es|son|significa))\b",
    re.IGNORECASE,
)
"""Asks what something is."""
LATEST = re.compile(r"\b(?:last|latest|newest|most recent\w*|zuletzt|letzte\w*|últim\w+)\b", re.IGNORECASE)
HOW = re.compile(r"\W*(?:how (?:do|to)|wie )", re.IGNORECASE)
CHANGED = re.compile(
    r"\b(?:what|which|who|when|anything|did|has|was|welche\w*|wer|wann|qué|quién)\b.{0,80}?"
    r"\b(?:chang(?:e|ed|es)|differ\w*|modif\w+|touched|(?:ge)?änder\w*|cambi\w+)\b|\bdiff(?:erences?)?\b",
    re.IGNORECASE | re.DOTALL,
)
"""Asks what was changed."""
RELEASED = re.compile(
    r"\b(?:releases?|released|versions?|change ?logs?|changed|deprecated|removed|introduced|went away|go away)\b",
    re.IGNORECASE,
)
"""Says that a question is of what a release changed."""
WORDED = frozenset({"locate_code", "explain_code", "design_overview", "conceptual", "other"})
"""Kinds of questions that texts answer."""
MOST_VALUES = 200
"""So many values of a label are read for names of things."""
OWNED_SHARE = 0.5
LOOK_UPS = frozenset({"request_lookup", "user_lookup"})


@dataclass(frozen=True)
class Wish:
    """``kinds``: how likely each kind of question is. ``subjects``: what is named, in lower case.

    ``measures``: roles of metrics that it speaks of. ``words``: stems that carry meaning. ``usual``: those that
    questions of its kind are made of. ``unknown``: the share of the words that stands in no evidence. ``rarity``: of
    each word, the more the fewer pieces of evidence hold it.
    """

    kinds: Mapping[str, float]
    subjects: frozenset[str]
    measures: frozenset[str]
    words: frozenset[str]
    usual: frozenset[str]
    why: bool
    who: bool
    amount: bool
    to_do: bool
    changed: bool
    what_is: bool
    released: bool
    unknown: float
    rarity: Mapping[str, float]

    @property
    def likeliest(self) -> str:
        """The likeliest kind."""
        return likeliest_of(self.kinds)

    @property
    def owned(self) -> frozenset[str]:
        """Of a question of an owner, the words that say of what."""
        return self.words - OF_WHO

    def is_of_owned(self, words: frozenset[str]) -> bool:
        """Whether some words hold more than half of what an owner is asked of, the rare ones counting more."""
        whole = sum(self.rarity[word] for word in self.owned)
        return not whole or sum(self.rarity[word] for word in self.owned & words) > OWNED_SHARE * whole

    def share(self, words: frozenset[str]) -> float:
        """How much of what it asks for stands in some words, the rare ones counting more; 0 when it asks nothing."""
        whole = sum(self.rarity.values())
        return sum(self.rarity[word] for word in self.words & words) / whole if whole else 0.0


def read_wish(brief: Brief, said: Sequence[frozenset[str]]) -> Wish:
    """See `Wish`. ``said``: the stems of each piece of evidence."""
    text, kinds = brief.question.text, kind_chances(brief.question.text)
    asked = frozenset(asked_words(brief))
    usual = (asked & usual_words(kinds)) - thing_words(brief.landscape)
    words = asked - usual
    held = {word: sum(word in one for one in said) for word in words}
    return Wish(
        kinds=kinds,
        subjects=frozenset(s.lower() for s in (*brief.intent.subjects, *written_names(text))),
        unknown=sum(not n for n in held.values()) / len(held) if held else 0.0,
        rarity={word: math.log((len(said) + 1) / (n + 0.5)) for word, n in held.items()},
        measures=frozenset(roles_in(text)),
        words=words,
        usual=usual,
        why=WHY.search(text) is not None,
        who=WHO.search(text) is not None,
        amount=asks_value(text),
        released=(RELEASED.search(text) or VERSION.search(text)) is not None,
        to_do=asks_to_do(text) or HOW.match(text) is not None,
        changed=asks_changed(text),
        what_is=WHAT_IS.match(text.replace("’", "'")) is not None,
    )


def asks_changed(text: str) -> bool:
    """Whether it asks what was changed, not why or how to."""
    return CHANGED.search(text) is not None and not WHY.search(text) and not HOW.match(text)


def usual_words(kinds: Mapping[str, float]) -> frozenset[str]:
    """Stems that questions are made of which no text answers, where the likeliest kind is such a one."""
    if likeliest_of(kinds) in WORDED:
        return frozenset()
    return frozenset().union(*(words for kind, words in load_model(QUESTIONS).words.items() if kind not in WORDED))


def thing_words(landscape: Landscape) -> frozenset[str]:
    """Stems of the names of what is measured, alerts and repositories."""
    measured = (name for values in landscape.labels.values() for name in values[:MOST_VALUES])
    return stems_of((*measured, *landscape.alerts, *landscape.repositories))


@lru_cache(maxsize=8)
def stems_of(names: tuple[str, ...]) -> frozenset[str]:
    """Stems of the words that names are made of; kept, as each question asks it of the same ones."""
    return frozenset(content_words(split_names(" ".join(names))))


def written_names(text: str) -> tuple[str, ...]:
    """Versions and names of files, as they are written."""
    return tuple(dict.fromkeys((*VERSION.findall(text), *FILE.findall(text))))


def kind_chances(text: str) -> dict[str, float]:
    """How likely each kind is; a look-up needs an id."""
    scores = load_model(QUESTIONS).scores(text)
    if not identifiers(text):
        scores = {kind: score for kind, score in scores.items() if kind not in LOOK_UPS}
    return dict(probabilities(scores))


def likeliest_kind(text: str, kinds: Collection[str]) -> str:
    """Which of some kinds a question is most likely."""
    scores = load_model(QUESTIONS).scores(text)
    return max((kind for kind in kinds if kind in scores), key=lambda kind: scores[kind])
