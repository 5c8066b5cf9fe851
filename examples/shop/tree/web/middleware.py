"""What happens around every request: the endpoint's label, timing, errors, the slow-request log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from db.pool import PoolExhausted
from metrics import Instruments
from web import context
from web.request import HTTPError, Request, Response, from_environ
from web.router import Router

log = logging.getLogger("shop.web")


class Application:
    """The WSGI application."""

    def __init__(self, router: Router, instruments: Instruments, slow_seconds: float) -> None:
        self._router, self._instruments, self._slow_seconds = router, instruments, slow_seconds

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        started = time.perf_counter()
        endpoint, response = self.respond(environ)
        seconds = time.perf_counter() - started
        self._instruments.http_seconds.observe(endpoint, value=seconds)
        self._instruments.http_requests.add(endpoint, str(response.status))
        if seconds > self._slow_seconds:
            log.warning("slow request: %s took %.3f s", endpoint, seconds)
        body = response.encoded()
        headers = {"Content-Type": response.content_type, "Content-Length": str(len(body))}
        status = f"{response.status} {HTTPStatus(response.status).phrase}"
        start_response(status, list({**headers, **response.headers}.items()))
        return [body]

    def respond(self, environ: dict[str, Any]) -> tuple[str, Response]:
        endpoint = "unknown"
        try:
            route, request = self._router.find(from_environ(environ))
            endpoint = route.endpoint
            return endpoint, self.run(route.handler, request, endpoint)
        except HTTPError as error:
            return endpoint, Response({"error": error.message}, status=error.status)
        except PoolExhausted as error:
            log.error("%s: %s", endpoint, error)
            return endpoint, Response({"error": "busy, try again"}, 503, {"Retry-After": "1"})
        except Exception:
            log.exception("unhandled error in %s", endpoint)
            return endpoint, Response({"error": "internal error"}, status=500)

    def run(
        self, handler: Callable[[Request], Response], request: Request, endpoint: str
    ) -> Response:
        token = context.endpoint.set(endpoint)
        try:
            return handler(request)
        finally:
            context.endpoint.reset(token)
