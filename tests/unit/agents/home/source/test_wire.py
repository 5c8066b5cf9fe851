"""A server that does not speak the API: each of its oddities is one sentence, in time."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from workers.agents.home.sections import HomeAssistantSection
from workers.agents.home.source.registries import read_registries
from workers.agents.home.source.rest_client import RestClient
from workers.errors import ToolDenied, ToolError, ToolUnavailable

Talk = Callable[[ServerConnection], None]


@contextmanager
def run_server(talk: Talk) -> Iterator[str]:
    """A WebSocket server on a free port of this machine."""

    def quietly(connection: ServerConnection) -> None:
        try:
            talk(connection)
        except ConnectionClosed:
            return

    with serve(quietly, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()


def access(url: str) -> HomeAssistantSection:
    return HomeAssistantSection(url=url, token="t", timeout_ms=300)


def sign_in(connection: ServerConnection) -> None:
    connection.send(json.dumps({"type": "auth_required"}))
    connection.recv()
    connection.send(json.dumps({"type": "auth_ok"}))


def refuses(connection: ServerConnection) -> None:
    connection.send(json.dumps({"type": "auth_required"}))
    connection.recv()
    connection.send(json.dumps({"type": "auth_invalid"}))


def speaks_nonsense(connection: ServerConnection) -> None:
    sign_in(connection)
    connection.send("<html>")
    connection.recv()


def is_silent(connection: ServerConnection) -> None:
    sign_in(connection)
    while True:
        connection.recv()


def chatters(connection: ServerConnection) -> None:
    sign_in(connection)
    while True:
        connection.send(json.dumps({"type": "event", "id": "x"}))


def knows_nothing(connection: ServerConnection) -> None:
    sign_in(connection)
    while True:
        number = json.loads(connection.recv())["id"]
        connection.send(json.dumps([{"id": number, "type": "result", "success": False}]))


def answers_oddly(connection: ServerConnection) -> None:
    sign_in(connection)
    while True:
        number = json.loads(connection.recv())["id"]
        connection.send(json.dumps({"id": number, "type": "result", "success": True, "result": [7, None, {"a": 1}]}))


@pytest.mark.parametrize("talk", [speaks_nonsense, is_silent, chatters])
def test_what_is_no_answer_is_said(talk: Talk) -> None:
    with run_server(talk) as url, pytest.raises(ToolUnavailable):
        read_registries(access(url), ["scene.x"])


def test_a_refused_token_is_denied() -> None:
    with run_server(refuses) as url, pytest.raises(ToolDenied):
        read_registries(access(url))


@pytest.mark.parametrize("talk", [knows_nothing, answers_oddly])
def test_commands_that_are_not_known_leave_their_lists_empty(talk: Talk) -> None:
    with run_server(talk) as url:
        lists = read_registries(access(url), ["scene.x", "script.y"])
    assert list(lists.named) == []
    assert lists.related == {"scene.x": None, "script.y": None}


def test_a_server_without_the_rest_api_is_said() -> None:
    with run_server(is_silent) as url, pytest.raises(ToolError):
        RestClient(access(url)).states()
