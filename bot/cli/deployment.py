"""The processes of a deployment: bot takes questions in, worker answers them, beat keeps the time."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import uvicorn
from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown, worker_shutting_down
from fastapi import FastAPI

from bot.app import build_app
from bot.sockets import start_socket_mode
from bot.web import build_web
from workers.advance import Desk
from workers.app import QUEUES, choose_broker, make_app
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Landscape
from workers.delivery.slack import SlackChat
from workers.errors import ChatError, ChatRefused, ConfigError, OracleError, StoreUnavailable
from workers.inbox import Inbox
from workers.ports import ToolContext
from workers.settings import Settings, load_settings
from workers.tasks import Bell, add_tasks, build_desk
from workers.telemetry.service import ServiceMetrics

logger = logging.getLogger(__name__)
NAMES_S = 300.0
STOPS_S = 15.0


@dataclass(frozen=True)
class Front:
    """What takes questions in: the web server's app, and how to stop what runs beside it."""

    web: FastAPI
    ready: Callable[[], dict[str, bool]]
    close: Callable[[], None]


def run_bot() -> None:
    """Receive Slack's events and serve health and metrics, until a signal. Raises: ConfigError."""
    settings = load_settings()
    with opened(settings) as oracle:
        app = make_app(settings, choose_broker(settings, one_process=False))
        front = build_front(oracle, app, ServiceMetrics(oracle.metrics))
        try:
            serve(front.web, settings.core.web.host, settings.core.web.port)
        finally:
            front.close()


def run_worker(queues: str, concurrency: int) -> None:
    """Answer questions until a signal, in ``concurrency`` processes; 0 = as configured. Raises: ConfigError."""
    settings = load_settings()
    need_token(settings)
    wrong = [name for name in queues.split(",") if name not in QUEUES]
    if wrong:
        raise ConfigError(f"--queues: no queue named {wrong[0]!r}; known are {', '.join(QUEUES)}")
    app = make_app(settings, choose_broker(settings, one_process=False))

    @cache
    def desk() -> Desk:
        oracle = build_engine(settings)
        return build_desk(oracle, ServiceMetrics(oracle.metrics))

    def prepare(**_: Any) -> None:
        for number in (signal.SIGTERM, signal.SIGQUIT):
            signal.signal(number, stop_now)
        desk()

    def finish(**_: Any) -> None:
        desk().board.close()

    add_tasks(app, desk)
    worker_process_init.connect(prepare, weak=False)
    worker_process_shutdown.connect(finish, weak=False)
    worker_shutting_down.connect(end_soon, weak=False)
    size = concurrency or settings.core.worker.concurrency
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=WARNING")
    app.worker_main(["--quiet", "worker", "--pool=prefork", f"--concurrency={size}", f"--queues={queues}", *quiet])


def end_soon(**_: Any) -> None:
    """Celery may wait for ever for a child that was stopped; by then its request was handed back, or its lease ends."""
    watchdog = threading.Timer(STOPS_S, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()


def stop_now(*_: Any) -> None:
    """Ends a child of the worker: its request is handed back on the way out."""
    raise SystemExit(0)


def run_beat() -> None:
    """Ring what is due, until a signal."""
    settings = load_settings()
    app = make_app(settings, choose_broker(settings, one_process=False))
    app.Beat(loglevel="WARNING", quiet=True).run()


def need_token(settings: Settings) -> None:
    """Raises: ConfigError: there is no bot token."""
    if not settings.core.slack.bot_token:
        place = settings.where("oracle.slack.bot_token")
        raise ConfigError(f"{place}: slack.bot_token is empty: set SLACK_BOT_TOKEN, or open a local Slack: oracle up")


@contextmanager
def opened(settings: Settings) -> Iterator[Oracle]:
    """A built Oracle, closed at the end."""
    oracle = build_engine(settings)
    try:
        yield oracle
    finally:
        oracle.close()


def build_front(oracle: Oracle, app: Celery, metrics: ServiceMetrics) -> Front:
    """The Bolt app on the inbox, its Socket Mode connection and the web server's app. Raises: ConfigError."""
    settings = oracle.settings
    check_token(settings)
    inbox = Inbox(oracle.store.database, settings.core.worker, oracle.rack.redactor.text)
    bolt = build_app(settings, inbox, Bell(app).ring, metrics=metrics, landscape=watch_names(oracle))
    sockets = start_socket_mode(bolt, settings, metrics=metrics) if settings.core.slack.app_token else None

    def ready() -> dict[str, bool]:
        connected = sockets is None or sockets.connected
        return {"database": answers(oracle), "slack": connected, "broker": reachable(app)}

    web = build_web(settings, inbox, bolt, ready=ready, metrics=metrics)
    return Front(web, ready, sockets.close if sockets else lambda: None)


def watch_names(oracle: Oracle) -> Callable[[], Landscape]:
    """This team's real names for the examples in the help, read in the background; nothing until they are known."""
    known = [Landscape()]

    def read() -> None:
        while True:
            context = ToolContext("help", oracle.settings.core.default_agent, oracle.engine.clock.now())
            with suppress(OracleError):
                known[0] = oracle.rack.landscape(context)
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
    try:
        SlackChat(settings.core.slack.bot_token, settings.core.slack.api_url).identity()
    except ChatRefused as error:
        raise ConfigError(f"slack.bot_token: Slack refuses it ({error.code})") from error
    except ChatError as error:
        logger.warning("%s", error)


def answers(oracle: Oracle) -> bool:
    """Whether the database does."""
    try:
        oracle.store.database.ping()
    except StoreUnavailable:
        return False
    return True


def reachable(app: Celery) -> bool:
    """Whether the broker is."""
    connection = app.connection_for_write()
    try:
        with connection:
            connection.ensure_connection(max_retries=0, timeout=1)
    except connection.recoverable_connection_errors:
        return False
    return True


def is_free(host: str, port: int) -> bool:
    """Whether a server can listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def serve(web: FastAPI, host: str, port: int) -> None:
    """Until SIGINT or SIGTERM; returns then, so that everything else is closed too. Raises: ConfigError: taken port."""
    if port and not is_free(host, port):
        raise ConfigError(f"web.port: {port} is taken; set PORT to another one")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)  # uvicorn raises the signal again when it has stopped
    config = uvicorn.Config(web, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=3)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run()
