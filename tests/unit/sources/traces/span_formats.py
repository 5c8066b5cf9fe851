"""Spans as each format writes them, and a checkout whose payments fail, to read back."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from workers.sources.traces.span import Span

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
CHECKOUT, BROWSE = "0af7651916cd43dd8448eb211c80319c", "1bf7651916cd43dd8448eb211c80319d"
ORDER = ("", "internal", "server", "client", "producer", "consumer")


def make_span(
    span_id: str = "a",
    parent_id: str = "",
    service: str = "shop",
    name: str = "GET /",
    begin_ms: float = 0.0,
    duration_ms: float = 100.0,
    *,
    trace_id: str = "t1",
    error: bool = False,
    kind: str = "",
    **attributes: str,
) -> Span:
    """A span that begins so many ms after noon; ``_`` in names of attributes is a dot."""
    said = {name.replace("_", "."): value for name, value in attributes.items()}
    start = NOON + timedelta(milliseconds=begin_ms)
    return Span(trace_id, span_id, parent_id, service, name, start, duration_ms, error, kind, said)


def spans_of_the_shop() -> tuple[Span, ...]:
    """A checkout of 1 s whose bank fails after eight queries, and a page view of 100 ms, one minute earlier."""

    def span(number: int, parent: int, *rest: Any, **more: Any) -> Span:
        above = f"{parent:016x}" if parent else ""
        return make_span(f"{number:016x}", above, *rest, trace_id=CHECKOUT, **more)

    queries = [
        span(20 + n, 3, "payments", f"SELECT card {n}", 110 + n * 50, 50, kind="client", db_system="postgresql")
        for n in range(8)
    ]
    return (
        span(1, 0, "shop", "POST /checkout", 0, 1_000, kind="server", error=True),
        span(2, 1, "shop", "POST payments", 100, 700, kind="client", error=True),
        span(3, 2, "payments", "charge", 105, 690, kind="server", error=True),
        *queries,
        span(40, 3, "payments", "POST bank", 520, 250, kind="client", error=True, server_address="bank.example"),
        make_span("00000000000000b1", "", "shop", "GET /", -60_000, 100, trace_id=BROWSE, kind="server"),
    )


def nanos(moment: datetime) -> int:
    """Since 1970."""
    return round((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1_000


def as_otlp(spans: Iterable[Span], holder: str = "resourceSpans", *, encoded: bool = False) -> dict[str, Any]:
    """An export; ``encoded``: ids in base64, as Tempo sends them."""

    def told(span_id: str) -> str:
        return base64.b64encode(bytes.fromhex(span_id)).decode() if encoded and span_id else span_id

    def row(span: Span) -> dict[str, Any]:
        start = nanos(span.start)
        return {
            "traceId": told(span.trace_id),
            "spanId": told(span.span_id),
            "parentSpanId": told(span.parent_id),
            "name": span.name,
            "kind": f"SPAN_KIND_{span.kind.upper()}" if encoded else ORDER.index(span.kind),
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + round(span.duration_ms * 1e6)),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in span.attributes.items()],
            "status": {"code": "STATUS_CODE_ERROR" if encoded else 2} if span.error else {},
        }

    return {
        holder: [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
                "scopeSpans": [{"scope": {"name": "http"}, "spans": [row(span) for span in of_service]}],
            }
            for service, of_service in groupby(spans, lambda s: s.service)
        ]
    }


def as_jaeger(spans: Iterable[Span]) -> dict[str, Any]:
    """What Jaeger answers."""
    data = []
    for trace_id, of_trace in groupby(spans, lambda s: s.trace_id):
        processes: dict[str, str] = {}
        rows = []
        for span in of_trace:
            process = processes.setdefault(span.service, f"p{len(processes) + 1}")
            tags = [{"key": k, "type": "string", "value": v} for k, v in span.attributes.items()]
            tags += [{"key": "span.kind", "type": "string", "value": span.kind}] if span.kind else []
            tags += [{"key": "error", "type": "bool", "value": True}] if span.error else []
            above = [{"refType": "CHILD_OF", "traceID": trace_id, "spanID": span.parent_id}] if span.parent_id else []
            rows.append(
                {
                    "traceID": trace_id,
                    "spanID": span.span_id,
                    "operationName": span.name,
                    "references": above,
                    "startTime": nanos(span.start) // 1_000,
                    "duration": round(span.duration_ms * 1e3),
                    "tags": tags,
                    "logs": [],
                    "processID": process,
                    "warnings": None,
                }
            )
        named = {process: {"serviceName": service, "tags": []} for service, process in processes.items()}
        data.append({"traceID": trace_id, "spans": rows, "processes": named, "warnings": None})
    return {"data": data, "total": 0, "limit": 0, "offset": 0, "errors": None}


def as_zipkin(spans: Iterable[Span]) -> list[dict[str, Any]]:
    """A list of Zipkin, version 2."""
    return [
        {
            "traceId": span.trace_id,
            "id": span.span_id,
            **({"parentId": span.parent_id} if span.parent_id else {}),
            **({"kind": span.kind.upper()} if span.kind else {}),
            "name": span.name,
            "timestamp": nanos(span.start) // 1_000,
            "duration": round(span.duration_ms * 1e3),
            "localEndpoint": {"serviceName": span.service},
            "tags": {**span.attributes, **({"error": "true"} if span.error else {})},
        }
        for span in spans
    ]


def as_plain(spans: Iterable[Span]) -> list[dict[str, Any]]:
    """A plain list."""
    return [
        {
            "trace_id": span.trace_id,
            "span_id": span.span_id,
            "parent_id": span.parent_id or None,
            "service": span.service,
            "name": span.name,
            "start": span.start.isoformat(),
            "duration_ms": span.duration_ms,
            "status": "error" if span.error else "ok",
            "kind": span.kind,
            "attributes": dict(span.attributes),
        }
        for span in spans
    ]
