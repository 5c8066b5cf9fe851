"""Spans out of JSON: OTLP as Tempo and collectors write it, Jaeger, Zipkin, and plain lists of spans."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from workers.sources.traces.span import Key, Span

Raw = Mapping[str, Any]
MOST_TEXT, MOST_NAME, MOST_ATTRIBUTES = 2_000, 300, 64
MOST_MS = 1e12
"""Longer spans, of thirty years, are mistakes."""
MOST_DEPTH = 6
KINDS = ("", "internal", "server", "client", "producer", "consumer")
"""By their numbers in OTLP."""
ENCODED_ID = re.compile(r"[A-Za-z0-9+/]{11}=|[A-Za-z0-9+/]{22}==")
FAILED = frozenset("error err failed failure fail fatal exception status_code_error timeout".split())
FALSE = frozenset(("", "0", "false", "no", "none", "null", "ok", "unset"))
TRACE_IDS = ("trace_id", "traceId", "traceID", "traceid", "trace")
SPAN_IDS = ("span_id", "spanId", "spanID", "spanid", "id")
PARENT_IDS = ("parent_id", "parentId", "parent_span_id", "parentSpanId", "parentSpanID", "parent")
SERVICES = ("service", "service_name", "serviceName", "service.name")
NAMES = ("name", "operation", "operationName", "operation_name", "resource")
STARTS = ("start", "start_time", "startTime", "startTimeUnixNano", "start_time_unix_nano", "timestamp", "time", "ts")
ENDS = ("end", "end_time", "endTime", "endTimeUnixNano", "end_time_unix_nano")
DURATIONS = {
    "duration_ms": 1.0,
    "durationMs": 1.0,
    "duration_us": 1e-3,
    "durationMicros": 1e-3,
    "duration_ns": 1e-6,
    "durationNanos": 1e-6,
    "duration_s": 1e3,
}
"""Keys of a duration whose unit is told -> its unit in milliseconds."""
SPANS_IN = ("spans", "traces", "data", "trace", "results", "items")
"""Under which keys other shapes hold spans, or lists of them."""


class Unreadable(ValueError):
    """An item that is no span; its text is the reason."""


def read_spans(value: object, skipped: Counter[str] | None = None) -> tuple[Span, ...]:
    """Every span in JSON of any of the known shapes, in the order they stand there.

    Args:
        value: an OTLP export (``resourceSpans`` or ``batches``, also under ``trace``), Jaeger's ``data[].spans`` with
            ``processes``, a Zipkin list, or a plain list of spans; also lists of these.
        skipped: counts what could not be read, by the reason.

    Returns: spans; those that a client and a server share one id for are told apart. Raises: nothing.
    """
    counts: Counter[str] = Counter() if skipped is None else skipped
    return part_shared(tuple(spans_in(value, counts)))


def spans_in(value: object, skipped: Counter[str], depth: int = 0, trace_id: object = None) -> Iterator[Span]:
    """Spans of a value by its shape. ``trace_id``: what the object around it says, for spans that do not."""
    if depth > MOST_DEPTH:
        skipped["nested too deep"] += 1
    elif isinstance(value, list | tuple):
        for item in value:
            yield from spans_in(item, skipped, depth + 1, trace_id)
    elif not isinstance(value, dict):
        skipped["not an object"] += 1
    elif not value:
        return
    elif holder := next((k for k in ("resourceSpans", "resource_spans", "batches") if k in value), ""):
        yield from otlp_spans(value[holder], skipped)
    elif isinstance(value.get("processes"), dict):
        yield from jaeger_spans(value, skipped)
    elif holder := holder_in(value):
        yield from spans_in(value[holder], skipped, depth + 1, first(value, TRACE_IDS) or trace_id)
    else:
        yield from kept(plain_span, {"trace_id": trace_id, **value} if trace_id else value, skipped)


def holder_in(value: Raw) -> str:
    """Under which key an object holds spans; empty when it is a span itself, or nothing known."""
    if first(value, SPAN_IDS) is not None and first(value, STARTS) is not None:
        return ""
    return next((key for key in SPANS_IN if isinstance(value.get(key), list | dict)), "")


def kept(reader: Any, row: object, skipped: Counter[str], *more: Any) -> Iterator[Span]:
    """One span by a reader, or none and a count of the reason."""
    try:
        if not isinstance(row, dict):
            raise Unreadable("not an object")  # noqa: TRY301 - counted like the others
        yield reader(row, *more)
    except Unreadable as error:
        skipped[str(error)] += 1


# --- OTLP ---------------------------------------------------------------------------------------------------------


def otlp_spans(value: object, skipped: Counter[str]) -> Iterator[Span]:
    """Spans of ``resourceSpans``: resource -> scope -> spans."""
    for resource in objects(value, skipped):
        around = resource.get("resource")
        of_service = pairs(around.get("attributes") if isinstance(around, dict) else None)
        scopes = first_list(resource, ("scopeSpans", "scope_spans", "instrumentationLibrarySpans"))
        for scope in objects(scopes, skipped):
            for row in listed(scope.get("spans"), skipped):
                yield from kept(otlp_span, row, skipped, of_service)


def otlp_span(row: Raw, of_service: Mapping[str, str]) -> Span:
    """One span of OTLP. Raises: Unreadable."""
    status = row.get("status")
    own = pairs(row.get("attributes"))
    for event in first_list(row, ("events",)):
        if isinstance(event, dict) and event.get("name") == "exception":
            own = {**pairs(event.get("attributes")), **own}
    if isinstance(status, dict) and (said := text(status.get("message"))):
        own = {"status.message": said, **own}
    return make_span(
        row,
        service=of_service.get("service.name", ""),
        error=failed_status(status),
        kind=kind_of(row.get("kind")),
        attributes=own,
    )


def pairs(value: object) -> dict[str, str]:
    """``[{key, value: {stringValue: …}}]`` of OTLP, or ``[{key, value}]`` of Jaeger, as a mapping."""
    found: dict[str, str] = {}
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and (key := text(item.get("key"))) and len(found) < MOST_ATTRIBUTES:
            inner = item.get("value")
            found[key] = text(next(iter(inner.values()), "") if isinstance(inner, dict) else inner)
    return found


# --- Jaeger -------------------------------------------------------------------------------------------------------


def jaeger_spans(trace: Raw, skipped: Counter[str]) -> Iterator[Span]:
    """Spans of one of Jaeger's traces."""
    for row in listed(trace.get("spans"), skipped):
        yield from kept(jaeger_span, row, skipped, trace["processes"])


