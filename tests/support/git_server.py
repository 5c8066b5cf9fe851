"""A real git server over HTTP on loopback: ``git http-backend`` behind a few lines of CGI."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass
class GitServer:
    """Serves the repositories of a folder. ``user`` and ``token``: whom it lets in; everybody when empty.

    ``asked`` holds method and path of each request; ``elsewhere``: an address that all requests are sent on to;
    ``gate``: packs wait for it.
    """

    folder: Path
    url: str = ""
    user: str = ""
    token: str = ""
    elsewhere: str = ""
    gone: bool = False
    asked: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)

    def address(self, name: str) -> str:
        """Of one repository."""
        return f"{self.url}/{name}"


class GitHandler(BaseHTTPRequestHandler):
    """One request."""

    state: GitServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        pass

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.answer(body)

    def answer(self, body: bytes) -> None:
        self.state.asked.append(f"{self.command} {self.path}")
        self.state.given.append(self.headers.get("authorization", ""))
        if self.state.gone:
            self.plain(404)
        elif self.state.elsewhere:
            self.plain(302, location=self.state.elsewhere + self.path)
        elif self.state.token and not self.allowed():
            self.plain(401, **{"www-authenticate": 'Basic realm="git"'})
        else:
            if self.path.endswith("git-upload-pack") and self.command == "POST" and b"fetch" in body:
                self.state.gate.wait(60)
            self.serve(body)

    def allowed(self) -> bool:
        pair = base64.b64encode(f"{self.state.user}:{self.state.token}".encode()).decode()
        return self.headers.get("authorization") == f"Basic {pair}"

    def plain(self, code: int, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", "0")
        self.end_headers()

    def serve(self, body: bytes) -> None:
        parts = urlsplit(self.path)
        env = os.environ | {
            "GIT_PROJECT_ROOT": str(self.state.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        rows = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((value for name, value in rows if name.lower() == "status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in rows:
            if name.lower() != "status":
                self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def run_git_server(folder: Path) -> Iterator[GitServer]:
    """Serve until the block ends."""
    state = GitServer(folder)
    state.gate.set()

    handler = type("Handler", (GitHandler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
