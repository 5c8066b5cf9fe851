"""A question -> an intent record: kind, subjects, hints, window, or a clarifying question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workers.agents.research.follow_up import WHOLE, Heard, hear
from workers.agents.research.plan import HANDOVER
from workers.agents.research.validators import DEPLOY
from workers.contracts import Ambiguity, Intent, Landscape, Question, QuestionType
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import Moment
from workers.language.zones import read_zone
from workers.reasoning.ambiguity import is_unclear, which_one
from workers.reasoning.coverage import Coverage, cover
from workers.reasoning.metric_selection import close_value
from workers.reasoning.question_subjects import find_subjects, names_in, strip
from workers.reasoning.question_words import PRONOUN

OF_WHOLE: frozenset[QuestionType] = frozenset({"operations_status", "deploys"})
"""Kinds that are asked of the whole where nothing known is named."""


def read_intent(question: Question, landscape: Landscape, now: datetime) -> Intent:
    """Classify, and resolve what is named, against the names that exist."""
    heard = hear(question, landscape)
    found = cover(heard.text, landscape)
    hints, window = read_hints(heard.text, Moment(now, read_zone(question.timezone), landscape.deploys))
    plain = strip(heard.text, hints)
    named = tuple(dict.fromkeys(names_in(plain, landscape, found.kind)))[:4]
    free = () if found.kind in OF_WHOLE else find_subjects(plain, landscape, found.kind)
    subjects = named or heard.subjects or free
    subjects = with_place(subjects, landscape) if found.kind == "debug_incident" else subjects
    ambiguity = None if heard.leans else find_ambiguity(heard, found, named, hints, landscape)
    kind = found.kind if found.certain or not (ambiguity and heard.bare) else "other"  # small words tell no kind
    return Intent(question_type=kind, subjects=subjects, time_hints=hints, window=window, ambiguity=ambiguity)


def with_place(subjects: tuple[str, ...], landscape: Landscape) -> tuple[str, ...]:
    """Why an alert fires is seen where it is measured: the endpoint or service that its name tells of comes first."""
    places = [landscape.labels.get(label, ()) for label in ("service", "endpoint")]
    if not subjects or any(s in values for s in subjects for values in places):
        return subjects
    alerts = [s for s in subjects if s in landscape.alerts]
    close = [place for alert in alerts for values in places if (place := close_value(alert, values))]
    return (*close[:1], *subjects)[:4]


def find_ambiguity(
    heard: Heard, found: Coverage, named: Sequence[str], hints: Sequence[str], landscape: Landscape
) -> Ambiguity | None:
    """A clarifying question when nothing is named and nobody could tell what is meant. Its options are real names."""
    if named or found.named or WHOLE.search(heard.text) or any(DEPLOY.search(h) for h in hints):
        return None
    whole = found.kind in OF_WHOLE and not PRONOUN.search(heard.text)
    small = heard.bare and "?" in heard.text
    if whole or (found.kind == HANDOVER and not small) or not is_unclear(heard.text):
        return None
    names = [v for key in ("endpoint", "service") for v in landscape.labels.get(key, ())]
    return which_one(heard.text, names or list(landscape.repositories))
