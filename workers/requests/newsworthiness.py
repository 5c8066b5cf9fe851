"""Whether an answer that nobody asked for tells people enough to be posted."""

from __future__ import annotations

from workers.contracts import NEAREST, RequestLog
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of

LEAST_NAME = 4


def found_something(log: RequestLog) -> bool:
    """Whether an answer is worth saying to people who did not ask the app."""
    if log.question.source == "alert":
        return is_worth_telling(log)
    answer = log.answer
    if answer is None or answer.kind != "answer" or answer.headline.template.startswith(NEAREST):
        return False
    return bool(answer.headline.evidence)


def is_worth_telling(log: RequestLog) -> bool:
    """Whether a first look found something: a metric that moved, or the runbook of what the question names.

    What moved and only lies nearest is of something else.
    """
    answer = log.answer
    if answer is None or answer.kind != "answer":
        return False
    if not (log.question.alert or (log.intent and log.intent.subjects)):
        return False  # what moved somewhere is no news of something that is not known here
    cited = {key for claim in answer.claims for key in claim.evidence}
    found = [item for item in log.evidence if item.id in cited]
    asked = log.question.text.lower()
    subjects = log.intent.subjects if log.intent else ()
    parts = [part for name in subjects for part in name.lower().split("/")]  # of an endpoint people say a part
    names = [part for part in parts if len(part) >= LEAST_NAME and part in asked]
    told = [f"{item.title} {item.excerpt}".lower() for item in found if text_of(item, "doc_kind") == "runbook"]
    moved = any(map(has_moved, found)) and not answer.headline.template.startswith(NEAREST)
    return moved or any(name in text for name in names for text in told)
