"""A question for incidents of the past, completed with what the incident of its channel is about."""

from __future__ import annotations

from workers.contracts import Question
from workers.incidents.summary.similar_incidents import asks_bare, in_its_words
from workers.incidents.summary.snapshot import read_snapshot
from workers.requests.worker_context import WorkerContext
from workers.store.followed_channels import followed
from workers.store.incidents import incident_of


def about_incident(worker: WorkerContext, question: Question) -> Question:
    """The question; "have we seen this before?" in the words of the incident that its channel is about."""
    if not question.channel or not asks_bare(question.text):
        return question
    here = followed(worker.ledger.database, question.team, question.channel)
    last = read_snapshot(here.summary) if here and here.state == "following" else None
    if here is None or last is None or last.summary.status.state == "none":
        return question
    incident = incident_of(worker.ledger.database, here.incident_id)
    text = in_its_words(question.text, last.summary, incident.title if incident else "")
    most = worker.oracle.settings.core.limits.question_chars
    return question.model_copy(update={"text": text[:most]})
