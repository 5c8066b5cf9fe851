"""The processes of a deployment: bot takes questions in, worker answers them, beat keeps the time."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Annotated, Any

import typer
import uvicorn
from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown, worker_ready
from fastapi import FastAPI
from kombu.exceptions import OperationalError

from bot.app import build_app, build_entrance
from bot.cli.demo_services import demo_services
from bot.cli.ports import is_free
from bot.listeners.queue_position import AGAIN_S, tell_queue_positions, tell_queued
from bot.middleware.losses import Losses
from bot.transport.api import add_api, caller
from bot.transport.ask_stream import add_ask
from bot.transport.connection_heartbeat import note_connected
from bot.transport.hooks import add_hooks
from bot.transport.missed_messages import MissedMessages
from bot.transport.oauth import add_install_routes, oauth_flow
from bot.transport.patient_protocol import told_of_slow
from bot.transport.repeating_task import RepeatingTask
from bot.transport.socket_mode import start_socket_mode
from bot.transport.web import build_web
from workers.access.doors import Doors
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Landscape
from workers.delivery.installations import open_chats
from workers.delivery.slack_chat import SlackChat
from workers.entrypoints.celery_app import QUEUES, REFRESH, choose_broker, make_app
from workers.entrypoints.tasks import QueuePublisher, add_tasks, begin_fetches, build_worker_context, reserve_post
from workers.errors import ChatError, ChatRefused, ConfigError, OracleError, StoreUnavailable
from workers.ports import ToolContext
from workers.reasoning.reasoner_access import compressor_of
from workers.requests.ledger import open_ledger
from workers.requests.worker_context import WorkerContext
from workers.settings.load import Settings, load_settings
from workers.sources.connections.open_sources import pushed_to
from workers.store.database import Database
from workers.store.refusals import add_refusals
from workers.telemetry.service_metrics import ServiceMetrics
from workers.toolkit.serving import Serving

logger = logging.getLogger(__name__)
Queues = Annotated[str, typer.Option("--queues", help="Queues to work on, separated by commas: ask, events, index.")]
Processes = Annotated[int, typer.Option("--concurrency", help="Processes; 0 = as configured (worker.concurrency).")]
NAMES_S = 300.0
REFUSALS_S = 5.0
STOPS_S = 15
READY_S = 1.0
"""So long a probe waits for the broker."""


@dataclass(frozen=True)
class Front:
    """What takes questions in: the web server's app, and how to stop what runs beside it. ``slow``: is told of requests
    that did not arrive in time.
    """

    web: FastAPI
    ready: Callable[[], dict[str, bool]]
    close: Callable[[], None]
    slow: Callable[[], None]


def bot() -> None:
    """Receive Slack's events (Socket Mode with an app token, else HTTP); serve health and metrics."""
    settings = load_settings()
    with opened(settings) as oracle:
        app = make_app(settings, choose_broker(settings, one_process=False))
        front = build_front(oracle, app, ServiceMetrics(oracle.metrics))
        try:
            serve(front.web, settings.core.web.host, settings.core.web.port, front.slow)
        finally:
            front.close()


def worker(queues: Queues = "ask,events,index", concurrency: Processes = 0) -> None:
    """Answer questions and refresh indexes, in several processes."""
    settings = load_settings()
    need_token(settings)
    wrong = [name for name in queues.split(",") if name not in QUEUES]
    if wrong:
        raise ConfigError(f"--queues: no queue named {wrong[0]!r}; known are {', '.join(QUEUES)}")
    app = make_app(settings, choose_broker(settings, one_process=False))

    @cache
    def context() -> WorkerContext:
        oracle = build_engine(settings)
        return build_worker_context(oracle, ServiceMetrics(oracle.metrics))

    def prepare(**_: Any) -> None:
        for number in (signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, stop_now)
        context()

    def finish(**_: Any) -> None:
        context().board.close()

    add_tasks(app, context)
    worker_process_init.connect(prepare, weak=False)
    worker_process_shutdown.connect(finish, weak=False)
    worker_ready.connect(bound_stops, weak=False)
    size = concurrency or settings.core.worker.concurrency
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING")
    app.worker_main(["--quiet", "worker", "--pool=prefork", f"--concurrency={size}", f"--queues={queues}", *quiet])


