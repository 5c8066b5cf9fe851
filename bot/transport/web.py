"""The bot over HTTP: Slack's events, commands and buttons, health, readiness and metrics."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from slack_bolt import App, BoltRequest
from starlette.requests import ClientDisconnect

from bot.middleware.losses import is_full
from bot.transport.arrivals import arrived
from workers.errors import StoreUnavailable
from workers.requests.ledger import Ledger
from workers.settings.load import Settings
from workers.store.request_jobs import AT_REST
from workers.telemetry.service_metrics import LedgerState, ServiceMetrics

MAX_BODY_BYTES = 1_000_000
WINDOW_S = 300
"""So old may a signature be, as Slack documents."""
DISPATCHERS = 32
"""Threads that wait for the database; their own, so that health is still told while all of them wait."""
HEADERS = (
    "content-type",
    "x-slack-signature",
    "x-slack-request-timestamp",
    "x-slack-retry-num",
    "x-slack-retry-reason",
)
UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What Bolt raises on a body that is not Slack's."""

log = logging.getLogger(__name__)


def build_web(
    settings: Settings,
    ledger: Ledger,
    app: App | None,
    *,
    ready: Callable[[], dict[str, bool]],
    metrics: ServiceMetrics,
    probe: Callable[[], object] = lambda: None,
) -> FastAPI:
    """Build the server's application.

    Args:
        settings: without a signing secret no event is taken over HTTP.
        ledger: asked for the age of the oldest open question.
        app: None when Slack is not connected at all.
        ready: each part this process needs (database, slack, broker), and whether it is there; may block.
        probe: writes something; raises StoreUnavailable where nothing can be kept.
        metrics: rendered under ``/metrics``, with the state of the ledger.
    """
    metrics.watch(partial(read_inbox, ledger))
    pool = ThreadPoolExecutor(DISPATCHERS, thread_name_prefix="slack-dispatch")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        pool.shutdown(wait=False, cancel_futures=True)

    web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    if app is not None and settings.core.slack.signing_secret:
        add_events(web, app, pool, metrics)

    @web.get("/healthz")
    def health() -> dict[str, Any]:
        try:
            probe()
            state = read_inbox(ledger)
        except StoreUnavailable as error:
            log.warning("nothing can be kept: %s", error)
            status = "disk full" if is_full(error) else "database unavailable"
            return {"status": status, "oldest_unanswered_s": None, "open": None}
        return {"status": "ok", "oldest_unanswered_s": round(state.oldest_open_s, 3), "open": state.open}

    @web.get("/readyz")
    def readiness() -> JSONResponse:
        try:
            parts = ready()
        except Exception:
            log.exception("whether this process is ready cannot be told")
            return JSONResponse({"error": "whether this process is ready cannot be told"}, status_code=503)
        away = ", ".join(name for name, there in parts.items() if not there)
        told = {"error": f"not ready: no answer from {away}"} if away else {}
        return JSONResponse({**parts, **told}, status_code=503 if away else 200)

    @web.get("/metrics")
    def counters() -> Response:
        return Response(metrics.render(), headers={"content-type": CONTENT_TYPE_LATEST})

    return web


def add_events(web: FastAPI, app: App, pool: ThreadPoolExecutor, metrics: ServiceMetrics) -> None:
    """The one address for Slack's events, commands and interactions."""

    @web.post("/slack/events")
    async def events(request: Request) -> Response:
        start, arrived_s = time.perf_counter(), time.time()
        if not is_signed_lately(request.headers, arrived_s):
            metrics.turned_away("Slack", "no signature of now")
            return JSONResponse({"error": "invalid request"}, status_code=401)
        body = await read_body(request)
        if body is None:
            metrics.turned_away("Slack", "too large")
            return JSONResponse({"error": f"larger than {MAX_BODY_BYTES:,} bytes"}, status_code=413)
        headers = {name: request.headers[name] for name in HEADERS if name in request.headers}
        response = await asyncio.get_running_loop().run_in_executor(pool, dispatch, app, body, headers, arrived_s)
        if response.status_code in {400, 401}:
            metrics.turned_away("Slack", "wrong signature" if response.status_code == 401 else "unreadable")
        if response.status_code < 300:
            metrics.acked("http", time.perf_counter() - start)
        return response


async def read_body(request: Request, most_bytes: int = MAX_BODY_BYTES) -> bytes | None:
    """The body; None when it is larger than so many bytes, of which no more is read."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > most_bytes:
        return None
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most_bytes:
                return None
    except ClientDisconnect as error:
        log.info("%s: the connection was closed before all of the request had come", request.url.path)
        raise HTTPException(400, "the connection was closed") from error
    return bytes(body)


def is_signed_lately(headers: Mapping[str, str], now_s: float) -> bool:
    """Whether there is a signature, made within Slack's five minutes of the moment at which the request came.

    Whether it is right is checked by Bolt with the body, and its age once more, as of that moment: what waits for a
    thread after this grows no older.
    """
    signature, stamp = headers.get("x-slack-signature", ""), headers.get("x-slack-request-timestamp", "")
    if not (signature.isascii() and signature and stamp.isascii() and stamp.isdecimal() and len(stamp) < 20):
        return False
    return abs(int(now_s) - int(stamp)) <= WINDOW_S


def dispatch(app: App, body: bytes, headers: dict[str, str], arrived_s: float) -> Response:
    """Hand a request that came at a moment to Bolt, which checks its signature and waits for the database."""
    try:
        request = BoltRequest(body=body.decode("utf-8"), headers=dict(headers))
    except UNREADABLE:
        return JSONResponse({"error": "not a Slack request"}, status_code=400)
    try:
        with arrived(arrived_s):
            response = app.dispatch(request)
    except UNREADABLE as error:
        log.warning("a request of Slack's cannot be read: %s: %.200s", type(error).__name__, error)
        return JSONResponse({"error": "not a Slack request that can be read"}, status_code=400)
    return Response(response.body, status_code=response.status, headers=response.first_headers_without_set_cookie())


def read_inbox(ledger: Ledger) -> LedgerState:
    """What health and metrics show of the ledger. Raises: StoreUnavailable."""
    counts = ledger.counts()
    still_open = sum(number for stage, number in counts.items() if stage not in AT_REST)
    return LedgerState(counts, still_open, ledger.oldest_open_s())
