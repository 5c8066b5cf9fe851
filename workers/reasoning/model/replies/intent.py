"""Which agent answers, and what a question is about, as a model says it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from workers.contracts import Ambiguity, Intent, Landscape, Option, Question, Window
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import Moment
from workers.language.zones import read_zone
from workers.reasoning.model.replies.allowed_words import MARKUP, ReplyModel, Unusable, invented, is_name, known_to
from workers.reasoning.model.untrusted_data import visible

MOST_OPTIONS, MARKED = 5, "<>"
LONGEST_WINDOW, OLDEST_WINDOW = timedelta(days=90), timedelta(days=3_650)
ASKING = re.compile(
    r"(?:which|what|who|where|when|do|does|did|is|are|was|were|should)\b(?!.{0,400}\b(?:password|passphrase|token|secret|key)s?\b)"
    r"[^.!?]{3,150}\?",
    re.IGNORECASE,
)
ASKED = "Which of these do you mean?"


class RouteReply(ReplyModel):
    """Which agent answers, and how sure that is."""

    agent: str
    confidence: float = Field(ge=0, le=1)


class ClarifyReply(ReplyModel):
    """A question back."""

    question: str = Field(max_length=300)
    options: list[str]


class IntentReply(ReplyModel):
    """What a question is about; ``start`` and ``end`` in RFC 3339 when a time is named."""

    question_type: str
    subjects: list[str]
    time_hints: list[str]
    start: str | None = None
    end: str | None = None
    clarify: ClarifyReply | None = None


def intent_schema(types: Collection[str]) -> dict[str, Any]:
    """The schema of an intent, with the types of question that there are."""
    schema = IntentReply.model_json_schema()
    schema["properties"]["question_type"]["enum"] = list(types)
    return schema


def said_by(question: Question) -> str:
    """All that people wrote."""
    return "\n".join((question.text, *question.context))


def spelt(words: str, known: str) -> str:
    """Words as they stand in what is known, whole names only; nothing when they don't."""
    ends = r"(?![\w/-]|\.\w)" if re.search(r"[/.]", words) else r"(?!\w)"
    starts = r"(?<![\w/.-])" if re.search(r"[/.]", words) else r"(?<!\w)"
    found = re.search(starts + re.escape(words) + ends, known, re.IGNORECASE)
    return found.group() if found else ""


def intent_from(
    reply: IntentReply, question: Question, landscape: Landscape, now: datetime, types: Collection[str]
) -> Intent:
    """Raises: Unusable: it names what nobody named, or none of the types of question."""
    if reply.question_type not in types:
        raise Unusable(f"question_type: there is no {reply.question_type!r}; there are {', '.join(types)}")
    known = known_to(question, landscape).everything
    subjects = [(s, spelt(s.strip(), known)) for s in reply.subjects if s.strip()]
    for subject, name in subjects:
        if not name or not is_name(name, question.text):
            raise Unusable(f"the subject {subject!r} stands in neither the question nor the list of names")
    hints = [(h, spelt(h.strip(), said_by(question))) for h in reply.time_hints if h.strip()]
    for hint, words in hints:
        if not words:
            raise Unusable(f"the time hint {hint!r} is not in the words of the question")
    time_hints = tuple(words for _, words in hints)[:4]
    return Intent(
        question_type=reply.question_type,
        subjects=tuple(dict.fromkeys(name for _, name in subjects))[:4],
        time_hints=time_hints,
        window=window_from(reply, time_hints, question, landscape, now),
        ambiguity=ambiguity_from(reply.clarify, question, landscape),
    )


def window_from(
    reply: IntentReply, hints: Sequence[str], question: Question, landscape: Landscape, now: datetime
) -> Window | None:
    """What the hints mean to the rules; else the span that the reply gives, when it can be one."""
    moment = Moment(now, read_zone(question.timezone), landscape.deploys)
    if found := read_hints(" , ".join(hints), moment)[1]:
        return found
    try:
        start, end = datetime.fromisoformat(reply.start or ""), datetime.fromisoformat(reply.end or "")
    except ValueError:
        return None
    if start.tzinfo is None or end.tzinfo is None or not hints:
        return None
    end = min(end, now)
    if not timedelta(0) < end - start <= LONGEST_WINDOW or now - start > OLDEST_WINDOW:
        return None
    return Window(start=start, end=end, why=f"“{hints[0]}”")


def ambiguity_from(reply: ClarifyReply | None, question: Question, landscape: Landscape) -> Ambiguity | None:
    """Raises: Unusable: its options or its words name what does not exist."""
    if reply is None:
        return None
    names = {n.lower(): n for n in landscape.names}
    wrong = [o for o in reply.options if not is_name(names.get(o.strip().lower(), MARKED), question.text)]
    if wrong or not reply.options:
        raise Unusable(f"options must be names from the list; {wrong[0] if wrong else 'none'} is not")
    asked = " ".join(visible(reply.question).split())
    if odd := (*invented(asked, known_to(question, landscape)), *MARKUP.findall(asked)):
        raise Unusable(f"the clarifying question names {odd[0]}, which nobody named")
    values = dict.fromkeys(names[o.strip().lower()] for o in reply.options)
    asked = asked if ASKING.fullmatch(asked) else ASKED
    return Ambiguity(question=asked, options=tuple(Option(value=v, label=v) for v in values)[:MOST_OPTIONS])
