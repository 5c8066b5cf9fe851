"""What a worker works with, and where its request was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workers.bootstrap import Oracle
from workers.contracts import Question, RequestLog
from workers.delivery.progress import ProgressBoard
from workers.ports import Chat, Chats, Place
from workers.requests.ledger import Ledger
from workers.store.request_jobs import Job
from workers.telemetry.service_metrics import ServiceMetrics


def as_asked(worker: WorkerContext, question: Question) -> Question:
    """A question as it is."""
    del worker
    return question


def known_nothing(worker: WorkerContext, question: Question) -> RequestLog | None:
    """Every question has to be looked into."""
    del worker, question
    return None


@dataclass(frozen=True)
class WorkerContext:
    """What a worker works with. ``rephrase``: completes a question by what its channel is about; ``answer_known``: the
    answered request where the channel's own messages answer it.
    """

    oracle: Oracle
    ledger: Ledger
    chats: Chats
    board: ProgressBoard
    metrics: ServiceMetrics
    rephrase: Callable[[WorkerContext, Question], Question] = as_asked
    answer_known: Callable[[WorkerContext, Question], RequestLog | None] = known_nothing


def place_of(job: Job) -> Place:
    """The thread that is answered in."""
    question = job.question
    return Place(question.channel, question.thread_ts, question.team)


def chat_of(worker: WorkerContext, job: Job) -> Chat:
    """The workspace it was asked in. Raises: ChatRefused: the app was removed from there."""
    return worker.chats(job.question.team)
