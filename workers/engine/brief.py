"""What an answer is written from, and what it may say without evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from workers.contracts import Evidence, RequestLog
from workers.engine.assemble import assemble
from workers.grounding.known_names import unknown_specifics
from workers.ports import Brief, ReasoningContext


def brief_of(log: RequestLog, thinking: ReasoningContext) -> Brief:
    """What the rules write from: the best of the evidence, within the agent's budget."""
    if log.intent is None:
        raise ValueError("an intent comes before an answer")
    return brief_over(log, thinking, assemble(log.evidence, log.question, log.intent, thinking.limits.evidence_tokens))


def brief_over(log: RequestLog, thinking: ReasoningContext, evidence: Sequence[Evidence]) -> Brief:
    """What is known of a request, with some of its evidence."""
    if log.plan is None or log.intent is None:
        raise ValueError("a plan comes before its answer")
    return Brief(
        question=log.question,
        intent=log.intent,
        plan=log.plan,
        landscape=thinking.landscape,
        evidence=tuple(evidence),
        calls=log.tool_calls,
        gaps=log.gaps,
        suspect=log.suspect,
        notes=log.notes,
    )


def nameable(brief: Brief) -> str:
    """What may be named without evidence: what people named, what exists, and what was tried."""
    said = (brief.question.text, *brief.question.context)
    returned = (*(c.summary for c in brief.calls), *(g.text for g in brief.gaps))
    return "\n".join((*said, *brief.landscape.names, *returned))


def asks_for_knowledge(brief: Brief, types: Collection[str]) -> bool:
    """Whether general knowledge may answer: a question of such a type that names nothing of this team's systems."""
    text = brief.question.text
    general = {name for metric in brief.landscape.metrics for name in (metric.name, *metric.aliases)}
    ours = (re.escape(name) for name in brief.landscape.names if len(name) > 2 and name not in general)
    return (
        brief.intent.question_type in types
        and not unknown_specifics(text, "")
        and not any(re.search(rf"(?<!\w){name}(?!\w)", text, re.IGNORECASE) for name in ours)
    )
