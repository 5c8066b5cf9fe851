"""A question that leans on the incident of its channel, completed with what that is about."""

from __future__ import annotations

import re

from workers.contracts import Question
from workers.incidents.channel.channel_standing import standing_of
from workers.incidents.summary.similar_incidents import asks_bare, in_its_words
from workers.incidents.summary.summary_types import Summary
from workers.requests.worker_context import WorkerContext
from workers.store.followed_channels import followed

POINTS = re.compile(r"\b(?:it|its|this|that|they|these|those)\b", re.IGNORECASE)
"""Words that point at what a channel is about."""


def about_incident(worker: WorkerContext, question: Question) -> Question:
    """The question; "have we seen this before?" in the words of the incident that its channel is about, and "is it
    slow?" with these words before all that was said.
    """
    bare = asks_bare(question.text)
    if not question.channel or question.source == "alert" or not (bare or POINTS.search(question.text)):
        return question
    here = followed(worker.ledger.database, question.team, question.channel)
    found = standing_of(worker, question, here) if here and here.state == "following" else None
    if found is None:
        return question
    summary, incident = found.standing.summary, found.standing.incident
    title = incident.title if incident else ""
    if not bare:
        return question.model_copy(update={"context": (subject_of(summary, title), *question.context)})
    most = worker.oracle.settings.core.limits.question_chars
    return question.model_copy(update={"text": in_its_words(question.text, summary, title)[:most]})


def subject_of(summary: Summary, title: str) -> str:
    """What an incident is about: its title, and the newest of what people feel."""
    felt = [line.text for line in summary.impact[-1:]]
    return ". ".join(part.rstrip(" .") for part in dict.fromkeys((title or summary.title, *felt)) if part.strip())