def jaeger_span(row: Raw, processes: Raw) -> Span:
    """One span of Jaeger: times in microseconds, the service by its process, the parent by a reference. Raises:
    Unreadable."""
    process = row.get("process") or processes.get(text(row.get("processID")))
    tags = pairs(row.get("tags"))
    for log in first_list(row, ("logs",)):
        fields = pairs(log.get("fields") if isinstance(log, dict) else None)
        if fields.get("event") in {"error", "exception"}:
            tags = {**{k: v for k, v in fields.items() if k != "event"}, **tags}
    references = [r for r in first_list(row, ("references",)) if isinstance(r, dict)]
    references.sort(key=lambda r: r.get("refType") != "CHILD_OF")
    parent = next((text(r.get("spanID")) for r in references if r.get("traceID") == row.get("traceID")), "")
    return make_span(
        {**row, "duration_us": row.get("duration")},
        service=text(process.get("serviceName")) if isinstance(process, dict) else "",
        error=truth(tags.get("error")) or failed_status(tags.get("otel.status_code")),
        kind=kind_of(tags.get("span.kind")),
        attributes=tags,
        parent=parent,
    )


# --- Zipkin and plain ---------------------------------------------------------------------------------------------


def plain_span(row: Raw) -> Span:
    """One span of Zipkin, or of a plain list. Raises: Unreadable."""
    given: Any = next((row[k] for k in ("attributes", "tags", "meta") if isinstance(row.get(k), dict | list)), {})
    if isinstance(given, list):
        tags = pairs(given)
    else:
        tags = {text(k): text(v) for k, v in list(given.items())[:MOST_ATTRIBUTES]}
    ends = [row.get("localEndpoint"), row.get("remoteEndpoint")]
    local, remote = (text(end.get("serviceName")) if isinstance(end, dict) else "" for end in ends)
    if remote:
        tags = {"peer.service": remote, **tags}
    error = row.get("error")
    if isinstance(error, str) and truth(error):
        tags = {"error.message": text(error), **tags}
    return make_span(
        row,
        service=text(first(row, SERVICES)) or local or tags.get("service.name", ""),
        error=truth(error) or failed_status(row.get("status")) or truth(tags.get("error")),
        kind=kind_of(first(row, ("kind", "span_kind", "spanKind")) or tags.get("span.kind")),
        attributes=tags,
    )


# --- what all have ------------------------------------------------------------------------------------------------


def make_span(
    row: Raw, *, service: str, error: bool, kind: str, attributes: Mapping[str, str], parent: str | None = None
) -> Span:
    """A span by the keys that every format has under some name. Raises: Unreadable: no id, no time, no duration."""
    trace_id, span_id = identifier(first(row, TRACE_IDS)), identifier(first(row, SPAN_IDS))
    if not trace_id or not span_id:
        raise Unreadable("no trace or span id")
    started = first(row, STARTS)
    start_s = epoch_s(started)
    if start_s is None:
        raise Unreadable("no start")
    duration = duration_ms(row, started, start_s)
    if duration is None:
        raise Unreadable("no duration")
    try:
        start = datetime.fromtimestamp(start_s, UTC)
    except (ValueError, OverflowError, OSError) as error_:
        raise Unreadable("no start") from error_
    parent_id = identifier(first(row, PARENT_IDS)) if parent is None else identifier(parent)
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id="" if not parent_id.strip("0") else parent_id,
        service=one_line(service) or "unknown",
        name=one_line(text(first(row, NAMES))) or "unnamed",
        start=start,
        duration_ms=duration,
        error=error,
        kind=kind,
        attributes=attributes,
    )


