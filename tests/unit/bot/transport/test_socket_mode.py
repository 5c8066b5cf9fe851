"""Socket Mode against a small server: opened, acknowledged, opened again, closed."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from slack_sdk.socket_mode.builtin import SocketModeClient
from slack_sdk.socket_mode.builtin.connection import Connection as Session
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from bot.transport.socket_mode import Connection, Sockets, start_socket_mode
from tests.support.slack_payloads import SECRET, command, mention, stand_in, wait_for
from tests.unit.bot.conftest import Bot
from workers.errors import ConfigError
from workers.settings.load import load_settings


class Envelopes:
    """The server's end: connections that are open, and what came back over them."""

    def __init__(self) -> None:
        self.open: list[ServerConnection] = []
        self.acks: list[dict[str, Any]] = []

    def hold(self, connection: ServerConnection) -> None:
        connection.send(json.dumps({"type": "hello", "num_connections": 1}))
        self.open.append(connection)
        try:
            for text in connection:
                self.acks.append(json.loads(text))
        except ConnectionClosed:
            pass
        finally:
            self.open.remove(connection)

    def send(self, envelope_id: str, kind: str, payload: dict[str, Any], **more: Any) -> None:
        envelope = {"envelope_id": envelope_id, "type": kind, "payload": payload, **more}
        wait_for(lambda: self.open)[0].send(json.dumps(envelope))


@pytest.fixture
def slack() -> Iterator[tuple[Envelopes, str]]:
    """A WebSocket server, and its address."""
    envelopes = Envelopes()
    with serve(envelopes.hold, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield envelopes, f"ws://127.0.0.1:{server.socket.getsockname()[1]}/link/?ticket=1"
        server.shutdown()
        thread.join()


def socket_bot(address: str) -> Bot:
    keys = {"bot_token": "xoxb-1", "app_token": "xapp-1", "signing_secret": SECRET, "api_url": address}
    return Bot(load_settings({f"oracle.slack.{key}": value for key, value in keys.items()}), [])


@contextmanager
def connected(bot: Bot, connections: int = 1) -> Iterator[Sockets]:
    sockets = start_socket_mode(bot.app, bot.settings, metrics=bot.metrics, connections=connections)
    try:
        yield sockets
    finally:
        sockets.close()
    assert not sockets.connected


def test_events_are_acknowledged_once_they_are_committed(slack: tuple[Envelopes, str]) -> None:
    envelopes, url = slack
    with stand_in(url=url) as (address, calls):
        bot = socket_bot(address)
        with connected(bot) as sockets:
            assert sockets.connected
            bot.ledger.broken = True
            envelopes.send("e1", "events_api", mention())
            wait_for(lambda: 'oracle_events_refused_total{reason="store_unavailable"} 1.0' in bot.counted)
            bot.ledger.broken = False
            envelopes.send("e2", "events_api", mention(), retry_attempt=1, retry_reason="timeout")
            assert wait_for(lambda: envelopes.acks) == [{"envelope_id": "e2"}]
            envelopes.send("e3", "slash_commands", command())
            wait_for(lambda: len(envelopes.acks) == 2)
            assert envelopes.acks[1]["payload"]["text"].startswith("Looking into it")
            wait_for(lambda: len(bot.rung) == 2)
            wait_for(lambda: 'oracle_ack_seconds_count{transport="socket"} 2.0' in bot.counted)
    opened, told_once = calls
    assert (opened[0], opened[1]["token"]) == ("apps.connections.open", "Bearer xapp-1")
    assert told_once[0] == "chat.postMessage", "what could not be kept is told in its thread"


def test_two_connections_and_a_lost_one_is_opened_again(slack: tuple[Envelopes, str]) -> None:
    envelopes, url = slack
    with stand_in(url=url) as (address, calls):
        bot = socket_bot(address)
        with connected(bot, connections=2) as sockets:
            wait_for(lambda: len(envelopes.open) == 2)
            envelopes.open[0].close()
            wait_for(lambda: len(calls) == 3 and len(envelopes.open) == 2)
            assert sockets.connected


def test_a_refused_token_is_a_mistake_in_the_settings() -> None:
    before = set(threading.enumerate())  # another test's may still be ending
    with stand_in(ok=False, error="invalid_auth") as (address, _):
        bot = socket_bot(address)
        with pytest.raises(ConfigError, match=r"slack.app_token: Slack refuses it \(invalid_auth\)"):
            start_socket_mode(bot.app, bot.settings)
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "slack-socket"]


def test_a_slack_that_comes_later_is_waited_for(slack: tuple[Envelopes, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.transport.socket_mode.RETRY_S", 0.05)
    envelopes, url = slack
    with stand_in(ok=False, error="internal_error") as (address, calls):
        port = int(address.split(":")[2].partition("/")[0])
        bot = socket_bot(address)
        sockets = start_socket_mode(bot.app, bot.settings, connections=1)
        wait_for(lambda: len(calls) > 2)
    try:
        assert not sockets.connected
        with stand_in(port, url=url):
            wait_for(lambda: sockets.connected)
            envelopes.send("e1", "events_api", mention())
            assert wait_for(lambda: envelopes.acks) == [{"envelope_id": "e1"}]
    finally:
        sockets.close()


def test_a_session_whose_socket_is_gone_by_the_time_of_its_lock_is_closed_all_the_same() -> None:
    client = Connection("xapp-1")
    session = Session("ws://127.0.0.1:9", client.logger)

    @contextmanager
    def late() -> Iterator[None]:
        session.sock = None
        yield

    session.sock, session.sock_send_lock = socket.socket(), late()
    opened, client.current_session = session.sock, session
    client.close()
    opened.close()
    assert client.closed
    assert not client.message_processor.is_alive()


def test_what_is_closed_while_it_opens_stays_closed(
    slack: tuple[Envelopes, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    envelopes, url = slack
    real = SocketModeClient.connect

    def closed_meanwhile(client: SocketModeClient) -> None:
        closing = threading.Thread(target=client.close)
        closing.start()
        wait_for(lambda: client.closed)
        real(client)
        closing.join()

    monkeypatch.setattr(SocketModeClient, "connect", closed_meanwhile)
    client = Connection("xapp-1", ping_interval=0.05)
    client.wss_uri = url
    client.connect()
    wait_for(lambda: not envelopes.open)
    assert not client.auto_reconnect_enabled
    wait_for(lambda: not client.current_app_monitor.is_alive())
