"""A web site on loopback whose every answer is written by the test, and which notes who asked for what."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Reply = bytes | tuple[int, dict[str, str], bytes] | Callable[[BaseHTTPRequestHandler], None]


@dataclass
class WebSite:
    """``pages``: by path a body, a status with headers and body, or what writes the answer. ``asked``: paths in order;
    ``headers``: of the last request; ``touched``: how many connections came.
    """

    port: int = 0
    pages: dict[str, Reply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    touched: int = 0

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Its address, without a closing slash."""
        return f"http://{self.host}"


@contextmanager
def run_web_site(certificate: Path | None = None, key: Path | None = None) -> Iterator[WebSite]:
    """A site that listens until the end, over TLS when it is given a certificate and its key."""
    site = WebSite()

    class Handler(BaseHTTPRequestHandler):
        def setup(self) -> None:
            site.touched += 1
            super().setup()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            pass

        def do_GET(self) -> None:
            site.asked.append(self.path)
            site.headers = {name.lower(): value for name, value in self.headers.items()}
            found = site.pages.get(self.path, (404, {}, b""))
            with suppress(BrokenPipeError, ConnectionResetError):
                if callable(found):
                    found(self)
                    return
                status, headers, body = (200, {}, found) if isinstance(found, bytes) else found
                self.send_response(status)
                for name, value in ({"content-type": "text/html"} | headers).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