def duration_ms(row: Raw, started: object, start_s: float) -> float | None:
    """How long it took; None when that is not told. A duration without a unit is in that of a start in µs or ns, as in
    Zipkin, else in milliseconds. An end before the start is a skewed clock, and counts as 0."""
    for key, unit in DURATIONS.items():
        if (found := number(row.get(key))) is not None:
            return bounded(found * unit)
    if (found := number(row.get("duration"))) is not None:
        begun = abs(number(started) or 0.0)
        return bounded(found * (1e-6 if begun >= 1e17 else 1e-3 if begun >= 1e14 else 1.0))
    end = first(row, ENDS)
    whole = whole_number(end), whole_number(started)
    if whole[0] is not None and whole[1] is not None and whole[0] >= 1e17:  # nanoseconds do not fit into a float
        return bounded((whole[0] - whole[1]) / 1e6)
    end_s = epoch_s(end)
    return None if end_s is None else bounded((end_s - start_s) * 1e3)


def bounded(duration: float) -> float | None:
    """A duration as it may be."""
    return max(0.0, duration) if duration <= MOST_MS else None


def whole_number(value: object) -> int | None:
    """A whole number of at most 24 digits, also of text; None for others."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 25:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 80 else None


def epoch_s(value: object) -> float | None:
    """Seconds since 1970 of a number in s, ms, µs or ns, told by its size, or of an RFC 3339 text; None for others."""
    found = number(value)
    if found is None:
        if not isinstance(value, str) or len(value) > 40:
            return None
        try:
            moment = datetime.fromisoformat(value.strip())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    size = abs(found)
    return found / (1e9 if size >= 1e17 else 1e6 if size >= 1e14 else 1e3 if size >= 1e11 else 1.0)


def number(value: object) -> float | None:
    """A finite number, also of text; None for others."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | str)
        or (isinstance(value, str) and len(value) > 40)
    ):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def identifier(value: object) -> str:
    """An id as text; of bytes in base64, which protobuf writes, their hexadecimal digits."""
    found = text(value)[:128]
    if ENCODED_ID.fullmatch(found):
        try:
            return base64.b64decode(found).hex()
        except ValueError:
            return found
    return found


def kind_of(value: object) -> str:
    """``SPAN_KIND_SERVER``, ``SERVER`` or 2 -> ``server``."""
    if isinstance(value, int) and not isinstance(value, bool):
        return KINDS[value] if 0 <= value < len(KINDS) else ""
    said = text(value).lower().removeprefix("span_kind_")
    return said if said in KINDS else ""


def failed_status(value: object) -> bool:
    """Whether a status tells of an error: OTLP's code 2, a word for a failure, or 500 and above of HTTP."""
    if isinstance(value, dict):
        value = first(value, ("code", "status_code", "statusCode"))
    code = number(value)
    return code == 2 or 500 <= code < 600 if code is not None else text(value).strip().lower() in FAILED


def truth(value: object) -> bool:
    """Whether ``error`` says that there was one: true, 1, or any text but those that deny it."""
    if isinstance(value, dict | list):
        return bool(value)
    return text(value).strip().lower() not in FALSE


def text(value: object) -> str:
    """A value as text, bounded; of what is missing, none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value[:MOST_TEXT].encode("utf-8", "replace").decode()
    if isinstance(value, int) and value.bit_length() > 128:
        return ""
    return str(value) if isinstance(value, int | float) else ""


def one_line(name: str) -> str:
    """A name in one line, bounded: some are whole statements of SQL."""
    return " ".join(name.split())[:MOST_NAME]


def first(row: Raw, keys: tuple[str, ...]) -> Any:
    """The value under the first key that has one."""
    return next((row[key] for key in keys if row.get(key) not in (None, "")), None)


def first_list(row: Raw, keys: tuple[str, ...]) -> list[Any]:
    """The list under the first key that has one; empty without one."""
    return next((row[key] for key in keys if isinstance(row.get(key), list)), [])


def listed(value: object, skipped: Counter[str]) -> list[Any]:
    """A list; of anything else none, counted."""
    if isinstance(value, list):
        return value
    skipped["no list of spans"] += 1
    return []


def objects(value: object, skipped: Counter[str]) -> Iterator[Raw]:
    """The objects of a list; others are counted."""
    for item in listed(value, skipped):
        if isinstance(item, dict):
            yield item
        else:
            skipped["not an object"] += 1


def part_shared(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Give the server its own id where client and server share one, as Zipkin's do, below the client; what the server
    did then lies below the server."""
    clients = {span.key for span in spans if span.kind == "client"}
    servers = {span.key: span.service for span in spans if span.kind == "server" and span.key in clients}
    return tuple(parted(span, servers) for span in spans) if servers else spans


def parted(span: Span, servers: Mapping[Key, str]) -> Span:
    """One span of `part_shared`."""
    if span.kind == "server" and span.key in servers:
        return replace(span, span_id=f"{span.span_id}:server", parent_id=span.span_id)
    above = (span.trace_id, span.parent_id)
    if above in servers and servers[above] == span.service:
        return replace(span, parent_id=f"{span.parent_id}:server")
    return span
