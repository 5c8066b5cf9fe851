"""A question -> an intent record by patterns alone: kind, subjects, hints, window, or a clarifying question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import dropwhile

from workers.contracts import Ambiguity, Intent, Landscape, Option, Question, QuestionType
from workers.engine.validate import BEHAVIOUR_KINDS, DEPLOY
from workers.language.moment import LONGEST, LONGEST_OF_CODE, Moment
from workers.language.nearest_names import named_first
from workers.language.question_kinds import score_kinds
from workers.language.time_windows import read_hints
from workers.language.zones import read_zone
from workers.reasoning.asked_change import asked_change, asks_all_changes, is_of_code
from workers.reasoning.cues import FOLLOW_UP, METRIC_WORD, PRONOUN, STOP, SYMPTOM
from workers.reasoning.of_whole import asks_of_all
from workers.reasoning.pick_metrics import close_value
from workers.reasoning.said import (
    asked_commit,
    asks_changes,
    asks_how_to,
    holds_trace,
    is_alarmed,
    questions_in,
    quoted_phrases,
)
from workers.reasoning.settle_kind import WHY, asks_owner, classify, settle_kind

ENDPOINT = re.compile(r"(?<![\w./:~])/[A-Za-z_{][\w{}:.-]*(?:/[\w{}:.*-]+)*")
NAMED = re.compile(r"`([^`\n]{2,80})`|\b([a-z][a-z0-9]+(?:[-_][a-z0-9]+)+)\b|\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b")
IDENTIFIER = re.compile(r"(?=[\w-]*\d)[\w-]{6,}|[0-9a-f-]{32,}")
LEAD_WEIGHT = {
    "for": 3.0,
    "about": 2.5,
    "our": 2.2,
    "in": 1.7,
    "on": 1.8,
    "of": 1.6,
    "the": 1.5,
    "to": 1.3,
    "with": 1.2,
}
LIST = re.compile(r"\b([a-z][\w-]+(?:, [a-z][\w-]+)+,? and [a-z][\w-]+)\b")
NEEDS_SUBJECT: frozenset[QuestionType] = frozenset(
    {"debug_incident", "locate_code", "explain_code", "operations_status", "traffic", "alerting"}
)
ABOUT_DEPLOYS = re.compile(r"\b(?:deploy\w*|released?|releases|shipped|went out|version)\b", re.IGNORECASE)
GENERIC = frozenset(
    """commit commits team teams person reason reasons runbook runbooks idea ideas fix threshold anybody nobody
    lots ppl folks guys clients client customers customer version versions change link url graph chart dashboard
    answer question bunch couple kind sort stuff other others another behind max minimum maximum wait usual
    normal noise lunch utc afternoon evening end ends went goes come came default defaults vs wrong broke
    overview new thing long till until times often feels shorter longer handbook wiki says production prod
    staging environment environments owner owners cause culprit""".split()
)
MEASURED = re.compile(
    r"\b([a-z][\w-]+) (?:latenc|errors?\b|error rate|p9\d|slow|traffic|requests?\b|response)", re.IGNORECASE
)
SWEPT: frozenset[QuestionType] = frozenset({"debug_incident", "operations_status", "other"})
UNCLEAR = "That could be several things. Which one do you mean?"
WORD = re.compile(r"[A-Za-z][\w'’-]*")
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


def strip(text: str, hints: Sequence[str]) -> str:
    """The question without its phrases of time."""
    for hint in hints:
        text = text.replace(hint, " , ")
    return text


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


def names_in(text: str, landscape: Landscape, kind: str = "") -> Iterator[str]:
    """Endpoints, known names, and things written as names; in questions of behaviour what is close to a known name."""
    endpoints = [m.group().rstrip(".:") for m in ENDPOINT.finditer(text)]
    rest = ENDPOINT.sub(" ", text)
    for phrase in quoted_phrases(rest):
        rest = rest.replace(phrase, " ")
    known = [*endpoints, *known_names(rest, landscape)]
    if kind in BEHAVIOUR_KINDS and not endpoints:
        measured = [n for m in MEASURED.finditer(rest) for n in close_names(m[1], landscape)]
        known = [*(n for n in measured if n not in known), *known] or list(close_names(rest, landscape))[:2]
    yield from known
    yield from (n for n in named_things(rest) if not any(n.lower() in k.lower() for k in known))


def close_names(text: str, landscape: Landscape) -> Iterator[str]:
    """Services, else endpoints, that a word of the text names in another grammatical number: "charge" for "charges"."""
    services, endpoints = (landscape.labels.get(label, ()) for label in ("service", "endpoint"))
    for word in WORD.findall(text):
        plain = len(word) > 3 and word.lower() not in STOP and word.lower() not in SYMPTOM
        if plain and (name := close_value(word, services) or close_value(word, endpoints)):
            yield name


def find_subjects(text: str, landscape: Landscape, kind: str = "") -> tuple[str, ...]:
    """Endpoints, services and features that the text names, most specific first."""
    found = list(names_in(text, landscape, kind))
    rest = ENDPOINT.sub(" ", text)
    if listed := LIST.search(rest):
        found.extend(n for n in re.split(r", (?:and )?| and ", listed[1]) if n not in found and n not in STOP)
    if not found:
        phrase = best_phrase(rest)
        found.extend([phrase] if phrase else [])
    return tuple(dict.fromkeys(found))[:4]


def known_names(text: str, landscape: Landscape) -> Iterator[str]:
    """Label values, alerts and repositories that stand in the text as written."""
    lowered = text.lower()
    values = [v for key in ("service", "endpoint") for v in landscape.labels.get(key, ())]
    for name in dict.fromkeys((*values, *landscape.alerts, *landscape.repositories)):
        if (
            len(name) > 2
            and name.lower() not in STOP
            and re.search(rf"(?<![\w/-]){re.escape(name.lower())}(?![\w/-])", lowered)
        ):
            yield name


def named_things(text: str) -> Iterator[str]:
    """Things in backticks, kebab-case, snake_case or CamelCase; ids of requests and users are not subjects."""
    for match in NAMED.finditer(text):
        name = next(g for g in match.groups() if g)
        if (
            not IDENTIFIER.fullmatch(name)
            and name.lower() not in STOP
            and not re.match(r"(?:re|non|pre|multi|on|co)-", name)
        ):
            yield name


def best_phrase(text: str) -> str:
    """The run of meaningful words that its lead word ("for our …", "in the …") marks as the subject."""
    best, best_score = "", 0.0
    for lead, run in content_runs(text):
        words = list(dropwhile(lambda w: w.lower() in GENERIC, run))
        if not words:
            continue
        score = LEAD_WEIGHT.get(lead, 1.0) + 0.2 * len(words)
        if score > best_score:
            best, best_score = " ".join(words[-3:]), score
    return best


def content_runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """Unbroken runs of words that carry meaning, each with the strongest of the two words before it."""
    before: list[str] = [""]
    run: list[str] = []
    for token in re.findall(r"[\w'’-]+|[^\w\s]", text):
        plain = token.lower().replace("’", "'")
        verb = plain.endswith(("ing", "ed", "ates")) and len(plain) > 5 and bool(run or len(before) > 1)
        if plain in STOP or plain in SYMPTOM or plain.endswith("n't") or verb or not re.match(r"[a-z][\w'’-]+$", plain):
            if run:
                yield max(before, key=lambda w: LEAD_WEIGHT.get(w, 1.0)), run
                before, run = [""], []
            before = [*before[-1:], plain]
        else:
            run.append(token)
    if run:
        yield max(before, key=lambda w: LEAD_WEIGHT.get(w, 1.0)), run


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
