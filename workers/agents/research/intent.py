"""A question -> an intent record: kind, subjects, hints, window, or a clarifying question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from workers.agents.research.follow_up import CERTAIN, WHOLE, Heard, hear
from workers.agents.research.plan import ANY_TYPE
from workers.agents.research.validators import DEPLOY
from workers.contracts import Ambiguity, Intent, Landscape, Question, QuestionType
from workers.language.phrase_to_window import read_hints
from workers.language.pronouns import PRONOUN
from workers.language.question_kinds import QUESTIONS, likeliest_of, load_model, plain_words
from workers.language.reference_moment import Moment
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.language.zones import read_zone
from workers.reasoning.ambiguity import is_unclear, which_one
from workers.reasoning.metric_selection import close_value, roles_in
from workers.reasoning.question_subjects import find_subjects, is_small, name_stems, names_in, strip
from workers.reasoning.wish import kind_chances, thing_words, usual_words

OF_WHOLE: frozenset[QuestionType] = frozenset({"operations_status", "deploys"})
"""Kinds that are asked of the whole where nothing known is named."""
UNSURE: frozenset[QuestionType] = frozenset({"conceptual", "other"})
"""Kinds that short questions of a measure are taken for."""


def read_intent(question: Question, landscape: Landscape, now: datetime) -> Intent:
    """Classify, and resolve what is named, against the names that exist."""
    heard = hear(question, landscape)
    kinds = kind_chances(heard.text)
    likeliest = likeliest_of(kinds)
    hints, window = read_hints(heard.text, Moment(now, read_zone(question.timezone), landscape.deploys))
    plain = strip(heard.text, hints)
    measured = likeliest in UNSURE and roles_in(plain)  # what is measured is of a place, however it is asked for
    named = tuple(dict.fromkeys(names_in(plain, landscape, "operations_status" if measured else likeliest)))[:4]
    usual = usual_words(kinds) - thing_words(landscape)
    free = () if likeliest in OF_WHOLE else find_subjects(heard.about or plain, landscape, likeliest)
    free = tuple(name for name in free if " " in name or not content_words(name) <= usual)  # “break” names nothing
    subjects = named or heard.subjects or free
    subjects = with_place(subjects, landscape) if likeliest == "debug_incident" else subjects
    ambiguity = (
        None if heard.leans else find_ambiguity(heard, likeliest, named, hints, landscape, unasked=question.unasked)
    )
    certain = kinds[likeliest] >= CERTAIN and not (ambiguity and heard.bare)  # small words tell no kind
    kind = likeliest if certain else ANY_TYPE
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
    heard: Heard, kind: str, named: Sequence[str], hints: Sequence[str], landscape: Landscape, *, unasked: bool
) -> Ambiguity | None:
    """A clarifying question when nothing is named and nobody could tell what is meant. Its options are real names."""
    words = {stem(w) for w in plain_words(split_names(heard.text)) if not is_small(w)}
    partly = words & name_stems(landscape) - load_model(QUESTIONS).words[kind]
    if named or partly or WHOLE.search(heard.text) or any(DEPLOY.search(h) for h in hints):
        return None
    whole = kind in {*OF_WHOLE, "alerting"} and not PRONOUN.search(heard.text)
    points = unasked or PRONOUN.search(heard.text) or heard.bare  # nobody waits for a first look: it may be left
    small = heard.bare and "?" in heard.text
    if whole or not points or (kind == ANY_TYPE and not small) or not is_unclear(heard.text):
        return None
    names = [v for key in ("endpoint", "service") for v in landscape.labels.get(key, ())]
    asked = which_one(heard.text, names or list(landscape.repositories))
    return asked.model_copy(update={"of_latency": "latency" in roles_in(heard.text)})
