"""Socket Mode: Slack's events over connections that this process opens. Two of them, so that one may be renewed."""

from __future__ import annotations

import errno
import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from typing import Any

from slack_bolt import App
from slack_bolt.adapter.socket_mode.base_handler import BaseSocketModeHandler
from slack_bolt.adapter.socket_mode.internals import run_bolt_app, send_response
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError, SlackClientNotConnectedError
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from workers.errors import ConfigError
from workers.settings.load import Settings
from workers.telemetry.service_metrics import ServiceMetrics

PING_S = 3
"""Also how soon a lost connection is noticed and opened again; a silent one after four of these."""
RETRY_S = 2.0
CLOSE_S = 5.0
RECEIVE_BYTES = 65_536
FINAL = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "not_allowed_token_type"})
TRANSIENT = (OSError, HTTPException, SlackClientError, ValueError)

log = logging.getLogger(__name__)


class EndingSocket:
    """A socket that says when its stream has ended; the SDK would read nothing from it, for ever and at full speed."""

    def __init__(self, inner: Any, owner: SocketModeClient) -> None:
        self.inner = inner
        self.owner = owner

    def recv(self, size: int) -> bytes:
        """Raises: ConnectionResetError: the other side is gone, and it was not we who left."""
        data: bytes = self.inner.recv(size)
        if not data and not self.owner.closed:
            raise ConnectionResetError(errno.ECONNRESET, "Slack closed the connection")
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Connection(SocketModeClient):
    """The SDK's client, which opens a lost connection again, but none after it was closed."""

    def connect(self) -> None:
        """Open, or open again. Raises: SlackApiError and transport errors."""
        if self.closed:
            return
        super().connect()
        session = self.current_session
        if session is not None:
            with session.sock_send_lock:  # nobody takes the socket away meanwhile
                if session.sock is not None:
                    session.sock = EndingSocket(session.sock, self)  # type: ignore[assignment]
        if self.closed:  # meanwhile; the SDK has switched on that a lost connection is opened again
            self.auto_reconnect_enabled = False
            self.current_session_state.terminated = True
            self.current_app_monitor.event.set()
            self.disconnect()

    def disconnect(self) -> None:
        """The SDK fails when its receiving thread has just closed the same socket."""
        with suppress(AttributeError):
            super().disconnect()

    def close(self) -> None:
        """The SDK alone would wait for its receiving thread, which sleeps up to three seconds."""
        self.closed = True
        self.auto_reconnect_enabled = False
        self.current_session_state.terminated = True
        session = self.current_session
        if session is not None and session.sock is not None:
            with suppress(OSError):
                session.sock.shutdown(socket.SHUT_RDWR)
        super().close()


class AckHandler(BaseSocketModeHandler):
    """Bolt's handler, with its acknowledgements timed. A response other than 200 is no acknowledgement."""

    def __init__(self, app: App, client: Connection, metrics: ServiceMetrics) -> None:
        self.app = app
        self.client: Connection = client
        self.metrics = metrics
        client.socket_mode_request_listeners.append(self.handle)

    def handle(self, client: BaseSocketModeClient, req: SocketModeRequest) -> None:
        """Dispatch one envelope."""
        start = time.perf_counter()
        response = run_bolt_app(self.app, req)
        try:
            send_response(client, req, response, time.time())
        except SlackClientNotConnectedError:
            log.info("the connection was lost before an acknowledgement; the event comes again")
            return
        if response.status == 200:
            self.metrics.acked("socket", time.perf_counter() - start)


class Sockets:
    """Open connections. The SDK opens each again when it is lost; only the first opening is ours to repeat."""

    def __init__(self, handlers: tuple[AckHandler, ...]) -> None:
        self.handlers = handlers
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []

    @property
    def connected(self) -> bool:
        """Whether events can come in at this moment."""
        return any(handler.client.is_connected() for handler in self.handlers)

    def start(self) -> None:
        """Open them all, now or as soon as Slack is there. Raises: ConfigError: Slack refuses the token."""
        try_to_open(self.handlers[0])
        self.threads = run_all([partial(self.keep_trying, handler) for handler in self.handlers])

    def keep_trying(self, handler: AckHandler) -> None:
        """Until it was open once."""
        while not self.stopping.is_set() and not handler.client.is_connected():
            try:
                if try_to_open(handler):
                    return
            except ConfigError as error:
                log.error("%s", error)  # noqa: TRY400 - the sentence says it all
                return
            self.stopping.wait(RETRY_S)

    def close(self) -> None:
        """Close them all, within about a second. What was not acknowledged comes again."""
        self.stopping.set()
        for thread in (*self.threads, *run_all([handler.client.close for handler in self.handlers])):
            thread.join(CLOSE_S)


def run_all(functions: list[Callable[[], None]]) -> list[threading.Thread]:
    """Start each in a thread of its own."""
    threads = [threading.Thread(target=function, name="slack-socket", daemon=True) for function in functions]
    for thread in threads:
        thread.start()
    return threads


def start_socket_mode(
    app: App, settings: Settings, *, metrics: ServiceMetrics | None = None, connections: int = 2
) -> Sockets:
    """Connect the app to Slack.

    Args:
        app: made by `build_app`.
        settings: the app-level token and Slack's address.
        metrics: where acknowledgements are timed.
        connections: how many; Slack hands each event to one of them.

    Raises:
        ConfigError: Slack refuses the token. A Slack that cannot be reached is waited for in the background.
    """
    slack = settings.core.slack
    handlers = tuple(make_handler(app, slack.app_token, metrics or ServiceMetrics()) for _ in range(connections))
    sockets = Sockets(handlers)
    try:
        sockets.start()
    except ConfigError:
        sockets.close()
        raise
    return sockets


def make_handler(app: App, token: str, metrics: ServiceMetrics) -> AckHandler:
    """A handler that is not connected yet."""
    client = Connection(
        token,
        logger=logging.getLogger("bot.transport.socket_mode.client"),
        web_client=WebClient(base_url=app.client.base_url, timeout=10),
        ping_interval=PING_S,
        receive_buffer_size=RECEIVE_BYTES,
    )
    return AckHandler(app, client, metrics)


def try_to_open(handler: AckHandler) -> bool:
    """Open a connection. Returns: whether the SDK keeps it open from now on. Raises: ConfigError."""
    try:
        handler.client.connect()
    except SlackApiError as error:
        code = error.response.get("error")
        if code in FINAL:
            raise ConfigError(f"slack.app_token: Slack refuses it ({code})") from error
        log.warning("Slack opens no connection: %s", code)
    except TRANSIENT as error:
        log.warning("Slack cannot be reached: %s", error)
    else:
        return True
    return False
