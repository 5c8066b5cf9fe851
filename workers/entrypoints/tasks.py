"""What Celery runs, and what a worker is built from. Tasks are thin: they find the job and hand it on."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from functools import partial

from celery import Celery
from kombu.exceptions import OperationalError

from workers.bootstrap import Oracle
from workers.delivery.answer_blocks import render_root
from workers.delivery.installations import open_chats
from workers.delivery.progress import ProgressBoard
from workers.delivery.slack_chat import LONGEST_PAUSE_S
from workers.entrypoints.celery_app import ADVANCE, FETCH, FORGET, HARD_LIMIT_S, REFRESH, SHOW_ALERTS, SWEEP, TEND
from workers.errors import (
    ChatBusy,
    ChatError,
    ChatRefused,
    StoreUnavailable,
    ToolUnavailable,
)
from workers.incidents.channel.alert_thread import GROUP_WORK
from workers.incidents.channel.follow_channel import CHANNEL_WORK
from workers.incidents.channel.past_incidents import about_incident
from workers.ports import Place
from workers.requests.lease_runner import Outcome, Work, work_on
from workers.requests.ledger import open_inbox
from workers.requests.outbox import post_once
from workers.requests.stages import work
from workers.requests.worker_context import Desk, chat_of
from workers.settings.load import Settings
from workers.sources.connections.local_copies import Kept, stored_state
from workers.sources.connections.open_sources import all_kept
from workers.sources.connections.orphaned_copies import remove_leftovers
from workers.sources.connections.refresh import failure_of, freshen
from workers.sources.connections.source_status import lines_of, standings
from workers.store.database import Database
from workers.store.leases import backoff
from workers.store.post_pacing import reserve
from workers.store.request_jobs import REQUESTS, Job
from workers.store.source_refreshes import note_sources
from workers.telemetry.service_metrics import ServiceMetrics

logger = logging.getLogger(__name__)
MOST_WAITING = 10_000
LOSSY_BURST = 3


def build_desk(oracle: Oracle, metrics: ServiceMetrics) -> Desk:
    """What a worker works with. Raises: ConfigError: the Slack token is missing."""
    database, redactor = oracle.store.database, oracle.rack.redactor
    inbox = open_inbox(oracle.settings, database, redactor.text)
    chats = open_chats(oracle.settings, database, partial(reserve_post, database), redactor.value)
    board = ProgressBoard(chats, inbox.note_progress)
    return Desk(oracle=oracle, inbox=inbox, chats=chats, board=board, metrics=metrics, rephrase=about_incident)


def reserve_post(database: Database, channel: str, lossy: bool) -> float:
    """Seconds to wait before a post; one that may be lost goes at once or not, and leaves room for answers."""
    if lossy:
        return reserve(database, channel, burst=LOSSY_BURST, at_most_s=0)
    return reserve(database, channel, at_most_s=LONGEST_PAUSE_S)


def add_tasks(app: Celery, desk: Callable[[], Desk]) -> None:
    """Give a Celery app its tasks; ``desk`` is asked for in the process that runs them."""

    @app.task(name=ADVANCE, time_limit=HARD_LIMIT_S)  # type: ignore[untyped-decorator]
    def advance(request_id: str) -> None:
        take(desk(), request_id)

    @app.task(name=SWEEP)  # type: ignore[untyped-decorator]
    def sweep() -> None:
        ring_due(app, desk())

    @app.task(name=TEND, time_limit=HARD_LIMIT_S)  # type: ignore[untyped-decorator]
    def look_after(team: str, channel: str) -> None:
        work_on(desk(), CHANNEL_WORK, (team, channel))

    @app.task(name=SHOW_ALERTS, time_limit=HARD_LIMIT_S)  # type: ignore[untyped-decorator]
    def show_group(group_id: str) -> None:
        work_on(desk(), GROUP_WORK, (int(group_id),))

    @app.task(name=FORGET)  # type: ignore[untyped-decorator]
    def forget() -> None:
        gone = desk().inbox.forget(desk().inbox.limits.keep_days)
        logger.info("%s old requests forgotten", gone)

    @app.task(name=REFRESH)  # type: ignore[untyped-decorator]
    def refresh() -> None:
        seen = list(desk().oracle.rack.refresh())
        for name, line, ok in seen:
            logger.log(logging.INFO if ok else logging.WARNING, "%s: %s", name, line)
        note_sources(desk().oracle.store.database, seen)
        for name in remove_leftovers(desk().oracle.settings):
            logger.info("%s is no longer configured: its copy and its indexes are deleted", name)

    @app.task(name=FETCH)  # type: ignore[untyped-decorator]
    def fetch(key: str) -> None:
        renew(desk(), key)


def ring_due(app: Celery, desk: Desk) -> None:
    """Publish whatever is due and nobody was told of. Raises: StoreUnavailable."""
    for task, turns in ((ADVANCE, REQUEST_WORK), (TEND, CHANNEL_WORK), (SHOW_ALERTS, GROUP_WORK)):
        for key in turns.leases.sweep(desk.inbox.database):
            app.send_task(task, [str(part) for part in key])


def renew(desk: Desk, key: str) -> None:
    """Look at what lies elsewhere, index it, and let people see how it goes."""
    settings, database = desk.oracle.settings, desk.oracle.store.database
    clean = desk.oracle.rack.redactor.text

    def changed(kept: Kept) -> None:
        try:
            note_sources(database, [(tool, clean(line), ok) for tool, line, ok in lines_of(standings(settings))])
        except StoreUnavailable as error:
            logger.warning("how %s goes is shown later: %s", kept.name, error)

    try:
        well = freshen(settings, key, changed)
    except ToolUnavailable as error:
        logger.warning("%s", error)
        return
    kept = all_kept(settings).get(key)
    if kept and not well:
        logger.warning("%s: %s", kept.name, clean(failure_of(kept) or "not all of it could be indexed"))


def begin_fetches(app: Celery, settings: Settings) -> None:
    """At the start of a deployment, have looked at what lies elsewhere, unless that was done not long ago.

    Raises: OperationalError, OSError.
    """
    for key, kept in all_kept(settings).items():
        if time.time() - stored_state(kept).fetched_at > kept.every_s / 2:
            app.send_task(FETCH, [key])


def take(desk: Desk, request_id: str) -> None:
    """Claim a request and work on it."""
    work_on(desk, REQUEST_WORK, (request_id,))


def note(desk: Desk, job: Job, outcome: Outcome) -> None:
    """Count how it goes with a request."""
    if outcome == "claimed":
        if job.fence == 1:
            desk.metrics.queue_waited(job.waited_s)
    elif outcome == "lost":
        desk.board.abandon(job.request_id)
        note_loss(desk, job)
    elif outcome == "failed":
        desk.metrics.failed(job.stage)
    else:
        desk.metrics.posted(outcome)


def note_loss(desk: Desk, job: Job) -> None:
    """Count a lease that was lost, unless a person took the request away."""
    try:
        if not desk.inbox.taken_by_person(job):
            desk.metrics.lease_lost()
    except StoreUnavailable as error:
        logger.warning("why %s was lost is not known: %s", job.request_id, error)


def go_direct(desk: Desk, job: Job, refused: ChatRefused) -> None:
    """Nothing can be posted where it was asked: go on in a direct message to the asker; without one, it ends."""
    if job.stage == "stop":
        desk.inbox.finish(job, "stopped", str(refused))
        return
    try:
        channel = chat_of(desk, job).direct(job.question.asker)
        if channel == job.question.channel:
            raise refused
        why = f"I may not post where you asked ({refused.code}). Invite me there next time; this time I answer here."
        place = Place(channel, team=job.question.team)
        job = post_once(desk, job, "direct", place, render_root(job.question, why))
    except ChatRefused as error:
        desk.inbox.finish(job, "dead", str(error))
        desk.metrics.finished("dead")
    except ChatError as error:
        pause_s = error.retry_after_s if isinstance(error, ChatBusy) else backoff(job.delays + 1)
        REQUESTS.postpone(desk.inbox.database, job, pause_s, str(error))
    else:
        desk.inbox.move(job, channel, job.sent["direct"])


REQUEST_WORK = Work(REQUESTS, work, go_direct, note=note)


class Bell:
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

    def ring_tend(self, team: str, channel: str) -> None:
        """Have a followed channel tended soon. Never blocks, never raises."""
        self.put(TEND, team, channel)

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
