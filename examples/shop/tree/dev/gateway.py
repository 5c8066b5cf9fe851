"""Stand-ins for the payment gateway and the recommender: ``python -m dev.gateway``.

The card token decides what the gateway does: ``declined`` is refused, ``flaky-2`` fails twice and then
works, ``busy`` is always told to come back later, ``slow`` takes two seconds.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, Any]]


class Gateway:
    """Remembers charges by idempotency key, as the real one does."""

    def __init__(self) -> None:
        self.charges: dict[str, dict[str, Any]] = {}
        self.calls: list[str] = []

    def answer(self, method: str, path: str, key: str, body: dict[str, Any]) -> Answer:
        self.calls.append(path)
        if method == "GET" and path.startswith("/v1/charges"):
            found = self.charges.get(key)
            return (200, found) if found else (404, {})
        if path.endswith("/refund"):
            return self.refund(path.split("/")[3])
        return self.charge(key, body)

    def charge(self, key: str, body: dict[str, Any]) -> Answer:
        token = str(body.get("card_token", ""))
        failing = re.fullmatch(r"flaky-(\d+)", token)
        if failing and len(self.calls) <= int(failing[1]):
            return 503, {}
        if token == "busy":
            return 429, {}
        if token == "declined":
            return 402, {"reason": "insufficient funds"}
        if token == "slow":
            time.sleep(2)
        number = len(self.charges) + 1
        made = {"id": f"ch_t{number}", "amount_cents": body["amount_cents"], "state": "captured"}
        return 201, self.charges.setdefault(key, made)

    def refund(self, charge_id: str) -> Answer:
        for charge in self.charges.values():
            if charge["id"] == charge_id:
                charge["state"] = "refunded"
                return 200, charge
        return 404, {}


class Recommender:
    def __init__(self, delay_seconds: float = 0.02) -> None:
        self.delay_seconds = delay_seconds

    def answer(self, method: str, path: str, key: str, body: dict[str, Any]) -> Answer:
        time.sleep(self.delay_seconds)
        user_id = int(path.split("/")[3])
        return 200, {"products": [(user_id * 7 + step * 13) % 200 + 1 for step in range(12)]}


def serve(service: Gateway | Recommender, port: int = 0) -> ThreadingHTTPServer:
    """Start one in a thread and return its server; ``server_port`` says where."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            key = self.headers.get("Idempotency-Key", "")
            status, payload = service.answer(self.command, self.path, key, body)
            raw = json.dumps(payload).encode()
            with contextlib.suppress(BrokenPipeError):  # the caller's time was up
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        do_GET = do_POST

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


if __name__ == "__main__":
    serve(Gateway(), 9701)
    serve(Recommender(), 9702)
    print("payment gateway on 9701, recommender on 9702")
    threading.Event().wait()
