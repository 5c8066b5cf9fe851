"""What Celery runs, and what a worker is built from. Tasks are thin: they find the job and hand it on."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

from workers.bootstrap import Oracle
from workers.delivery.answer_blocks import render_root, why_direct
from workers.delivery.installations import open_chats
from workers.delivery.progress import ProgressBoard
from workers.delivery.slack_chat import LONGEST_PAUSE_S
from workers.entrypoints.background_tasks import forget_old_rows, run_task
from workers.entrypoints.celery_app import (
    ADVANCE,
    BACKGROUND,
    FETCH,
    FOLLOW_CHANNEL,
    FORGET,
    HARD_LIMIT_S,
    REFRESH,
    SHOW_ALERTS,
    SWEEP,
)
from workers.errors import (
    ChatBusy,
    ChatError,
    ChatRefused,
    StoreUnavailable,
    ToolUnavailable,
)
from workers.incidents.channel.alert_thread import GROUP_WORK
from workers.incidents.channel.channel_inbox import INBOX_WORK, tend_channel
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.channel.incident_question import answer_in_channel
from workers.incidents.channel.past_incidents import about_incident
from workers.open_tools import log_file
from workers.ports import Place
from workers.requests.lease_runner import Outcome, Work, work_on
from workers.requests.ledger import open_ledger
from workers.requests.outbox import post_once
from workers.requests.stages import work
from workers.requests.worker_context import WorkerContext, chat_of
from workers.settings.load import Settings
from workers.sources.connections.local_copies import LocalCopy, stored_state
from workers.sources.connections.open_sources import local_copies
from workers.sources.connections.orphaned_copies import remove_orphaned_copies
from workers.sources.connections.refresh import failure_of, refresh_copy
from workers.sources.connections.source_status import lines_of, source_statuses
from workers.store.database import Database
from workers.store.leases import backoff
from workers.store.post_pacing import reserve_post_slot
from workers.store.request_jobs import REQUESTS, Job
from workers.store.source_refreshes import record_sources
from workers.telemetry.json_logs import rotate_log
from workers.telemetry.service_metrics import ServiceMetrics

logger = logging.getLogger(__name__)
MOST_WAITING = 10_000
LOSSY_BURST = 3


def build_worker_context(oracle: Oracle, metrics: ServiceMetrics) -> WorkerContext:
    """What a worker works with. Raises: ConfigError: the Slack token is missing."""
    database, redactor = oracle.store.database, oracle.toolbox.redactor
    ledger = open_ledger(oracle.settings, database, redactor.talk)
    chats = open_chats(oracle.settings, database, partial(reserve_post, database), redactor.value)
    board = ProgressBoard(chats, ledger.note_progress)
    return WorkerContext(
        oracle=oracle,
        ledger=ledger,
        chats=chats,
        board=board,
        metrics=metrics,
        rephrase=about_incident,
        answer_known=answer_in_channel,
    )


def reserve_post(database: Database, channel: str, lossy: bool) -> float:
    """Seconds to wait before a post; one that may be lost goes at once or not, and leaves room for answers."""
    if lossy:
        return reserve_post_slot(database, channel, burst=LOSSY_BURST, at_most_s=0)
    return reserve_post_slot(database, channel, at_most_s=LONGEST_PAUSE_S)


def add_tasks(app: Celery, worker: Callable[[], WorkerContext]) -> None:
    """Give a Celery app its tasks; ``worker`` is asked for in the process that runs them."""

    @app.task(name=ADVANCE, time_limit=HARD_LIMIT_S)  # type: ignore[untyped-decorator]
    def advance(request_id: str) -> None:
        take(worker(), request_id)

    @app.task(name=SWEEP)  # type: ignore[untyped-decorator]
    def sweep() -> None:
        ring_due(app, worker())

    @app.task(name=FOLLOW_CHANNEL, time_limit=HARD_LIMIT_S)  # type: ignore[untyped-decorator]
    def look_after(team: str, channel: str) -> None:
        tend_channel(worker(), team, channel)

    @app.task(name=SHOW_ALERTS, time_limit=HARD_LIMIT_S)  # type: ignore[untyped-decorator]
    def show_group(group_id: str) -> None:
        work_on(worker(), GROUP_WORK, (int(group_id),))

    @app.task(name=FORGET)  # type: ignore[untyped-decorator]
    def forget() -> None:
        core = worker().oracle.settings.core
        gone = worker().ledger.forget(core.worker.keep_days, core.keep_days)
        rotate_log(log_file(worker().oracle.settings), core.keep_days.logs or core.worker.keep_days)
        logger.info("%s old requests forgotten", gone)
        forget_old_rows(worker().ledger.database, worker().oracle.settings)

    @app.task(name=REFRESH)  # type: ignore[untyped-decorator]
    def refresh() -> None:
        seen = list(worker().oracle.toolbox.refresh())
        for name, line, ok in seen:
            logger.log(logging.INFO if ok else logging.WARNING, "%s: %s", name, line)
        record_sources(worker().oracle.store.database, seen)
        for name in remove_orphaned_copies(worker().oracle.settings):
            logger.info("%s is no longer configured: its copy and its indexes are deleted", name)

    @app.task(name=BACKGROUND)  # type: ignore[untyped-decorator]
    def background(name: str) -> None:
        run_task(name, worker().ledger.database, worker().oracle.settings)

    @app.task(name=FETCH)  # type: ignore[untyped-decorator]
    def fetch(key: str) -> None:
        renew(worker(), key)


def ring_due(app: Celery, worker: WorkerContext) -> None:
    """Publish whatever is due and nobody was told of. Raises: StoreUnavailable."""
    all_work: tuple[tuple[str, Work[Any]], ...] = (
        (ADVANCE, REQUEST_WORK),
        (FOLLOW_CHANNEL, INBOX_WORK),
        (FOLLOW_CHANNEL, CHANNEL_WORK),
        (SHOW_ALERTS, GROUP_WORK),
    )
    for task, turns in all_work:
        for key in turns.leases.sweep(worker.ledger.database):
            app.send_task(task, [str(part) for part in key])


def renew(worker: WorkerContext, key: str) -> None:
    """Look at what lies elsewhere, index it, and let people see how it goes."""
    settings, database = worker.oracle.settings, worker.oracle.store.database
    clean = worker.oracle.toolbox.redactor.text

    def changed(kept: LocalCopy) -> None:
        try:
            record_sources(
                database, [(tool, clean(line), ok) for tool, line, ok in lines_of(source_statuses(settings))]
            )
        except StoreUnavailable as error:
            logger.warning("how %s goes is shown later: %s", kept.name, error)

    try:
        well = refresh_copy(settings, key, changed)
    except ToolUnavailable as error:
        logger.warning("%s", error)
        return
    kept = local_copies(settings).get(key)
    if kept and not well:
        logger.warning("%s: %s", kept.name, clean(failure_of(kept) or "not all of it could be indexed"))


def begin_fetches(app: Celery, settings: Settings) -> None:
    """At the start of a deployment, have looked at what lies elsewhere, unless that was done not long ago.

    Raises: OperationalError, OSError.
    """
    for key, kept in local_copies(settings).items():
        if time.time() - stored_state(kept).fetched_at > kept.every_s / 2:
            app.send_task(FETCH, [key])


def take(worker: WorkerContext, request_id: str) -> None:
    """Claim a request and work on it."""
    work_on(worker, REQUEST_WORK, (request_id,))


def note(worker: WorkerContext, job: Job, outcome: Outcome) -> None:
    """Count how it goes with a request."""
    if outcome == "claimed":
        if job.fence == 1:
            worker.metrics.queue_waited(job.waited_s)
    elif outcome == "lost":
        worker.board.abandon(job.request_id)
        note_loss(worker, job)
    elif outcome == "failed":
        worker.metrics.failed(job.stage)
    else:
        worker.metrics.posted(outcome)


def note_loss(worker: WorkerContext, job: Job) -> None:
    """Count a lease that was lost, unless a person took the request away."""
    try:
        if not worker.ledger.taken_by_person(job):
            worker.metrics.lease_lost()
    except StoreUnavailable as error:
        logger.warning("why %s was lost is not known: %s", job.request_id, error)


def go_direct(worker: WorkerContext, job: Job, refused: ChatRefused) -> None:
    """Nothing can be posted where it was asked: go on in a direct message to the asker; without one, it ends."""
    if job.stage == "stop":
        worker.ledger.finish(job, "stopped", str(refused))
        return
    try:
        channel = chat_of(worker, job).direct(job.question.asker)
        if channel == job.question.channel:
            raise refused
        why = why_direct(refused.code, worker.oracle.settings.core.slack.name)
        place = Place(channel, team=job.question.team)
        job = post_once(worker, job, "direct", place, render_root(job.question, why))
    except ChatRefused as error:
        worker.ledger.finish(job, "dead", str(error))
        worker.metrics.finished("dead")
    except ChatError as error:
        pause_s = error.retry_after_s if isinstance(error, ChatBusy) else backoff(job.delays + 1)
        REQUESTS.postpone(worker.ledger.database, job, pause_s, str(error))
    else:
        worker.ledger.move(job, channel, job.sent["direct"])


REQUEST_WORK = Work(REQUESTS, work, go_direct, note=note)


class QueuePublisher:
    """Publishes ids from a thread of its own: a broker that is down or hangs delays nobody. The clock repeats."""

    def __init__(self, app: Celery) -> None:
        self.app = app
        self.waiting: queue.Queue[tuple[str, tuple[str, ...]]] = queue.Queue(MOST_WAITING)
        self.thread = threading.Thread(target=self.publish, name="bell", daemon=True)
        self.thread.start()

    def ring(self, request_id: str) -> None:
        """Have a request worked on soon. Never blocks, never raises."""
        self.put(ADVANCE, request_id)

    def ring_fetch(self, key: str) -> None:
        """Have a repository fetched soon. Never blocks, never raises."""
        self.put(FETCH, key)

    def ring_channel(self, team: str, channel: str) -> None:
        """Have a worker look at a followed channel soon. Never blocks, never raises."""
        self.put(FOLLOW_CHANNEL, team, channel)

    def ring_alerts(self, group_id: int) -> None:
        """Have the message of a group of alerts shown soon. Never blocks, never raises."""
        self.put(SHOW_ALERTS, str(group_id))

    def put(self, task: str, *arguments: str) -> None:
        """Publish soon."""
        try:
            self.waiting.put_nowait((task, arguments))
        except queue.Full:
            logger.warning("%s %s is left to the clock", task, " ".join(arguments))

    def publish(self) -> None:
        """Until the process ends."""
        while True:
            task, arguments = self.waiting.get()
            try:
                self.app.send_task(task, list(arguments))
            except (OperationalError, OSError) as error:
                logger.warning("%s %s is left to the clock: %s", task, " ".join(arguments), error)
