"""What a question says in full: what its thread adds, names put right, and the questions it is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workers.agents.research.follow_up import complete
from workers.agents.research.kind_decision import settle_kind
from workers.contracts import Intent, Landscape, Question
from workers.language.phrase_to_window import phrases_in
from workers.reasoning.name_spelling import correct
from workers.reasoning.question_features import asks_deploys, questions_in
from workers.reasoning.question_subjects import WORD, find_subjects, strip
from workers.reasoning.question_words import STOP

ASKS = r"(?:who(?:se|m)?|what|when|where|why|how|which|is|are|was|were|do|does|did|can|show me|tell me|list|give me)\b"
SEAM = re.compile(
    rf"\?\s+(?:and |also |plus )*(?={ASKS})|,? (?:and|also|plus|\+|&)(?: also)? (?={ASKS})|; ?(?={ASKS})", re.IGNORECASE
)
LEANS = re.compile(
    r"\b(?:it|its|that|this|they|them|those|these|there|he|she|so|same|one|else|"
    r"(?:do|should|can|could|must) (?:i|we|you))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Heard:
    """A question as it is meant. ``notes`` say which names were read as others; ``parts`` are two when it asks two."""

    question: Question
    notes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def hear(question: Question, landscape: Landscape) -> Heard:
    """The question in full."""
    asked = set(questions_in(question.context))
    context = tuple(correct(m, landscape)[0] if m in asked else m for m in question.context)
    whole = complete(question.model_copy(update={"context": context}), landscape)
    text, notes = correct(whole.text, landscape)
    return Heard(whole.model_copy(update={"text": text}), notes, parts_of(text, landscape))


def parts_of(text: str, landscape: Landscape) -> tuple[str, ...]:
    """The two questions of a text that asks two which stand by themselves; else the text itself."""
    for seam in SEAM.finditer(text):
        parts = (text[: seam.start()].strip(), text[seam.end() :].strip())
        if all(stands_alone(p) for p in parts) and settle_kind(parts[0], landscape) != settle_kind(parts[1], landscape):
            return parts
    return (text,)


def stands_alone(text: str) -> bool:
    """It asks something, and of something that it names itself."""
    words = [w for w in WORD.findall(strip(text, phrases_in(text))) if w.lower() not in STOP]
    hints = phrases_in(text)
    return (
        bool(re.match(rf"\W*(?:\w+\W+)??{ASKS}", text, re.IGNORECASE))
        and bool(words or hints or asks_deploys(text))
        and not LEANS.search(text)
    )


def part_of(intent: Intent, text: str, landscape: Landscape) -> Intent:
    """The intent of one of the parts: its own kind and subjects, the time of the whole."""
    hints = phrases_in(text)
    kind = settle_kind(text, landscape)
    subjects = find_subjects(strip(text, hints), landscape, kind)
    return Intent(question_type=kind, subjects=subjects, time_hints=hints, window=intent.window)
