"""Requests that do not arrive in time, at a real server."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request

from bot.transport.patient_protocol import PatientProtocol, told_of_slow
from bot.transport.web import read_body

SLOW_S = 1.0


@pytest.fixture
def served() -> Iterator[tuple[int, list[int]]]:
    """A server that waits a second for a request: its port, and a mark for each that was too slow."""
    web, slow = FastAPI(), [0]

    @web.post("/said")
    async def said(request: Request) -> int:
        return len(await read_body(request) or b"")

    @web.get("/long")
    async def long() -> str:
        await asyncio.sleep(2 * SLOW_S)
        return "done"

    def count() -> None:
        slow[0] += 1

    protocol: type[PatientProtocol] = told_of_slow(count)
    protocol.arrives_s = SLOW_S
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(web, http=protocol, log_config=None))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield int(listening.getsockname()[1]), slow
        server.should_exit = True
        thread.join()


def rest_of(connection: socket.socket) -> bytes:
    connection.settimeout(60)
    said = b""
    while part := connection.recv(1_000):
        said += part
    return said


HEAD = b"POST /said HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n"


@pytest.mark.parametrize("begun", [b"", b"POST /sa", HEAD, HEAD + b"12345"])
def test_a_request_that_stops_half_way_is_closed(served: tuple[int, list[int]], begun: bytes) -> None:
    port, slow = served
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(begun)
        assert rest_of(connection).startswith(b"HTTP/1.1 408 ")
    assert slow == [1]


def test_a_byte_now_and_then_wins_no_time(served: tuple[int, list[int]]) -> None:
    port, slow = served
    with socket.create_connection(("127.0.0.1", port)) as connection:
        end = time.monotonic() + 30
        while not slow[0] and time.monotonic() < end:
            connection.sendall(b"x" if time.monotonic() else b"")
            time.sleep(SLOW_S / 5)
            if slow[0]:
                break
    assert slow == [1] or time.monotonic() < end


def test_many_silent_connections_are_all_closed(served: tuple[int, list[int]]) -> None:
    port, slow = served
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
    assert all(rest_of(one).startswith(b"HTTP/1.1 408 ") for one in connections)
    assert slow == [200]
    for one in connections:
        one.close()
    assert httpx.post(f"http://127.0.0.1:{port}/said", content=b"hello").json() == 5


def test_what_arrives_in_time_may_be_answered_late_and_asked_again(served: tuple[int, list[int]]) -> None:
    port, slow = served
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        assert client.get("/long").json() == "done"
        time.sleep(SLOW_S / 2)
        assert client.post("/said", content=b"hello").json() == 5
        assert client.get("/long").json() == "done"
    assert slow == [0]
