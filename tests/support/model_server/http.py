"""The HTTP side of the programmable Messages API server: sends replies, and breaks off where it is told to."""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.support.model_server.replies import (
    Broken,
    Event,
    Message,
    Odd,
    Raw,
    Reply,
    Slow,
    Status,
    as_bytes,
    error_body,
    oddly,
    stream_of,
)

if TYPE_CHECKING:
    from tests.support.model_server.server import MessagesServer, Request

LOOK_S = 0.02
ABORT = struct.pack("ii", 1, 0)


class Gone(Exception):
    """The client left, or the server stops."""


class Door(ThreadingHTTPServer):
    """Listens; one thread a connection, all of them joined at the end."""

    daemon_threads = False

    def __init__(self, state: MessagesServer, handler: type[Handler]) -> None:
        self.state = state
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), handler)

    def stop(self) -> None:
        """End every reply and every connection."""
        self.state.stopping.set()
        self.shutdown()
        for connection in list(self.connections):
            hang_up(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error; anything else is one of ours and is shown."""
        import sys

        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def hang_up(connection: socket.socket) -> None:
    """Wake whoever waits for this connection."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Door
    between_s = 0.0
    aborted = False

    def setup(self) -> None:
        """Note the connection, so that it can be ended."""
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        """The connection is over."""
        self.server.connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Silent: the requests are kept."""

    def do_GET(self) -> None:
        """``/v1/models/{id}``."""
        folder, _, name = self.path.partition("?")[0].rpartition("/")
        if folder != "/v1/models":
            self.send_whole(404, error_body("not_found_error", "Not found"))
            return
        self.send_whole(*self.server.state.model_info(name))

    def do_POST(self) -> None:
        """``/v1/messages``, ``/v1/messages/count_tokens`` and ``/v1/chat/completions``."""
        from tests.support.model_server.server import PATHS, Request

        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.partition("?")[0]
        if path not in PATHS:
            self.send_whole(404, error_body("not_found_error", "Not found"))
            return
        request = Request(path, {name.lower(): value for name, value in self.headers.items()}, raw)
        found = self.server.state.take(request)
        try:
            if isinstance(found, dict):
                self.send_whole(200, found)
            else:
                self.send_reply(request, found)
        except (Gone, ConnectionError):
            request.left = not self.server.state.stopping.is_set()
            self.close_connection = True

    def send_reply(self, request: Request, reply: Reply) -> None:
        """Send a reply, slowly when it says so."""
        if isinstance(reply, Slow):
            self.between_s = reply.between_s
            self.wait(reply.first_byte_s)
            self.send_reply(request, reply.reply)
        elif isinstance(reply, Status):
            self.send_error_body(request, reply)
        elif isinstance(reply, Raw):
            self.send_bytes(reply.code, reply.body, reply.content_type)
        elif request.body.get("stream"):
            self.send_stream(request, reply)
        else:
            self.send_message(request, reply)

    def send_message(self, request: Request, reply: Reply) -> None:
        """A message as one body, broken off half way when the reply is."""
        message, events, broken = self.unfold(request, reply)
        body = json.dumps(self.server.state.in_dialect(request, message)).encode()
        if broken and broken.how == "error":
            self.send_error_body(request, Status(500, broken.error))
            return
        self.start(200, {"content-type": "application/json", "content-length": str(len(body))})
        size = -(-len(body) // len(events)) if self.between_s else len(body)
        end = len(body) // 2 if broken else len(body)
        for at in range(0, end, size):
            self.wfile.write(body[at : min(at + size, end)])
            self.wait(self.between_s)
        if broken:
            self.break_off(broken)

    def send_stream(self, request: Request, reply: Reply) -> None:
        """A message as events, in chunks."""
        _, events, broken = self.unfold(request, reply)
        self.start(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for event in events[: broken.after_events] if broken else events:
            self.send_chunk(as_bytes(event))
            self.wait(self.between_s)
        if broken and broken.half:
            data = as_bytes(events[broken.after_events])
            self.send_chunk(data[: len(data) // 2])
        if broken and broken.how == "error":
            self.send_chunk(as_bytes(("error", error_body(broken.error, broken.error))))
        if broken and broken.how not in {"cut", "error"}:
            self.break_off(broken)
        else:
            self.wfile.write(b"0\r\n\r\n")

    def unfold(self, request: Request, reply: Reply) -> tuple[dict[str, Any], list[Event], Broken | None]:
        """The message of a reply, its events, and where it breaks off."""
        broken, odd = None, ""
        while not isinstance(reply, Message):
            if isinstance(reply, Broken):
                broken = reply
            elif isinstance(reply, Odd):
                odd = reply.sort
            else:
                raise TypeError(f"{type(reply).__name__} inside another reply")
            reply = reply.reply
        message = self.server.state.whole(request, reply)
        events = stream_of(message)
        return message, oddly(events, odd) if odd else events, broken

    def break_off(self, broken: Broken) -> None:
        """Leave a body unfinished."""
        self.close_connection = True
        if broken.how == "stall":
            self.wait(float("inf"))
        if broken.how == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            self.server.connections.discard(self.connection)
            os.close(self.connection.detach())

    def wait(self, seconds: float) -> None:
        """Raises: Gone: the client left meanwhile, or the server stops."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.connection], [], [], min(LOOK_S, left))
            gone = ready and not self.connection.recv(1, socket.MSG_PEEK)
            if gone or self.server.state.stopping.is_set():
                raise Gone
            if ready:
                time.sleep(min(LOOK_S, left))

    def send_error_body(self, request: Request, error: Status) -> None:
        """An error, as the request's dialect words it."""
        self.send_whole(error.code, self.server.state.error_in_dialect(request, error), error.headers)

    def send_whole(self, code: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        """A JSON body."""
        self.send_bytes(code, json.dumps(body).encode(), "application/json", headers)

    def send_bytes(
        self, code: int, body: bytes, content_type: str = "application/json", headers: dict[str, str] | None = None
    ) -> None:
        """A body of known length."""
        self.start(code, {"content-type": content_type, "content-length": str(len(body)), **(headers or {})})
        self.wfile.write(body)

    def start(self, code: int, headers: dict[str, str]) -> None:
        """Status line and headers."""
        self.send_response(code)
        for name, value in {"request-id": self.server.state.number("req"), **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_chunk(self, data: bytes) -> None:
        """One chunk of a body."""
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
