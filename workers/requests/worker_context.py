"""What a worker works with: the worker, the lease it holds while it works, and where its request was asked."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from workers.bootstrap import Oracle
from workers.contracts import Question
from workers.delivery.progress import ProgressBoard
from workers.errors import LeaseLost, StoreUnavailable
from workers.ports import Chat, Chats, Place
from workers.requests.ledger import Ledger
from workers.store.leases import Held, Leases
from workers.store.request_jobs import Job
from workers.telemetry.service_metrics import ServiceMetrics

logger = logging.getLogger(__name__)
LONGEST_JOB_S = 300.0
"""A stage that still runs after this is stuck: its lease is no longer renewed."""


def as_asked(worker: WorkerContext, question: Question) -> Question:
    """A question as it is."""
    del worker
    return question


@dataclass(frozen=True)
class WorkerContext:
    """What a worker works with. ``rephrase``: completes a question by what its channel is about."""

    oracle: Oracle
    ledger: Ledger
    chats: Chats
    board: ProgressBoard
    metrics: ServiceMetrics
    rephrase: Callable[[WorkerContext, Question], Question] = as_asked


class Lease:
    """Whether a worker still holds its row, such as a request, as its heartbeat knows."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lost = threading.Event()

    def check(self) -> None:
        """Raises: LeaseLost: a person stopped the request, or another worker has it."""
        if self.lost.is_set():
            raise LeaseLost(f"{self.name} was taken away while it was worked on")


@contextmanager
def request_heartbeat(worker: WorkerContext, leases: Leases[Held], held: Held) -> Iterator[Lease]:
    """Renew a lease while the block runs."""
    limits, name = worker.ledger.limits, leases.name(leases.key_of(held))
    stop, lease = threading.Event(), Lease(name)

    def beat() -> None:
        end = time.monotonic() + LONGEST_JOB_S
        while not stop.wait(limits.heartbeat_s) and time.monotonic() < end:
            try:
                leases.renew(worker.ledger.database, held, limits.lease_s)
            except LeaseLost:
                lease.lost.set()
                return
            except StoreUnavailable as error:
                logger.warning("heartbeat of %s failed: %s", name, error)

    thread = threading.Thread(target=beat, name=f"lease-{name}", daemon=True)
    thread.start()
    try:
        yield lease
    finally:
        stop.set()


def place_of(job: Job) -> Place:
    """The thread that is answered in."""
    question = job.question
    return Place(question.channel, question.thread_ts, question.team)


def chat_of(worker: WorkerContext, job: Job) -> Chat:
    """The workspace it was asked in. Raises: ChatRefused: the app was removed from there."""
    return worker.chats(job.question.team)