def bound_stops(**_: Any) -> None:
    """Let the kernel end this process some seconds after the signal to stop, wherever Celery waits by then.

    Celery may wait for ever: for a child that was stopped, or while it cancels what runs. By then the request was
    handed back, or its lease ends. The exit status is then that of SIGALRM.
    """
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):
        stop = signal.getsignal(number)
        if callable(stop):
            signal.signal(number, partial(stop_in_time, stop))


def stop_in_time(stop: Callable[..., Any], *received: Any) -> None:
    """What a signal to stop does: ``stop``, and an alarm in case it never ends."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(STOPS_S)
    stop(*received)


def stop_now(*_: Any) -> None:
    """Ends a child of the worker: its request is handed back on the way out."""
    raise SystemExit(0)


def beat() -> None:
    """Ring what is due: the sweeper, the refresh of indexes."""
    settings = load_settings()
    app = make_app(settings, choose_broker(settings, one_process=False))
    try:
        app.send_task(REFRESH)  # at once, so that people see what there is
        begin_fetches(app, settings)
    except (OperationalError, OSError) as error:
        logger.warning("the sources are read later: %s", error)
    app.Beat(loglevel="WARNING", quiet=True).run()


def need_token(settings: Settings) -> None:
    """Raises: ConfigError: there is no bot token, and nothing to get any with."""
    if not (settings.core.slack.bot_token or settings.core.slack.client_id):
        place = settings.where("oracle.slack.bot_token")
        raise ConfigError(f"{place}: slack.bot_token is empty: set SLACK_BOT_TOKEN, or open a local Slack: oracle up")


@contextmanager
def opened(settings: Settings) -> Iterator[Oracle]:
    """A built Oracle, closed at the end."""
    with demo_services(settings):
        oracle = build_engine(settings)
        try:
            yield oracle
        finally:
            oracle.close()


def build_front(oracle: Oracle, app: Celery, metrics: ServiceMetrics) -> Front:
    """The Bolt app on the ledger, its Socket Mode connection and the web server's app. Raises: ConfigError."""
    settings, database, clean = oracle.settings, oracle.store.database, oracle.toolbox.redactor.value
    check_token(settings)
    ledger = open_ledger(settings, database, oracle.toolbox.redactor.talk)
    chats = open_chats(settings, database, partial(reserve_post, database), clean)
    flow = oauth_flow(settings, database)
    bell = QueuePublisher(app)
    losses = Losses()
    installations = flow.installations if flow else None
    bolt = build_app(
        settings,
        ledger,
        oracle.store,
        bell.ring,
        metrics=metrics,
        landscape=watch_names(oracle),
        queued=partial(tell_queued, chats),
        installations=installations,
        chats=chats,
        wake_channel=bell.ring_channel,
        losses=losses,
    )
    sockets = start_socket_mode(bolt, settings, metrics=metrics) if settings.core.slack.app_token else None

    def connected() -> bool:
        return sockets is None or sockets.connected

    def ready() -> dict[str, bool]:
        return {"database": answers(oracle), "slack": connected(), "broker": reachable(app)}

    missed = MissedMessages(
        database,
        build_entrance(settings, ledger, oracle.store, metrics, installations),
        ledger,
        chats,
        bell.ring,
        settings.core.slack.missed_hours * 3_600,
        installations,
    )
    beside = (
        RepeatingTask("hearing", partial(note_connected, database, connected, losses)),
        RepeatingTask("missed", missed.look),
        RepeatingTask("refusals", partial(keep_refusals, database, metrics), REFUSALS_S),
        RepeatingTask("queue", partial(tell_queue_positions, ledger, chats), AGAIN_S),
    )

    def close() -> None:
        for one in beside:
            one.close()
        if sockets:
            sockets.close()

    web = build_web(settings, ledger, bolt, ready=ready, metrics=metrics, probe=database.probe)
    add_hooks(
        web, settings, database, partial(fetch_pushed, settings, bell), bell.ring_alerts, clean, metrics.turned_away
    )
    add_api(web, Serving(settings, database, partial(compressor_of, oracle.reasoner_access)))
    add_ask(web, settings, ledger, oracle.store, bell.ring, partial(caller, database), Doors(oracle.access, chats))
    if flow:
        add_install_routes(web, flow)
    for one in beside:
        one.start()
    return Front(web, ready, close, partial(metrics.turned_away, "HTTP", "too slow"))


