"""An answer that was given a moment ago is given again, as long as nothing changed that it may rest on."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from workers.contracts import Question, RequestLog, Route
from workers.engine.engine import Engine
from workers.engine.route import Agent
from workers.grounding.value_format import say_duration

KEPT = "Answered {age} ago; nothing was deployed, indexed or changed since. Re-run looks again."
SHARED = frozenset({"slack", "http"})
"""Where the same is asked by many; whoever asks twice at the command line wants a new look."""


def key_of(question: Question, route: Route) -> str | None:
    """What makes two questions the same one; None for one that has to be looked at anew."""
    told = question.context or question.unread
    alone = not (told or question.again or question.edits or question.unasked or question.relayed)
    if question.source not in SHARED or not alone or question.clarified or question.confirms or question.project:
        return None
    said = " ".join(question.text.lower().split()).rstrip(" ?.!")
    parts = (route.task, said, question.timezone, question.user, question.space)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()


def find_kept(engine: Engine, log: RequestLog, agent: Agent) -> RequestLog | None:
    """The request with the answer of an earlier one, and its age in words; None when there is none to give."""
    most_s = agent.limits.keep_answers_s
    key = key_of(log.question, log.route) if most_s and log.route else None
    if key is None:
        return None
    now = engine.clock.now()
    before = engine.find_kept(key, now - timedelta(seconds=most_s))
    if before is None or before.answer is None:
        return None
    age = say_duration(max((now - before.question.received_at).total_seconds(), 1))
    own = {name: getattr(log, name) for name in ("request_id", "question", "route", "reasoner", "model_calls", "usage")}
    calls = tuple(call.model_copy(update={"cached": True}) for call in before.tool_calls)
    answer = before.answer.model_copy(update={"banner": KEPT.format(age=age)})
    return before.model_copy(update={**own, "answer": answer, "tool_calls": calls, "timings_ms": {}})


LASTING = frozenset({"code", "doc", "change", "note", "web", "deploy"})
"""Kinds of evidence that only a new index, a deploy or a change makes old; what is measured is measured again."""


def kept_key(log: RequestLog) -> str | None:
    """By what the answer of a finished request is found again; None when it is not worth it.

    It is sure, grounded, written as well as it can be (no banner), proposes nothing, and rests on nothing measured.
    """
    answer = log.answer
    if answer is None or log.route is None or answer.kind != "answer" or answer.confidence != "high":
        return None
    if any(item.kind not in LASTING for item in log.evidence):
        return None
    return key_of(log.question, log.route) if log.grounded and not (answer.banner or log.proposals) else None
