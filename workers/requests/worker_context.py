"""What a worker works with, and where its request was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from workers.access.doors import Doors
from workers.access.policy import audience_of_question
from workers.bootstrap import Oracle
from workers.contracts import Question, RequestLog
from workers.delivery.progress import ProgressBoard
from workers.engine.run import Pipeline
from workers.ports import Chat, Chats, Place, Standing
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


def asker_standing(worker: WorkerContext, question: Question) -> Standing:
    """Who asks a question and who reads its answer, as Slack says. Raises: ChatBusy, ChatUnavailable."""
    team, _, user = question.user.rpartition("/")
    doors, audience = doors_of(worker), audience_of_question(question)
    belonging = doors.belonging(team, user)
    outside = not audience.alone and doors.has_outsiders(audience.team, audience.channel)
    return Standing(belonging, outside=outside)


def doors_of(worker: WorkerContext) -> Doors:
    """The policy, for what a worker shows beside answers."""
    return Doors(worker.oracle.access, worker.chats)


def engine_for(worker: WorkerContext) -> Pipeline:
    """The engine, which shows each asker and audience what the policy gives them."""
    return replace(worker.oracle.engine, standing=partial(asker_standing, worker))


def place_of(job: Job) -> Place:
    """The thread that is answered in."""
    question = job.question
    return Place(question.channel, question.thread_ts, question.team)


def chat_of(worker: WorkerContext, job: Job) -> Chat:
    """The workspace it was asked in. Raises: ChatRefused: the app was removed from there."""
    return worker.chats(job.question.team)
