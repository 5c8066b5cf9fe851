"""A question -> an intent record by patterns alone: kind, subjects, hints, window, or a clarifying question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.agents.research.code_change_question import asked_change, asks_all_changes, is_of_code
from workers.agents.research.kind_decision import WHY, asks_owner, classify, settle_kind
from workers.agents.research.validators import DEPLOY
from workers.agents.research.whole_system_question import asks_of_all
from workers.contracts import Ambiguity, Intent, Landscape, Option, Question, QuestionType
from workers.language.nearest_names import named_first
from workers.language.phrase_to_window import read_hints
from workers.language.question_kinds import score_kinds
from workers.language.reference_moment import LONGEST, LONGEST_OF_CODE, Moment
from workers.language.zones import read_zone
from workers.reasoning.metric_selection import close_value
from workers.reasoning.question_features import (
    asked_commit,
    asks_changes,
    asks_how_to,
    holds_trace,
    is_alarmed,
    questions_in,
)
from workers.reasoning.question_subjects import GENERIC, WORD, find_subjects, known_names, names_in, strip
from workers.reasoning.question_words import FOLLOW_UP, METRIC_WORD, PRONOUN, STOP

NEEDS_SUBJECT: frozenset[QuestionType] = frozenset(
    {"debug_incident", "locate_code", "explain_code", "operations_status", "traffic", "alerting"}
)
ABOUT_DEPLOYS = re.compile(r"\b(?:deploy\w*|released?|releases|shipped|went out|version)\b", re.IGNORECASE)
SWEPT: frozenset[QuestionType] = frozenset({"debug_incident", "operations_status", "other"})
UNCLEAR = "That could be several things. Which one do you mean?"
MAX_OPTIONS = 5
OWN_KIND = 0.5  # a follow-up that scores this is a question of its own kind


def read_intent(question: Question, landscape: Landscape, now: datetime) -> Intent:
    """Classify, and resolve what is named, against the names that exist."""
    text = question.text.strip()
    if holds_trace(text) and landscape.repositories:
        return Intent(question_type="locate_code")
    kind = settle_kind(text, landscape, question.context)
    changed = asked_change(text, landscape)
    longest = LONGEST_OF_CODE if changed else LONGEST
    moment = Moment(now, read_zone(question.timezone), landscape.deploys, longest)
    hints, window = read_hints(text, moment)
    if changed:
        return Intent(question_type=kind, subjects=(changed.subject,), time_hints=hints, window=window)
    if is_of_code(landscape) and asks_all_changes(text, landscape):
        return Intent(question_type="locate_code", time_hints=hints, window=window)
    subjects = find_subjects(strip(text, hints), landscape, kind)
    earlier = [m for m in question.context if m.strip()]
    if asks_of_all(strip(text, hints), in_thread=bool(earlier)) and not list(known_names(text, landscape)):
        return Intent(question_type="operations_status", time_hints=hints, window=window)
    if not earlier and kind in SWEPT and is_alarmed(text) and not list(names_in(strip(text, hints), landscape)):
        return Intent(question_type="debug_incident", time_hints=hints, window=window)
    if commit := asked_commit(text):
        return Intent(question_type="locate_code", subjects=(commit,), time_hints=hints, window=window)
    if earlier and follows_up(text, subjects, kind):
        kind = kind if asks_owner(text) else inherit_kind(text, kind, earlier)
        kind = "debug_incident" if kind == "operations_status" and WHY.search(text) else kind
        subjects = subjects or earlier_subjects(earlier, landscape)
        if window is None:
            asked = questions_in(earlier)
            window = next((w for m in reversed([*earlier, *asked]) if (w := read_hints(m, moment)[1])), None)
    subjects = with_place(subjects, landscape) if kind == "debug_incident" else subjects
    if not earlier and is_empty(text, subjects):
        return Intent(question_type="other", time_hints=hints, window=window, ambiguity=ask(UNCLEAR, text, landscape))
    swept = METRIC_WORD.search(text) and any(
        DEPLOY.search(h) for h in hints
    )  # a symptom since a deploy can be swept for
    ambiguity = None if earlier or swept else find_ambiguity(text, kind, subjects, landscape)
    return Intent(question_type=kind, subjects=subjects, time_hints=hints, window=window, ambiguity=ambiguity)


def is_empty(text: str, subjects: Sequence[str]) -> bool:
    """A question of nothing but pronouns and small words: "and the other one?"."""
    words = [w for w in WORD.findall(text) if w.lower() not in STOP and w.lower() not in GENERIC]
    return "?" in text and not subjects and not words and PRONOUN.search(text) is not None


def follows_up(text: str, subjects: Sequence[str], kind: QuestionType) -> bool:
    """Whether a question leans on what was said before."""
    return bool(FOLLOW_UP.search(text)) or not subjects or kind == "other"


def inherit_kind(text: str, kind: QuestionType, earlier: Sequence[str]) -> QuestionType:
    """A short follow-up keeps the kind of the question before it, unless it clearly has its own."""
    if kind != "other" and (score_kinds(text)[kind] >= OWN_KIND or asks_how_to(text)):
        return kind
    asked = questions_in(earlier)
    if (
        not asked
        and not re.match(r"\W*(?:and|what about|how about|same|ok)\b", text, re.IGNORECASE)
        and kind != "other"
    ):
        return kind
    before = classify((asked or list(earlier))[-1])
    return kind if before == "other" else before


# --- subjects -------------------------------------------------------------------------------------------------


def earlier_subjects(earlier: Sequence[str], landscape: Landscape) -> tuple[str, ...]:
    """What the thread is about: the last name that was written as one, else the phrase of the last question."""
    for message in reversed(earlier):
        if found := list(names_in(message, landscape)):
            known = [name for name in found if name in landscape.names]
            return tuple(dict.fromkeys(known or found))[:4]
    asked = questions_in(earlier) or list(earlier)
    return find_subjects(asked[-1], landscape)


def with_place(subjects: tuple[str, ...], landscape: Landscape) -> tuple[str, ...]:
    """Why an alert fires is seen where it is measured: the endpoint or service that its name tells of comes first."""
    places = [landscape.labels.get(label, ()) for label in ("service", "endpoint")]
    if not subjects or any(s in values for s in subjects for values in places):
        return subjects
    alerts = [s for s in subjects if s in landscape.alerts]
    close = [place for alert in alerts for values in places if (place := close_value(alert, values))]
    return (*close[:1], *subjects)[:4]


# --- two meanings ---------------------------------------------------------------------------------------------


def find_ambiguity(text: str, kind: QuestionType, subjects: Sequence[str], landscape: Landscape) -> Ambiguity | None:
    """A clarifying question when nothing that can be checked is named. Its options are real names."""
    if kind == "other":
        if "?" not in text or [w for w in WORD.findall(text) if w.lower() not in STOP]:
            return None
        return ask("What would you like to know? For example about one of these:", "", landscape)
    if kind not in NEEDS_SUBJECT or subjects or ABOUT_DEPLOYS.search(text) or asks_changes(text):
        return None
    pronoun = PRONOUN.search(text)
    words = [w for w in WORD.findall(text) if w.lower() not in STOP]
    if kind in {"operations_status", "alerting", "traffic"}:
        vague = (pronoun is not None or len(words) <= 1) and not re.search(
            r"\bincidents?|\balerts?\b|anything|everything", text
        )
    else:
        now = re.search(r"\b(?:now|currently|at the moment)\b", text, re.IGNORECASE)
        vague = pronoun is not None or (kind == "debug_incident" and not METRIC_WORD.search(text) and not now)
    if not vague:
        return None
    what = f"“{pronoun.group().lower()}”" if pronoun else "That"
    return ask(f"{what[0].upper()}{what[1:]} could be several things. Which one do you mean?", text, landscape)


def ask(question: str, text: str, landscape: Landscape) -> Ambiguity:
    """Candidates: endpoints and services that exist, those closest to the words first."""
    names = [v for key in ("endpoint", "service") for v in landscape.labels.get(key, ())] or list(
        landscape.repositories
    )
    ranked = named_first(text, names)
    return Ambiguity(question=question, options=tuple(Option(value=n, label=n) for n in ranked[:MAX_OPTIONS]))
