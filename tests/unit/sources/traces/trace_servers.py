"""Stand-ins on loopback for Tempo and Jaeger, with the paths, arguments and shapes of their APIs."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.unit.sources.traces.span_formats import as_jaeger, as_otlp, nanos
from workers.sources.traces.span import Span

CONDITION = re.compile(r'(resource\.service\.name|name|status|duration) (=|>=) (?:"((?:[^"\\]|\\.)*)"|(\w+))')
Query = dict[str, str]


class Refusal(Exception):
    """A status and what is said with it."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status, self.body = status, body


@dataclass
class Asked:
    """``paths``: with their arguments, in order; ``headers``: of the last request, names in lower case."""

    url: str = ""
    paths: list[tuple[str, Query]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def serve(answer: Callable[[str, Query], Any], token: str = "") -> Iterator[Asked]:
    """A server that listens until the end. ``answer``: JSON of a path and its arguments; raises `Refusal`."""
    asked = Asked()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            pass

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(url.query).items()}
            asked.paths.append((url.path, query))
            asked.headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                known = not token or asked.headers.get("authorization") == f"Bearer {token}"
                status, body = (200, answer(url.path, query)) if known else (401, "unauthorized")
            except Refusal as refusal:
                status, body = refusal.status, refusal.body
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    asked.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def by_trace(spans: Sequence[Span]) -> dict[str, list[Span]]:
    """Traces, newest first."""
    found: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda s: s.start, reverse=True):
        found.setdefault(span.trace_id, []).append(span)
    return {trace_id: [s for s in spans if s.trace_id == trace_id] for trace_id in found}


def tempo_answers(spans: Sequence[Span], *, old: bool = False) -> Callable[[str, Query], Any]:
    """What a Tempo answers. ``old``: it has no version 2 of its paths."""
    traces = by_trace(spans)

    def fits(span: Span, query: str) -> bool:
        inside = query.removeprefix("{").removesuffix("}").strip()
        for part in filter(None, inside.split(" && ")):
            match = CONDITION.fullmatch(part)
            if match is None:
                raise Refusal(400, f"parse error: {part}")
            wanted = match[3].replace('\\"', '"').replace("\\\\", "\\") if match[3] is not None else match[4]
            holds = {
                "resource.service.name": span.service == wanted,
                "name": span.name == wanted,
                "status": span.error and wanted == "error",
                "duration": match[1] == "duration" and span.duration_ms * 1e3 >= int(wanted.removesuffix("us")),
            }
            if not holds[match[1]]:
                return False
        return True

    def answer(path: str, query: Query) -> Any:
        if path == "/api/search/tag/service.name/values":
            return {"tagValues": sorted({s.service for s in spans}), "metrics": {}}
        if path == "/api/search":
            start, end = int(query["start"]), int(query["end"])
            found = [
                {
                    "traceID": trace_id.lstrip("0"),
                    "rootServiceName": of_trace[0].service,
                    "rootTraceName": of_trace[0].name,
                    "startTimeUnixNano": str(nanos(of_trace[0].start)),
                    "durationMs": round(of_trace[0].duration_ms),
                }
                for trace_id, of_trace in traces.items()
                if any(fits(s, query["q"]) and start <= s.start.timestamp() <= end for s in of_trace)
            ]
            return {"traces": found[: int(query["limit"])], "metrics": {"inspectedTraces": len(traces)}}
        match = re.fullmatch(r"/api/(v2/)?traces/(\w+)", path)
        trace_id = match[2].rjust(32, "0") if match else ""
        if match is None or trace_id not in traces or (match[1] and old):
            raise Refusal(404, "trace not found")
        if match[1]:
            return {"trace": as_otlp(traces[trace_id], encoded=True), "status": "COMPLETE"}
        return as_otlp(traces[trace_id], "batches", encoded=True)

    return answer


def jaeger_answers(spans: Sequence[Span]) -> Callable[[str, Query], Any]:
    """What a Jaeger answers."""
    traces = by_trace(spans)

    def refuse(status: int, said: str) -> Refusal:
        return Refusal(status, {"data": None, "total": 0, "errors": [{"code": status, "msg": said}]})

    def answer(path: str, query: Query) -> Any:
        if path == "/api/services":
            return {"data": sorted({s.service for s in spans}), "total": 2, "errors": None}
        if path == "/api/traces":
            if "service" not in query:
                raise refuse(400, "parameter 'service' is required")
            start, end = int(query["start"]), int(query["end"])
            least_ms = int(query.get("minDuration", "0us").removesuffix("us")) / 1e3
            failing = json.loads(query.get("tags", "{}")) == {"error": "true"}
            found = [
                of_trace
                for of_trace in traces.values()
                if any(
                    s.service == query["service"]
                    and query.get("operation", s.name) == s.name
                    and start <= s.start.timestamp() * 1e6 <= end
                    and s.duration_ms >= least_ms
                    and (s.error or not failing)
                    for s in of_trace
                )
            ]
            return as_jaeger(s for of_trace in found[: int(query["limit"])] for s in of_trace)
        trace_id = path.removeprefix("/api/traces/")
        if trace_id not in traces:
            raise refuse(404, "trace not found")
        return as_jaeger(traces[trace_id])

    return answer
