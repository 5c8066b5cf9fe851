"""A stand-in on loopback for a server that is only read: it answers GET in JSON, and refuses whatever else."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = Callable[[str, dict[str, str]], Any]
"""The JSON for a path and its parameters. Raises: Refused."""


class Refused(Exception):
    """What a request has wrong: a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass
class JsonServer:
    """``asked``: paths with parameters, in order. ``token``: what the header ``authorization`` must be; any when empty.
    ``body``: what is sent in place of each answer, when set.
    """

    answer: Answer
    token: str = ""
    body: bytes | None = None
    asked: list[str] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def reply(self, path: str, authorization: str) -> tuple[int, bytes]:
        """The status and body for a request."""
        self.asked.append(path)
        if self.token and authorization != self.token:
            return 401, b'{"message": "invalid token"}'
        if self.body is not None:
            return 200, self.body
        split = urlsplit(path)
        try:
            params = {
                name: values[0] for name, values in parse_qs(split.query, strict_parsing=bool(split.query)).items()
            }
            return 200, json.dumps(self.answer(split.path, params)).encode()
        except Refused as error:
            return error.status, json.dumps({"message": str(error)}).encode()


@contextmanager
def run_json_server(answer: Answer, token: str = "") -> Iterator[JsonServer]:
    """A server that listens until the end."""
    server = JsonServer(answer, token)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            pass

        def do_GET(self) -> None:
            status, body = server.reply(self.path, self.headers.get("authorization", ""))
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    server.port = listener.server_port
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
