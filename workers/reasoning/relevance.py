"""Whether evidence speaks of what was asked at all."""

from __future__ import annotations

import re

from workers.contracts import Evidence
from workers.grounding.health import text_of
from workers.language.repeated_actions import said_again
from workers.language.stop_words import HOW_MUCH, content_words
from workers.language.title_match import initials
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.question_words import STOP

ENOUGH = 0.5
PREFIX = re.compile(r"^/(?:(?:api|v\d+)/)+")
"""What endpoints begin with whatever they are of."""


def asked_words(brief: Brief) -> set[str]:
    """Stems of the question's own meaningful words."""
    text = said_again(HOW_MUCH.sub(" ", brief.question.text))
    for hint in brief.intent.time_hints:
        text = text.replace(hint, " ")
    words = [w for w in re.findall(r"[^\W_]+", text) if w.lower() not in STOP and len(w) > 2]
    return content_words(" ".join([*words, *brief.intent.subjects]))


def shown_text(item: Evidence) -> str:
    """Everything an evidence says."""
    return f"{item.title} {item.locator} {item.excerpt} {' '.join(str(f.value) for f in item.facts.values())}"


def shown_words(item: Evidence) -> set[str]:
    """Stems of everything an evidence says, identifiers split."""
    text = shown_text(item)
    text = f"{text} {initials(item.title)}" if item.kind == "doc" else text
    return content_words(split_names(text)) | content_words(text)


def share_of(item: Evidence, brief: Brief) -> float:
    """How much of the question's meaningful words stand in it."""
    wanted = asked_words(brief)
    return len(wanted & shown_words(item)) / len(wanted) if wanted else 1.0


def names_subject(item: Evidence, subject: str) -> bool:
    """The evidence holds the subject: an endpoint as written, anything else by its words."""
    text = f"{item.title} {item.locator} {item.excerpt} " + " ".join(
        f"{f.value} {f.entity}" for f in item.facts.values()
    )
    if subject.startswith("/"):
        return re.search(rf"(?<![\w/]){re.escape(subject)}(?![\w-])", text) is not None
    wanted = content_words(subject)
    return bool(wanted) and len(wanted & (shown_words(item) | content_words(text))) / len(wanted) >= ENOUGH


def is_titled(doc: Evidence, brief: Brief) -> bool:
    """Its title or heading names the subject, an endpoint by its own words, or its text an alert that was asked for."""
    title = content_words(f"{text_of(doc, 'title')} {text_of(doc, 'heading')}")
    known = {a.lower() for a in brief.landscape.alerts}
    for subject in brief.intent.subjects:
        wanted = content_words(PREFIX.sub(" ", subject).replace("_", " "))
        if (wanted and wanted <= title) or (subject.lower() in known and subject.lower() in doc.excerpt.lower()):
            return True
    return False