def keep_refusals(database: Database, metrics: ServiceMetrics) -> float:
    """Write down what was refused. Never raises. Returns: seconds until the next time."""
    if counts := metrics.take_untold():
        try:
            add_refusals(database, counts, datetime.now(UTC))
            for (door, reason), count in counts.items():
                logger.warning("%s: %d refused: %s", door, count, reason)
        except StoreUnavailable as error:
            metrics.untold.update(counts)
            logger.debug("what was refused is counted later: %s", error)
    return REFUSALS_S


def fetch_pushed(settings: Settings, bell: QueuePublisher, name: str, addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Have what was pushed to fetched soon. Returns: its names here."""
    found = pushed_to(settings, name, addresses)
    for kept in found:
        bell.ring_fetch(kept.key)
    return tuple(kept.name for kept in found)


def watch_names(oracle: Oracle) -> Callable[[], Landscape]:
    """This team's real names for the examples in the help, read in the background; nothing until they are known."""
    known = [Landscape()]
    if oracle.access.policy is not None:
        return lambda: known[0]  # some may not see some of them, and an example names no one's

    def read() -> None:
        while True:
            context = ToolContext("help", oracle.settings.default_agent, oracle.engine.clock.now())
            with suppress(OracleError):
                known[0] = oracle.toolbox.landscape(context)
            time.sleep(NAMES_S)

    threading.Thread(target=read, name="names", daemon=True).start()
    return lambda: known[0]


def check_token(settings: Settings) -> None:
    """Ask Slack who we are. A Slack that cannot be reached is waited for. Raises: ConfigError: it refuses the token."""
    need_token(settings)
    slack = settings.core.slack
    if not (slack.app_token or slack.signing_secret):
        raise ConfigError(
            "slack: no event can come in: set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)"
        )
    if not slack.bot_token:
        return  # each workspace has its own
    try:
        SlackChat(slack.bot_token, slack.api_url).identity()
    except ChatRefused as error:
        raise ConfigError(f"slack.bot_token: Slack refuses it ({error.code})") from error
    except ChatError as error:
        logger.warning("%s", error)


def answers(oracle: Oracle) -> bool:
    """Whether the database does, and takes something."""
    try:
        oracle.store.database.probe()
    except StoreUnavailable:
        return False
    return True


def reachable(app: Celery) -> bool:
    """Whether the broker is: it accepts a connection and answers within a second."""
    connection = app.connection_for_write(transport_options={"socket_timeout": READY_S})
    away = (*connection.recoverable_connection_errors, *connection.connection_errors, OperationalError, OSError)
    try:
        with connection:
            connection.ensure_connection(max_retries=0, timeout=READY_S)
            connection.default_channel.close()
    except away:
        return False
    return True


def need_port(host: str, port: int) -> None:
    """Raises: ConfigError: something listens there already. 0 is any port."""
    if port and not is_free(host, port):
        raise ConfigError(f"web.port: {port} is taken; set PORT to another one")


def serve(web: FastAPI, host: str, port: int, slow: Callable[[], None] = lambda: None) -> None:
    """Until SIGINT or SIGTERM; returns then, so that everything else is closed too. Raises: ConfigError: taken port."""
    need_port(host, port)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)  # uvicorn raises the signal again when it has stopped
    options: dict[str, Any] = {"log_config": None, "access_log": False, "timeout_graceful_shutdown": 3}
    config = uvicorn.Config(web, host=host, port=port, http=told_of_slow(slow), **options)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run()
